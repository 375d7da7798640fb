import { accountChanges, type NewAccount } from '../../accounts/contract.ts'
import { toColumns } from '../../database/input-columns.ts'
import { maxAccounts, maxNotesLength, quotaTexts } from '../../database/quotas.ts'
import type { CalendarDate } from '../../domain/dates.ts'
import { addError, type FieldErrors, noMatchingCheckText } from '../../domain/field-errors.ts'
import { dayOfStart } from '../../domain/movements.ts'
import type { FeedAccount } from '../../feed/rows.ts'
import type { Operation } from '../contract.ts'
import { gone, type Ref } from './outcomes.ts'
import { changeRow, createRow, isDone } from './rows.ts'
import { balanceOn, type Decide, type Decisions, refOf, type State } from './state.ts'

const fields = Object.keys(accountChanges.shape)
const changeOf = (row: FeedAccount) => ({ noun: 'account', id: row.id, row }) as const

/** True for an update that sets the end of a reconciled period. These come last, so that they bind no other operation. */
export const reconciles = ({ set }: Operation) => typeof set.reconciled_through === 'string'

const update: Decide = (operation, state) => {
  const row = state.found.accounts.named(operation)
  const account = state.accounts.find(({ id }) => id === row?.id)
  if (!row || !account) return gone(operation)
  const {
    notes,
    startingBalance,
    reconciledThrough: through,
  } = { ...row, ...toColumns(operation.set as Changes) }
  const moved = BigInt(startingBalance) - BigInt(row.startingBalance)
  const errors: FieldErrors = {}
  addNotesError(errors, state, lengthOf(notes) - lengthOf(row.notes))
  if (through !== row.reconciledThrough && !endsWithCheck(state, row.id, through, moved))
    addError(errors, 'reconciled_through', noMatchingCheckText)
  // Opening the period comes first.
  const isBound = moved !== 0n && through !== null
  const outcome = changeRow(operation, state, {
    ...{ current: changeOf(row), fields, errors },
    lock: { field: 'starting_balance', through: isBound ? row.reconciledThrough : null },
    step: reconciles(operation) ? 'reconcile account' : 'update account',
  })
  if (!isDone(outcome)) return outcome
  Object.assign(account, { notes, through })
  state.movements.push({ account: row.id, day: dayOfStart, amount: moved })
  return outcome
}

type Changes = NewAccount & { reconciled_through: CalendarDate | null }

/** True if a reconciled period may end on this day: with a check that is ok, `moved` being added to the balance. */
function endsWithCheck(state: State, account: Ref, through: CalendarDate | null, moved: bigint): boolean {
  const check = state.checks.find((one) => one.account === account && one.date === through)
  return (
    through === null || (check !== undefined && balanceOn(state, account, through) + moved === check.balance)
  )
}

const create: Decide = (operation, state) => {
  const row = state.found.accounts.byClientId.get(operation.clientId ?? '')
  const { notes = null, starting_balance } = operation.set as NewAccount
  const errors = () => {
    const errors: FieldErrors = {}
    if (state.accounts.length >= maxAccounts) addError(errors, 'name', quotaTexts.accounts)
    addNotesError(errors, state, lengthOf(notes))
    return errors
  }
  const outcome = createRow(operation, state, { known: row && changeOf(row), errors, columns: operation.set })
  if (!isDone(outcome)) return outcome
  const id = refOf(operation)
  state.accounts.push({ id, notes, through: null })
  state.movements.push({ account: id, day: dayOfStart, amount: BigInt(starting_balance) })
  return outcome
}

/** Even beyond the quota, notes may be shortened. */
function addNotesError(errors: FieldErrors, { accounts }: State, growth: number): void {
  const length = accounts.reduce((sum, { notes }) => sum + lengthOf(notes), 0)
  if (growth > 0 && length + growth > maxNotesLength) addError(errors, 'notes', quotaTexts.notes)
}

const lengthOf = (notes: string | null) => (notes === null ? 0 : [...notes].length)

const remove: Decide = (operation, state) => {
  const row = state.found.accounts.named(operation)
  return row ? changeRow(operation, state, { current: changeOf(row), fields }) : gone(operation)
}

export const account: Decisions = { create, update, delete: remove }
