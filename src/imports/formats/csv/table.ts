import { withoutFormats } from '../../../shared/texts.ts'
import { Aspects } from '../aspects/aspect.ts'
import { settleColumns } from '../aspects/columns.ts'
import { linesOf } from '../lines.ts'
import { Problems } from '../problems.ts'
import type { FileOptions } from '../statement.ts'
import { type Contents, contentsOf, kindsOf } from './contents.ts'
import { findDialect } from './dialect.ts'
import { type CsvField, csvFields } from './header-names.ts'
import type { Columns, Header } from './headers.ts'
import type { Layout } from './published-layouts.ts'
import { type CsvRecord, readRecords } from './records.ts'

/** The table of a CSV file: what its columns mean, its records, and those above it (the preamble). */
export type CsvTable = {
  headers: Header[]
  columns: Columns
  /** All columns of dates, whatever their meaning. */
  dateColumns: number[]
  /** The published layout of its header row. */
  layout: Layout | null
  /** What identifies files of the same layout: the headers or, without any, the kinds of the columns. */
  identity: string[]
  preamble: CsvRecord[]
  body: CsvRecord[]
}

const maxLineLength = 65_536

/**
 * Finds the table of a CSV file: its delimiter, its header row below a preamble, and the columns of `fields`. Throws
 * Invalid.
 */
export function openTable(text: string, fields: readonly CsvField[], aspects: Aspects): CsvTable {
  const { headers, preamble, body } = splitTable(text, fields, aspects)
  const problems = new Problems()
  const { contents, ...found } = settleColumns(headers, body, fields, aspects, problems)
  problems.throwIfAny(aspects)
  return { headers, ...found, identity: identity(headers, contents), preamble, body }
}

/** What identifies files of the same layout, without reading the rows. Throws Invalid. */
export function identityOfTable(text: string, options: FileOptions, isGeneric: boolean): string[] {
  const { headers, body } = splitTable(text, fieldsOf(isGeneric), new Aspects(options))
  return identity(headers, contentsOf(body.map(({ cells }) => cells)))
}

function splitTable(text: string, fields: readonly CsvField[], aspects: Aspects) {
  for (const _ of linesOf(text, maxLineLength));
  // Format characters hide dates, amounts and quotes.
  const plain = withoutFormats(text)
  const { delimiter, headerAt, headers } = findDialect(plain, aspects, fields)
  const records = readRecords(plain, delimiter)
  return { headers, preamble: records.slice(0, Math.max(0, headerAt)), body: records.slice(headerAt + 1) }
}

const identity = (headers: Header[], contents: Contents) =>
  headers.some(({ text }) => text) ? headers.map(({ text }) => text.slice(0, 100)) : kindsOf(contents)

/** The fields that a table of that kind may have. */
export function fieldsOf(isGeneric: boolean): readonly CsvField[] {
  const others = isGeneric ? ['product', 'posting_text'] : ['to_account', 'category']
  return csvFields.filter((field) => !others.includes(field))
}
