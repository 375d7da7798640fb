import type { Owner } from '../database/owner.ts'
import { requirePrecondition } from '../database/ownership.ts'
import { recurringRules } from '../database/schema.ts'
import { dateIn } from '../domain/dates.ts'
import type { ExpectedVersions } from '../domain/types.ts'
import { rulePrecondition, withNext } from './read.ts'

/** Deletes a rule. Its transactions stay, as ordinary ones. Throws NotFound, Forbidden, VersionConflict. */
export async function deleteRule(owner: Owner, id: number, expected: ExpectedVersions): Promise<void> {
  const { isCurrentRow, owned, conflictingRow } = rulePrecondition(owner, id, expected)
  const deleted = owner.db.delete(recurringRules).where(isCurrentRow)
  const results = await owner.run({ owned, conflictingRow, deleted })
  const today = dateIn(results.user.timezone, owner.now)
  requirePrecondition(recurringRules, {
    owned: results.owned,
    conflictingRow: results.conflictingRow.map((rows) => rows.map((row) => withNext(row, today))),
  })
}
