import { learnCategories, rowsLearnedFrom } from '../../src/domain/category-learning.ts'
import type { Key } from './rows.ts'
import type { Shown } from './shown-row.ts'
import type { View } from './view.ts'

/** The category in which the newest rows of the same payee are, and why; undefined if they do not agree. */
export function suggestedCategory(
  { listed, get, accountOf }: View,
  wanted: { description: string; type: Shown['transaction']['type'] },
) {
  const filed = listed.slice(0, rowsLearnedFrom).flatMap((row) => {
    const category = row.category_id === null ? undefined : get('category', row.category_id)
    if (!category) return []
    const { type, description } = row
    const accountId = accountOf(row.account_id)
    return [{ type, description, accountId, category: { id: category.key, name: category.name } }]
  })
  const suggested = learnCategories<Key>(filed)(wanted)
  const category = suggested && get('category', suggested.id)
  return category ? { category, because: suggested.because } : undefined
}
