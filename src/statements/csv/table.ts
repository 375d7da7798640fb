import { refuseLongLines } from '../lines.ts'
import type { ImportOptions } from '../statement.ts'
import { type Columns, columnsOf, type Header, settleColumns } from './columns.ts'
import { findDialect } from './dialect.ts'
import type { CsvField } from './header-names.ts'
import { inferColumns } from './headerless.ts'
import { type CsvRecord, readRecords } from './records.ts'

/** The table of a CSV file: the meaning of its columns, its records, and those above it. */
export type CsvTable = {
  headers: Header[]
  columns: Columns
  /** All columns of dates, whatever their meaning. */
  dateColumns: number[]
  preamble: CsvRecord[]
  body: CsvRecord[]
}

const maxLineLength = 65_536

/** Opens the table of a CSV file: finds its delimiter, its header row below a preamble, and the columns of `fields`. */
export function openTable(text: string, options: ImportOptions, fields: readonly CsvField[]): CsvTable {
  refuseLongLines(text, maxLineLength)
  const mapping = options.mapping ?? {}
  const { headerAt, headers, ...dialect } = findDialect(text, options, fields)
  const records = readRecords(dialect.text, dialect.delimiter, dialect.firstLine)
  const body = records.slice(headerAt + 1)
  const hasHeaders = headerAt >= 0
  const detected = hasHeaders ? columnsOf(headers, fields) : inferColumns(body, mapping)
  const columns = settleColumns(detected, headers, body, mapping, fields)
  return { headers, ...columns, preamble: hasHeaders ? records.slice(0, headerAt) : [], body }
}
