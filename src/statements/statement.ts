import type { CalendarDate } from '../domain/dates.ts'
import type { Minor } from '../domain/money.ts'

/** What the form fields of an import settle; it is taken as said and never detected (decisions.md, Import). */
export type ImportOptions = {
  /** A single character, or one of the words `comma`, `semicolon`, `tab`, `pipe`. */
  delimiter?: string
  /** `DD/MM/YYYY`, `MM/DD/YYYY`, `YYYY-MM-DD` or the like: what counts is the order of day, month and year. */
  date_format?: string
  decimal_separator?: '.' | ','
  /** Our field → their header, or the number of their column (`"1"` is the first); `""` means there is none. */
  mapping?: Record<string, string>
}

/** One booked entry of a bank statement. */
export type StatementRow = {
  /** The line of the file (CSV, QIF, MT940) or the number of the entry (OFX, CAMT): errors are keyed `rows.<line>.<field>`. */
  line: number
  date: CalendarDate
  /** Positive is money in, negative is money out; never zero. */
  amount: Minor
  description: string | null
  /** The bank's own id of the entry: FITID, AcctSvcrRef, bank reference … */
  reference: string | null
}

/** What an account held at the end of a day, as the statement says. */
export type ClosingBalance = { date: CalendarDate; amount: Minor }

/** The entries of one account in a file. */
export type StatementAccount = {
  /** IBAN or account number, where the file names it. */
  identifier: string | null
  /** ISO 4217, where the file names it. */
  currency: string | null
  rows: StatementRow[]
  closingBalance: ClosingBalance | null
  /** Entries that moved no money, and so are no rows: pending, declined, informational or of amount zero. */
  skipped: number
}

/** A bank statement, whatever format it came in. */
export type Statement = {
  format: 'ofx' | 'qif' | 'camt' | 'mt940' | 'csv'
  accounts: StatementAccount[]
}

/** One row of a generic CSV file. */
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

/** A file of more rows than this is refused (decisions.md, Import). */
export const maxRows = 10_000
