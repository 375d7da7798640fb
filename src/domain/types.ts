/** The words that the contract has for the types of things (api.md §2). */
export const accountTypes = ['bank', 'mobile', 'cash'] as const
export const categoryTypes = ['income', 'expense'] as const
export const transactionTypes = ['income', 'expense', 'transfer'] as const
/** What may stand between whole units and cents in a file. */
export const decimalSeparators = ['.', ','] as const
