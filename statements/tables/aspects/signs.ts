import { type Minor, negated } from '../../../src/shared/money.ts'
import type { Aspect, Aspects } from '../../shared/aspect.ts'
import type { SignConvention } from '../../shared/options.ts'
import { quoted } from '../../shared/text.ts'
import { isTrade, type Mark, sideOf } from '../text/mark-words.ts'
import type { CsvRow } from '../text/row.ts'
import type { CsvTable } from '../text/table.ts'
import { areMixed, directionsByBalances, signsByBalances } from './balances.ts'
import { type Entry, withFee } from './entry.ts'
import { areOfBuyer, askAboutMarks, headerOf, markColumns, signsByKinds } from './marks.ts'

type Proof = { value: SignConvention; proof: string }

/** Other evidence of the direction of amounts. */
type Evidence = {
  /** Debits are negative, since two columns tell them from credits. */
  areSided: boolean
  /** Balances of lines that are not entries. */
  openings: Minor[]
  /** The proof of this kind of file: the documented convention, or the types of all rows. */
  own: Proof | null
  /** The direction that the type of a row gives it, whatever its sign; null if types give none. */
  directionOf: ((row: CsvRow) => Mark | null) | null
}

/** The entries of each account with negative amounts for what was spent. */
export function settleSigns(
  table: CsvTable,
  groups: Entry[][],
  evidence: Evidence,
  aspects: Aspects,
): Entry[][] {
  const isSigned = groups.flat().some(({ amount }) => amount < 0)
  const { told } = aspects
  if (evidence.areSided) {
    // Columns that have both signs have been asked about.
    if (aspects.settled.signs || aspects.isAsked('signs')) return groups
    if (!told.signs) aspects.record('signs', 'by_column', 'debits and credits have columns of their own')
    return applied(groups, told.signs ?? 'as_written')
  }
  const typed = evidence.directionOf && byTypes(groups.flat(), evidence.directionOf, told.signs)
  if (typed) return directed(groups, typed, aspects)
  const marked = isSigned ? null : byMarks(table, groups.flat(), evidence.directionOf, aspects)
  if (marked) return directed(groups, marked, aspects)
  if (!isSigned && !table.layout?.signs) return unsignedByBalances(groups, evidence, aspects)
  const convention = aspects.settle('signs', () => signedAspect(table, groups, evidence, aspects))
  return applied(groups, convention)
}

function applied(groups: Entry[][], convention: string): Entry[][] {
  if (convention !== 'inverted') return groups
  return groups.map((group) => group.map((entry) => ({ ...entry, amount: negated(entry.amount) })))
}

/** Which way each row went, and what shows it; without a proof, that has been asked. */
type Directions = { value: string; proof: string | null; marks: (Mark | null)[] }

/** The amounts with these directions, unless the balances contradict them. */
function directed(groups: Entry[][], { value, proof, marks }: Directions, aspects: Aspects): Entry[][] {
  const directions = new Map(groups.flat().map((entry, i) => [entry, marks[i]]))
  const signed = groups.map((group) =>
    group.map((entry) => {
      const amount = Math.abs(entry.amount) as Minor
      return { ...entry, amount: directions.get(entry) === 'debit' ? negated(amount) : amount }
    }),
  )
  const contradicts = signed.some((group) => signsByBalances(group) === 'inverted' || areMixed(group))
  if (contradicts && !aspects.told.signs)
    aspects.settle('signs', () =>
      question(`The balances in the file contradict ${proof ?? 'its marks'}.`, groups.flat()),
    )
  else if (proof) aspects.record('signs', value, proof)
  // Types say more than an option, as long as nothing contradicts them.
  const isTold = value === 'by_mark' || contradicts
  return applied(signed, (isTold && aspects.told.signs) || 'as_written')
}

/** The directions that the types of all rows give them; null if a row has none, or its sign contradicts it. */
function byTypes(
  entries: Entry[],
  directionOf: (row: CsvRow) => Mark | null,
  told: string | undefined,
): Directions | null {
  const marks = entries.map(({ row }) => directionOf(row))
  const amounts = entries.map(({ amount }) => amount)
  if (entries.length === 0 || marks.includes(null)) return null
  const areInverted = signsByKinds(marks, amounts) === 'inverted'
  if (!areInverted && amounts.some((amount, i) => marks[i] === 'credit' && amount < 0)) return null
  const isSigned = amounts.some((amount) => amount < 0)
  if (told && isSigned && (told === 'inverted') !== areInverted) return null
  return { value: 'by_type', proof: 'the types of all rows', marks }
}

/** The directions that a column of marks gives positive amounts, or marks such as `12.50 CR` beside the amounts. */
function byMarks(
  table: CsvTable,
  entries: Entry[],
  directionOf: Evidence['directionOf'],
  aspects: Aspects,
): Directions | null {
  const rows = entries.map(({ row }) => row)
  const sure = markColumns(table, rows, aspects).find(({ column }) =>
    rows.some(({ cells }) => !isTrade(cells[column] ?? '')),
  )
  if (sure) return { value: 'by_mark', ...sure }
  const written = rows.map(({ amount }) => amount.written?.positive)
  if (written.includes('mark')) {
    const marks = written.map((one): Mark => (one === 'mark' ? 'credit' : 'debit'))
    return { value: 'by_mark', proof: 'the marks beside amounts', marks }
  }
  if (entries.some(({ balance }) => balance !== null)) return null
  const marks = askAboutMarks(table, rows, directionOf, aspects)
  return marks && { value: 'by_mark', proof: null, marks }
}

