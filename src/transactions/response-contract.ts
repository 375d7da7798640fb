import * as z from 'zod/mini'
import { doc, field } from '../domain/doc.ts'
import * as shown from '../domain/shown.ts'
import { accountTypes, categoryTypes, transactionTypes } from '../domain/types.ts'
import { versionConflict } from '../domain/versions.ts'
import { bookedOn, defaultPageSize, maxPageSize, newestSearched, toBookedOn } from './contract.ts'

// The responses; contract.ts has the requests.

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
