import type { Asked, Proved } from '../../shared/aspect.ts'
import type { SignConvention } from '../../shared/options.ts'
import { quoted } from '../../shared/text.ts'
import type { Entry } from './entry.ts'

export type Proof = Proved<SignConvention>
export type { Asked }

/** Asks which way amounts go that have signs. The code tells why, for programs. */
export function question(doubt: string, entries: Entry[], code = 'signs_contradicted'): Asked {
  const example = entries.find(({ amount }) => amount > 0) ?? entries[0]
  const [sign, asWritten, inverted] =
    example && example.amount < 0
      ? ['negative', 'was spent', 'came in']
      : ['positive', 'came in', 'was spent']
  return {
    code,
    question: `${doubt} Send signs=as_written if a ${sign} amount such as ${shown(example)} ${asWritten}, signs=inverted if it ${inverted}; or map the column to debit or to credit.`,
    options: [
      { value: 'as_written', label: 'Positive amounts came in, negative ones were spent.' },
      { value: 'inverted', label: 'Positive amounts were spent, negative ones came in.' },
    ],
  }
}

/** What is in doubt about balances that follow. */
export const mayBeOwed = (doubt: string) =>
  `The balances follow, but may be what is owed, as on a card or a loan: ${doubt}.`

/** An entry whose amount raises the balance, or lowers it. */
export type Shown = { entry: Entry | undefined; verb: 'raise' | 'lower' }

/** Asks whether what raises a balance came in, and which way the `open` amounts went, which no balance shows. */
export function unsignedQuestion(doubt: string, { entry, verb }: Shown, open: Entry[]): Asked {
  const asked = `${mayBeOwed(doubt)} Send signs=as_written if amounts that ${verb} the balance, such as ${shown(entry)}, came in, signs=inverted if they were spent.`
  const options = [
    { value: 'as_written', label: `What ${verb}s the balance came in` },
    { value: 'inverted', label: `What ${verb}s the balance was spent` },
  ]
  const code = 'signs_of_debt'
  if (open.length === 0) return { code, question: asked, options }
  return {
    code,
    question: `${asked} Add _but_oldest if ${shown(open[0])}, which no balance shows, went the other way.`,
    options: options.flatMap(({ value, label }) => [
      { value, label: `${label}; the oldest amount went the same way.` },
      { value: `${value}_but_oldest`, label: `${label}; the oldest amount went the other way.` },
    ]),
  }
}

const shown = (entry: Entry | undefined) => {
  const { amount, debit, credit, line = 0 } = entry?.row ?? {}
  const text = [amount, debit, credit].find((cell) => cell?.text)?.text
  return `${quoted(text ?? '')} in row ${line}`
}
