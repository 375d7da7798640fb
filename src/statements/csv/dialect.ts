import { Invalid } from '../../domain/failures.ts'
import { shown } from '../text.ts'
import { splitText } from './split.ts'

const candidates = [',', ';', '\t', '|']
const words: Record<string, string> = { comma: ',', semicolon: ';', tab: '\t', '\\t': '\t', pipe: '|' }
const previewRecords = 200
const previewLength = 262_144

/** The text of a CSV file without a `sep=` line, which Excel reads and writes, and what that line says. */
export type CsvBody = { text: string; firstLine: number; declared: string | null }

/** Takes the `sep=;` line off. */
export function withoutSepLine(text: string): CsvBody {
  const match = /^"?sep=([^\r\n"])"?\n/i.exec(text)
  if (!match) return { text, firstLine: 1, declared: null }
  return { text: text.slice(match[0].length), firstLine: 2, declared: match[1] ?? null }
}

/** The delimiter that a form field says: a character, or its name. */
export function delimiterSaid(said: string | undefined): string | null {
  if (said === undefined || said === '') return null
  const delimiter = words[said.trim().toLowerCase()] ?? said
  if (delimiter.length !== 1 || /["\n\r\p{L}\p{N}]/u.test(delimiter))
    throw new Invalid({
      delimiter: [
        'The selected delimiter is invalid; it is a single character such as , ; | or the word tab.',
      ],
    })
  return delimiter
}

/** The beginning of a file, split at each delimiter that may be its own. */
export function previews(text: string, delimiter: string | null): { delimiter: string; rows: string[][] }[] {
  const head = text.slice(0, previewLength)
  return (delimiter === null ? candidates : [delimiter]).map((candidate) => ({
    delimiter: candidate,
    rows: splitText(head, candidate, previewRecords).rows,
  }))
}

/** Nothing tells what separates the cells, or two delimiters would both do. */
export function refuseDelimiter(possible: string[]): never {
  const names = (possible.length > 0 ? possible : candidates).map((one) =>
    one === '\t' ? 'tab' : shown(one),
  )
  throw new Invalid({
    delimiter: [`What separates the cells of the file cannot be told; say which it is: ${names.join('  ')}`],
  })
}

/** True for rows that seem to be a table: several cells, and nearly as many in each row. */
export function isRegular(rows: string[][]): boolean {
  const filled = rows.filter((cells) => cells.some((cell) => cell.trim() !== ''))
  const widths = filled.map((cells) => cells.length)
  const usual = Math.max(0, ...widths)
  return usual >= 2 && widths.filter((width) => width >= usual - 1 && width > 1).length >= filled.length * 0.6
}
