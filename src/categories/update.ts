import { sql } from 'drizzle-orm'
import type { ColumnsOf } from '../database/input-columns.ts'
import type { Owner } from '../database/owner.ts'
import { requireComplete, requirePrecondition } from '../database/ownership.ts'
import { categories } from '../database/schema.ts'
import { categoryNameKey } from '../shared/category-name-key.ts'
import type { Draft } from '../shared/draft.ts'
import type { ExpectedVersions } from '../shared/types.ts'
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
  const required = categoryPrecondition(owner, id, expected)
  const { row, owned, stale } = required
  const { name, type } = await requireComplete(owner, draft, required)
  const updated = owner.db
    .update(categories)
    .set({
      name,
      nameKey: name === undefined ? undefined : categoryNameKey(name),
      type,
      version: sql`${categories.version} + 1`,
      updatedAt: owner.now,
    } satisfies ColumnsOf<CategoryChanges>)
    .where(row)
    .returning(categoryColumns)
  const results = await withUniqueName(owner.run({ owned, stale, updated }))
  requirePrecondition(categories, results)
  return results.updated[0] as Category
}
