import * as z from 'zod'
import { transactionTypes } from '../transaction-schemas.ts'

/**
 * What the service answers (api.md §2), for the OpenAPI document alone: the Worker does not carry it. That every
 * answer of every test fits is what keeps it true (test/worker/contract.ts).
 */

const id = z.int().min(1)
const timestamp = z.iso.datetime().meta({ examples: ['2026-11-20T10:00:00.000Z'] })
const calendarDate = z.iso.date().meta({ examples: ['2026-11-20'] })
/** Amounts travel as text with two decimals, in both directions of the zero. */
const amount = z
  .string()
  .regex(/^-?\d+\.\d{2}$/)
  .meta({ examples: ['12.50'] })
/** Balances and totals travel as numbers, in whole units of the currency. */
const total = z.number().meta({ examples: [1234.5] })

/** A part of the document that has a name of its own, with an example that fits it. */
function named<S extends z.ZodType>(name: string, schema: S, description: string, example: z.output<S>) {
  return schema.meta({ id: name, description, examples: [example] })
}

const ada = { id: 1, name: 'Ada Lovelace', email: 'ada@example.com' }
const at = '2026-11-20T10:00:00.000Z'

export const user = named(
  'User',
  z.object({
    id,
    name: z.string(),
    email: z.string(),
    idp_id: z.string().nullable().describe('Identifier from the identity provider; null for password users.'),
    avatar: z.string().nullable(),
    email_verified_at: timestamp.nullable().describe('Null until the address is verified.'),
    timezone: z.string().describe('IANA name; months and reminders follow it.'),
    reminder_time: z.string().nullable().describe('HH:MM in the time zone; null is off.'),
    reminder_last_sent_at: timestamp.nullable(),
  }),
  'A person who uses the service.',
  {
    ...ada,
    idp_id: null,
    avatar: null,
    email_verified_at: at,
    timezone: 'Europe/London',
    reminder_time: '20:00',
    reminder_last_sent_at: null,
  },
)

export const signIn = named(
  'SignIn',
  z.object({
    access_token: z.string().describe('Bearer token, `<id>|<secret>`. It is shown this once.'),
    token_type: z.literal('Bearer'),
    user: z.object({ id, name: z.string(), email: z.string() }),
    email_verified: z.boolean(),
    email_verified_at: timestamp.nullable(),
  }),
  'A token, and whose it is.',
  {
    access_token: '1|4bQ0mX9sVv2kTn7cYd3fGh8jLp5rWz6aSe1uIo0ABCDEF',
    token_type: 'Bearer',
    user: ada,
    email_verified: false,
    email_verified_at: null,
  },
)

export const session = named(
  'Session',
  z.object({
    id,
    user_agent: z.string().nullable(),
    created_at: timestamp,
    last_used_at: timestamp.describe('Noted at most once a day.'),
    is_current: z.boolean().describe('True for the token of this very request.'),
  }),
  'A token that is signed in somewhere; its secret is never shown again.',
  { id: 1, user_agent: 'Purse/2.1 (Android 16)', created_at: at, last_used_at: at, is_current: true },
)

export const verificationStatus = named(
  'VerificationStatus',
  z.object({ email_verified: z.boolean(), email: z.string() }),
  'Whether the address is verified.',
  { email_verified: false, email: ada.email },
)

export const verificationSent = named(
  'VerificationSent',
  z.object({
    message: z.string(),
    email_verified: z.boolean(),
    verification_sent_at: timestamp.optional().describe('Absent where the address is verified already.'),
  }),
  'What became of the request for another verification mail.',
  { message: 'Verification email queued.', email_verified: false, verification_sent_at: at },
)

export const availability = named(
  'Availability',
  z.object({ available: z.boolean() }),
  'True for any well-formed address: the answer never reveals whether it is registered.',
  { available: true },
)

export const authorisation = named(
  'Authorisation',
  z.object({ url: z.string() }),
  "The identity provider's page to send the person to.",
  { url: 'https://accounts.google.com/o/oauth2/v2/auth?response_type=code' },
)

const accountTypes = ['bank', 'mobile', 'cash'] as const

