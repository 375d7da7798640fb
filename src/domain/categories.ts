export type CategoryType = 'income' | 'expense'

/** What a new user starts with, in the order in which they are created; ordinary categories from then on. */
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

/** The key by which category names are compared: two spellings of one name have the same key. */
export function categoryNameKey(name: string): string {
  return name.normalize('NFC').toLowerCase()
}
