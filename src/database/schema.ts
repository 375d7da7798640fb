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
import type { CalendarDate, Span } from '../shared/dates.ts'
import type { MatchReason } from '../shared/match-row.ts'
import { type Minor, maxAmount, maxTotal } from '../shared/money.ts'
import {
  accountTypes,
  categoryTypes,
  changedNouns,
  importFormats,
  importKinds,
  type itemOutcomes,
  matchKinds,
  syncStates,
  transactionTypes,
} from '../shared/types.ts'

const id = () => integer().primaryKey({ autoIncrement: true })
const minor = () => integer().$type<Minor>().notNull()
const instant = () => integer({ mode: 'timestamp_ms' })
const timestamps = { createdAt: instant().notNull(), updatedAt: instant().notNull() }
/** The Idempotency-Key of the request that created the row: sending it again creates no second row. */
const idempotencyKey = () => text()
/** The client's own id for the row: a request that repeats it creates no second row. */
const clientId = () => text()
/** Raised with each change that is accepted. */
const version = () => integer().notNull().default(1)
const hasKey = sql`idempotency_key is not null`
const hasClientId = sql`client_id is not null`
/** For rows that are deleted together with their user. */
const owner = () =>
  integer()
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })
/**
 * For rows of which there may be too many to delete at once. They do not refer to the user's row, which is deleted first;
 * they are removed in parts afterwards (services/removal.ts).
 */
const ownerOrFormer = () => integer().notNull()
/** Null once the user has deleted the row, so that no query for the user's rows finds it. */
const ownerUntilDeleted = () => integer()

const within = (column: AnySQLiteColumn, limit: Minor) =>
  sql`${column} between ${sql.raw(String(-limit))} and ${sql.raw(String(limit))}`

/** Email addresses are stored in lower case, so that their unique index ignores case. */
export const users = sqliteTable(
  'users',
  {
    id: id(),
    name: text().notNull(),
    email: text().notNull().unique('users_email'),
    /** `scrypt$N$r$p$salt$hash`; null if the user only signs in through the identity provider. */
    passwordHash: text(),
    /**
     * True once a password has been set through an emailed reset link; until then, a stranger who registered with this
     * address may have chosen it.
     */
    isPasswordProven: integer({ mode: 'boolean' }).notNull().default(false),
    idpId: text().unique('users_idp_id'),
    avatar: text(),
    emailVerifiedAt: instant(),
    timezone: text().notNull().default('UTC'),
    /** `HH:MM` in `timezone`; null if reminders are off. */
    reminderTime: text().default('20:00'),
    reminderLastSentAt: instant(),
    /** The local day (`YYYY-MM-DD`) of the last reminder: at most one is sent a day. */
    reminderLastDay: text(),
    /** When the reminder job should check this user next; null if never. */
    reminderLookAt: instant(),
    ...timestamps,
  },
  (t) => [index('users_reminder_look_at').on(t.reminderLookAt).where(sql`reminder_look_at is not null`)],
)

/**
 * Deleted users: a trigger adds them, and they stay until everything that was theirs has been removed. Ids are never
 * reused.
 */
export const formerUsers = sqliteTable('former_users', { id: integer().primaryKey() })

/** Bearer tokens. Only hashes of their secrets are stored. */
export const tokens = sqliteTable(
  'tokens',
  {
    id: id(),
    userId: owner(),
    /** SHA-256 of the secret, in hex. */
    secretHash: text().notNull(),
    /** The client's User-Agent at sign-in, so that people can recognise their sessions. */
    userAgent: text(),
    createdAt: instant().notNull(),
    /** Updated at most once a day. */
    lastUsedAt: instant().notNull(),
  },
  (t) => [
    index('tokens_user').on(t.userId),
    index('tokens_last_used').on(t.lastUsedAt),
    index('tokens_created').on(t.createdAt),
  ],
)

