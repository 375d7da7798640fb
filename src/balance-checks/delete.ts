import { and, sql } from 'drizzle-orm'
import type { Owner } from '../database/owner.ts'
import { lockOfCheck } from '../database/reconciled.ts'
import { balanceChecks } from '../database/schema.ts'
import type { OverrideReconciled } from '../domain/reconciled.ts'
import type { ExpectedVersions } from '../domain/types.ts'
import { type Draft, valuesOf } from '../failures/draft.ts'
import { Reconciled } from '../failures/failures.ts'
import { checkPrecondition, requireCheck, selectCheck } from './read.ts'

/** Deletes a check. Throws NotFound, Forbidden, VersionConflict, Invalid, Reconciled. */
export async function deleteCheck(
  owner: Owner,
  id: number,
  draft: Draft<OverrideReconciled>,
  expected: ExpectedVersions,
): Promise<void> {
  const { isCurrentRow, owned, conflictingRow } = checkPrecondition(owner, id, expected)
  const through = draft.values.override_reconciled ? sql<null>`null` : lockOfCheck
  const isAllowed = sql`${through} is null and ${draft.complete}`
  const results = await owner.run({
    owned,
    conflictingRow,
    ...selectCheck(owner, id),
    locked: owner.db.select({ through }).from(balanceChecks).where(isCurrentRow),
    deleted: owner.db.delete(balanceChecks).where(and(isCurrentRow, isAllowed)),
  })
  requireCheck(id, results)
  valuesOf(draft)
  const [lock] = results.locked
  if (lock?.through) throw new Reconciled('date', lock.through)
}
