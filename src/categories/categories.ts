import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import { withinBounds } from '../database/bounds.ts'
import { isTaken } from '../database/errors.ts'
import { idempotency } from '../database/idempotency.ts'
import type { ColumnsOf } from '../database/input-columns.ts'
import { insertWhere } from '../database/insert-where.ts'
import type { Owner } from '../database/owner.ts'
import { ownRow, precondition, readOwn, requireComplete, requirePrecondition } from '../database/ownership.ts'
import { categoryQuota } from '../database/quotas.ts'
import { allHold, selectRuleFlags, violationOf } from '../database/rules.ts'
import { categories } from '../database/schema.ts'
import { keyRules } from '../database/spent-keys.ts'
import { categoryNameKey } from '../shared/category-name-key.ts'
import type { Draft } from '../shared/draft.ts'
import { Invalid } from '../shared/failures.ts'
import { messageFor, takenText } from '../shared/field-errors.ts'
import type { ExpectedVersions } from '../shared/types.ts'
import type { CategoryChanges, NewCategory } from './contract.ts'

/** The columns that are read. */
export const categoryColumns = {
  id: categories.id,
  userId: sql<number>`${categories.userId}`,
  name: categories.name,
  type: categories.type,
  version: categories.version,
}

const selectCategories = ({ db }: Owner, condition: SQL) =>
  db.select(categoryColumns).from(categories).where(condition)

export type Category = Pick<typeof categories.$inferSelect, keyof typeof categoryColumns> & { userId: number }

/** Returns all categories of the user, oldest first. */
export function listCategories(owner: Owner): Promise<Category[]> {
  return owner.runOne(selectCategories(owner, eq(categories.userId, owner.id)).orderBy(asc(categories.id)))
}

/** Creates a category, or returns the one that an earlier request with the same key created. Throws Invalid. */
export async function createCategory(owner: Owner, draft: Draft<NewCategory>, idempotencyKey?: string) {
  const { db } = owner
  const { name, type } = await requireComplete(owner, draft)
  const row = {
    userId: owner.id,
    name,
    nameKey: categoryNameKey(name),
    type,
    clientId: idempotencyKey,
    createdAt: owner.now,
    updatedAt: owner.now,
  } satisfies ColumnsOf<NewCategory>
  const { earlier, isFirst } = idempotency(owner, categories, idempotencyKey)
  const rules = [categoryQuota(owner.id, 'name'), ...keyRules(owner.id, 'category', idempotencyKey)]
  const guard = and(owner.isKnown, isFirst, allHold(rules)) as SQL
  const results = await withFreeName(
    owner.run({
      earlier: selectCategories(owner, earlier),
      ruleFlags: selectRuleFlags(db, rules),
      created: insertWhere(db, categories, row, guard).returning(categoryColumns),
    }),
  )
  const [category] = [...results.earlier, ...results.created]
  if (!category) throw violationOf(rules, results.ruleFlags)
  return { category, isNew: results.created.length > 0 }
}

/** Returns one category. Throws NotFound, Forbidden. */
export function showCategory(owner: Owner, id: number): Promise<Category> {
  return readOwn(owner, categories, id, selectCategories(owner, ownRow(owner, categories, id)))
}

const categoryPrecondition = (owner: Owner, id: number, expected: ExpectedVersions) =>
  precondition(owner, categories, id, expected, (row) => selectCategories(owner, row))

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
  const update = owner.db
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
  const results = await withFreeName(owner.run({ owned, stale, updated: update }))
  requirePrecondition(categories, results)
  return results.updated[0] as Category
}

/** The columns that a deletion writes. A trigger then moves the category's totals. */
export const deletedCategoryColumns = { userId: null, name: '', nameKey: '', clientId: null }

/**
 * Deletes a category. It stays as a row without owner and name, to which its transactions refer: they are uncategorised
 * from now on, without being written. Throws NotFound, Forbidden, VersionConflict, Invalid.
 */
export async function deleteCategory(owner: Owner, id: number, expected: ExpectedVersions): Promise<void> {
  const { row, owned, stale } = categoryPrecondition(owner, id, expected)
  // Its totals are added to the uncategorised ones, which may push those past their bounds.
  const deleted = owner.db.update(categories).set(deletedCategoryColumns).where(row)
  requirePrecondition(categories, await withinBounds('amount', owner.run({ owned, stale, deleted })))
}

/** Waits for a write. If another category has the name and type, throws Invalid under `name`. */
async function withFreeName<T>(write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (error) {
    if (!isTaken(error, 'categories.name_key')) throw error
    throw new Invalid({ name: [messageFor('name', takenText)] })
  }
}
