import type { Aspects } from '../../shared/aspect.ts'
import type { Problems } from '../../shared/problems.ts'
import { quoted } from '../../shared/text.ts'
import { type Contents, hasDecimals } from '../text/contents.ts'
import type { CsvField } from '../text/header-names.ts'
import { type Columns, type Header, listed, maxOptions } from '../text/headers.ts'
import type { Layout } from '../text/published-layouts.ts'
import type { CsvRecord } from '../text/records.ts'

/** A table whose columns are being settled, and where questions and errors about them go. */
export type Table = {
  headers: Header[]
  body: CsvRecord[]
  columns: Columns
  layout: Layout | null
  /** For each field that no header names, why its column is meant, or why it has none. */
  proofs: Map<CsvField, string>
  contents: Contents
  aspects: Aspects
  problems: Problems
}

/** Settles which column, or pair of debits and credits, has a field: the only possible one, or else by a question. */
export function settleColumn(table: Table, field: CsvField, possible: number[][], proof: string): void {
  const { headers, columns, proofs, contents, problems } = table
  const [first, ...others] = possible
  if (!first) {
    if (!problems.any)
      problems.add(
        'mapping',
        `The file needs a date column and an amount column (or debit and credit), but none is recognised among ${listed(headers)}; name them by header or by number: mapping={"date":"1","amount":"2"}.`,
      )
    return
  }
  // Without headers, whole numbers may count something else.
  const isSure =
    field === 'date' ||
    headers.some(({ text }) => text) ||
    first.some((column) => hasDecimals(contents.rows, column))
  setColumns(columns, field, first)
  if (others.length === 0 && isSure) proofs.set(field, proof)
  else askForColumn(table, field, possible)
}

/** Sets the column of a field or, instead of amounts, those of debits and credits. */
export function setColumns(columns: Columns, field: CsvField, [first = 0, credit]: number[]): void {
  if (credit === undefined) columns[field] = [first]
  else {
    delete columns.amount
    Object.assign(columns, { debit: [first], credit: [credit] })
  }
}

/** True if the column has a field. */
export const isUsed = ({ columns }: Table, column: number) =>
  Object.values(columns).some((used) => used.includes(column))

/** Asks which of several columns, or pairs of debits and credits, is meant. */
export function askForColumn({ headers, body, aspects }: Table, field: CsvField, possible: number[][]): void {
  const shown = possible.slice(0, maxOptions)
  const nameAt = (column: number) =>
    `${column + 1}${headers[column]?.text ? ` (${quoted(headers[column].text)})` : ''}`
  const first = body.find(({ cells }) => cells.filter((cell) => cell.trim() !== '').length > 1)?.cells ?? []
  const row = first.slice(0, 12).map((cell, i) => `${i + 1}: ${quoted(cell)}`)
  const names = [...new Set(shown.flat())].map(nameAt)
  aspects.ask(
    `mapping.${field}`,
    `The ${field} could be any of the columns ${names.join(', ')}; choose one by its number. The first row has ${row.join(', ')}.`,
    shown.map(([column = 0, credit]) =>
      credit === undefined
        ? { value: String(column + 1), label: `column ${nameAt(column)}` }
        : {
            value: `${column + 1},${credit + 1}`,
            label: `debits in column ${nameAt(column)}, credits in column ${nameAt(credit)}`,
          },
    ),
  )
}