/** Tokens of emailed reset links. Only their hashes are stored. */
export const passwordResets = sqliteTable(
  'password_resets',
  {
    /** SHA-256 of the token, in hex. */
    tokenHash: text().primaryKey(),
    userId: owner(),
    /** The address the link was sent to; the link is void once the user's address changes. */
    email: text().notNull(),
    expiresAt: instant().notNull(),
  },
  (t) => [index('password_resets_user').on(t.userId), index('password_resets_expiry').on(t.expiresAt)],
)

/** What the exact limits count (services/throttle.ts): one row per attempt and per limit that it counts against. */
export const attempts = sqliteTable(
  'attempts',
  { nonce: text().primaryKey(), key: text().notNull(), at: instant().notNull() },
  (t) => [index('attempts_key').on(t.key, t.at), index('attempts_at').on(t.at)],
)

/** The nonces of used `state` values of provider sign-ins: each state is valid once. */
export const usedStates = sqliteTable(
  'used_states',
  { nonce: text().primaryKey(), expiresAt: instant().notNull() },
  (t) => [index('used_states_expiry').on(t.expiresAt)],
)

/** Emails that could not be sent. Their links are not stored, since they are secrets. */
export const failedMails = sqliteTable('failed_mails', {
  /** The email's id, which was its idempotency key. */
  id: text().primaryKey(),
  kind: text().notNull(),
  recipient: text().notNull(),
  reason: text().notNull(),
  failedAt: instant().notNull(),
})

export const accounts = sqliteTable(
  'accounts',
  {
    id: id(),
    userId: ownerUntilDeleted(),
    /** The owner, once the account is deleted: its transactions no longer count, but still have to be removed. */
    formerUserId: integer(),
    name: text().notNull(),
    type: text({ enum: accountTypes }).notNull(),
    startingBalance: minor(),
    /**
     * A kept figure: one that is kept up to date, by triggers for single rows and by db/figures.ts for many, rather than
     * added up at every read. Income − expenses − transfers out + transfers in, over all dates.
     */
    moved: minor().default(0 as Minor),
    /** A kept figure: the number of the account's transactions, not counting transfers into it. */
    transactionCount: integer().notNull().default(0),
    /** A kept figure: the number of transfers into the account. */
    incomingCount: integer().notNull().default(0),
    balance: integer()
      .$type<Minor>()
      .notNull()
      .generatedAlwaysAs(sql`starting_balance + moved`, { mode: 'virtual' }),
    notes: text(),
    clientId: clientId(),
    version: version(),
    ...timestamps,
  },
  (t) => [
    index('accounts_user').on(t.userId),
    index('accounts_former_user').on(t.formerUserId).where(sql`former_user_id is not null`),
    uniqueIndex('accounts_client_id').on(t.userId, t.clientId).where(hasClientId),
    check('account_type', sql`${t.type} in ('bank', 'mobile', 'cash')`),
    check('starting_balance_in_bounds', within(t.startingBalance, maxAmount)),
    check(
      'account_balance_in_bounds',
      sql`starting_balance + moved between ${sql.raw(`${-maxTotal} and ${maxTotal}`)}`,
    ),
  ],
)

/** A deleted category stays, with no owner or name, while transactions refer to it; they count as uncategorised. */
export const categories = sqliteTable(
  'categories',
  {
    id: id(),
    userId: ownerUntilDeleted(),
    name: text().notNull(),
    /** The name in the form in which names are compared (`categoryNameKey`). */
    nameKey: text().notNull(),
    type: text({ enum: categoryTypes }).notNull(),
    clientId: clientId(),
    version: version(),
    ...timestamps,
  },
  (t) => [
    uniqueIndex('categories_user_name_type').on(t.userId, t.nameKey, t.type),
    uniqueIndex('categories_client_id').on(t.userId, t.clientId).where(hasClientId),
    check('category_type', sql`${t.type} in ('income', 'expense')`),
  ],
)

