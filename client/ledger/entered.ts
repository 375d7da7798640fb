import type {
  FieldErrors,
  NewAccount,
  NewBalanceCheck,
  NewCategory,
  NewTransaction,
  ProfileField,
  User,
} from '../api.ts'
import type { Key, Noun } from './rows.ts'

/** Input of a user. Accounts and categories are named by key or id. */
export type Entered = {
  profile: Partial<Pick<User, ProfileField>>
  account: NewAccount
  category: NewCategory
  transaction: Omit<
    NewTransaction,
    'client_id' | 'force' | 'account_id' | 'to_account_id' | 'category_id'
  > & {
    account_id: Key | number
    to_account_id?: Key | number | null
    category_id?: Key | number | null
  }
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
