import { sql } from 'drizzle-orm'
import { toColumns } from '../database/input-columns.ts'
import type { Owner } from '../database/owner.ts'
import { requireComplete, requirePrecondition } from '../database/ownership.ts'
import { categories } from '../database/schema.ts'
import { categoryNameKey } from '../domain/category-name-key.ts'
import type { ExpectedVersions } from '../domain/types.ts'
import type { Draft } from '../failures/draft.ts'
import type { CategoryChanges } from './contract.ts'
import { type Category, categoryColumns, categoryPrecondition } from './read.ts'
import { withUniqueName } from './unique-name.ts'

/** Changes only the fields that were sent. Throws NotFound, Forbidden, VersionConflict, Invalid. */
export async function updateCategory(
  owner: Owner,
  id: number,
  draft: Draft<CategoryChanges>,
  expected: ExpectedVersions,
) {
  const precondition = categoryPrecondition(owner, id, expected)
  const { isCurrentRow, owned, conflictingRow } = precondition
  const changes = await requireComplete(owner, draft, precondition)
  const updated = owner.db
    .update(categories)
    .set({
      ...toColumns(changes),
      nameKey: changes.name === undefined ? undefined : categoryNameKey(changes.name),
      version: sql`${categories.version} + 1`,
      updatedAt: owner.now,
    })
    .where(isCurrentRow)
    .returning(categoryColumns)
  const results = await withUniqueName(owner.run({ owned, conflictingRow, updated }))
  requirePrecondition(categories, results)
  return results.updated[0] as Category
}