export const transactions = sqliteTable(
  'transactions',
  {
    /** New rows get `nextTransactionId`: AUTOINCREMENT would also write to sqlite_sequence for each of them. */
    id: integer().primaryKey(),
    userId: ownerOrFormer(),
    accountId: integer()
      .notNull()
      .references(() => accounts.id),
    toAccountId: integer().references(() => accounts.id),
    categoryId: integer().references(() => categories.id),
    type: text({ enum: transactionTypes }).notNull(),
    amount: minor(),
    description: text(),
    reference: text(),
    /** `YYYY-MM-DD`. */
    transactionDate: text().notNull(),
    /** True for rows that came in an offline batch or an upload of operations. */
    isSynced: integer({ mode: 'boolean' }).notNull().default(false),
    clientId: clientId(),
    /**
     * The import that created the row; null for a row that counts as entered by hand, even if it came in a batch or an
     * upload. No index: the ids of an import's rows lie within a range (`imports.firstId`).
     */
    importId: integer(),
    /** For a row entered by hand that stands for an equal row of a file: the import of that file. */
    bookedBy: integer(),
    version: version(),
    /** The number of its last change among all changes of its user (db/changes.ts). */
    seq: integer().notNull().default(0),
    ...timestamps,
  },
  (t) => [
    index('transactions_changes').on(t.userId, t.seq),
    index('transactions_user_date').on(t.userId, t.transactionDate, t.id),
    // Finds duplicates without reading the account's whole history.
    index('transactions_account_date_amount').on(t.accountId, t.transactionDate, t.amount),
    index('transactions_to_account')
      .on(t.toAccountId, t.transactionDate)
      .where(sql`to_account_id is not null`),
    index('transactions_category').on(t.categoryId, t.transactionDate).where(sql`category_id is not null`),
    uniqueIndex('transactions_client_id').on(t.userId, t.clientId).where(hasClientId),
    check('transaction_type', sql`${t.type} in ('income', 'expense', 'transfer')`),
    check('amount_in_bounds', sql`${t.amount} between 1 and ${sql.raw(String(maxAmount))}`),
    check('transfer_has_destination', sql`(${t.type} = 'transfer') = (${t.toAccountId} is not null)`),
    check('transfer_between_two_accounts', sql`${t.toAccountId} <> ${t.accountId}`),
  ],
)

/**
 * Kept figures: totals and counts of a user's transactions by month, type, category and accounts, from which dashboards
 * and page counts are computed. Triggers update them for single rows, db/figures.ts for many.
 */
export const totals = sqliteTable(
  'totals',
  {
    userId: ownerOrFormer(),
    /** `YYYY-MM`. */
    month: text().notNull(),
    type: text({ enum: transactionTypes }).notNull(),
    /** 0 if uncategorised: in a table without row ids, no column of the primary key can be null. */
    categoryId: integer().notNull(),
    accountId: integer().notNull(),
    /** 0 unless it is a transfer. */
    toAccountId: integer().notNull(),
    total: minor(),
    /** The row is deleted when no transactions are left. */
    transactionCount: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.month, t.type, t.categoryId, t.accountId, t.toAccountId] }),
    // Adds up the months of one type or category without reading the others.
    index('totals_type').on(t.userId, t.type, t.categoryId, t.month),
    // Find the totals of an account that is being deleted, on either side, without reading those of all others.
    index('totals_account').on(t.userId, t.accountId),
    index('totals_to_account').on(t.userId, t.toAccountId).where(sql`to_account_id <> 0`),
    // Transfers back and forth between two accounts can add up to any multiple of what the accounts hold.
    check(
      'total_in_bounds',
      sql`abs(${t.total}) <= iif(type = 'transfer', 9000000000000000000, ${sql.raw(String(maxTotal))})`,
    ),
  ],
)

/**
 * The log of changes to accounts, categories and profiles, and of transactions that were deleted or moved to other
 * accounts. What was created before the user's first token is not logged, nor are transactions that are deleted together
 * with their account: its own entry covers them. Each transaction that exists carries the number of its last change itself
 * (db/changes.ts).
 */
