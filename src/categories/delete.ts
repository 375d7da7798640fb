import { withinBounds } from '../database/bounds.ts'
import type { Owner } from '../database/owner.ts'
import { requirePrecondition } from '../database/ownership.ts'
import { categories } from '../database/schema.ts'
import type { ExpectedVersions } from '../domain/types.ts'
import { categoryPrecondition } from './read.ts'

/**
 * Deletes a category. Its row stays without owner and name, and its transactions still refer to it: they become
 * uncategorised without being written. Throws NotFound, Forbidden, VersionConflict, Invalid.
 */
export async function deleteCategory(owner: Owner, id: number, expected: ExpectedVersions): Promise<void> {
  const { isCurrentRow, owned, conflictingRow } = categoryPrecondition(owner, id, expected)
  // A trigger adds its totals to the uncategorised ones, which may push those past their bounds.
  const deleted = owner.db.update(categories).set(deletedCategoryColumns).where(isCurrentRow)
  requirePrecondition(categories, await withinBounds('amount', owner.run({ owned, conflictingRow, deleted })))
}

/** The columns that a deletion writes. A trigger then moves the category's totals. */
export const deletedCategoryColumns = { userId: null, name: '', nameKey: '', clientId: null }
