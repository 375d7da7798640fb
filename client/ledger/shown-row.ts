import { type TransactionText, transactionTexts } from '../../src/domain/transaction-fields.ts'
import type { Creatable, Entered } from './entered.ts'
import { flattened } from './exceptions.ts'
import type { Change, Fields, Pending, Value } from './pending.ts'
import { isAmount, type Key, type Noun, type Rows, references, type ServedRow } from './rows.ts'

/** Fields of every row on the device. */
type Local = {
  key: Key
  /** Null until the service has the row. */
  id: number | null
  /** Orders rows of a day as the service does; those that it does not have yet count as the newest. */
  rank: number
  /** The state of the row's pending change, if it has one. */
  waits: 'waiting' | 'conflict' | 'rejected' | null
  created_at: string | null
  updated_at: string | null
}
type Replaced = 'id' | 'created_at' | 'updated_at'
type Refs = { account_id: Key; to_account_id: Key | null; category_id: Key | null }
/** The differences of occurrences from their rule, by fields such as `exceptions.2026-12-31`: each a JSON text, or null. */
type ShownExceptions = { [field: `exceptions.${string}`]: string | null }

/** Rows as they are shown: those of the service with their pending changes applied. */
export type Shown = {
  profile: ServedRow<'profile'> & Local
  account: Omit<ServedRow<'account'>, Replaced> & Local
  category: Omit<ServedRow<'category'>, Replaced> & Local
  recurring: Omit<ServedRow<'recurring'>, 'id' | 'exceptions' | 'open_from' | keyof Refs> &
    Local &
    Refs &
    ShownExceptions & {
      /** Null for today. */
      open_from: string | null
      /** Of one that continues another one, while the service does not have it: the key of that, and from which date on. */
      divides?: Key
      from?: string
    }
  transaction: Omit<ServedRow<'transaction'>, Replaced | 'recurring_id' | keyof Refs> &
    Local &
    Refs & { recurring_id: Key | null }
  balance_check: Omit<ServedRow<'balance_check'>, Replaced | 'account_id'> & Local & Pick<Refs, 'account_id'>
}

/** Rows with a pending creation rank above this, and so above all ids. */
const pendingRank = 2 ** 52
type Required<T> = { [F in keyof T]-?: object extends Pick<T, F> ? never : F }[keyof T]
/** The fields of a row that need not be entered, other than those that `shownRow` sets. */
type Blank<N extends Creatable> = Omit<
  ServedRow<N>,
  Required<Entered[N]> | 'user_id' | 'client_id' | 'exceptions'
>

const noTexts = Object.fromEntries(transactionTexts.map((name) => [name, null])) as Record<
  TransactionText,
  null
>

/** The values of fields that a new row has not been given, and that rows stored before a field existed lack. */
const blank: { [N in Creatable]: Record<keyof Blank<N>, Value> } & { profile: Fields } = {
  profile: { due_reminders: true, currency: null },
  account: {
    id: null,
    version: 0,
    created_at: null,
    updated_at: null,
    kind: null,
    notes: null,
    closed_on: null,
    reconciled_through: null,
  },
  category: { id: null, version: 0 },
  recurring: {
    id: null,
    version: 0,
    to_account_id: null,
    category_id: null,
    amount_tolerance: 0,
    description: null,
    reference: null,
    weekend: 'keep',
    auto_record: false,
    remind_days: null,
    paused: false,
    open_from: null,
    successor_id: null,
  },
  transaction: {
    id: null,
    version: 0,
    created_at: null,
    updated_at: null,
    to_account_id: null,
    category_id: null,
    ...noTexts,
    booked_on: null,
    to_booked_on: null,
    import_id: null,
    recurring_id: null,
    occurrence_date: null,
    is_synced: false,
  },
  balance_check: { id: null, version: 0, source: 'manual', import_id: null },
}

/** The rows of the service and their pending changes. */
export type Sources = { rows: Rows; pending: ReadonlyMap<string, Pending>; userId: number }

