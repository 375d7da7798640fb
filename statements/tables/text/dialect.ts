import { type Aspects, asTold, type Choice } from '../../shared/aspect.ts'
import { quoted } from '../../shared/text.ts'
import { refuseFile, Unreadable } from '../../shared/unreadable.ts'
import { type Contents, contentsOf, hasDecimals, holdsValues } from './contents.ts'
import type { CsvField } from './header-names.ts'
import { type Header, headerScore, headersOf } from './headers.ts'
import { splitText } from './split.ts'

/** How to split a CSV file, and where its header row is. */
type Dialect = {
  delimiter: string
  /** The index of the header row among the records; -1 if there is none, and then all headers are empty. */
  headerAt: number
  headers: Header[]
}

/** The beginning of a file, split at one of the possible delimiters. */
type Sample = { delimiter: string; rows: string[][] }

const delimiters = [',', ';', '\t', '|']
const words: Record<string, string> = { comma: ',', semicolon: ';', tab: '\t', '\\t': '\t', pipe: '|' }
const sampleRecords = 200
const sampleLength = 262_144

/** Works out from the beginning of a file how to split it. Asks for the delimiter if several could be meant. */
export function findDialect(text: string, aspects: Aspects, fields: readonly CsvField[]): Dialect {
  const start = text.slice(0, sampleLength)
  const told = toldDelimiter(aspects.told.delimiter)
  const possible = told === undefined ? possibleDelimiters(start) : [told]
  const samples = possible.map((delimiter) => sampleOf(start, delimiter))
  const mapped = Object.entries(aspects.told).flatMap(([field, header]) =>
    field.startsWith('mapping.') && !/^\d*$/.test(header.trim()) ? [header] : [],
  )
  const usual = withHeader(samples, mapped, fields)
  const unusual =
    told === undefined && usual.length === 0 ? withHeader([sampleOf(start, '~')], mapped, fields) : []
  const found = [...usual, ...unusual]
  const all = found.length > 0 ? found : withoutHeader(samples)
  // Without any table, the errors about its columns say more than a question about the delimiter.
  if (all.length === 0 && told === undefined) {
    const problems = unclear(delimiters, start).map((text) => ({ line: null, field: 'delimiter', text }))
    throw new Unreadable({ problems })
  }
  const chosen = aspects.settle(
    'delimiter',
    () => (all.length > 1 ? question(all, start) : null),
    all[0]?.delimiter,
  )
  if (told !== undefined) aspects.record('delimiter', aspects.told.delimiter ?? '', asTold)
  const dialect = all.find(({ delimiter }) => delimiter === (told ?? chosen)) ?? all[0]
  return dialect ?? { delimiter: told ?? chosen, headerAt: -1, headers: [] }
}

const sampleOf = (start: string, delimiter: string): Sample => ({
  delimiter,
  rows: splitText(start, delimiter, sampleRecords).rows,
})

/** The delimiter of the answer: up to three characters, or the name of one. */
function toldDelimiter(told: string | undefined): string | undefined {
  if (told === undefined) return undefined
  const delimiter = words[told.trim().toLowerCase()] ?? told
  if (delimiter === '' || delimiter.length > 3 || /["\n\r\p{L}\p{N}]/u.test(delimiter))
    refuseFile(
      'The selected delimiter is invalid; use up to three characters such as , ; | or the word tab.',
      'delimiter',
    )
  return delimiter
}

/** The usual delimiters. A longer one such as `~|~` replaces its part. */
function possibleDelimiters(start: string): string[] {
  const [long = '', , middle = ''] = /([~^#*%&@!:_])([,;\t|])\1/.exec(start) ?? []
  const isAlways = long !== '' && !start.replaceAll(long, '').includes(middle)
  return delimiters.map((delimiter) => (isAlways && delimiter === middle ? long : delimiter))
}

/**
 * The header row is the row without values that names the most fields, and the delimiter is the one that brings it out. A
 * header may take two rows: below a row that names fields, a blank cell has the name above it.
 */
function withHeader(samples: Sample[], mapped: string[], fields: readonly CsvField[]): Dialect[] {
  let most = 0
  let found: Dialect[] = []
  for (const { delimiter, rows } of samples) {
    const scoreOf = (cells: string[]) => {
      const named = headerScore(cells, mapped, fields)
      return named > 0 && holdsValues(cells) ? 0 : named
    }
    const lines = rows.map((cells, i) => {
      const above = rows[i - 1] ?? []
      const longer = above.length > cells.length ? above : cells
      return scoreOf(above) > 0 ? longer.map((_, at) => cells[at]?.trim() || (above[at] ?? '')) : cells
    })
    const scores = lines.map(scoreOf)
    const score = Math.max(0, ...scores)
    if (score === 0 || score < most) continue
    const headerAt = scores.indexOf(score)
    const one = { delimiter, headerAt, headers: headersOf(lines[headerAt] ?? []) }
    found = score > most ? [one] : [...found, one]
    most = score
  }
  return found
}

/** Without a recognised header row, the delimiter is the one that yields dates and amounts. */
function withoutHeader(samples: Sample[]): Dialect[] {
  const tables = samples
    .filter(({ rows }) => rows.some((cells) => cells.length > 1))
    .map((sample) => ({ ...sample, contents: contentsOf(sample.rows) }))
  const telling = tables.filter(({ contents }) => contents.numbers.length > 0)
  const withDecimals = telling.filter(({ contents: { rows, numbers } }) =>
    numbers.some((column) => hasDecimals(rows, column)),
  )
  const candidates = [withDecimals, telling, tables].find((some) => some.length > 0) ?? []
  return candidates.map(({ delimiter, rows, contents }) => ({
    delimiter,
    // A first row that is all words is a header row, even if none of its names is known.
    headerAt: contents.header ? rows.indexOf(contents.header) : lastLineAbove(rows, contents),
    headers: headersOf(contents.header ?? new Array(contents.width).fill('')),
  }))
}

/** The beginning of a date, however damaged. */
const beginsLikeDate = /^\p{P}?(?:\d{1,4}[-./ ]|\d{6}|\p{L}{3,9}\.? \d)/u

/** The last line above a table without headers; -1 if there is none, or if a line may be a row with a damaged date or none. */
function lastLineAbove(rows: string[][], contents: Contents): number {
  const [first = []] = contents.rows
  const above = rows.slice(0, Math.max(0, rows.indexOf(first)))
  const mayBeRow = (cells: string[]) => {
    const date = cells[contents.dates[0] ?? 0]?.trim() ?? ''
    return beginsLikeDate.test(date) || (date === '' && cells.length === first.length)
  }
  return above.some(mayBeRow) ? -1 : above.length - 1
}

const nameOf = (delimiter: string) => (delimiter === '\t' ? 'tab' : quoted(delimiter))

function question(found: { delimiter: string }[], start: string) {
  const possible = found.map(({ delimiter }) => delimiter)
  const options: Choice[] = possible.map((delimiter) => ({
    value: delimiter === '\t' ? 'tab' : delimiter,
    label: nameOf(delimiter),
  }))
  return { question: unclear(possible, start).join(' '), options }
}

function unclear(possible: string[], start: string): string[] {
  return [
    `The delimiter of the file is unclear; choose one: ${possible.map(nameOf).join('  ')}`,
    `The file begins with ${quoted(start.trimStart().split('\n', 1)[0] ?? '')}`,
  ]
}
