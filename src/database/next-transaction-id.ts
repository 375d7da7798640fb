import { sql } from 'drizzle-orm'

/** The id of the next transaction, above every id ever used (`spent_ids`). */
export const nextTransactionId = sql<number>`(1 + max(
  coalesce((select max(id) from transactions), 0),
  coalesce((select highest from spent_ids where noun = 'transactions'), 0)))`
