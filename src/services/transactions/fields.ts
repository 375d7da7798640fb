import type { transactions } from '../../db/schema.ts'
import type { CalendarDate } from '../../domain/dates.ts'
import type { Minor } from '../../domain/money.ts'

export type Transaction = typeof transactions.$inferSelect

/** What a client may say of a transaction, on create and on update (api.md §4.2). */
export type TransactionFields = {
  account_id: number
  to_account_id?: number | null
  category_id?: number | null
  type: Transaction['type']
  amount: Minor
  description?: string | null
  reference?: string | null
  transaction_date: CalendarDate
}

/** A new transaction: `force` skips the duplicate check, `client_id` makes sending it again safe. */
export type NewTransaction = TransactionFields & {
  force?: boolean | null
  client_id?: string | null
}