/** Everything that shows what a minus sign means, which is nothing by itself: cards write it both ways. */
function signedAspect(table: CsvTable, groups: Entry[][], { own }: Evidence, aspects: Aspects): Aspect {
  const entries = groups.flat()
  const rows = entries.map(({ row }) => row)
  const amounts = entries.map(({ amount }) => amount)
  const wordsIn = (column: number) => rows.map(({ cells }) => cells[column] ?? '')
  const provedBy = (kinds: (Mark | null)[], column: number, isSure = false) => {
    const value = signsByKinds(kinds, amounts, isSure)
    return value === 'inverted' && !areOfBuyer(wordsIn(column), amounts) ? null : value
  }
  const marks = markColumns(table, rows, aspects).map(({ column, marks, isSure, proof }) => ({
    value: provedBy(marks, column, isSure),
    proof,
    isSure,
  }))
  const refuted = marks.find(({ value, isSure }) => isSure && !value)
  if (refuted) return question(`The signs of amounts contradict ${refuted.proof}.`, entries)
  const kinds = [...(table.columns.type ?? []), ...(table.columns.posting_text ?? [])].map((column) => ({
    value: provedBy(wordsIn(column).map(sideOf), column),
    proof: `the kinds in column ${headerOf(table, column)}`,
  }))
  const balances = groups.map((group) => ({
    value: signsByBalances(group) ?? signsWithFees(group),
    proof: 'the balances follow',
  }))
  const areMarked = rows.some(({ amount }) => amount.written?.positive === 'mark')
  const beside = { value: areMarked ? ('as_written' as const) : null, proof: 'the marks beside amounts' }
  const layout = { value: table.layout?.signs ?? null, proof: `the layout of ${table.layout?.name}` }
  const all = [...balances, ...marks, ...kinds, beside, layout, own, aspects.typed]
  const [first, ...others] = all.filter((one): one is Proof => Boolean(one?.value))
  const against = others.find(({ value }) => value !== first?.value)
  if (first && against)
    return question(`${sentence(first.proof)} and ${against.proof} contradict each other.`, entries)
  if (first) return { value: first.value, proof: first.proof }
  if (groups.some(areMixed))
    return question('The balances in the file contradict the signs of its amounts.', entries)
  return question('Nothing in the file proves which way its amounts go.', entries)
}

/** Balances may follow only if fees are charged besides the amounts. */
function signsWithFees(group: Entry[]): SignConvention | null {
  const charged = group.map((entry) => ({ ...entry, amount: withFee(entry) }))
  return signsByBalances(charged) === 'as_written' ? 'as_written' : null
}

/** Amounts without signs: balances can give them some; which way the others went is asked. */
function unsignedByBalances(groups: Entry[][], { openings, own }: Evidence, aspects: Aspects): Entry[][] {
  const directions = groups.map((group) => directionsByBalances(group, openings))
  const open = groups.flatMap((group, g) =>
    group.filter((entry, i) => entry.amount !== 0 && directions[g]?.[i] === null),
  )
  const hasBalances = groups.flat().some(({ balance }) => balance !== null)
  const doubt = hasBalances
    ? 'The balances do not show which way every amount went, and none has a sign.'
    : 'Nothing in the file says which way its amounts go: none has a sign.'
  const settle = () => own ?? aspects.typed ?? question(doubt, open)
  const convention = open.length > 0 ? aspects.settle('signs', settle) : 'as_written'
  if (open.length === 0 && groups.flat().length > 0)
    aspects.record('signs', 'by_balance', 'the balances show which way each amount went')
  const other = convention === 'inverted' ? -1 : 1
  return groups.map((group, g) =>
    group.map((entry, i) => ({ ...entry, amount: (entry.amount * (directions[g]?.[i] ?? other)) as Minor })),
  )
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function question(doubt: string, entries: Entry[]): Aspect {
  const example = entries.find(({ amount }) => amount > 0) ?? entries[0]
  const amount = `${quoted(example?.row.amount.text ?? '')} in row ${example?.row.line}`
  const [sign, asWritten, inverted] =
    example && example.amount < 0
      ? ['negative', 'was spent', 'came in']
      : ['positive', 'came in', 'was spent']
  return {
    question: `${doubt} Send signs=as_written if a ${sign} amount such as ${amount} ${asWritten}, signs=inverted if it ${inverted}; or map the column to debit or to credit.`,
    options: [
      { value: 'as_written', label: 'Positive amounts came in, negative ones were spent.' },
      { value: 'inverted', label: 'Positive amounts were spent, negative ones came in.' },
    ],
  }
}
