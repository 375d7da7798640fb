import type * as z from 'zod/mini'
import type { Draft } from '../domain/draft.ts'
import { newTransaction } from './transaction-schemas.ts'
import { isObject, toDraft } from './validate.ts'

export type TransactionDraft = Draft<z.output<typeof newTransaction>>

/** Reads the items of a batch or of a JSON import, each on its own, so that a bad one can be named; or says what is wrong with the list. */
export function readTransactionList(
  list: unknown,
  maxItems: number,
  defaults: object = {},
): TransactionDraft[] | string {
  if (list === undefined || list === null) return 'The transactions field is required.'
  if (!Array.isArray(list)) return 'The transactions field must be an array.'
  if (list.length === 0) return 'The transactions field is required.'
  if (list.length > maxItems) return `The transactions field must not have more than ${maxItems} items.`
  return list.map((item: unknown) => readItem(item, defaults))
}

function readItem(item: unknown, defaults: object): TransactionDraft {
  if (isObject(item)) return toDraft(newTransaction, { ...defaults, ...item })
  return { complete: false, values: {}, errors: { '': ['The item must be an object.'] } }
}
