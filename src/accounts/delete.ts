import { sql } from 'drizzle-orm'
import { withinBounds } from '../database/bounds.ts'
import { subtractAccounts } from '../database/kept-totals.ts'
import type { Owner, UserScope } from '../database/owner.ts'
import { requirePrecondition } from '../database/ownership.ts'
import { toStatements } from '../database/run.ts'
import { accounts } from '../database/schema.ts'
import type { ExpectedVersions } from '../domain/types.ts'
import type { RemovalQueue } from '../queues/queues.ts'
import { accountPrecondition } from './read.ts'

/**
 * Deletes an account with all transactions from or to it. They disappear at once from all responses
 * (database/live-accounts.ts) and figures (trigger `account_deleted`); their rows are removed later (jobs/removal.ts).
 * Throws NotFound, Forbidden, VersionConflict, Invalid.
 */
export async function deleteAccount(
  owner: Owner,
  id: number,
  expected: ExpectedVersions,
  removalQueue: RemovalQueue,
): Promise<void> {
  const { isCurrentRow, owned, conflictingRow } = accountPrecondition(owner, id, expected)
  const subtracted = toStatements(
    subtractAccounts(owner.id, sql`select id from ${accounts} where ${isCurrentRow}`),
  )
  const deleted = owner.db.update(accounts).set(deletedAccountColumns(owner)).where(isCurrentRow)
  const results = await withinBounds('amount', owner.run({ owned, conflictingRow, subtracted, deleted }))
  requirePrecondition(accounts, results)
  await removalQueue.send(results.user.id)
}

/** The columns that a deletion writes. Triggers then take the account out of all figures. */
export const deletedAccountColumns = ({ id }: UserScope) => ({
  userId: null,
  formerUserId: id,
  name: '',
  kind: null,
  notes: null,
  closedOn: null,
  reconciledThrough: null,
  clientId: null,
})
