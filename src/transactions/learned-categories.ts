import { desc, eq } from 'drizzle-orm'
import type { CategorySuggestions } from '../categories/contract.ts'
import type { Owner } from '../database/owner.ts'
import { requireComplete } from '../database/ownership.ts'
import { categories, transactions } from '../database/schema.ts'
import { learnCategories, rowsLearnedFrom } from '../domain/category-learning.ts'
import type { Draft } from '../failures/draft.ts'

/** Learns from the user's newest rows how they file payees. Takes a round trip. */
export async function learnedCategories(owner: Owner) {
  const { id, accountId, type, description, categoryId, transactionDate } = transactions
  const found = await owner.run({
    rows: owner.db
      .select({ accountId, type, description, categoryId })
      .from(transactions)
      .where(eq(transactions.userId, owner.id))
      .orderBy(desc(transactionDate), desc(id))
      .limit(rowsLearnedFrom),
    categories: owner.db
      .select({ id: categories.id, name: categories.name })
      .from(categories)
      .where(eq(categories.userId, owner.id)),
  })
  const byId = new Map(found.categories.map((category) => [category.id, category]))
  return learnCategories(
    found.rows.flatMap((row) => {
      const category = row.categoryId === null ? undefined : byId.get(row.categoryId)
      return category ? [{ ...row, category }] : []
    }),
  )
}

/** Suggests a category for each of the items, in their order; null where the user's rows do not agree. Throws Invalid. */
export async function suggestCategories(owner: Owner, draft: Draft<CategorySuggestions>) {
  const { items } = await requireComplete(owner, draft)
  const suggest = await learnedCategories(owner)
  return items.map(({ type, description = null, account_id }) =>
    suggest({ type, description, accountId: account_id ?? null }),
  )
}
