import { and, sql } from 'drizzle-orm'
import { withinBounds } from '../database/bounds.ts'
import type { Owner } from '../database/owner.ts'
import { requireComplete, requirePrecondition } from '../database/ownership.ts'
import { lockedThrough, movementOfRow } from '../database/reconciled.ts'
import { transactions } from '../database/schema.ts'
import type { OverrideReconciled } from '../domain/reconciled.ts'
import type { ExpectedVersions } from '../domain/types.ts'
import type { Draft } from '../failures/draft.ts'
import { Reconciled } from '../failures/failures.ts'
import { transactionPrecondition } from './read.ts'

/**
 * Deletes a transaction. Throws NotFound, Forbidden, VersionConflict, Reconciled; Invalid if a balance would leave its bounds.
 */
export async function deleteTransaction(
  owner: Owner,
  id: number,
  draft: Draft<OverrideReconciled>,
  expected: ExpectedVersions,
): Promise<void> {
  const precondition = transactionPrecondition(owner, id, expected)
  const { isCurrentRow, owned, conflictingRow } = precondition
  const { override_reconciled } = await requireComplete(owner, draft, precondition)
  const through = override_reconciled ? sql<null>`null` : lockedThrough({ before: movementOfRow })
  const locked = owner.db.select({ through }).from(transactions).where(isCurrentRow)
  const deleted = owner.db.delete(transactions).where(and(isCurrentRow, sql`${through} is null`))
  const results = await withinBounds('amount', owner.run({ owned, conflictingRow, locked, deleted }))
  requirePrecondition(transactions, results)
  const [lock] = results.locked
  if (lock?.through) throw new Reconciled('transaction_date', lock.through)
}
