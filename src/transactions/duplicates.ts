import { and, eq, type SQL, sql } from 'drizzle-orm'
import { transactions } from '../database/schema.ts'
import type { GivenFields } from './rules.ts'

/** A new transaction is compared with at most this many others of its account, day and amount: the newest. */
export const mostResembling = 1_000

/**
 * Matches the potential duplicates of a transaction (docs/contract.md, Duplicates): those equal in everything that
 * moves money, unless both have a reference and the two differ. `absorbed` in bulk-duplicates.ts applies the same rule to
 * many rows at once.
 */
export function isDuplicateOf(userId: SQL, fields: GivenFields): SQL {
  const { reference } = fields
  const resembling = and(
    eq(transactions.accountId, fields.account_id),
    eq(transactions.transactionDate, fields.transaction_date),
    eq(transactions.amount, fields.amount),
  )
  return and(
    sql`${transactions.id} in (select id from ${transactions} where ${resembling} order by id desc limit ${sql.raw(String(mostResembling))})`,
    // The plus keeps SQLite from scanning the user's whole history by its index.
    sql`+${transactions.userId} = ${userId}`,
    eq(transactions.type, fields.type),
    sql`${transactions.toAccountId} is ${fields.to_account_id ?? null}`,
    reference === undefined
      ? undefined
      : sql`coalesce(${transactions.reference}, ${reference}) = ${reference}`,
  ) as SQL
}