export const account = named(
  'Account',
  z.object({
    id,
    user_id: id,
    name: z.string(),
    type: z.enum(accountTypes),
    starting_balance: amount,
    notes: z.string().nullable(),
    created_at: timestamp,
    updated_at: timestamp,
    balance: total.describe('starting_balance + income − expenses − transfers out + transfers in.'),
  }),
  'Where money is kept.',
  {
    id: 1,
    user_id: 1,
    name: 'Checking',
    type: 'bank',
    starting_balance: '1250.00',
    notes: null,
    created_at: at,
    updated_at: at,
    balance: 1237.5,
  },
)

export const category = named(
  'Category',
  z.object({ id, user_id: id, name: z.string(), type: z.enum(['income', 'expense']) }),
  'What money is spent on or comes from.',
  { id: 1, user_id: 1, name: 'Groceries', type: 'expense' },
)

const transactionFields = {
  id,
  user_id: id,
  account_id: id,
  to_account_id: id.nullable().describe('Destination of a transfer.'),
  category_id: id.nullable(),
  type: z.enum(transactionTypes),
  amount,
  description: z.string().nullable(),
  reference: z.string().nullable(),
  transaction_date: calendarDate,
  is_synced: z.boolean().describe('True for what came in an offline batch.'),
  created_at: timestamp,
  updated_at: timestamp,
}
const coffee = {
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
  is_synced: false,
  created_at: at,
  updated_at: at,
}

export const transaction = named('Transaction', z.object(transactionFields), 'A movement of money.', coffee)

const accountInBrief = z.object({ id, name: z.string(), type: z.enum(accountTypes) })
const categoryInBrief = z.object({ id, name: z.string(), type: z.enum(['income', 'expense']) })
const coffeeWithRelations = {
  ...coffee,
  account: { id: 1, name: 'Checking', type: 'bank' as const },
  to_account: null,
  category: { id: 1, name: 'Groceries', type: 'expense' as const },
}

export const transactionWithRelations = named(
  'TransactionWithRelations',
  z.object({
    ...transactionFields,
    account: accountInBrief,
    to_account: accountInBrief.nullable(),
    category: categoryInBrief.nullable(),
  }),
  'A movement of money with what it refers to.',
  coffeeWithRelations,
)

const link = z.string()
const example = 'https://api.purse.example/api/transactions'

export const transactionPage = named(
  'TransactionPage',
  z.object({
    current_page: z.int().min(1),
    data: z.array(transactionWithRelations),
    first_page_url: link,
    from: z.int().nullable().describe('Position of the first row, from 1; null on an empty page.'),
    last_page: z.int().min(1),
    last_page_url: link,
    next_page_url: link.nullable(),
    path: link,
    per_page: z.literal(50),
    prev_page_url: link.nullable(),
    to: z.int().nullable().describe('Position of the last row; null on an empty page.'),
    total: z.int().min(0),
  }),
  'Fifty transactions, newest first.',
  {
    current_page: 1,
    data: [coffeeWithRelations],
    first_page_url: `${example}?page=1`,
    from: 1,
    last_page: 1,
    last_page_url: `${example}?page=1`,
    next_page_url: null,
    path: example,
    per_page: 50,
    prev_page_url: null,
    to: 1,
    total: 1,
  },
)

export const syncAccepted = named(
  'SyncAccepted',
  z.object({
    message: z.string(),
    sync_id: z.string(),
    status_url: z.string().describe('Where to ask what became of the batch.'),
  }),
  'The batch is stored and will be processed.',
  {
    message: 'Sync process started in the background.',
    sync_id: '0197f3a1-5c0e-7d3a-9b1f-2f6f0e6a1c55',
    status_url: 'https://api.purse.example/api/transactions/sync/0197f3a1-5c0e-7d3a-9b1f-2f6f0e6a1c55',
  },
)

const count = z.int().min(0)
const fieldErrors = z.record(z.string(), z.array(z.string()))

export const syncStatus = named(
  'SyncStatus',
  z.object({
    id: z.string(),
    status: z.enum(['pending', 'processing', 'completed', 'failed']),
    counts: z.object({ total: count, created: count, duplicate: count, invalid: count, failed: count }),
    items: z.array(
      z.object({
        index: count.describe('Position in the batch, from 0.'),
        client_id: z.string().nullable(),
        outcome: z.enum(['pending', 'created', 'duplicate', 'invalid', 'failed']),
        transaction_id: id.nullable().describe('The new row, or for a duplicate the one that was there.'),
        errors: fieldErrors.nullable(),
      }),
    ),
    created_at: timestamp,
    completed_at: timestamp.nullable(),
  }),
  'What became of an offline batch, item by item.',
  {
    id: '0197f3a1-5c0e-7d3a-9b1f-2f6f0e6a1c55',
    status: 'completed',
    counts: { total: 1, created: 1, duplicate: 0, invalid: 0, failed: 0 },
    items: [{ index: 0, client_id: 'phone-1', outcome: 'created', transaction_id: 1, errors: null }],
    created_at: at,
    completed_at: at,
  },
)

