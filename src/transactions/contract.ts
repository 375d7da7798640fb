import * as z from 'zod/mini'
import { type CalendarDate, earliestDate, latestDate } from '../domain/dates.ts'
import { doc, field, formatNumber } from '../domain/doc.ts'
import { invalidText } from '../domain/field-errors.ts'
import {
  clientId,
  date,
  flag,
  id,
  longestClientId,
  money,
  nullable,
  nullableText,
  oneOf,
  pageSize,
  positiveMoney,
  preprocessed,
  rejected,
  text,
} from '../domain/fields.ts'
import { idempotencyKeyHeader } from '../domain/idempotency-key-header.ts'
import { overrideReconciled } from '../domain/reconciled.ts'
import { searchedTexts, type TransactionField } from '../domain/transaction-fields.ts'
import { transactionTypes } from '../domain/types.ts'

/** The fields that may be changed later. */
type Changeable = Exclude<
  TransactionField,
  'client_id' | 'force' | 'booked_on' | 'to_booked_on' | 'recurring_id' | 'occurrence_date'
>

const fields = z.object({
  account_id: field(
    id,
    doc('The account of the transaction; for a transfer, the one that the money leaves.'),
  ),
  to_account_id: field(
    z.optional(nullable(id)),
    doc('Required for a transfer, and different from `account_id`; null for any other type.'),
  ),
  category_id: field(
    z.optional(nullable(id)),
    doc(
      'Required for income and expenses on creation, except in batches and imports. The category may be of either type: a refund, say, is income in an expense category.',
    ),
  ),
  type: field(oneOf(transactionTypes), doc('The direction in which money moves.')),
  amount: field(
    positiveMoney,
    doc(
      'A positive amount, as a string or a number, with at most two decimal places. `type` gives the direction.',
    ),
  ),
  description: field(
    z.optional(nullableText()),
    doc("Free text; in rows from a bank's file, what the bank wrote."),
  ),
  reference: field(
    z.optional(nullableText()),
    doc(
      "The transaction's id elsewhere, such as at the bank. A new transaction is never taken for a duplicate of one " +
        'with a different reference; `GET /api/matches` may still list the two.',
    ),
  ),
  transaction_date: field(date, doc(`From ${earliestDate} to ${latestDate}; may lie in the future.`)),
} satisfies Record<Changeable, unknown>)

/** A new transaction, alone or as an item of a batch. Its client id is read first, so that errors can name the item. */
export const newTransaction = field(
  z.object({
    client_id: field(
      z.optional(nullable(clientId(longestClientId))),
      doc(
        "The client's own id for it, unique among the user's transactions. Sending the id again creates nothing.",
      ),
    ),
    ...fields.shape,
    force: field(
      z.optional(nullable(flag)),
      doc('Creates the transaction even if it looks like a duplicate.'),
    ),
  }),
  doc({ id: 'NewTransaction' }),
)
export type NewTransaction = z.output<typeof newTransaction>

/** The fields of a transaction that only other requests set, with the error of each. */
export const setElsewhere = {
  recurring_id: 'The :field field is set by PUT /api/recurring/{id}/occurrences/{date}.',
  occurrence_date: 'The :field field is set by PUT /api/recurring/{id}/occurrences/{date}.',
  booked_on: 'The :field field is set by imports.',
  to_booked_on: 'The :field field is set by imports.',
}

export const postedTransaction = z.extend(newTransaction, {
  ...overrideReconciled,
  recurring_id: z.optional(rejected(setElsewhere.recurring_id)),
  occurrence_date: z.optional(rejected(setElsewhere.occurrence_date)),
  booked_on: z.optional(rejected(setElsewhere.booked_on)),
  to_booked_on: z.optional(rejected(setElsewhere.to_booked_on)),
})
export type PostedTransaction = z.output<typeof postedTransaction>

export const bookedOn =
  'The day on which the bank has it on `account_id`, if a file has told it and it is not `transaction_date`.'
export const toBookedOn = 'The same for `to_account_id`.'

/** The bank's days, which only the creations of an upload set, for a copy to be restored. */
export const newBookedDays = {
  booked_on: field(z.optional(nullable(date)), doc(bookedOn)),
  to_booked_on: field(z.optional(nullable(date)), doc(toBookedOn)),
}
export type NewBookedDays = { [Name in keyof typeof newBookedDays]?: CalendarDate | null }

/** The occurrence that a transaction is, which only the creations of an upload set. */
export type NewOccurrence = { recurring_id?: number | null; occurrence_date?: CalendarDate | null }

export const newTransactionKey = idempotencyKeyHeader(
  doc(
    `Makes the call safe to repeat: used as the \`client_id\` if the body has none; above ${longestClientId} characters, its SHA-256 is.`,
  ),
)

export const transactionChanges = z.partial(fields)
export type TransactionChanges = z.output<typeof transactionChanges>

const unchanged = doc('Null, or as it is.')

export const transactionUpdate = z.extend(transactionChanges, {
  ...overrideReconciled,
  recurring_id: field(z.optional(nullable(id)), unchanged),
  occurrence_date: field(z.optional(nullable(date)), unchanged),
  booked_on: field(z.optional(nullable(date)), unchanged),
  to_booked_on: field(z.optional(nullable(date)), unchanged),
})
export type TransactionUpdate = z.output<typeof transactionUpdate>

// Other limits: failures/limits.ts.

/** Rows per page, unless the client asks for another number. */
export const defaultPageSize = 50
export const maxPageSize = 500

/** The most rows that a search looks at. */
export const maxRowsSearched = 10_000
export const newestSearched = `newest ${formatNumber(maxRowsSearched)} rows`

/** A page number; anything else counts as 1. */
const page = preprocessed(
  (input: string | number) => {
    const number = /^\d+$/.test(String(input)) ? Number(input) : 1
    return Number.isSafeInteger(number) && number >= 1 ? number : 1
  },
  z.int().check(z.gte(1)),
)

export const transactionQuery = z.partial(
  z.object({
    account_id: field(id, doc('Matches either side of a transfer.')),
    type: field(oneOf(transactionTypes), doc('Matches only this type.')),
    from: field(date, doc('The first day.')),
    to: field(date, doc('The last day.')),
    q: field(
      text(),
      doc(`Searches ${searchedTexts.join(', ')}, in the ${newestSearched} only; see \`searched_back_to\`.`),
    ),
    amount_from: field(money, doc(`The smallest amount, in the ${newestSearched} only, like \`q\`.`)),
    amount_to: field(money, doc(`The largest amount, in the ${newestSearched} only, like \`q\`.`)),
    per_page: field(pageSize(maxPageSize), doc({ default: defaultPageSize, description: 'Rows per page.' })),
    category_id: field(
      z.union([z.literal('none'), id], { error: invalidText }),
      doc({
        type: 'string',
        pattern: '^(none|[1-9]\\d*)$',
        description: 'An id, or `none` for transactions without a category.',
      }),
    ),
    import_id: field(id, doc('Matches what this import has created.')),
    page: field(
      page,
      doc({ default: 1, description: 'Starts at 1; anything that is not a page number counts as 1.' }),
    ),
  }),
)
export type TransactionQuery = z.output<typeof transactionQuery>