export const changes = sqliteTable(
  'changes',
  {
    userId: ownerOrFormer(),
    seq: integer().notNull(),
    /** `forgotten` stands for all older entries, which have been removed. */
    noun: text({ enum: [...changedNouns, 'forgotten'] }).notNull(),
    rowId: integer().notNull(),
    at: instant().notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.seq] })],
)

/** The highest id of a transaction that was deleted while it was the newest, so that no id is assigned twice. */
export const spentIds = sqliteTable('spent_ids', {
  noun: text().primaryKey(),
  highest: integer().notNull(),
})

/** Recorded by triggers: client ids of deleted rows, which a late retry must not bring back. */
export const spentClientIds = sqliteTable(
  'spent_client_ids',
  {
    userId: ownerOrFormer(),
    noun: text({ enum: changedNouns }).notNull(),
    clientId: text().notNull(),
    /** The row that had the id. If it was joined with another, `remembered` says which row stands for it now. */
    rowId: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.noun, t.clientId] })],
)

/**
 * Rows that must not be imported again from later files. When a row that came from a file, or that stands for a row of a
 * file, is deleted, or is edited in a field that imports compare, a trigger records it as the file has it. Undoing an
 * import or deleting an account records nothing. services/matches/join.ts records rows that were joined with another, even
 * those entered by hand. docs/matching.md follows one purchase through all of this.
 */
export const remembered = sqliteTable(
  'remembered',
  {
    userId: ownerOrFormer(),
    /** The id of the transaction. It may still exist: edited, or as the outflow of a joined transfer. */
    id: integer().notNull(),
    accountId: integer().notNull(),
    toAccountId: integer(),
    type: text({ enum: transactionTypes }).notNull(),
    amount: minor(),
    reference: text(),
    transactionDate: text().notNull(),
    /** The kind of match that it was joined in, if that is why it is remembered. */
    kind: text({ enum: matchKinds }),
    /** As in `transactions`. */
    importId: integer(),
    /** As in `transactions`. */
    bookedBy: integer(),
    /** What stood for it once it had been edited or joined: itself if it remained, or else the other row of the match. */
    joinedId: integer(),
    /** What stands for it now: `joinedId`, or what took its place in later matches. Null if nothing does. */
    survivorId: integer(),
    /** The number of the user's last change before it was joined: the changes of the join have greater numbers. */
    seq: integer(),
    /** The row as it was when it was joined, and which of its fields the other row took over, as JSON. */
    kept: text(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.id] }),
    index('remembered_account_date_amount').on(t.userId, t.accountId, t.transactionDate, t.amount),
    index('remembered_survivor').on(t.userId, t.survivorId).where(sql`survivor_id is not null`),
  ],
)

/**
 * Pairs of transactions that their user has said are not a match, the lower id first. Triggers remove the pairs of
 * transactions that are gone for good; a joined one may come back.
 */
export const rejectedMatches = sqliteTable(
  'rejected_matches',
  {
    userId: ownerOrFormer(),
    firstId: integer().notNull(),
    secondId: integer().notNull(),
    kind: text({ enum: matchKinds }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.firstId, t.secondId, t.kind] }),
    index('rejected_matches_second').on(t.userId, t.secondId),
  ],
)

/**
 * Offline batches. The rows of an import, and the transactions that an upload creates, pass through a batch too, which is
 * inserted and deleted in the same round trip.
 */
export const batches = sqliteTable(
  'sync_batches',
  {
    id: text().primaryKey(),
    userId: ownerOrFormer(),
    status: text({ enum: syncStates }).notNull(),
    idempotencyKey: idempotencyKey(),
    /**
     * SHA-256 of its body together with its leniency (`Prefer: handling=lenient`), which shows whether a repeated key
     * came with the same batch. Empty without a key.
     */
    bodyHash: text().notNull(),
    createdAt: instant().notNull(),
    /**
     * When its turn came: when it landed as it was accepted, or was last queued; 1970 if the next sweep is to queue it;
     * null while it waits for an earlier batch of the same user.
     */
    queuedAt: instant(),
    completedAt: instant(),
    /** The outcome of each item, in order; null until the batch has been processed, or if every item is invalid. */
    outcomes: text({ mode: 'json' }).$type<StoredOutcome[]>(),
  },
  (t) => [
    index('sync_batches_user').on(t.userId, t.completedAt),
    uniqueIndex('sync_batches_idempotency_key').on(t.userId, t.idempotencyKey).where(hasKey),
    index('sync_batches_unfinished').on(t.queuedAt).where(sql`completed_at is null`),
    index('sync_batches_finished').on(t.completedAt).where(sql`completed_at is not null`),
  ],
)

