import type { Chance } from './chance.ts'
import type { Language } from './languages.ts'

/** How a bank writes numbers, dates and cells. */
export type Writing = {
  number: (minor: number) => string
  /** A number in a column where a sign tells what was spent from what came in. */
  signed: (minor: number) => string
  date: (iso: string) => string
  /** True if dates may be read in another order. */
  isDateOpen: (isos: string[]) => boolean
  cells: (cells: string[]) => string
  bytes: (lines: string[]) => Uint8Array
}

export function writingOf(chance: Chance, words: Language): Writing {
  const dates = chance.pick(words.dates)
  return {
    ...numbersOf(chance, words),
    date: (iso) => writtenDate(iso, dates),
    isDateOpen: (isos) =>
      /y/.test(dates) || (/^[dm].[dm]/.test(dates) && isos.every((iso) => Number(iso.slice(8)) <= 12)),
    ...filesOf(chance, words),
  }
}

function numbersOf(chance: Chance, { money }: Language): Pick<Writing, 'number' | 'signed'> {
  const group = chance.pick(money.group)
  const isBefore = chance.is(0.5)
  const mark = chance.is(0.85) ? '' : chance.pick([money.sign, money.currency])
  const styles = ['-', '-', '-', '-', '-', '-', '+', '−', 'behind', ...(money.decimal === '.' ? ['()'] : [])]
  const style = chance.pick(styles)
  const number = (minor: number) => {
    const [whole = '', cents = ''] = (Math.abs(minor) / 100).toFixed(2).split('.')
    const digits = `${whole.replace(/\B(?=(\d{3})+$)/g, group)}${money.decimal}${cents}`
    const plain = mark === '' ? digits : isBefore ? `${mark} ${digits}` : `${digits} ${mark}`
    if (minor >= 0) return plain
    if (style === '()') return `(${plain})`
    return style === 'behind' && mark === '' ? `${plain}-` : `${style === '−' ? '−' : '-'}${plain}`
  }
  return { number, signed: (minor) => (style === '+' && minor > 0 ? `+${number(minor)}` : number(minor)) }
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

function writtenDate(iso: string, format: string): string {
  const [year = '', month = '', day = ''] = iso.split('-')
  const parts: Record<string, string> = {
    ...{ MMM: months[Number(month) - 1] ?? '', Y: year, y: year.slice(2), m: month, d: day },
  }
  return format.replace(/MMM|[Yymd]/g, (part) => parts[part] ?? '')
}

function filesOf(chance: Chance, { encoding, money }: Language): Pick<Writing, 'cells' | 'bytes'> {
  const delimiter =
    money.decimal === ',' ? chance.pick([';', ';', ';', '\t', ',']) : chance.pick([',', ',', ',', '\t', '|'])
  const areAllQuoted = chance.is(0.3)
  const end = chance.is(0.4) ? '\r\n' : '\n'
  const hasMark = chance.is(0.2)
  const isOld = encoding !== 'utf-8' && chance.is(0.35)
  const cell = (text: string) =>
    areAllQuoted || text.includes(delimiter) || text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text
  return {
    cells: (cells) => cells.map(cell).join(delimiter),
    bytes: (lines) => {
      const text = lines.join(end) + end
      return (
        (isOld && legacyBytes(text, encoding)) ||
        new TextEncoder().encode(`${hasMark ? '\ufeff' : ''}${text}`)
      )
    },
  }
}

/** The text in a single-byte encoding; null if it lacks a character. */
function legacyBytes(text: string, encoding: string): Uint8Array | null {
  const decoder = new TextDecoder(encoding)
  const bytes = new Map(Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]))
  const found = [...text].map((character) => bytes.get(character))
  return found.includes(undefined) ? null : Uint8Array.from(found as number[])
}
