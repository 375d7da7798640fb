import { sql } from 'drizzle-orm'
import {
  type AnySQLiteColumn,
  check,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import { type Minor, maxAmount, maxTotal } from '../domain/money.ts'
import { accountTypes, categoryTypes, transactionTypes } from '../domain/types.ts'

const id = () => integer().primaryKey({ autoIncrement: true })
const minor = () => integer().$type<Minor>().notNull()
const instant = () => integer({ mode: 'timestamp_ms' })
const timestamps = { createdAt: instant().notNull(), updatedAt: instant().notNull() }
/** The client's key for the request that made the row: a request with the same one makes no other. */
const idempotencyKey = () => text()
const hasKey = sql`idempotency_key is not null`
const owner = () =>
  integer()
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })

const within = (column: AnySQLiteColumn, limit: Minor) =>
  sql`${column} between ${sql.raw(String(-limit))} and ${sql.raw(String(limit))}`

/** People. `email` is kept in lower case, so that its unique index is without regard to case. */
export const users = sqliteTable(
  'users',
  {
    id: id(),
    name: text().notNull(),
    email: text().notNull().unique('users_email'),
    /** `scrypt$N$r$p$salt$hash`; null for people who only sign in through the identity provider. */
    passwordHash: text(),
    /** True once a mailed reset link has set a password; one of before may be that of a stranger who registered. */
    isPasswordProven: integer({ mode: 'boolean' }).notNull().default(false),
    idpId: text().unique('users_idp_id'),
    avatar: text(),
    emailVerifiedAt: instant(),
    timezone: text().notNull().default('UTC'),
    /** `HH:MM` in `timezone`; null is off. */
    reminderTime: text().default('20:00'),
    reminderLastSentAt: instant(),
    /** The local day (`YYYY-MM-DD`) of the last reminder: there is one for each at most. */
    reminderLastDay: text(),
    /** When the reminder job has to look at this user next; null is never. */
    reminderLookAt: instant(),
    /** Kept by triggers: the sum of the balances of all accounts. */
    balance: minor().default(0 as Minor),
    /** Kept by triggers: how many transactions there are. */
    transactionCount: integer().notNull().default(0),
    ...timestamps,
  },
  (t) => [
    index('users_reminder_look_at').on(t.reminderLookAt).where(sql`reminder_look_at is not null`),
    check('user_balance_in_bounds', within(t.balance, maxTotal)),
  ],
)

/** Bearer tokens. The secret itself is never stored. */
export const tokens = sqliteTable(
  'tokens',
  {
    id: id(),
    userId: owner(),
    /** SHA-256 of the secret, in hex. */
    secretHash: text().notNull(),
    /** What the client called itself when it signed in, so that people recognise their sessions. */
    userAgent: text(),
    createdAt: instant().notNull(),
    /** Noted at most once a day. */
    lastUsedAt: instant().notNull(),
  },
  (t) => [
    index('tokens_user').on(t.userId),
    index('tokens_last_used').on(t.lastUsedAt),
    index('tokens_created').on(t.createdAt),
  ],
)

export const accounts = sqliteTable(
  'accounts',
  {
    id: id(),
    userId: owner(),
    name: text().notNull(),
    type: text({ enum: accountTypes }).notNull(),
    startingBalance: minor(),
    /** Kept by triggers: income − expense − transfers out + transfers in, all dates. */
    moved: minor().default(0 as Minor),
    /** Kept by triggers: how many transactions leave it or come into it. */
    transactionCount: integer().notNull().default(0),
    balance: integer()
      .$type<Minor>()
      .notNull()
      .generatedAlwaysAs(sql`starting_balance + moved`, { mode: 'virtual' }),
    notes: text(),
    idempotencyKey: idempotencyKey(),
    ...timestamps,
  },
  (t) => [
    index('accounts_user').on(t.userId),
    uniqueIndex('accounts_idempotency_key').on(t.userId, t.idempotencyKey).where(hasKey),
    check('account_type', sql`${t.type} in ('bank', 'mobile', 'cash')`),
    check('starting_balance_in_bounds', within(t.startingBalance, maxAmount)),
    check(
      'account_balance_in_bounds',
      sql`starting_balance + moved between ${sql.raw(`${-maxTotal} and ${maxTotal}`)}`,
    ),
  ],
)

