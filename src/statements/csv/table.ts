import { Invalid } from '../../domain/failures.ts'
import { Problems } from '../problems.ts'
import type { ImportOptions } from '../statement.ts'
import { readWrittenAmount } from '../written/amount.ts'
import { readWrittenDate } from '../written/date.ts'
import {
  applyMapping,
  type Columns,
  columnNamed,
  columnsOf,
  filledCurrencies,
  isTable,
  listed,
  maxTwins,
  refuseTwins,
} from './columns.ts'
import { delimiterSaid, isRegular, previews, refuseDelimiter, withoutSepLine } from './dialect.ts'
import type { CsvField } from './header-names.ts'
import { contentsOf, datesIn, holdsTransactions, inferColumns } from './headerless.ts'
import { type CsvRecord, readRecords, refuseLongLines } from './records.ts'

/** The table of a CSV file: what its columns are, its rows, and what stands above them. */
export type CsvTable = {
  headers: string[]
  /** As many columns as have a header, or all where none has. */
  width: number
  columns: Columns
  /** Columns of dates, of whatever meaning: all are written alike. */
  dateColumns: number[]
  preamble: CsvRecord[]
  body: CsvRecord[]
}

type Found = { delimiter: string; headerAt: number; headers: string[] }

/** Finds the table in a CSV file: its delimiter, its header row below a preamble, and the meaning of its columns. */
export function openTable(text: string, options: ImportOptions, fields: readonly CsvField[]): CsvTable {
  refuseLongLines(text)
  const body = withoutSepLine(text)
  const said = delimiterSaid(options.delimiter) ?? body.declared
  const mapping = options.mapping ?? {}
  const found = findHeader(body.text, said, mapping, fields) ?? headerless(body.text, said, mapping)
  const records = readRecords(body.text, found.delimiter, body.firstLine)
  const problems = new Problems()
  const detected =
    found.headerAt >= 0
      ? columnsOf(found.headers, fields)
      : inferColumns(contentsOf(records.map(({ cells }) => cells)), mapping)
  const mapped = applyMapping(detected, found.headers, mapping, fields, problems)
  const { columns, settled } = filledCurrencies(
    mapped,
    found.headers,
    records.slice(found.headerAt + 1).map(({ cells }) => cells),
    fields.includes('currency'),
  )
  if (!settled) refuseTwins(columns, found.headers, problems)
  if (!problems.any && !isTable(columns)) refuseColumns(found.headers)
  problems.throwIfAny()
  return {
    headers: found.headers,
    width: found.headers.findLastIndex((header) => header.trim() !== '') + 1 || found.headers.length,
    columns,
    dateColumns: dateColumns(found.headers, columns),
    preamble: records.slice(0, Math.max(0, found.headerAt)),
    body: records.slice(found.headerAt + 1),
  }
}

/** The header row is that of the first rows which names most of what we know; the delimiter is the one that shows it. */
function findHeader(
  text: string,
  said: string | null,
  mapping: Record<string, string>,
  fields: readonly CsvField[],
): Found | null {
  const found: (Found & { score: number })[] = []
  const names = Object.values(mapping).filter((header) => !/^\d*$/.test(header.trim()))
  for (const { delimiter, rows } of previews(text, said)) {
    const scores = rows.map((cells) => headerScore(cells, names, fields))
    const score = Math.max(0, ...scores)
    const headerAt = scores.indexOf(score)
    if (score > 0) found.push({ delimiter, headerAt, headers: rows[headerAt] ?? [], score })
  }
  const best = Math.max(0, ...found.map((one) => one.score))
  const winners = found.filter((one) => one.score === best)
  if (winners.length > 1) refuseDelimiter(winners.map((one) => one.delimiter))
  return winners[0] ?? null
}

/** How many fields a row names as a header, or 0 if it is none: one of the names that the mapping says makes it one. */
function headerScore(cells: string[], names: string[], fields: readonly CsvField[]): number {
  if (cells.length < 2) return 0
  const columns = columnsOf(cells, fields)
  const named = names.filter((name) => columnNamed(cells, name) !== null)
  return isTable(columns) || named.length > 0 ? Object.keys(columns).length + named.length : 0
}

/** A file without a header row that is recognised: its delimiter is the one that shows dates and amounts. */
function headerless(text: string, said: string | null, mapping: Record<string, string>): Found {
  const regular = previews(text, said).filter(({ rows }) => isRegular(rows))
  const telling = regular.filter(({ rows }) => holdsTransactions(contentsOf(rows)))
  const dated = regular.filter(({ rows }) => datesIn(contentsOf(rows)).length > 0)
  const candidates = [telling, dated, regular].find((some) => some.length > 0) ?? []
  const [only] = candidates
  if (!only || candidates.length > 1) {
    if (said !== null && !only) refuseColumns([])
    refuseDelimiter(candidates.map((one) => one.delimiter))
  }
  const { width } = contentsOf(only.rows)
  const first = only.rows.find((cells) => cells.length >= width - 1) ?? []
  if (looksLikeHeader(first) && Object.keys(mapping).length === 0) refuseColumns(first)
  return { delimiter: only.delimiter, headerAt: -1, headers: new Array(width).fill('') }
}

/** Words nearly throughout, with a number at their end at most, and neither a date nor an amount. */
function looksLikeHeader(cells: string[]): boolean {
  const isWords = (text: string) => /\p{L}/u.test(text) && !/\d./s.test(text)
  const words = cells.filter((cell) => isWords(cell.trim()))
  const values = cells.some((cell) => readWrittenDate(cell) !== null || readWrittenAmount(cell) !== null)
  return !values && words.length >= cells.length * 0.8
}

/** No column is known to be the date or the amount; the mapping would say it. */
function refuseColumns(headers: string[]): never {
  throw new Invalid({
    mapping: [
      `The file needs a date column and an amount column (or debit and credit), and none is recognised${
        headers.length > 0 ? ` among ${listed(headers)}` : ''
      }; name them, by header or by number.`,
    ],
  })
}

function dateColumns(headers: string[], columns: Columns): number[] {
  const others = headers.flatMap((header, i) => (columnsOf([header], ['date']).date ? [i] : []))
  return [...new Set([...(columns.date ?? []), ...others])].slice(0, maxTwins)
}
