import type {
  FieldErrors,
  NewAccount,
  NewBalanceCheck,
  NewCategory,
  NewRecurring,
  NewTransaction,
  ProfileField,
  User,
} from '../api.ts'
import type { Key, Noun } from './rows.ts'

/** Accounts and categories are named by key or id. */
type NamedRows = {
  account_id: Key | number
  to_account_id?: Key | number | null
  category_id?: Key | number | null
}

/** Input of a user. */
export type Entered = {
  profile: Partial<Pick<User, ProfileField>>
  account: NewAccount
  category: NewCategory
  recurring: Omit<NewRecurring, keyof NamedRows> & NamedRows
  transaction: Omit<NewTransaction, 'client_id' | 'force' | keyof NamedRows> & NamedRows
  balance_check: Omit<NewBalanceCheck, 'account_id'> & { account_id: Key | number }
}
/** The nouns of rows that users create and delete. */
export type Creatable = Exclude<Noun, 'profile'>

/**
 * The input is invalid (`errors` has the API's texts by field), the row does not exist, or a step cannot be undone.
 * Nothing was changed.
 */
export class LedgerError extends Error {
  override readonly name = 'LedgerError'
  readonly errors: FieldErrors

  constructor(message: string, errors: FieldErrors = {}) {
    super(message)
    this.errors = errors
  }
}
