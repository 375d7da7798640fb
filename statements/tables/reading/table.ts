import { withoutFormats } from '../../../src/domain/texts.ts'
import { Aspects } from '../../shared/aspect.ts'
import { linesOf } from '../../shared/lines.ts'
import type { ReadOptions } from '../../shared/options.ts'
import { Problems } from '../../shared/problems.ts'
import { settleColumns } from '../aspects/columns.ts'
import { type Contents, contentsOf, kindsOf } from '../text/contents.ts'
import { findDialect } from '../text/dialect.ts'
import { type CsvField, csvFields, ownTexts } from '../text/header-names.ts'
import { columnsNamed, type Header, yearBefore } from '../text/headers.ts'
import { type CsvRecord, readRecords } from '../text/records.ts'
import type { CsvTable } from '../text/table.ts'

const maxLineLength = 65_536

/**
 * Finds the table of a CSV file: its delimiter, its header row below a preamble, and the columns of `fields`. Throws
 * Unreadable.
 */
export function openTable(text: string, fields: readonly CsvField[], aspects: Aspects): CsvTable {
  const { headers, preamble, body } = splitTable(text, fields, aspects)
  const problems = new Problems()
  const { contents, ...found } = settleColumns(headers, body, fields, aspects, problems)
  if (problems.any) problems.throwIfAny(aspects)
  return { headers, ...found, identity: identity(headers, contents), preamble, body }
}

/** The headers of a table, and what identifies files of the same layout, without reading the rows. Throws Unreadable. */
export function headersOfTable(text: string, options: ReadOptions, isOwn: boolean) {
  const { headers, body } = splitTable(text, fieldsOf(isOwn), new Aspects(options))
  return { headers, identity: identity(headers, contentsOf(body.map(({ cells }) => cells))) }
}

function splitTable(text: string, fields: readonly CsvField[], aspects: Aspects) {
  for (const _ of linesOf(text, maxLineLength));
  // Format characters hide dates, amounts and quotes.
  const plain = withoutOuterQuotes(withoutFormats(text))
  const { delimiter, headerAt, headers } = findDialect(plain, aspects, fields)
  const records = readRecords(plain, delimiter)
  const body = records.slice(headerAt + 1)
  const preamble = records.slice(0, Math.max(0, headerAt))
  const year = yearBefore(headers)
  const dated =
    year < 0 ? withYears(body, headers, preamble) : body.map((record) => withWholeDate(record, year))
  return { headers, preamble, body: dated }
}

/** A text each of whose lines is one quoted cell, without these quotes: a program has quoted what was a record. */
function withoutOuterQuotes(text: string): string {
  const isCell = (line: string) => {
    const inner = line.slice(1, -1).replaceAll('""', '')
    return /^".+"$/.test(line) && !inner.includes('"') && /[,;\t|~]/.test(inner)
  }
  const lines = text.split('\n')
  if (!isCell(lines[0] ?? '') || !lines.every((line) => line === '' || isCell(line))) return text
  return lines.map((line) => line.slice(1, -1).replaceAll('""', '"')).join('\n')
}

/** Days and months without a year, such as `'02/10`, in the years of the period that a line above the table states. */
function withYears(body: CsvRecord[], headers: Header[], preamble: CsvRecord[]): CsvRecord[] {
  const [from, to] =
    preamble
      .slice(0, maxPeriodLines)
      .map(periodIn)
      .find((found) => found.length === 2) ?? []
  const columns = columnsNamed(headers, 'date')
  if (!from || !to) return body
  return body.map(({ line, cells }) => ({
    line,
    cells: cells.map((cell, column) => {
      const [, day, separator, month = ''] = (columns.includes(column) && dayAndMonth.exec(cell)) || []
      if (day === undefined) return cell
      const year = from.year < to.year && Number(month) < from.month ? to.year : from.year
      return [day, month, year].join(separator)
    }),
  }))
}

const maxPeriodLines = 50
const dayAndMonth = /^\s*'?(\d{1,2})([/.-])(\d{1,2})[/.-]?\s*$/

/** The years and months of the dates in a line with two, such as `Periode: 01/10/2026 - 31/10/2026`. */
function periodIn({ cells }: CsvRecord): { year: number; month: number }[] {
  const text = cells.join(' ').slice(0, 500)
  return [...text.matchAll(/(?<!\d)\d{1,2}[/.-](\d{1,2})[/.-](\d{4})(?!\d)/g)].map(([, month, year]) => ({
    year: Number(year),
    month: Number(month),
  }))
}

/** A record whose date is in the column of its year, and no longer in three. */
function withWholeDate({ line, cells }: CsvRecord, year: number): CsvRecord {
  const date = cells.slice(year, year + 3).map((part) => part.trim())
  return { line, cells: cells.toSpliced(year, 3, date.filter(Boolean).join('-'), '', '') }
}

const identity = (headers: Header[], contents: Contents) =>
  headers.some(({ text }) => text) ? headers.map(({ text }) => text.slice(0, 100)) : kindsOf(contents)

/** The fields that a table of that kind may have. */
export function fieldsOf(isOwn: boolean): readonly CsvField[] {
  const others: string[] = isOwn ? ['product', 'posting_text'] : ['to_account', 'category', ...ownTexts]
  return csvFields.filter((field) => !others.includes(field))
}