/** A pair for each error of an item. */
export type ItemErrors = [field: string, message: string][]

/**
 * The outcome of an item as it is stored, with the row that it created or duplicates, and its errors. Only rows of an
 * import can be `deleted_before`. An item without a stored outcome is `invalid` if it was stored with errors, else `pending`.
 */
export type StoredOutcome = [
  outcome: Exclude<(typeof itemOutcomes)[number], 'pending'> | 'deleted_before',
  transactionId: number | null,
  errors: ItemErrors | null,
  /** The id of the remembered row that the item repeats, if the transaction only stands for that row. */
  rememberedId?: number,
]

/**
 * The items of a batch, as JSON, in as many parts as their size requires. Ids are stored as they were sent: what they
 * refer to may be gone before the batch is processed.
 */
export const batchParts = sqliteTable(
  'sync_parts',
  {
    batchId: text()
      .notNull()
      .references(() => batches.id, { onDelete: 'cascade' }),
    /** The position of the part's first item. */
    start: integer().notNull(),
    /** How many of its items are invalid. */
    invalid: integer().notNull(),
    /** An array for each item, with the fields that services/bulk-insert.ts lists. */
    items: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.batchId, t.start] })],
)

/** The decisions on the operations of an upload, step by step, as JSON, for as long as it is being processed. */
export const uploadSteps = sqliteTable(
  'upload_steps',
  { uploadId: text().notNull(), step: text().notNull(), items: text().notNull() },
  (t) => [primaryKey({ columns: [t.uploadId, t.step] })],
)

/** The parts of an import's answer that have no columns of their own in its record (services/imports/store.ts). */
export type ImportAnswer = {
  /** The file's rows that already existed: the first `mostListed` of them, in the order of their lines. */
  duplicates: { line: number; transactionId: number; reasons: MatchReason[] }[]
  /**
   * How many matches of the created rows were left to decide on, and the days that they span, or the last `mostDays` of
   * those days; null if none were left.
   */
  possible: { count: number; days: Span } | null
  /** The balance of the account at the end of the statement's closing date, next to the statement's own. */
  closing: { date: CalendarDate; statement: Minor; account: Minor } | null
}

export const imports = sqliteTable(
  'imports',
  {
    id: id(),
    /** Null while it is being undone. */
    userId: ownerUntilDeleted(),
    /** The batch that the rows passed through. */
    batchId: text().notNull().unique('imports_batch'),
    kind: text({ enum: importKinds }).notNull(),
    format: text({ enum: importFormats }).notNull(),
    rows: integer().notNull(),
    created: integer().notNull(),
    duplicate: integer().notNull(),
    /** How many rows were left out because the user had deleted them. */
    deletedBefore: integer().notNull().default(0),
    /** How many sure matches of its rows it has joined. */
    joined: integer().notNull().default(0),
    /** A created row's id is this plus its position in the file, from 0. Ids that are left over may go to other rows. */
    firstId: integer().notNull(),
    idempotencyKey: idempotencyKey(),
    /** SHA-256 of the kind and the rows, which shows whether a repeated key came with the same import. */
    rowsHash: text(),
    /** The answer to a call with a key, so that a repeat gets the same one; null until it is stored. */
    answer: text({ mode: 'json' }).$type<ImportAnswer>(),
    createdAt: instant().notNull(),
  },
  (t) => [
    index('imports_user').on(t.userId, t.id),
    uniqueIndex('imports_idempotency_key').on(t.userId, t.idempotencyKey).where(hasKey),
  ],
)
