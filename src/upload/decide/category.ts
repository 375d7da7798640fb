import { categoryChanges } from '../../categories/contract.ts'
import { maxCategories, quotaTexts } from '../../database/quotas.ts'
import { categoryNameKey } from '../../domain/category-name-key.ts'
import { addError, type FieldErrors, takenText } from '../../domain/field-errors.ts'
import type { FeedCategory } from '../../feed/rows.ts'
import type { Values } from './conflicts.ts'
import { created, gone, shownAs } from './outcomes.ts'
import { changeRow, createRow, isDone } from './rows.ts'
import { type Decide, type Decisions, isSpent, nameKey, refOf } from './state.ts'

const fields = Object.keys(categoryChanges.shape)
const changeOf = (row: FeedCategory) => ({ noun: 'category', id: row.id, row }) as const

const withNameKey = (set: Values): Values =>
  typeof set.name === 'string' ? { ...set, name_key: categoryNameKey(set.name) } : set

const update: Decide = (operation, state) => {
  const row = state.found.categories.named(operation)
  const own = state.categories.find(({ id }) => id === row?.id)
  if (!row || !own) return gone(operation)
  const { name, type } = { ...row, ...operation.set }
  const key = nameKey(name, type)
  const errors: FieldErrors = {}
  // A name that another update gives up is free only after the updates: they are one statement.
  const isTaken = state.categories.some((one) => one !== own && (one.key === key || one.before === key))
  if (key !== own.key && isTaken) addError(errors, 'name', takenText)
  const change = { current: changeOf(row), fields, errors, columns: withNameKey(operation.set) }
  const outcome = changeRow(operation, state, change)
  if (isDone(outcome)) Object.assign(own, { key, before: own.key })
  return outcome
}

const create: Decide = (operation, state) => {
  const { clientId, set } = operation
  const row = state.found.categories.byClientId.get(clientId ?? '')
  const key = nameKey(set.name, set.type)
  // One that has the name already is the same: what would be recorded in the new one must not wait for another name.
  const same = row || isSpent(state, operation) ? undefined : state.categories.find((one) => one.key === key)
  if (same) {
    state.refs.get('category')?.set(clientId ?? '', same.id)
    const existing = state.found.categories.byId.get(Number(same.id))
    return existing
      ? shownAs(operation, 'duplicate', changeOf(existing))
      : created(operation, String(same.id), 'duplicate')
  }
  const errors = () => {
    const errors: FieldErrors = {}
    if (state.categories.length >= maxCategories) addError(errors, 'name', quotaTexts.categories)
    return errors
  }
  const creation = { known: row && changeOf(row), errors, columns: withNameKey(set) }
  const outcome = createRow(operation, state, creation)
  if (isDone(outcome)) state.categories.push({ id: refOf(operation), key })
  return outcome
}

const remove: Decide = (operation, state) => {
  const row = state.found.categories.named(operation)
  if (!row) return gone(operation)
  const outcome = changeRow(operation, state, { current: changeOf(row), fields })
  if (isDone(outcome)) state.categories = state.categories.filter(({ id }) => id !== row.id)
  return outcome
}

export const category: Decisions = { create, update, delete: remove }