/** A transaction in a list: as the service has sent it or, with a pending change, as it is shown. */
export type Listed = ServedRow<'transaction'> | Shown['transaction']

/** True if the field of a listed transaction names the row, by its key or its id. */
export const refersTo = (
  name: Key | number | null,
  row: { key: Key; id: number | null } | undefined,
): boolean => name !== null && (name === row?.key || name === row?.id)

/** A row of the service with its pending change, as it is shown; undefined if it is not there. */
export function shownRow<N extends Noun>(
  noun: N,
  key: Key,
  { rows, userId }: Pick<Sources, 'rows' | 'userId'>,
  served: ServedRow<N> | undefined,
  one: Pending | undefined,
): Shown[N] | undefined {
  let row = served as Fields | undefined
  for (const change of [one?.sent, one?.next]) if (change) row = changed(row, change)
  if (!row) return undefined
  const own = keyed(noun, row, rows)
  own.key = key
  own.rank = served?.id ?? pendingRank + (one?.at ?? 0)
  if (noun !== 'profile' && noun !== 'recurring' && noun !== 'balance_check') own.user_id = userId
  own.waits = pendingState(one)
  // A stored change may be damaged.
  if (one && noun === 'account' && !isAmount(row.starting_balance)) own.starting_balance = '0.00'
  const hasAmount = noun === 'transaction' || noun === 'recurring'
  if (one && hasAmount && !isAmount(row.amount)) own.amount = '0.00'
  if (one && noun === 'transaction') {
    own.transaction_date = String(row.transaction_date)
    Object.assign(own, bookedDaysAfter(served && keyed(noun, { ...served }, rows), own))
  }
  if (one && noun === 'recurring' && isOpened(served as ServedRow<'recurring'> | undefined, own))
    own.open_from = null
  if (one && noun === 'balance_check' && !isAmount(row.balance)) own.balance = '0.00'
  return own as Shown[N]
}

/** True if a rule opens today: it is resumed, or begins to record by itself. */
const isOpened = (before: ServedRow<'recurring'> | undefined, now: Fields): boolean =>
  (before?.paused === true && now.paused === false) ||
  (before?.auto_record === false && now.auto_record === true)

/** A copy of a row with all fields, and with keys in place of ids. */
export function keyed(noun: Noun, row: object, rows: Rows): Fields {
  const own: Fields = { ...blank[noun], ...(noun === 'recurring' ? flattened(row) : row) }
  if (noun === 'transaction' || noun === 'recurring' || noun === 'balance_check')
    for (const [field, of] of references) {
      if (!(field in own)) continue
      const name = own[field]
      if (name == null) own[field] = null
      else if (!String(name).startsWith('#')) own[field] = rows.keyOf(of, Number(name))
    }
  return own
}

function changed(row: Fields | undefined, { op, set }: Change): Fields | undefined {
  if (op === 'delete') return undefined
  return op === 'create' || row ? { ...row, ...set } : undefined
}

function pendingState(pending: Pending | undefined): Local['waits'] {
  if (!pending) return null
  if (pending.errors) return 'rejected'
  return pending.conflict ? 'conflict' : 'waiting'
}

/** The bank's days of a transaction with pending changes, as the service keeps them (src/transactions/booked-days.ts). */
function bookedDaysAfter(served: Fields | undefined, row: Fields): Fields {
  // Until it is edited, a row of a file has the bank's day as its own.
  const ownDay = served?.import_id == null ? null : served.transaction_date
  const dayOn = (account: string, bookedOn: string) => {
    const day = served?.[account] === row[account] ? (row[bookedOn] ?? ownDay ?? null) : null
    return day === row.transaction_date ? null : day
  }
  return {
    booked_on: dayOn('account_id', 'booked_on'),
    to_booked_on: row.to_account_id === null ? null : dayOn('to_account_id', 'to_booked_on'),
  }
}
