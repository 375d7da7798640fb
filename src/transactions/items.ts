import type { FieldErrors } from '../domain/field-errors.ts'
import { maxErrors, messageFor, requiredText } from '../domain/field-errors.ts'
import type { Draft } from '../failures/draft.ts'
import { isObject, toDraft } from '../http/validate.ts'
import { type NewTransaction, newTransaction } from './contract.ts'

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

/** Reads an item on its own, so that errors can name it, up to `maxInvalid` invalid fields. */
export function readItem(item: unknown, maxInvalid?: number): TransactionDraft {
  if (isObject(item)) return toDraft(newTransaction, item, maxInvalid)
  return { complete: false, values: {}, errors: { '': [notAnObject] } }
}

/** Reads the items of a list, each on its own, with bounded errors. */
export function readItems(items: unknown[]): TransactionDraft[] {
  const bounded = boundErrors()
  return items.map((item) => bounded((maxInvalid) => readItem(item, maxInvalid)))
}

/**
 * Returns a function that reads the items of a list one after the other. Once there are a hundred errors, an item is
 * read up to its first: each item keeps a reason, and a list costs little more to refuse than to parse.
 */
export function boundErrors() {
  let count = 0
  return <T extends { errors: FieldErrors }>(read: (maxInvalid?: number) => T): T => {
    const draft = read(count < maxErrors ? undefined : 1)
    count += Object.keys(draft.errors).length
    return draft
  }
}
