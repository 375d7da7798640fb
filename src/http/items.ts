import { type NewTransaction, newTransaction } from '../contract/transactions.ts'
import type { Draft } from '../domain/draft.ts'
import { messageFor, requiredText } from '../domain/field-errors.ts'
import { isObject, toDraft } from './validate.ts'

export type TransactionDraft = Draft<NewTransaction>

/** The items of a batch, JSON import or upload as they were sent, or the error text if the list itself is wrong. */
export function listItems(list: unknown, maxItems: number, field = 'transactions'): unknown[] | string {
  if (list === undefined || list === null) return messageFor(field, requiredText)
  if (!Array.isArray(list)) return `The ${field} field must be an array.`
  if (list.length === 0) return messageFor(field, requiredText)
  if (list.length > maxItems) return `The ${field} field must not have more than ${maxItems} items.`
  return list
}

export const notAnObject = 'The item must be an object.'

/** Reads an item on its own, so that errors can name it. */
export function readItem(item: unknown): TransactionDraft {
  if (isObject(item)) return toDraft(newTransaction, item)
  return { complete: false, values: {}, errors: { '': [notAnObject] } }
}
