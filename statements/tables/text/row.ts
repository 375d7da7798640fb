import type { AmountCell } from '../../shared/amount.ts'
import type { DateCell } from '../../shared/date.ts'
import { type CsvField, moneyFields } from './header-names.ts'
import type { CsvTable } from './table.ts'

export const amountFields = [...moneyFields, 'balance', 'fee', 'net'] as const

/** A record whose dates and amounts have been taken apart, each of them once. A blank amount has the text ''. */
export type CsvRow = Record<(typeof amountFields)[number], AmountCell> & {
  line: number
  cells: string[]
  date: DateCell
  /** The rest of the description, from the records below. */
  more: { line: number; text: string }[]
  /** The lines above the header of its table, where a file has several tables. */
  section: string
  /** The title of pending rows below which the row stands, such as `Pending transactions`; empty for other rows. */
  pendingTitle: string
  /** A word such as `Saldo` that may mean a balance or a payment; empty for other rows. */
  balanceWord: string
}

/** The text of a field in a row, from the first of its columns that has any. */
export function cellOf(table: CsvTable, { cells }: { cells: string[] }, field: CsvField): string {
  for (const column of table.columns[field] ?? []) {
    const text = cells[column]?.trim()
    if (text) return text
  }
  return ''
}

/** The records of which a row is made. */
export const linesOf = ({ line, more }: CsvRow) => [line, ...more.map((record) => record.line)]

/** What is written in the columns of amounts. */
export function amountText({ amount, debit, credit }: CsvRow): string {
  return `${amount.text} ${debit.text} ${credit.text}`.trim()
}

export function hasNoAmount(row: CsvRow): boolean {
  return amountText(row) === ''
}
