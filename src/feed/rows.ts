import { type Account, accountColumns } from '../accounts/read.ts'
import type { CheckRow } from '../balance-checks/read.ts'
import { type Category, categoryColumns } from '../categories/read.ts'
import type { User } from '../database/owner.ts'
import { accounts, categories } from '../database/schema.ts'
import type { Rule } from '../recurring/read.ts'
import type { Transaction } from '../transactions/read.ts'

/** The field that only the feed shows of accounts and categories. */
type WithClientId = { clientId: string | null }
export type FeedAccount = Account & WithClientId
export type FeedCategory = Category & WithClientId

/** A row as it is now, or null for one that no longer exists. */
export type Change =
  | { noun: 'profile'; id: number; row: User }
  | { noun: 'account'; id: number; row: FeedAccount | null }
  | { noun: 'category'; id: number; row: FeedCategory | null }
  | { noun: 'recurring'; id: number; row: Rule | null }
  | { noun: 'transaction'; id: number; row: Transaction | null }
  | { noun: 'balance_check'; id: number; row: CheckRow | null }

export const feedAccountColumns = {
  ...accountColumns,
  clientId: accounts.clientId,
}

export const feedCategoryColumns = {
  ...categoryColumns,
  clientId: categories.clientId,
}

/**
 * Returns a function that turns transactions into changes, leaving out those on an account that is not among the user's:
 * that account has been deleted, its own entry covers its transactions, and they are removed later.
 */
export function changesOfTransactions(ownAccounts: { id: number }[]) {
  const ids = new Set(ownAccounts.map(({ id }) => id))
  return (row: Transaction): Change | undefined => {
    const isThere = ids.has(row.accountId) && (row.toAccountId === null || ids.has(row.toAccountId))
    return isThere ? { noun: 'transaction', id: row.id, row } : undefined
  }
}
