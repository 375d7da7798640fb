import { asc, eq, type SQL, sql } from 'drizzle-orm'
import type { Owner } from '../database/owner.ts'
import { ownRow, precondition, readOwn } from '../database/ownership.ts'
import { categories } from '../database/schema.ts'
import type { ExpectedVersions } from '../domain/types.ts'

/** The columns that are read. */
export const categoryColumns = {
  id: categories.id,
  userId: sql<number>`${categories.userId}`,
  name: categories.name,
  type: categories.type,
  version: categories.version,
}

export type Category = Pick<typeof categories.$inferSelect, keyof typeof categoryColumns> & { userId: number }

/** Returns all categories of the user, oldest first. */
export function listCategories(owner: Owner): Promise<Category[]> {
  return owner.runOne(selectCategories(owner, eq(categories.userId, owner.id)).orderBy(asc(categories.id)))
}

/** Returns one category. Throws NotFound, Forbidden. */
export function showCategory(owner: Owner, id: number): Promise<Category> {
  return readOwn(owner, categories, id, selectCategories(owner, ownRow(owner, categories, id)))
}

export function selectCategories({ db }: Owner, condition: SQL) {
  return db.select(categoryColumns).from(categories).where(condition)
}

/** The precondition of a write to a category (see `precondition`). */
export function categoryPrecondition(owner: Owner, id: number, expected: ExpectedVersions) {
  return precondition(owner, categories, id, expected, (row) => selectCategories(owner, row))
}
