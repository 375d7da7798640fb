import type { categoryTypes } from './types.ts'

export type CategoryType = (typeof categoryTypes)[number]

const defaultNames: Record<CategoryType, string> = {
  expense:
    'Groceries|Eating Out|Housing|Utilities|Internet & Phone|Transport|Health|Insurance|Education|Clothing|' +
    'Entertainment|Travel|Gifts & Donations|Bank Charges|Savings|Other Expense',
  income: 'Salary|Freelance|Investments|Gifts Received|Other Income',
}

/** The categories of a new user, in order of creation. Users can change and delete them like any others. */
export const defaultCategories = (['expense', 'income'] as const).flatMap((type) =>
  defaultNames[type].split('|').map((name) => ({ name, type })),
)

/** The form in which category names are compared. */
export function categoryNameKey(name: string): string {
  return name.normalize('NFC').toLowerCase()
}
