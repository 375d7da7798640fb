import { type SQL, sql } from 'drizzle-orm'
import type { UserScope } from './owner.ts'

/**
 * True for transactions with no deleted account on either side. Those of a deleted account disappear at once
 * (docs/decisions.md, A deleted account or category loses its owner); jobs/removal.ts removes them later.
 */
export const hasLiveAccounts = sql`not exists (
  select 1 from accounts gone
   where gone.former_user_id = transactions.user_id and gone.id in (transactions.account_id, transactions.to_account_id))`

/** True for balance checks whose account has not been deleted. */
export const hasLiveAccount = sql`balance_checks.account_id in (select live.id from accounts live where live.user_id = balance_checks.user_id)`

/** `hasLiveAccounts` for many of the user's rows: checks no row unless an account of the user is being removed. */
export function hasLiveAccountsInBulk(owner: UserScope): SQL {
  return sql`(not exists (select 1 from accounts where former_user_id = ${owner.id}) or ${hasLiveAccounts})`
}
