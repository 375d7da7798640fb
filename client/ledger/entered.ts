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
  account: Omit<NewAccount, 'reconciled_through'>
  category: NewCategory
  recurring: Omit<NewRecurring, keyof NamedRows> & NamedRows
  transaction: Omit<NewTransaction, 'client_id' | 'force' | keyof NamedRows> & NamedRows
  balance_check: Omit<NewBalanceCheck, 'account_id'> & { account_id: Key | number }
}
/** The fields that a change of a row may set: the period of an account cannot be reconciled when it is created. */
export type EnteredChanges<N extends Noun> = Partial<Entered[N]> &
  (N extends 'account' ? { reconciled_through?: string | null } : unknown)
/** The nouns of rows that users create and delete. */
export type Creatable = Exclude<Noun, 'profile'>

/** With `override_reconciled`, a write is made even in a reconciled period. */
export type WriteOptions = { override_reconciled?: boolean | undefined }

/**
 * The input is invalid (`errors` has the API's texts by field), the row does not exist, or a step cannot be undone.
 * `reconciledThrough` is the last day of the reconciled period that the write would change. Nothing was changed.
 */
export class LedgerError extends Error {
  override readonly name = 'LedgerError'
  readonly errors: FieldErrors
  readonly reconciledThrough: string | undefined

  constructor(message: string, errors: FieldErrors = {}, reconciledThrough?: string) {
    super(message)
    this.errors = errors
    this.reconciledThrough = reconciledThrough
  }
}

/** The error of invalid input. */
export const invalid = (errors: FieldErrors, reconciledThrough?: string): LedgerError =>
  new LedgerError('The given data was invalid.', errors, reconciledThrough)
