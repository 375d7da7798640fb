import { Invalid } from '../../../shared/failures.ts'
import type { FileOptions } from '../statement.ts'
import { quoted } from '../text.ts'
import { type Header, headerScore, headersOf } from './columns.ts'
import type { CsvField } from './header-names.ts'
import { contentsOf, holdsValues } from './headerless.ts'
import { splitText } from './split.ts'

/** How to split a CSV file, and where its header row is. */
type Dialect = {
  /** The text without a `sep=;` line, which Excel reads and writes. */
  text: string
  /** The line of the file on which that text begins. */
  firstLine: number
  delimiter: string
  /** The index of the header row among the records; -1 if there is none, and then all headers are empty. */
  headerAt: number
  headers: Header[]
}

/** The beginning of a file, split at one of the possible delimiters. */
type Sample = { delimiter: string; rows: string[][] }
type Found = Pick<Dialect, 'delimiter' | 'headerAt' | 'headers'>

const delimiters = [',', ';', '\t', '|']
const words: Record<string, string> = { comma: ',', semicolon: ';', tab: '\t', '\\t': '\t', pipe: '|' }
const sampleRecords = 200
const sampleLength = 262_144

/** Works out from the beginning of a file how to split it. Throws Invalid if the delimiter is unclear. */
export function findDialect(file: string, options: FileOptions, fields: readonly CsvField[]): Dialect {
  const [sepLine = '', declared] = /^"?sep=([^\r\n"])"?\n/i.exec(file) ?? []
  const text = file.slice(sepLine.length)
  const chosen = chosenDelimiter(options.delimiter) ?? declared
  const start = text.slice(0, sampleLength)
  const possible = hasCommasOnlyInNumbers(start) ? delimiters.slice(1) : delimiters
  const samples = (chosen === undefined ? possible : [chosen]).map((delimiter) => ({
    delimiter,
    rows: splitText(start, delimiter, sampleRecords).rows,
  }))
  const found = withHeader(samples, options.mapping ?? {}, fields) ?? withoutHeader(samples, chosen, start)
  return { text, firstLine: sepLine === '' ? 1 : 2, ...found }
}

/** The delimiter in the form field: a character, or its name. */
function chosenDelimiter(chosen: string | undefined): string | undefined {
  if (chosen === undefined || chosen === '') return undefined
  const delimiter = words[chosen.trim().toLowerCase()] ?? chosen
  if (delimiter.length !== 1 || /["\n\r\p{L}\p{N}]/u.test(delimiter))
    throw new Invalid({
      delimiter: ['The selected delimiter is invalid; use a single character such as , ; | or the word tab.'],
    })
  return delimiter
}

/** The header row is the row without values that names the most fields, and the delimiter is the one that brings it out. */
function withHeader(samples: Sample[], mapping: Record<string, string>, fields: readonly CsvField[]) {
  const mapped = Object.values(mapping).filter((header) => !/^\d*$/.test(header.trim()))
  let most = 0
  let found: Found[] = []
  for (const { delimiter, rows } of samples) {
    const scores = rows.map((cells) => {
      const named = headerScore(cells, mapped, fields)
      return named > 0 && holdsValues(cells) ? 0 : named
    })
    const score = Math.max(0, ...scores)
    if (score === 0 || score < most) continue
    const headerAt = scores.indexOf(score)
    const one = { delimiter, headerAt, headers: headersOf(rows[headerAt] ?? []) }
    found = score > most ? [one] : [...found, one]
    most = score
  }
  if (found.length > 1) refuseDelimiter(found, samples[0]?.rows[0]?.join(' ') ?? '')
  return found[0] ?? null
}

/** Without a recognised header row, the delimiter is the one that yields dates and amounts. */
function withoutHeader(samples: Sample[], chosen: string | undefined, start: string): Found {
  const tables = samples
    .filter(({ rows }) => isRegular(rows))
    .map((sample) => ({ ...sample, contents: contentsOf(sample.rows) }))
  const dated = tables.filter(({ contents }) => contents.dates.length > 0)
  const telling = dated.filter(({ contents }) => contents.numbers.length > 0)
  const candidates = [telling, dated, tables].find((some) => some.length > 0) ?? []
  const [only] = candidates
  if (chosen !== undefined && !only) return { delimiter: chosen, headerAt: -1, headers: [] }
  if (!only || candidates.length > 1) refuseDelimiter(candidates, start)
  const { width, header } = only.contents
  // A first row that is all words is a header row, even if none of its names is known.
  const headerAt = header ? only.rows.indexOf(header) : -1
  return { delimiter: only.delimiter, headerAt, headers: headersOf(header ?? new Array(width).fill('')) }
}

/** True if semicolons must be the delimiter, since every comma stands between two digits. */
function hasCommasOnlyInNumbers(start: string): boolean {
  return start.includes(';') && !/(?<!\d),|,(?!\d)/.test(start)
}

/** True for rows that look like a table: several cells, and about as many in each row. */
function isRegular(rows: string[][]): boolean {
  const filled = rows.filter((cells) => cells.some((cell) => cell.trim() !== ''))
  const widths = filled.map((cells) => cells.length)
  const usual = Math.max(0, ...widths)
  return usual >= 2 && widths.filter((width) => width >= usual - 1 && width > 1).length >= filled.length * 0.6
}

/** Refuses a file in which nothing reveals the delimiter, or several would do. */
function refuseDelimiter(possible: { delimiter: string }[], start: string): never {
  const named = possible.length > 0 ? possible.map(({ delimiter }) => delimiter) : delimiters
  const names = named.map((one) => (one === '\t' ? 'tab' : quoted(one)))
  throw new Invalid({
    delimiter: [
      `The delimiter of the file is unclear; choose one: ${names.join('  ')}`,
      `The file begins with ${quoted(start.trimStart().split('\n', 1)[0] ?? '')}`,
    ],
  })
}
