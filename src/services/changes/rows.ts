import { type Placeholder, sql } from 'drizzle-orm'
import type { Scope, User } from '../../db/owner.ts'
import { hasLiveAccountsInBulk } from '../../db/ownership.ts'
import { accounts, categories } from '../../db/schema.ts'
import { type Account, accountColumns } from '../accounts.ts'
import { type Category, categoryColumns } from '../categories.ts'
import { type Transaction, transactionColumns } from '../transactions/read.ts'

/** What the feed tells of accounts and categories beside what other answers do. */
type Fed = { clientId: string | null }

/** A row as it is now, or null for one that is not there any more. */
export type Change =
  | { noun: 'profile'; id: number; row: User }
  | { noun: 'account'; id: number; row: (Account & Fed) | null }
  | { noun: 'category'; id: number; row: (Category & Fed) | null }
  | { noun: 'transaction'; id: number; row: Transaction | null }

export const fedAccountColumns = {
  ...accountColumns,
  clientId: accounts.clientId,
}

export const fedCategoryColumns = {
  ...categoryColumns,
  clientId: categories.clientId,
}

/** `isThere` is 0 for those of a deleted account, which are removed later. */
export const fedTransactionColumns = (owner: Scope) => ({
  ...transactionColumns,
  isThere: sql<number>`${hasLiveAccountsInBulk(owner)}`,
})

/** A `limit` that is an argument of a prepared statement, for which Drizzle has no type. */
export const rowLimit = (rows: unknown) => rows as Placeholder

/** Undefined for a transaction of a deleted account: the entry of the account stands for it. */
export function transactionChange({
  isThere,
  ...row
}: Transaction & { isThere: number }): Change | undefined {
  return isThere ? { noun: 'transaction', id: row.id, row } : undefined
}