export const categories = sqliteTable(
  'categories',
  {
    id: id(),
    userId: owner(),
    name: text().notNull(),
    /** The name as it is compared (`categoryNameKey`). */
    nameKey: text().notNull(),
    type: text({ enum: categoryTypes }).notNull(),
    idempotencyKey: idempotencyKey(),
    ...timestamps,
  },
  (t) => [
    uniqueIndex('categories_user_name_type').on(t.userId, t.nameKey, t.type),
    uniqueIndex('categories_idempotency_key').on(t.userId, t.idempotencyKey).where(hasKey),
    check('category_type', sql`${t.type} in ('income', 'expense')`),
  ],
)

export const transactions = sqliteTable(
  'transactions',
  {
    id: id(),
    userId: owner(),
    accountId: integer()
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    toAccountId: integer().references(() => accounts.id, { onDelete: 'cascade' }),
    categoryId: integer().references(() => categories.id, { onDelete: 'set null' }),
    type: text({ enum: transactionTypes }).notNull(),
    amount: minor(),
    description: text(),
    reference: text(),
    /** `YYYY-MM-DD`. */
    transactionDate: text().notNull(),
    /** True for rows that came through sync. */
    isSynced: integer({ mode: 'boolean' }).notNull().default(false),
    /** The client's own id of the row: the same one never lands twice. */
    clientId: text(),
    /** The import that brought it; null for all others. */
    importId: integer().references(() => imports.id, { onDelete: 'set null' }),
    ...timestamps,
  },
  (t) => [
    index('transactions_import').on(t.importId).where(sql`import_id is not null`),
    index('transactions_user_date').on(t.userId, t.transactionDate, t.id),
    // Finds duplicates without reading the rest of the account's history.
    index('transactions_account_date_amount').on(t.accountId, t.transactionDate, t.amount),
    index('transactions_to_account')
      .on(t.toAccountId, t.transactionDate)
      .where(sql`to_account_id is not null`),
    index('transactions_category').on(t.categoryId, t.transactionDate).where(sql`category_id is not null`),
    uniqueIndex('transactions_client_id').on(t.userId, t.clientId).where(sql`client_id is not null`),
    check('transaction_type', sql`${t.type} in ('income', 'expense', 'transfer')`),
    check('amount_in_bounds', sql`${t.amount} between 1 and ${sql.raw(String(maxAmount))}`),
    check('transfer_has_destination', sql`(${t.type} = 'transfer') = (${t.toAccountId} is not null)`),
    check('transfer_between_two_accounts', sql`${t.toAccountId} <> ${t.accountId}`),
  ],
)

/** Kept by triggers: income and expenses of each user and month. Transfers count nowhere. */
export const monthTotals = sqliteTable(
  'month_totals',
  {
    userId: owner(),
    /** `YYYY-MM`. */
    month: text().notNull(),
    income: minor(),
    expense: minor(),
    /** How many rows are in these totals; at none the row goes. */
    transactionCount: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.month] }),
    check('month_income_in_bounds', within(t.income, maxTotal)),
    check('month_expense_in_bounds', within(t.expense, maxTotal)),
  ],
)

/** Kept by triggers: totals and numbers of rows by type and category. Of transfers only the number is kept. */
export const categoryTotals = sqliteTable(
  'category_totals',
  {
    userId: owner(),
    month: text().notNull(),
    type: text({ enum: transactionTypes }).notNull(),
    /** 0 stands for uncategorised, since a primary key knows no null. */
    categoryId: integer().notNull(),
    total: minor(),
    transactionCount: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.month, t.type, t.categoryId] }),
    // Adds up the months of a type or a category without those of all others.
    index('category_totals_type').on(t.userId, t.type, t.categoryId, t.month),
  ],
)

/** Tokens of mailed reset links. The token itself is never stored. */
export const passwordResets = sqliteTable(
  'password_resets',
  {
    /** SHA-256 of the token, in hex. */
    tokenHash: text().primaryKey(),
    userId: owner(),
    /** The address that the link went to: the link is void once the user has another. */
    email: text().notNull(),
    expiresAt: instant().notNull(),
  },
  (t) => [index('password_resets_user').on(t.userId), index('password_resets_expiry').on(t.expiresAt)],
)

