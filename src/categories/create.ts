import { and, type SQL } from 'drizzle-orm'
import { idempotency, keyRules } from '../database/idempotency.ts'
import { toColumns } from '../database/input-columns.ts'
import { insertWhere } from '../database/insert-where.ts'
import type { Owner } from '../database/owner.ts'
import { requireComplete } from '../database/ownership.ts'
import { categoryQuota } from '../database/quotas.ts'
import { allHold, selectRuleFlags, violationOf } from '../database/rules.ts'
import { categories } from '../database/schema.ts'
import { categoryNameKey } from '../domain/category-name-key.ts'
import type { Draft } from '../failures/draft.ts'
import type { NewCategory } from './contract.ts'
import { categoryColumns, selectCategories } from './read.ts'
import { withUniqueName } from './unique-name.ts'

/** Creates a category, or returns the one that an earlier request with the same key created. Throws Invalid. */
export async function createCategory(owner: Owner, draft: Draft<NewCategory>, idempotencyKey?: string) {
  const { db } = owner
  const fields = await requireComplete(owner, draft)
  const row = {
    userId: owner.id,
    ...toColumns(fields),
    nameKey: categoryNameKey(fields.name),
    clientId: idempotencyKey,
    createdAt: owner.now,
    updatedAt: owner.now,
  }
  const { earlier, isFirst } = idempotency(owner, categories, idempotencyKey)
  const rules = [categoryQuota(owner.id, 'name'), ...keyRules(owner.id, 'category', idempotencyKey)]
  const guard = and(owner.isValid, isFirst, allHold(rules)) as SQL
  const results = await withUniqueName(
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
