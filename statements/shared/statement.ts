import type { CalendarDate, Span } from '../../src/domain/dates.ts'
import type { Minor } from '../../src/domain/money.ts'
import type { TransactionText } from '../../src/domain/transaction-fields.ts'
import type { leftOutReasons } from '../../src/domain/types.ts'
import type { Settled } from './aspect.ts'

/** Why a record of a file is not a row. */
export type Reason = (typeof leftOutReasons)[number]

/** A record that is not a row: the beginning of its text, and why it was left out. */
export type LeftOut = { line: number; text: string; reason: Reason }

/** One booked entry of a bank statement. */
export type StatementEntry = {
  /** The line (CSV, QIF, MT940), row (XLSX) or number (OFX, CAMT) of the entry, and those of what continues it. */
  lines: number[]
  /** The booking date or, where the file has none, another date such as the value date. */
  date: CalendarDate
  /** Positive for a credit, negative for a debit, never zero. */
  amount: Minor
  description: string | null
  /** The bank's own id for the entry: FITID, AcctSvcrRef, bank reference … */
  reference: string | null
}

/** What an account held at the end of a day, according to the statement: negative for what is owed. */
export type Balance = {
  date: CalendarDate
  amount: Minor
  /** False if it may be what is owed, since neither a sign nor a second balance shows that it is not. */
  isProved: boolean
}

/** The entries of one account in a file. */
export type StatementAccount = {
  /** IBAN, account number, or another name that the file gives the account; null if it gives none. */
  identifier: string | null
  /** ISO 4217, or a sign such as € in CSV; null if the file does not say. */
  currency: string | null
  entries: StatementEntry[]
  /** The balance before the first entry; null in tables, which may begin inside a day. */
  openingBalance: Balance | null
  closingBalance: Balance | null
  /** The day on which the statement was made, if it says so. */
  createdOn: CalendarDate | null
  /** The records that are not entries. */
  leftOut: LeftOut[]
}

/** A bank statement, whatever format it came in. */
export type BankStatement = {
  format: 'ofx' | 'qif' | 'camt' | 'mt940' | 'csv'
  accounts: StatementAccount[]
  settled: Settled
  /** The days whose rows might show the opposite of what the kind of the account has settled. */
  needs?: Span | null
  /** The headers of a table, or the kinds of its columns; empty for other formats. */
  headers: string[]
}

/** One row of a table of one's own, or of another app's export. */
export type OwnRow = {
  /** The line or row of the file, and that of the other half of a transfer. */
  lines: number[]
  date: CalendarDate
  type: 'income' | 'expense' | 'transfer'
  /** Always positive; `type` gives the direction. */
  amount: Minor
  account: string | null
  to_account: string | null
  /** The day of a transfer's inflow, if it is another than that of its outflow. */
  to_date?: CalendarDate
  category: string | null
  currency: string | null
  description: string | null
  reference: string | null
} & { [text in TransactionText]?: string | null }
