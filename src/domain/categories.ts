export type CategoryType = 'income' | 'expense'

/** The categories of a new user, in order of creation. From then on they are like any others. */
export const defaultCategories: readonly { name: string; type: CategoryType }[] = [
  { name: 'Groceries', type: 'expense' },
  { name: 'Eating Out', type: 'expense' },
  { name: 'Housing', type: 'expense' },
  { name: 'Utilities', type: 'expense' },
  { name: 'Internet & Phone', type: 'expense' },
  { name: 'Transport', type: 'expense' },
  { name: 'Health', type: 'expense' },
  { name: 'Insurance', type: 'expense' },
  { name: 'Education', type: 'expense' },
  { name: 'Clothing', type: 'expense' },
  { name: 'Entertainment', type: 'expense' },
  { name: 'Travel', type: 'expense' },
  { name: 'Gifts & Donations', type: 'expense' },
  { name: 'Bank Charges', type: 'expense' },
  { name: 'Savings', type: 'expense' },
  { name: 'Other Expense', type: 'expense' },
  { name: 'Salary', type: 'income' },
  { name: 'Freelance', type: 'income' },
  { name: 'Investments', type: 'income' },
  { name: 'Gifts Received', type: 'income' },
  { name: 'Other Income', type: 'income' },
]

/** The form in which category names are compared. */
export function categoryNameKey(name: string): string {
  return name.normalize('NFC').toLowerCase()
}
