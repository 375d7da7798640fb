import type { FieldErrors, NewAccount, NewCategory, NewTransaction, ProfileField, User } from '../api.ts'
import { readAmount } from './money.ts'
import { isDate, type Key, type Noun } from './rows.ts'
import type { Fields, Value } from './waiting.ts'

/** What a person enters: accounts and categories are named by their keys or ids. */
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
}
/** The nouns of rows that people create and delete. */
export type Creatable = Exclude<Noun, 'profile'>

/**
 * A row is not there, what was entered cannot be kept (`errors` says why, by field), or a step cannot be undone. Nothing
 * was changed.
 */
export class LedgerError extends Error {
  override readonly name = 'LedgerError'
  readonly errors: FieldErrors

  constructor(message: string, errors: FieldErrors = {}) {
    super(message)
    this.errors = errors
  }
}

const fields: { [N in Noun]: Record<keyof Entered[N], 1> } = {
  profile: { name: 1, timezone: 1, reminder_time: 1 },
  account: { name: 1, type: 1, starting_balance: 1, notes: 1 },
  category: { name: 1, type: 1 },
  transaction: {
    type: 1,
    account_id: 1,
    to_account_id: 1,
    category_id: 1,
    amount: 1,
    transaction_date: 1,
    description: 1,
    reference: 1,
  },
}

/** The fields that a person can enter. */
export const fieldsOf = (noun: Noun): string[] => Object.keys(fields[noun])

type KeyOf = (noun: 'account' | 'category', name: Key | number) => Key

/** Returns what was entered as the service will return it. Throws LedgerError. */
export function readEntered(entered: object, keyOf: KeyOf): Fields {
  const errors: FieldErrors = {}
  const read = Object.entries(entered).flatMap(([field, value]) => {
    if (value === undefined) return []
    const own = readField(field, value, keyOf)
    if (own === undefined) errors[field] = [`The ${field} is not valid.`]
    return [[field, own ?? null] as const]
  })
  if (Object.keys(errors).length > 0) throw new LedgerError('What was entered cannot be kept.', errors)
  return Object.fromEntries(read)
}

function readField(field: string, value: unknown, keyOf: KeyOf): Value | undefined {
  if (field === 'amount' || field === 'starting_balance') return readAmount(value)
  const text = typeof value === 'string' ? value.trim() || null : (value as Value)
  if (field === 'transaction_date') return isDate(text) ? text : undefined
  if (text === null || !field.endsWith('_id')) return text
  return keyOf(field === 'category_id' ? 'category' : 'account', text as Key | number)
}
