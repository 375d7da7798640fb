import type { CalendarDate } from '../../domain/dates.ts'
import { addError, invalidText } from '../../domain/field-errors.ts'
import type { Minor } from '../../domain/money.ts'
import { lockedThrough, type Movement, movementsOf, netMovements } from '../../domain/movements.ts'
import { movesBookedDays } from '../../transactions/booked-days.ts'
import { transactionChanges } from '../../transactions/contract.ts'
import { fieldsThatGoTogether } from '../fields-contract.ts'
import type { FoundTransaction } from '../read.ts'
import type { Values } from './conflicts.ts'
import { occurrenceOf } from './occurrences.ts'
import { created, gone, invalid, isEmpty, lockError, type Ref, shownAs } from './outcomes.ts'
import { changeRow, createRow, isDone, referenceErrors } from './rows.ts'
import {
  type Decide,
  type Decisions,
  occurrenceKey,
  refOf,
  type State,
  settled,
  throughOf,
  valuesIn,
} from './state.ts'

const together: readonly string[] = fieldsThatGoTogether
const fields = [...new Set([...together, ...Object.keys(transactionChanges.shape)])]
const movingFields = ['type', 'amount', 'account_id', 'to_account_id', 'transaction_date']
const changeOf = (row: FoundTransaction) => ({ noun: 'transaction', id: row.id, row }) as const

const create: Decide = (operation, state) => {
  const { rule, isSkipped, isNone } = occurrenceOf(operation, state)
  const columns: Values = {
    ...settled(state, operation.set),
    ...(rule !== undefined && { recurring_id: rule }),
  }
  const occurrence = occurrenceKey(rule ?? 0, columns.occurrence_date)
  const known = knownAs(state, operation.clientId ?? '')
  const row = known === undefined ? state.recorded.get(occurrence) : known
  // Another operation of the upload records the same occurrence.
  if (typeof row === 'string') return created(operation, row, 'duplicate')
  if (row) return row.isLive ? shownAs(operation, 'duplicate', changeOf(row)) : gone(operation)
  if (row === null || isSkipped) return gone(operation)
  const errors = referenceErrors(state, columns, !('category_id' in columns))
  if (rule === 0) addError(errors, 'recurring_id', invalidText)
  if (isNone) addError(errors, 'occurrence_date', invalidText)
  const moved = isEmpty(errors) ? movementsBy(columns) : []
  const through = operation.isOverride ? undefined : lockOf(state, moved).through
  if (through) return invalid(operation, lockError('transaction_date', through))
  const outcome = createRow(operation, state, { known: undefined, errors: () => errors, columns })
  if (!isDone(outcome)) return outcome
  if (rule !== undefined) state.recorded.set(occurrence, refOf(operation))
  state.movements.push(...moved)
  return outcome
}

/**
 * The row that a client id leads to, the one that represents it after a join included; null for one that has been deleted,
 * and undefined for an id that has not been used.
 */
function knownAs({ found }: State, clientId: string): FoundTransaction | null | undefined {
  const own = found.transactions.byClientId.get(clientId)
  const mergedInto = found.spent.get(`transaction ${clientId}`)
  if (own?.isLive || mergedInto === undefined) return own
  return found.transactions.byId.get(mergedInto ?? 0) ?? null
}

/** What a transaction moves, on the days of the bank. */
function movementsBy(row: Values): Movement<Ref>[] {
  const { type, amount, account_id, to_account_id, transaction_date, booked_on, to_booked_on } = row
  return movementsOf({
    type,
    amount: BigInt(amount as Minor),
    account: account_id as Ref,
    toAccount: (to_account_id ?? null) as Ref | null,
    day: (booked_on ?? transaction_date) as CalendarDate,
    toDay: (to_booked_on ?? transaction_date) as CalendarDate,
  })
}

const lockOf = (state: State, moved: Movement<Ref>[]) => ({
  field: 'transaction_date',
  through: lockedThrough(moved, (account) => throughOf(state, account)),
})

const update: Decide = (operation, state) => {
  const row = state.found.transactions.named(operation)
  if (!row?.isLive) return gone(operation)
  const set = settled(state, operation.set)
  const now = valuesIn(row, [...fields, 'booked_on', 'to_booked_on'])
  const columns = { ...set, ...(movesBookedDays(set) && bookedDays(row, { ...now, ...set })) }
  const next = { ...now, ...columns }
  const mayMove = movingFields.some((field) => field in set)
  const moved = mayMove ? netMovements(movementsBy(now), movementsBy(next)) : []
  const outcome = changeRow(operation, state, {
    ...{ current: changeOf(row), fields, together, columns },
    ...{ errors: referenceErrors(state, next), lock: lockOf(state, moved) },
  })
  if (isDone(outcome)) state.movements.push(...moved)
  return outcome
}

/** The days of the bank after a change of the date or the accounts: they stay, except on an account that the row leaves. */
function bookedDays(row: FoundTransaction, { account_id, to_account_id, transaction_date: date }: Values) {
  const unless = (isOther: boolean, day: CalendarDate | null) => (isOther || day === date ? null : day)
  return {
    booked_on: unless(account_id !== row.accountId, row.bankDay),
    to_booked_on: unless(to_account_id === null || to_account_id !== row.toAccountId, row.toBankDay),
  }
}

const remove: Decide = (operation, state) => {
  const row = state.found.transactions.named(operation)
  if (!row?.isLive) return gone(operation)
  const moved = netMovements(movementsBy(valuesIn(row, [...fields, 'booked_on', 'to_booked_on'])), [])
  const change = { current: changeOf(row), fields, together, lock: lockOf(state, moved) }
  const outcome = changeRow(operation, state, change)
  if (isDone(outcome)) state.movements.push(...moved)
  return outcome
}

export const transaction: Decisions = { create, update, delete: remove }
