import { categoryNameKey, defaultCategories } from '../../domain/categories.ts'

/** The categories of a new user, but for the user's id. */
export function defaultCategoryRows(now: Date) {
  return defaultCategories.map((category) => ({
    ...category,
    nameKey: categoryNameKey(category.name),
    createdAt: now,
    updatedAt: now,
  }))
}
