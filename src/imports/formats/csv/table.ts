import { withoutFormats } from '../../../shared/texts.ts'
import { refuseLongLines } from '../lines.ts'
import { Problems } from '../problems.ts'
import type { FileOptions } from '../statement.ts'
import { type Columns, columnsOf, type Header, isBankFile, settleColumns } from './columns.ts'
import { findDialect } from './dialect.ts'
import type { CsvField } from './header-names.ts'
import { askAboutContents, inferColumns, wordiestColumn } from './headerless.ts'
import { type CsvRecord, readRecords } from './records.ts'

/** The table of a CSV file: what its columns mean, its records, and those above it (the preamble). */
export type CsvTable = {
  headers: Header[]
  columns: Columns
  /** All columns of dates, whatever their meaning. */
  dateColumns: number[]
  preamble: CsvRecord[]
  body: CsvRecord[]
  /** False for a generic file, whose amounts and rows are taken more literally. */
  isBankFile: boolean
}

const maxLineLength = 65_536

/**
 * Finds the table of a CSV file: its delimiter, its header row below a preamble, and the columns of `fields`. Throws
 * Invalid.
 */
export function openTable(text: string, options: FileOptions, fields: readonly CsvField[]): CsvTable {
  refuseLongLines(text, maxLineLength)
  const mapping = options.mapping ?? {}
  // They hide dates, amounts and quotes.
  const { headerAt, headers, ...dialect } = findDialect(withoutFormats(text), options, fields)
  const records = readRecords(dialect.text, dialect.delimiter, dialect.firstLine)
  const body = records.slice(headerAt + 1)
  const hasHeaders = headerAt >= 0
  const problems = new Problems()
  const detected = hasHeaders ? columnsOf(headers, fields) : inferColumns(body, mapping, problems)
  // If the contents leave open which columns are meant, only that is asked: any other error may follow from it.
  const others = problems.any ? new Problems() : problems
  const { columns, dateColumns } = settleColumns(detected, headers, body, mapping, fields, others)
  if (problems.any) askAboutContents(headers, body, options, problems)
  problems.throwIfAny()
  if (hasHeaders && !columns.description && mapping.description === undefined) {
    const { posting_text: kinds = [], ...named } = columns
    const wordiest = wordiestColumn(body, [...dateColumns, ...Object.values(named).flat()])
    if (wordiest !== null && !kinds.includes(wordiest)) columns.description = [wordiest]
  }
  const preamble = hasHeaders ? records.slice(0, headerAt) : []
  return { headers, columns, dateColumns, preamble, body, isBankFile: isBankFile(fields) }
}
