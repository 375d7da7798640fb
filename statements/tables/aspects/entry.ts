import type { CalendarDate } from '../../../src/domain/dates.ts'
import type { Minor } from '../../../src/domain/money.ts'
import type { CsvRow } from '../text/row.ts'

/** A row with its values, null where one is missing or cannot be read. */
export type RowValues = {
  row: CsvRow
  date: CalendarDate | null
  amount: Minor | null
  balance: Minor | null
  fee: Minor | null
  net: Minor | null
}

/** A row with an amount, and what tells its account apart from others in the file; null where nothing does. */
export type Entry = RowValues & {
  /** Positive for a credit, negative for a debit. */
  amount: Minor
  own: string | null
  account: string | null
  currency: string | null
}

/** The amount with a fee that was charged besides it. */
export const withFee = ({ amount, fee }: Entry) => (amount - (fee ?? 0)) as Minor
