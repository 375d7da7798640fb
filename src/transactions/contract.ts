import * as z from 'zod/mini'
import { type CalendarDate, earliestDate, latestDate } from '../shared/dates.ts'
import { doc, field, formatNumber } from '../shared/doc.ts'
import { invalidText } from '../shared/field-errors.ts'
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
  text,
} from '../shared/fields.ts'
import { idempotencyKeyHeader } from '../shared/idempotency-key-header.ts'
import { overrideReconciled } from '../shared/reconciled.ts'
import * as shown from '../shared/shown.ts'
import { searchedTexts, type TransactionField } from '../shared/transaction-fields.ts'
import { accountTypes, categoryTypes, transactionTypes } from '../shared/types.ts'
import { versionConflict } from '../shared/versions.ts'

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

export const postedTransaction = z.extend(newTransaction, overrideReconciled)
export type PostedTransaction = z.output<typeof postedTransaction>

const bookedOn =
  'The day on which the bank has it on `account_id`, if a file has told it and it is not `transaction_date`.'
const toBookedOn = 'The same for `to_account_id`.'

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

export const transactionUpdate = z.extend(transactionChanges, overrideReconciled)

// Other limits: shared/limits.ts.

/** Rows per page, unless the client asks for another number. */
export const defaultPageSize = 50
export const maxPageSize = 500

/** The most rows that a search looks at. */
export const maxRowsSearched = 10_000
const newestSearched = `newest ${formatNumber(maxRowsSearched)} rows`

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

const shownFields = () => ({
  id: shown.id(),
  user_id: shown.id(),
  account_id: shown.id(),
  to_account_id: field(z.nullable(shown.id()), doc('The destination of a transfer.')),
  category_id: z.nullable(shown.id()),
  type: z.enum(transactionTypes),
  amount: shown.amount(),
  description: z.nullable(z.string()),
  reference: z.nullable(z.string()),
  transaction_date: shown.calendarDate(),
  booked_on: field(z.nullable(shown.calendarDate()), doc(`${bookedOn} Balance checks count it on this day.`)),
  to_booked_on: field(z.nullable(shown.calendarDate()), doc(toBookedOn)),
  import_id: field(z.nullable(shown.id()), doc('The import that created it.')),
  recurring_id: field(z.nullable(shown.id()), doc('The recurring transaction that it is an occurrence of.')),
  occurrence_date: field(
    z.nullable(shown.calendarDate()),
    doc('Which occurrence it is: its date by the rule, from which `transaction_date` may differ.'),
  ),
  is_synced: field(
    z.boolean(),
    doc('True if it came in an offline batch or in an upload to `POST /api/changes`.'),
  ),
  version: shown.version(),
  created_at: shown.timestamp(),
  updated_at: shown.timestamp(),
})
export const coffee = () => ({
  id: 1,
  user_id: 1,
  account_id: 1,
  to_account_id: null,
  category_id: 1,
  type: 'expense' as const,
  amount: '12.50',
  description: 'Coffee beans',
  reference: null,
  transaction_date: '2026-11-20',
  booked_on: null,
  to_booked_on: null,
  import_id: null,
  recurring_id: null,
  occurrence_date: null,
  is_synced: false,
  version: 1,
  created_at: shown.exampleTime,
  updated_at: shown.exampleTime,
})

/** A transaction without its relations, as writes and matches return it. The change feed adds `client_id`. */
export const transaction = shown.object('Transaction', 'A movement of money.', shownFields(), coffee())
export type ShownTransaction = z.output<typeof transaction>

export const transactionConflict = versionConflict('TransactionConflict', transaction, {
  message: 'The transaction has changed.',
  current: { ...coffee(), amount: '13.20', version: 2 },
})

const accountInBrief = shown.object('AccountInBrief', 'The account of a transaction.', {
  id: shown.id(),
  name: z.string(),
  type: z.enum(accountTypes),
})
const categoryInBrief = shown.object('CategoryInBrief', 'The category of a transaction.', {
  id: shown.id(),
  name: z.string(),
  type: z.enum(categoryTypes),
})
const coffeeWithRelations = () => ({
  ...coffee(),
  account: { id: 1, name: 'Checking', type: 'bank' as const },
  to_account: null,
  category: { id: 1, name: 'Groceries', type: 'expense' as const },
})

/** A transaction as GET /api/transactions returns it, alone and in lists. */
export const transactionWithRelations = shown.object(
  'TransactionWithRelations',
  'A movement of money with its accounts and category.',
  {
    ...shownFields(),
    account: accountInBrief,
    to_account: z.nullable(accountInBrief),
    category: z.nullable(categoryInBrief),
  },
  coffeeWithRelations(),
)
export type ShownTransactionWithRelations = z.output<typeof transactionWithRelations>

const pageUrl = 'https://api.purse.example/api/transactions'
const position = () => z.nullable(z.int().check(z.gte(1)))

export const transactionPage = shown.object(
  'TransactionPage',
  'Transactions, newest first.',
  {
    current_page: z.int().check(z.gte(1)),
    data: z.array(transactionWithRelations),
    first_page_url: z.string(),
    from: field(position(), doc('1-based position of the first row; null on an empty page.')),
    last_page: z.int().check(z.gte(1)),
    last_page_url: z.string(),
    next_page_url: z.nullable(z.string()),
    path: z.string(),
    per_page: z.int().check(z.gte(1), z.lte(maxPageSize)),
    prev_page_url: z.nullable(z.string()),
    to: field(position(), doc('1-based position of the last row; null on an empty page.')),
    total: shown.count(),
    searched_back_to: field(
      z.optional(z.nullable(shown.calendarDate())),
      doc(
        `Only with \`q\`, \`amount_from\` or \`amount_to\`: the day to send as \`to\` to search further back, or null if there is none. A search looks at the ${newestSearched} of the account between \`from\` and \`to\`; without an account, at those of the category; without either, at those of the user. The other filters apply within these rows.`,
      ),
    ),
  },
  {
    current_page: 1,
    data: [coffeeWithRelations()],
    first_page_url: `${pageUrl}?page=1`,
    from: 1,
    last_page: 1,
    last_page_url: `${pageUrl}?page=1`,
    next_page_url: null,
    path: pageUrl,
    per_page: defaultPageSize,
    prev_page_url: null,
    to: 1,
    total: 1,
  },
)
export type ShownTransactionPage = z.output<typeof transactionPage>
