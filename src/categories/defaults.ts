import type { CategoryType } from '../domain/category-name-key.ts'

const defaultNames: Record<CategoryType, string[]> = {
  expense: [
    'Groceries',
    'Eating Out',
    'Housing',
    'Utilities',
    'Internet & Phone',
    'Transport',
    'Health',
    'Insurance',
    'Education',
    'Clothing',
    'Entertainment',
    'Travel',
    'Gifts & Donations',
    'Bank Charges',
    'Savings',
    'Other Expense',
  ],
  income: ['Salary', 'Freelance', 'Investments', 'Gifts Received', 'Other Income'],
}

/** The categories of a new user, in order of creation. Users can change and delete them like any others. */
export const defaultCategories = (['expense', 'income'] as const).flatMap((type) =>
  defaultNames[type].map((name) => ({ name, type })),
)