const importCounts = z.object({ rows: count, created: count, duplicate: count })
const importFormats = z.string().describe('Such as csv, ofx, qif, camt.053, mt940, json.')

export const importRecord = named(
  'Import',
  z.object({
    id,
    kind: z.enum(['generic', 'bank']),
    format: importFormats,
    counts: importCounts,
    created_at: timestamp,
  }),
  'A file that was imported.',
  { id: 1, kind: 'bank', format: 'ofx', counts: { rows: 31, created: 30, duplicate: 1 }, created_at: at },
)

export const importResult = named(
  'ImportResult',
  z.object({
    message: z.string(),
    import: z.object({
      id: id.nullable().describe('Null for a dry run.'),
      format: importFormats,
      counts: importCounts,
      skipped: count.describe('Lines that are no transactions: pending ones, sums, blanks.'),
      dry_run: z.boolean(),
      closing_balance: z
        .object({
          date: calendarDate,
          statement: total.describe('What the bank says.'),
          account: total.describe('What the account holds on that day after the import.'),
          agrees: z.boolean(),
        })
        .nullable()
        .describe('Null where the file names none.'),
    }),
  }),
  'What an import did.',
  {
    message: 'Successfully imported 30 transactions.',
    import: {
      id: 1,
      format: 'ofx',
      counts: { rows: 31, created: 30, duplicate: 1 },
      skipped: 0,
      dry_run: false,
      closing_balance: { date: '2026-11-20', statement: 1237.5, account: 1237.5, agrees: true },
    },
  },
)

export const summary = named(
  'Summary',
  z.object({
    total_balance: total,
    accounts: z.array(
      z.object({
        id,
        name: z.string(),
        type: z.enum(accountTypes),
        starting_balance: amount,
        balance: total,
      }),
    ),
    monthly_summary: z.object({ income: total, expense: total, net: total }),
    category_breakdown: z
      .array(z.object({ category_name: z.string(), total }))
      .describe('Expenses of the month, the largest first; `Uncategorized` for those without a category.'),
  }),
  'The dashboard of a month.',
  {
    total_balance: 1237.5,
    accounts: [{ id: 1, name: 'Checking', type: 'bank', starting_balance: '1250.00', balance: 1237.5 }],
    monthly_summary: { income: 0, expense: 12.5, net: -12.5 },
    category_breakdown: [{ category_name: 'Groceries', total: 12.5 }],
  },
)

export const health = named(
  'Health',
  z.object({ status: z.literal('ok'), database: z.literal('ok') }),
  'The service and its database answer.',
  { status: 'ok', database: 'ok' },
)

export const message = named('Message', z.object({ message: z.string() }), 'A text for people.', {
  message: 'Logged out.',
})

export const validationError = named(
  'ValidationError',
  z.object({ message: z.string(), errors: fieldErrors }),
  'Texts by field; keys are dotted paths.',
  {
    message: 'The given data was invalid.',
    errors: { amount: ['The amount field must be greater than 0.'] },
  },
)

export const notVerifiedError = named(
  'NotVerifiedError',
  z.object({ message: z.string(), requires_verified_email: z.literal(true) }),
  'The address must be verified first.',
  { message: 'Your email address is not verified.', requires_verified_email: true },
)

export const duplicateError = named(
  'DuplicateError',
  z.object({
    message: z.string(),
    is_duplicate: z.literal(true),
    duplicates: z
      .array(
        z.object({
          id,
          description: z.string().nullable(),
          reference: z.string().nullable(),
          transaction_date: calendarDate,
          amount,
        }),
      )
      .max(5),
  }),
  'It looks like a transaction that is there already.',
  {
    message: 'Potential duplicate detected.',
    is_duplicate: true,
    duplicates: [
      {
        id: 1,
        description: 'Coffee beans',
        reference: null,
        transaction_date: '2026-11-20',
        amount: '12.50',
      },
    ],
  },
)
