import { type SQL, sql } from 'drizzle-orm'
import type { Scope } from './owner.ts'

/**
 * True for transactions whose accounts, on either side, are not deleted. Those of a deleted account, including transfers
 * from and to it, are gone for everybody at once (docs/decisions.md, A deleted account or category loses its owner);
 * services/removal.ts removes them later. It does not check that their user exists: `existingRow` (ownership.ts) does.
 */
export const hasLiveAccounts = sql`not exists (
  select 1 from accounts gone
   where gone.former_user_id = transactions.user_id and gone.id in (transactions.account_id, transactions.to_account_id))`

/** `hasLiveAccounts` for many of the user's rows: no row is checked unless an account of the user is being removed. */
export function hasLiveAccountsInBulk(owner: Scope): SQL {
  return sql`(not exists (select 1 from accounts where former_user_id = ${owner.id}) or ${hasLiveAccounts})`
}
