import type { CalendarDate } from '../../shared/dates.ts'
import type { Minor } from '../../shared/money.ts'
import type { signConventions } from '../../shared/types.ts'
import type { Answers, Kept, Settled } from './aspects/aspect.ts'
import type { DecimalSeparator } from './written/amount.ts'

/** Whether negative amounts were spent, as they are written, or positive ones were. */
export type SignConvention = (typeof signConventions)[number]

/** What the user says about the file, and what was kept of an earlier import; the rest is detected or asked. */
export type FileOptions = {
  /** Up to three characters, or one of the words `comma`, `semicolon`, `tab`, `pipe`. */
  delimiter?: string
  /** A label of the Encoding Standard, such as `windows-1253`. */
  encoding?: string
  /**
   * `DD/MM/YYYY`, `MM/DD/YYYY`, `YYYY-MM-DD` or similar: only the order of day, month and year counts. A date that is
   * impossible in that order is read in the one that fits, if there is just one.
   */
  date_format?: string
  decimal_separator?: DecimalSeparator
  /** `as_written` if negative amounts were spent, `inverted` if positive ones were. */
  signs?: SignConvention
  /** Which account of the file is meant, by the name that `accountNames` gives it. */
  statement_account?: string
  /** For each of our fields, the header or number of its column (`"1"` is the first); `""` if no column has it. */
  mapping?: Record<string, string>
  /** For each word in the column of states, `booked` or `skipped`. */
  states?: Record<string, string>
  /** For each word that marks amounts, `in` or `out`. */
  marks?: Record<string, string>
  /** Whether fees are in the amounts, charged besides them, or not charged at all. */
  fees?: 'included' | 'extra' | 'ignored'
  /** Answers by the fields of their questions; the options above win over them. */
  answers?: Answers
  kept?: Kept | null
  /** Which way the amounts go according to rows that the user has typed. */
  typed?: { value: SignConvention; proof: string } | null
}

/** One booked entry of a bank statement. */
export type StatementEntry = {
  /** The line (CSV, QIF, MT940), row (XLSX) or number (OFX, CAMT) of the entry, as in `rows.<line>.<field>`. */
  line: number
  /** The booking date or, where the file has none, another date such as the value date. */
  date: CalendarDate
  /** Positive for a credit, negative for a debit, never zero. */
  amount: Minor
  description: string | null
  /** The bank's own id for the entry: FITID, AcctSvcrRef, bank reference … */
  reference: string | null
}

/** What an account held at the end of a day, according to the statement. */
export type ClosingBalance = { date: CalendarDate; amount: Minor }

/** The entries of one account in a file. */
export type StatementAccount = {
  /** IBAN, account number, or another name that the file gives the account; null if it gives none. */
  identifier: string | null
  /** ISO 4217, or a sign such as € in CSV; null if the file does not say. */
  currency: string | null
  entries: StatementEntry[]
  closingBalance: ClosingBalance | null
  /** How many entries were left out because they moved no money: pending, declined, informational or zero. */
  skipped: number
}

/** A bank statement, whatever format it came in. */
export type BankStatement = {
  format: 'ofx' | 'qif' | 'camt' | 'mt940' | 'csv'
  accounts: StatementAccount[]
  settled: Settled
  /** The headers of a table, or the kinds of its columns; empty for other formats. */
  headers: string[]
}

/** One row of a generic CSV file, or of a workbook with one table. */
export type GenericRow = {
  line: number
  date: CalendarDate
  type: 'income' | 'expense' | 'transfer'
  /** Always positive; `type` gives the direction. */
  amount: Minor
  account: string | null
  to_account: string | null
  category: string | null
  description: string | null
  reference: string | null
}
