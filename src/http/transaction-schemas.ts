import * as z from 'zod/mini'
import { date, flag, id, nullable, nullableText, oneOf, positiveMoney } from '../contract/fields.ts'
import { transactionTypes } from '../domain/types.ts'

/** Longest id that a client may give a transaction. */
export const clientIdLength = 64

const fields = z.object({
  account_id: id,
  to_account_id: z.optional(nullable(id)),
  category_id: z.optional(nullable(id)),
  type: oneOf(transactionTypes),
  amount: positiveMoney,
  description: z.optional(nullableText()),
  reference: z.optional(nullableText()),
  transaction_date: date,
})

/** A new transaction, alone or as an item of a batch. */
export const newTransaction = z.extend(fields, {
  force: z.optional(nullable(flag)),
  client_id: z.optional(nullableText(clientIdLength)),
})

/** A change of a transaction. */
export const transactionChanges = z.partial(fields)
