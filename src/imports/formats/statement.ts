import type { CalendarDate } from '../../shared/dates.ts'
import type { Minor } from '../../shared/money.ts'
import type { signConventions } from '../../shared/types.ts'
import type { DecimalSeparator } from './written/amount.ts'

/**
 * What the user says about the file. It overrides what would be detected, except where noted below; whatever the user
 * does not say is detected.
 */
export type FileOptions = {
  /** A single character, or one of the words `comma`, `semicolon`, `tab`, `pipe`. */
  delimiter?: string
  /**
   * `DD/MM/YYYY`, `MM/DD/YYYY`, `YYYY-MM-DD` or similar: only the order of day, month and year counts. A date that is
   * impossible in that order is read in the one that fits, if there is just one.
   */
  date_format?: string
  decimal_separator?: DecimalSeparator
  /**
   * `as_written` if negative amounts were spent, `inverted` if positive ones were. What a CSV or XLSX file itself shows
   * may override it (csv/signs.ts); in other formats, `inverted` reverses the sign of every amount.
   */
  signs?: (typeof signConventions)[number]
  /** Which account of the file is meant, by the name that `accountNames` gives it. */
  statement_account?: string
  /** For each of our fields, the header or number of its column (`"1"` is the first); `""` if no column has it. */
  mapping?: Record<string, string>
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
