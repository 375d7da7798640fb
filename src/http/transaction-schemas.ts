import * as z from 'zod'
import { transactionTypes } from '../domain/types.ts'
import { date, flag, id, nullable, nullableText, oneOf, positiveMoney } from './fields.ts'

const fields = z.object({
  account_id: id,
  to_account_id: nullable(id).optional(),
  category_id: nullable(id).optional(),
  type: oneOf(transactionTypes),
  amount: positiveMoney,
  description: nullableText().optional(),
  reference: nullableText().optional(),
  transaction_date: date,
})

/** A new transaction, alone or as an item of a batch. */
export const newTransaction = fields.extend({
  force: nullable(flag).optional(),
  client_id: nullableText(64).optional(),
})

/** A change of a transaction. */
export const transactionChanges = fields.partial()