/** What the exact limits count: one row for each attempt of the last minute. */
export const attempts = sqliteTable(
  'attempts',
  {
    nonce: text().primaryKey(),
    key: text().notNull(),
    at: instant().notNull(),
  },
  (t) => [index('attempts_key').on(t.key, t.at), index('attempts_at').on(t.at)],
)

/** States of completed sign-ins through the identity provider: each is good once. */
export const usedStates = sqliteTable(
  'used_states',
  { nonce: text().primaryKey(), expiresAt: instant().notNull() },
  (t) => [index('used_states_expiry').on(t.expiresAt)],
)

/** Mails that could not be sent. Their links are not kept: they are secrets, and stale by now. */
export const failedMails = sqliteTable('failed_mails', {
  /** The message's id, which was its idempotency key. */
  id: text().primaryKey(),
  kind: text().notNull(),
  recipient: text().notNull(),
  reason: text().notNull(),
  failedAt: instant().notNull(),
})

/** Kept by a trigger: client ids whose transaction was deleted. A late retry must not bring it back. */
export const spentClientIds = sqliteTable(
  'spent_client_ids',
  { userId: owner(), clientId: text().notNull() },
  (t) => [primaryKey({ columns: [t.userId, t.clientId] })],
)

/** Offline batches as they were accepted (decisions.md, Sync). */
export const syncBatches = sqliteTable(
  'sync_batches',
  {
    id: text().primaryKey(),
    userId: owner(),
    status: text({ enum: ['pending', 'processing', 'completed', 'failed'] }).notNull(),
    /** The client's key for the request, and the SHA-256 of the body that came with it. */
    idempotencyKey: text(),
    bodyHash: text().notNull(),
    createdAt: instant().notNull(),
    /** When it was last put into the queue; a batch that has waited for long is put there again. */
    queuedAt: instant().notNull(),
    completedAt: instant(),
  },
  (t) => [
    index('sync_batches_user').on(t.userId),
    uniqueIndex('sync_batches_idempotency_key')
      .on(t.userId, t.idempotencyKey)
      .where(sql`idempotency_key is not null`),
    index('sync_batches_unfinished').on(t.queuedAt).where(sql`completed_at is null`),
    index('sync_batches_finished').on(t.completedAt).where(sql`completed_at is not null`),
  ],
)

/** The items of a batch. Ids are kept as they came; what they refer to may go before they are processed. */
export const syncItems = sqliteTable(
  'sync_items',
  {
    batchId: text()
      .notNull()
      .references(() => syncBatches.id, { onDelete: 'cascade' }),
    position: integer().notNull(),
    outcome: text({ enum: ['pending', 'created', 'duplicate', 'invalid', 'failed'] }).notNull(),
    /** The row that was created, or that the item repeats. */
    transactionId: integer(),
    /** JSON: `[field, message]` for each thing that is wrong. */
    errors: text({ mode: 'json' }).$type<[field: string, message: string][]>(),
    clientId: text(),
    accountId: integer(),
    toAccountId: integer(),
    categoryId: integer().references(() => categories.id, { onDelete: 'set null' }),
    type: text(),
    amount: integer(),
    description: text(),
    reference: text(),
    transactionDate: text(),
    force: integer({ mode: 'boolean' }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.batchId, t.position] }),
    index('sync_items_category').on(t.categoryId).where(sql`category_id is not null`),
  ],
)

/** Files that were imported. */
export const imports = sqliteTable(
  'imports',
  {
    id: id(),
    userId: owner(),
    /** The batch in which the rows lay while they landed. */
    batchId: text().notNull().unique('imports_batch'),
    kind: text({ enum: ['generic', 'bank'] }).notNull(),
    format: text({ enum: ['json', 'csv', 'ofx', 'qif', 'camt', 'mt940'] }).notNull(),
    rows: integer().notNull(),
    created: integer().notNull(),
    duplicate: integer().notNull(),
    idempotencyKey: idempotencyKey(),
    /** SHA-256 of the rows that came with the key, which tells another file from the same one. */
    rowsHash: text(),
    createdAt: instant().notNull(),
  },
  (t) => [
    index('imports_user').on(t.userId, t.id),
    uniqueIndex('imports_idempotency_key').on(t.userId, t.idempotencyKey).where(hasKey),
  ],
)
