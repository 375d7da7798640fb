import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { CategoryChanges, NewCategory } from '../contract/categories.ts'
import { isTaken } from '../db/errors.ts'
import { once } from '../db/idempotency.ts'
import { insertWhere } from '../db/insert-where.ts'
import type { Owner } from '../db/owner.ts'
import { claim, demandClaim, demandComplete, own, owns, readOwn } from '../db/ownership.ts'
import { categories, categoryTotals } from '../db/schema.ts'
import { categoryNameKey } from '../domain/categories.ts'
import type { Draft } from '../domain/draft.ts'
import { Invalid } from '../domain/failures.ts'
import { transactionTypes } from '../domain/types.ts'
import { mostDeletedAtOnce, rowsPerPart, tooManyRows } from './bounds.ts'
import type { ColumnsOf } from './columns.ts'
import { roomForCategories } from './quotas.ts'
import { allHold, brokenBy, verdict } from './rules.ts'

/** What is read of a category: how its name is compared, and the key of its request, are nobody's business. */
const categoryColumns = {
  id: categories.id,
  userId: categories.userId,
  name: categories.name,
  type: categories.type,
}

export type Category = Pick<typeof categories.$inferSelect, keyof typeof categoryColumns>

/** All categories of the bearer, oldest first. */
export async function listCategories(owner: Owner): Promise<Category[]> {
  const [, rows] = await owner.run(
    owner.db
      .select(categoryColumns)
      .from(categories)
      .where(eq(categories.userId, owner.id))
      .orderBy(asc(categories.id)),
  )
  return rows
}

/**
 * Adds a category, or answers the one that the same key has added before. Throws Invalid, also when the bearer has
 * one of that name and type, or no room for another.
 */
export async function createCategory(
  owner: Owner,
  draft: Draft<NewCategory>,
  idempotencyKey: string | undefined,
): Promise<{ category: Category; isNew: boolean }> {
  const { db } = owner
  const { name, type } = await demandComplete(owner, draft)
  const row = {
    userId: owner.id,
    name,
    nameKey: categoryNameKey(name),
    type,
    idempotencyKey,
    createdAt: owner.now,
    updatedAt: owner.now,
  } satisfies ColumnsOf<NewCategory>
  const { made, isFirst } = once(owner, categories, idempotencyKey)
  const rules = [roomForCategories(owner.id, 'name')]
  const [, [earlier], [judgement], [created]] = await withFreeName(
    owner.run(
      db.select(categoryColumns).from(categories).where(made),
      db.all<{ verdict: string }>(sql`select ${verdict(rules)} as verdict`),
      insertWhere(db, categories, row, and(isFirst, allHold(rules)) as SQL).returning(categoryColumns),
    ),
  )
  const category = earlier ?? created
  if (!category) throw brokenBy(rules, judgement?.verdict)
  return { category, isNew: !earlier }
}

/** One category of the bearer. Throws NotFound, Forbidden. */
export function showCategory(owner: Owner, id: number): Promise<Category> {
  const query = owner.db
    .select(categoryColumns)
    .from(categories)
    .where(own(owner, categories, id))
  return readOwn(owner, categories, id, query)
}

/** Changes the fields that were sent. Throws NotFound, Forbidden, Invalid. */
export async function updateCategory(
  owner: Owner,
  id: number,
  draft: Draft<CategoryChanges>,
): Promise<Category> {
  const { name, type } = await demandComplete(owner, draft, categories, id)
  const update = owner.db
    .update(categories)
    .set({
      name,
      nameKey: name === undefined ? undefined : categoryNameKey(name),
      type,
      updatedAt: owner.now,
    } satisfies ColumnsOf<CategoryChanges>)
    .where(own(owner, categories, id))
    .returning(categoryColumns)
  const [, claims, [updated]] = await withFreeName(owner.run(claim(owner, categories, id), update))
  demandClaim(categories, claims)
  return updated as Category
}

/**
 * Removes a category; its transactions stay and are uncategorised from then on, and so are items of uploaded batches. Of
 * those there may be millions, so they are unlinked in parts, each a transaction; most people's are one. Throws NotFound,
 * Forbidden, Invalid.
 */
export async function deleteCategory(owner: Owner, id: number): Promise<void> {
  const { db } = owner
  const { userId, type, categoryId, transactionCount } = categoryTotals
  const rows = sql`(
    select coalesce(sum(${transactionCount}), 0) from ${categoryTotals}
     where ${userId} = ${owner.id} and ${inArray(type, transactionTypes)} and ${categoryId} = ${id})`
  const canGo = sql`${rows} <= ${mostDeletedAtOnce} and ${owns(owner.id, categories, sql`${id}`)}`
  const items = sql`select rowid from sync_items where category_id = ${id}`
  for (;;) {
    const [, claims, [judged], , deleted] = await owner.run(
      claim(owner, categories, id),
      db.all<{ canGo: number }>(sql`select ${canGo} as canGo`),
      db.run(sql`
        update sync_items set category_id = null where rowid in (${items} and ${canGo} limit ${rowsPerPart})`),
      db
        .delete(categories)
        .where(and(own(owner, categories, id), canGo, sql`not exists (${items})`))
        .returning({ id: categories.id }),
    )
    demandClaim(categories, claims)
    if (deleted.length > 0) return
    if (!judged?.canGo) throw tooManyRows('category')
  }
}

/** Waits for a write; where the (name, type) pair is there already, that is an error of `name`. */
async function withFreeName<T>(write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (error) {
    if (!isTaken(error, 'categories.name_key')) throw error
    throw new Invalid({ name: ['The name has already been taken.'] })
  }
}
