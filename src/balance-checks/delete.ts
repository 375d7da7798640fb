import { and, sql } from 'drizzle-orm'
import type { Owner } from '../database/owner.ts'
import { requireComplete } from '../database/ownership.ts'
import { lockOfCheck } from '../database/reconciled.ts'
import { balanceChecks } from '../database/schema.ts'
import type { Draft } from '../shared/draft.ts'
import { Reconciled } from '../shared/failures.ts'
import type { OverrideReconciled } from '../shared/reconciled.ts'
import type { ExpectedVersions } from '../shared/types.ts'
import { checkPrecondition, requireCheck, selectCheck } from './read.ts'

/** Deletes a check. Throws NotFound, Forbidden, VersionConflict, Reconciled. */
export async function deleteCheck(
  owner: Owner,
  id: number,
  draft: Draft<OverrideReconciled>,
  expected: ExpectedVersions,
): Promise<void> {
  const precondition = checkPrecondition(owner, id, expected)
  const { isCurrentRow, owned, conflictingRow } = precondition
  const { override_reconciled } = await requireComplete(owner, draft, precondition)
  const through = override_reconciled ? sql<null>`null` : lockOfCheck
  const results = await owner.run({
    owned,
    conflictingRow,
    ...selectCheck(owner, id),
    locked: owner.db.select({ through }).from(balanceChecks).where(isCurrentRow),
    deleted: owner.db.delete(balanceChecks).where(and(isCurrentRow, sql`${through} is null`)),
  })
  requireCheck(id, results)
  const [lock] = results.locked
  if (lock?.through) throw new Reconciled('date', lock.through)
}
