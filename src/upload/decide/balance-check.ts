import { balanceCheckChanges, type NewBalanceCheck } from '../../balance-checks/contract.ts'
import { pastBoundsText } from '../../balance-checks/new-check.ts'
import type { CheckRow } from '../../balance-checks/read.ts'
import { maxChecks, maxChecksOfAccount, quotaTexts } from '../../database/quotas.ts'
import type { CalendarDate } from '../../domain/dates.ts'
import {
  addError,
  type FieldErrors,
  invalidText,
  notAfterToday,
  otherBalanceText,
} from '../../domain/field-errors.ts'
import { maxTotal } from '../../domain/money.ts'
import type { Operation } from '../contract.ts'
import { gone, invalid, isEmpty, type Outcome, type Ref } from './outcomes.ts'
import { changeRow, createRow, isDone } from './rows.ts'
import {
  balanceOn,
  type Decide,
  type Decisions,
  exists,
  refOf,
  resolved,
  type State,
  throughOf,
} from './state.ts'

const fields = Object.keys(balanceCheckChanges.shape)

const changeOf = (row: CheckRow) => ({ noun: 'balance_check', id: row.id, row }) as const

const update: Decide = (operation, state) => {
  const late = refusalOfDate(operation, state)
  if (late) return late
  const row = state.found.checks.named(operation)
  const own = state.checks.find(({ id }) => id === row?.id)
  if (!row || !own) return gone(operation)
  const { date, balance } = { ...row, ...(operation.set as Partial<NewBalanceCheck>) }
  const errors: FieldErrors = {}
  // A day that another update gives up is free only after the updates: they are one statement.
  const others = state.checks.filter((one) => one !== own && one.account === own.account)
  if (others.some((one) => one.date === date || one.before === date))
    addError(errors, 'date', otherBalanceText)
  addBoundsError(errors, state, own.account, date)
  const change = {
    current: changeOf(row),
    fields,
    errors,
    lock: lockOf(state, own),
    columns: { date, balance },
  }
  const outcome = changeRow(operation, state, change)
  if (isDone(outcome)) Object.assign(own, { date, balance: BigInt(balance), before: own.date })
  return outcome
}

/** Refuses balance checks of days after today in the user's time zone. */
function refusalOfDate(operation: Operation, { found }: State): Outcome | undefined {
  const errors: FieldErrors = {}
  if ((operation.set.date as CalendarDate) > found.today) addError(errors, 'date', notAfterToday)
  return isEmpty(errors) ? undefined : invalid(operation, errors)
}

function addBoundsError(errors: FieldErrors, state: State, account: Ref, date: CalendarDate): void {
  const balance = balanceOn(state, account, date)
  if (balance > maxTotal || -balance > maxTotal) addError(errors, 'date', pastBoundsText)
}

/** The reconciled period that a check lies in. */
function lockOf(state: State, { account, date }: State['checks'][number]) {
  const through = throughOf(state, account) ?? ''
  return { field: 'date', through: through >= date ? through : null }
}

const create: Decide = (operation, state) => {
  const late = refusalOfDate(operation, state)
  if (late) return late
  const columns = resolved(state, operation.set)
  const { account_id: account, date, balance } = columns as NewBalanceCheck
  const { byClientId, byId } = state.found.checks
  const own = byClientId.get(operation.clientId ?? '')
  // Its row is deleted by this upload.
  if (own && state.checks.every(({ id }) => id !== own.id)) return gone(operation)
  const others = state.checks.filter((one) => one.account === account)
  // Another device may have added the same check.
  const same = others.find((one) => one.date === date && one.balance === BigInt(balance))
  const row = own ?? byId.get(Number(same?.id))
  const errors = () => {
    const errors: FieldErrors = {}
    if (!exists(state, 'account', account)) addError(errors, 'account_id', invalidText)
    if (others.some((one) => one.date === date)) addError(errors, 'date', otherBalanceText)
    addBoundsError(errors, state, account, date)
    if (others.length >= maxChecksOfAccount) addError(errors, 'date', quotaTexts.checksOfAccount)
    if (state.checks.length >= maxChecks) addError(errors, 'date', quotaTexts.checks)
    return errors
  }
  const outcome = createRow(operation, state, { known: row && changeOf(row), errors, columns })
  if (isDone(outcome)) state.checks.push({ id: refOf(operation), account, date, balance: BigInt(balance) })
  return outcome
}

const remove: Decide = (operation, state) => {
  const row = state.found.checks.named(operation)
  const own = state.checks.find(({ id }) => id === row?.id)
  if (!row || !own) return gone(operation)
  const outcome = changeRow(operation, state, { current: changeOf(row), fields, lock: lockOf(state, own) })
  if (isDone(outcome)) state.checks.splice(state.checks.indexOf(own), 1)
  return outcome
}

export const balanceCheck: Decisions = { create, update, delete: remove }
