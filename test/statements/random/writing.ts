import type { Dice } from '../../dice.ts'
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

export function writingOf(dice: Dice, words: Language): Writing {
  const dates = dice.oneOf(words.dates)
  return {
    ...numbersOf(dice, words),
    date: (iso) => writtenDate(iso, dates),
    isDateOpen: (isos) =>
      /y/.test(dates) || (/^[dm].[dm]/.test(dates) && isos.every((iso) => Number(iso.slice(8)) <= 12)),
    ...filesOf(dice, words),
  }
}

function numbersOf(dice: Dice, { money }: Language): Pick<Writing, 'number' | 'signed'> {
  const group = dice.oneOf(money.group)
  const isBefore = dice.happens(0.5)
  const mark = dice.happens(0.85) ? '' : dice.oneOf([money.sign, money.currency])
  const styles = ['-', '-', '-', '-', '-', '-', '+', '−', 'behind', ...(money.decimal === '.' ? ['()'] : [])]
  const style = dice.oneOf(styles)
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

function filesOf(dice: Dice, { encoding, money }: Language): Pick<Writing, 'cells' | 'bytes'> {
  const delimiter =
    money.decimal === ',' ? dice.oneOf([';', ';', ';', '\t', ',']) : dice.oneOf([',', ',', ',', '\t', '|'])
  const areAllQuoted = dice.happens(0.3)
  const end = dice.happens(0.4) ? '\r\n' : '\n'
  const hasMark = dice.happens(0.2)
  const isOld = encoding !== 'utf-8' && dice.happens(0.35)
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
