import type { Columns, Header } from './headers.ts'
import type { Layout } from './published-layouts.ts'
import type { CsvRecord } from './records.ts'

/** The table of a CSV file: what its columns mean, its records, and those above it (the preamble). */
export type CsvTable = {
  headers: Header[]
  columns: Columns
  /** All columns of dates, whatever their meaning. */
  dateColumns: number[]
  /** Whether only balances tell the column of debits from that of credits. */
  areLed: boolean
  /** A column of texts under an unknown header, for rows that nothing else describes. */
  otherText: number | null
  /** The published layout of its header row. */
  layout: Layout | null
  /** What identifies files of the same layout: the headers or, without any, the kinds of the columns. */
  identity: string[]
  preamble: CsvRecord[]
  body: CsvRecord[]
}
