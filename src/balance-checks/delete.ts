import type { Owner } from '../database/owner.ts'
import { balanceChecks } from '../database/schema.ts'
import type { ExpectedVersions } from '../shared/types.ts'
import { checkPrecondition, requireCheck, selectCheck } from './read.ts'

/** Deletes a check. Throws NotFound, Forbidden, VersionConflict. */
export async function deleteCheck(owner: Owner, id: number, expected: ExpectedVersions): Promise<void> {
  const { isCurrentRow, owned, conflictingRow } = checkPrecondition(owner, id, expected)
  const results = await owner.run({
    owned,
    conflictingRow,
    ...selectCheck(owner, id),
    deleted: owner.db.delete(balanceChecks).where(isCurrentRow),
  })
  requireCheck(id, results)
}
