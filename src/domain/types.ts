/** The types of accounts, categories and transactions, as the contract names them. */
export const accountTypes = ['bank', 'mobile', 'cash'] as const
export const categoryTypes = ['income', 'expense'] as const
export const transactionTypes = ['income', 'expense', 'transfer'] as const
/** What may stand between whole units and cents in a file. */
export const decimalSeparators = ['.', ','] as const
