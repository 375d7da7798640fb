import { sql } from 'drizzle-orm'
import {
  type AnySQLiteColumn,
  check,
  customType,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import type { CalendarDate, Span } from '../domain/dates.ts'
import type { MatchReason } from '../domain/match-row.ts'
import { type Minor, maxAmount, maxTotal } from '../domain/money.ts'
import { type Exceptions, storedExceptions } from '../domain/recurrence/occurrences.ts'
import * as types from '../domain/types.ts'

const id = (name: string) => integer(name).primaryKey({ autoIncrement: true })
const minor = (name: string) => integer(name).$type<Minor>().notNull()
const instant = (name: string) => integer(name, { mode: 'timestamp_ms' })
const timestamps = { createdAt: instant('created_at').notNull(), updatedAt: instant('updated_at').notNull() }
/** The client's own id for the row, or the Idempotency-Key of its request. A retry with it creates no second row. */
const clientId = () => text('client_id')
/** As JSON. */
const exceptions = customType<{ data: Exceptions; driverData: string }>({
  dataType: () => 'text',
  toDriver: (value) => JSON.stringify(value),
  fromDriver: storedExceptions,
})
const idempotencyKey = () => text('idempotency_key')
/** Incremented by each accepted change. */
const version = () => integer('version').notNull().default(1)
const hasKey = sql`idempotency_key is not null`
const hasClientId = sql`client_id is not null`
/** For rows that are deleted together with their user. */
const owner = (name: string) =>
  integer(name)
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })
/** For tables with too many rows to delete at once: after their user is deleted, jobs/removal.ts removes them in parts. */
const ownerOrFormer = (name: string) => integer(name).notNull()
/** Null once the user has deleted the row, so that queries for the user's rows do not find it. */
const ownerUntilDeleted = (name: string) => integer(name)

const inRange = (column: AnySQLiteColumn, limit: Minor) =>
  sql`${column} between ${sql.raw(String(-limit))} and ${sql.raw(String(limit))}`

/** Email addresses are stored in lower case, so that their unique index ignores case. */
export const users = sqliteTable(
  'users',
  {
    id: id('id'),
    name: text('name').notNull(),
    email: text('email').notNull().unique('users_email'),
    /** `scrypt$N$r$p$salt$hash`; null if the user only signs in through the identity provider. */
    passwordHash: text('password_hash'),
    /** True once a password has been set through an emailed reset link. Until then, a stranger may have registered. */
    isPasswordProven: integer('is_password_proven', { mode: 'boolean' }).notNull().default(false),
    idpId: text('idp_id').unique('users_idp_id'),
    avatar: text('avatar'),
    emailVerifiedAt: instant('email_verified_at'),
    timezone: text('timezone').notNull().default('UTC'),
    /** `HH:MM` in `timezone`; null if reminders are off. */
    reminderTime: text('reminder_time').default('20:00'),
    reminderLastSentAt: instant('reminder_last_sent_at'),
    /** The local day (`YYYY-MM-DD`) of the last reminder: at most one is sent a day. */
    reminderLastDay: text('reminder_last_day'),
    /** When the reminder job should check this user next; null if never. */
    reminderLookAt: instant('reminder_look_at'),
    /** Whether to remind of occurrences of recurring transactions. */
    dueReminders: integer('due_reminders', { mode: 'boolean' }).notNull().default(true),
    /** ISO 4217; a label of all amounts. */
    currency: text('currency'),
    /** The local day up to which that job has handled all occurrences, whether or not it reminded of any. */
    dueReminderLastDay: text('due_reminder_last_day').$type<CalendarDate>(),
    /** When that job should check this user next; null if no rule asks for reminders. A trigger sets the first time. */
    dueReminderLookAt: instant('due_reminder_look_at'),
    ...timestamps,
  },
  (t) => [
    index('users_reminder_look_at').on(t.reminderLookAt).where(sql`reminder_look_at is not null`),
    index('users_due_reminder_look_at').on(t.dueReminderLookAt).where(sql`due_reminder_look_at is not null`),
  ],
)

/** Deleted users whose rows have not all been removed yet. A trigger inserts them. Ids are never reused. */
export const formerUsers = sqliteTable('former_users', { id: integer('id').primaryKey() })

/**
 * Bearer tokens: those of sessions, and the named ones that users make for scripts. Only hashes of their secrets are
 * stored.
 */
export const tokens = sqliteTable(
  'tokens',
  {
    id: id('id'),
    userId: owner('user_id'),
    /** SHA-256 of the secret, in hex. */
    secretHash: text('secret_hash').notNull(),
    scope: text('scope', { enum: types.tokenScopes }).notNull().default('session'),
    /** The user's name for the token; null for a session. */
    name: text('name'),
    /** Null for a session, which only expires by idleness and age. */
    expiresAt: instant('expires_at'),
    /** The client's User-Agent at sign-in, so that people can recognise their sessions. */
    userAgent: text('user_agent'),
    createdAt: instant('created_at').notNull(),
    /** Updated at most once a day. */
    lastUsedAt: instant('last_used_at').notNull(),
  },
  (t) => [
    index('tokens_user').on(t.userId),
    index('tokens_last_used').on(t.lastUsedAt),
    index('tokens_created').on(t.createdAt),
    index('tokens_expiry').on(t.expiresAt).where(sql`expires_at is not null`),
  ],
)

/** Tokens of emailed reset links. Only their hashes are stored. */
export const passwordResets = sqliteTable(
  'password_resets',
  {
    /** SHA-256 of the token, in hex. */
    tokenHash: text('token_hash').primaryKey(),
    userId: owner('user_id'),
    /** The address the link was sent to; the link is void once the user's address changes. */
    email: text('email').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [index('password_resets_user').on(t.userId), index('password_resets_expiry').on(t.expiresAt)],
)

/** The change of address that a user has requested, until a link in an email completes it. */
export const pendingAddresses = sqliteTable(
  'pending_addresses',
  {
    userId: integer('user_id')
      .primaryKey()
      .references(() => users.id, { onDelete: 'cascade' }),
    email: text('email').notNull(),
    /** False until a user without a password has confirmed the request by the link in an email to the current address. */
    isConfirmed: integer('is_confirmed', { mode: 'boolean' }).notNull(),
    requestedAt: instant('requested_at').notNull(),
  },
  (t) => [index('pending_addresses_requested').on(t.requestedAt)],
)

/** Verified addresses that users have replaced. Each is reserved for a while, during which its emailed link restores it. */
export const formerAddresses = sqliteTable(
  'former_addresses',
  {
    id: id('id'),
    userId: owner('user_id'),
    email: text('email').notNull(),
    /** The user's identity at the provider at that time; the link also undoes a later first sign-in there. */
    idpId: text('idp_id'),
    replacedAt: instant('replaced_at').notNull(),
  },
  (t) => [
    index('former_addresses_user').on(t.userId),
    index('former_addresses_email').on(t.email),
    index('former_addresses_replaced').on(t.replacedAt),
  ],
)

/** Attempts counted by the exact limits (throttle.ts): one row for each attempt and limit. */
export const attempts = sqliteTable(
  'attempts',
  { nonce: text('nonce').primaryKey(), key: text('key').notNull(), at: instant('at').notNull() },
  (t) => [index('attempts_key').on(t.key, t.at), index('attempts_at').on(t.at)],
)

/** The nonces of used `state` values of provider sign-ins: each state is valid once. */
export const usedStates = sqliteTable(
  'used_states',
  { nonce: text('nonce').primaryKey(), expiresAt: instant('expires_at').notNull() },
  (t) => [index('used_states_expiry').on(t.expiresAt)],
)

/** Emails that could not be sent. Their links are not stored, since they are secrets. */
export const failedMails = sqliteTable('failed_mails', {
  /** The email's id, which was its idempotency key. */
  id: text('id').primaryKey(),
  kind: text('kind').notNull(),
  recipient: text('recipient').notNull(),
  reason: text('reason').notNull(),
  failedAt: instant('failed_at').notNull(),
})

export const accounts = sqliteTable(
  'accounts',
  {
    id: id('id'),
    userId: ownerUntilDeleted('user_id'),
    /** The owner, once the account is deleted and until its transactions are removed. */
    formerUserId: integer('former_user_id'),
    name: text('name').notNull(),
    type: text('type', { enum: types.accountTypes }).notNull(),
    kind: text('kind', { enum: types.accountKinds }),
    startingBalance: minor('starting_balance'),
    /**
     * A kept figure, which triggers (for single rows) and kept-totals.ts (for bulk writes) update: income − expenses −
     * transfers out + transfers in, over all dates.
     */
    moved: minor('moved').default(0 as Minor),
    /** A kept figure: the number of the account's transactions, not counting transfers into it. */
    transactionCount: integer('transaction_count').notNull().default(0),
    /** A kept figure: the number of transfers into the account. */
    incomingCount: integer('incoming_count').notNull().default(0),
    balance: integer('balance')
      .$type<Minor>()
      .notNull()
      .generatedAlwaysAs(sql`starting_balance + moved`, { mode: 'virtual' }),
    notes: text('notes'),
    /** The day on which a person closed it: it keeps its rows and counts as before. */
    closedOn: text('closed_on').$type<CalendarDate>(),
    /** The last day of the period in which its balances must not change (reconciled.ts). */
    reconciledThrough: text('reconciled_through').$type<CalendarDate>(),
    clientId: clientId(),
    version: version(),
    ...timestamps,
  },
  (t) => [
    index('accounts_user').on(t.userId),
    index('accounts_former_user').on(t.formerUserId).where(sql`former_user_id is not null`),
    uniqueIndex('accounts_client_id').on(t.userId, t.clientId).where(hasClientId),
    check('account_type', sql`${t.type} in ('bank', 'mobile', 'cash')`),
    check('starting_balance_in_bounds', inRange(t.startingBalance, maxAmount)),
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
    id: id('id'),
    userId: ownerUntilDeleted('user_id'),
    name: text('name').notNull(),
    /** The name in the form in which names are compared (`categoryNameKey`). */
    nameKey: text('name_key').notNull(),
    type: text('type', { enum: types.categoryTypes }).notNull(),
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
    id: integer('id').primaryKey(),
    userId: ownerOrFormer('user_id'),
    accountId: integer('account_id')
      .notNull()
      .references(() => accounts.id),
    toAccountId: integer('to_account_id').references(() => accounts.id),
    categoryId: integer('category_id').references(() => categories.id),
    type: text('type', { enum: types.transactionTypes }).notNull(),
    amount: minor('amount'),
    description: text('description'),
    reference: text('reference'),
    /** `YYYY-MM-DD`. */
    transactionDate: text('transaction_date').notNull(),
    /** The bank's day on `accountId`, where a file has told it and it differs from `transactionDate` (booked-days.ts). */
    bookedOn: text('booked_on').$type<CalendarDate>(),
    /** The same on `toAccountId`. */
    toBookedOn: text('to_booked_on').$type<CalendarDate>(),
    /** The rule that it is an occurrence of, even if that has been deleted, and which one: both or none. */
    recurringId: integer('recurring_id'),
    occurrenceDate: text('occurrence_date').$type<CalendarDate>(),
    /** True for rows that came in an offline batch or an upload of operations. */
    isSynced: integer('is_synced', { mode: 'boolean' }).notNull().default(false),
    clientId: clientId(),
    /** The import that created the row. No index: the ids of an import's rows are within a range (`imports.firstId`). */
    importId: integer('import_id'),
    /** For a typed row that equals a row of a file: the import of that file. */
    bookedBy: integer('booked_by'),
    version: version(),
    /** The number of its last change among all changes of its user (change-numbers.ts). */
    seq: integer('seq').notNull().default(0),
    ...timestamps,
  },
  (t) => [
    index('transactions_changes').on(t.userId, t.seq),
    index('transactions_user_date').on(t.userId, t.transactionDate, t.id),
    // Finds the newest duplicates without reading the account's whole history. The columns after the id spare reports of
    // balances the rows, which are all over the table.
    index('transactions_account_date_amount').on(
      ...[t.accountId, t.transactionDate, t.amount, t.id, t.type, t.toAccountId],
    ),
    index('transactions_to_account')
      .on(t.toAccountId, t.transactionDate)
      .where(sql`to_account_id is not null`),
    index('transactions_category').on(t.categoryId, t.transactionDate).where(sql`category_id is not null`),
    // Few rows have such days. With both days, a balance is corrected without reading the rows of other months.
    index('transactions_booked')
      .on(t.accountId, t.bookedOn, t.transactionDate)
      .where(sql`booked_on is not null`),
    index('transactions_to_booked')
      .on(t.toAccountId, t.toBookedOn, t.transactionDate)
      .where(sql`to_booked_on is not null`),
    uniqueIndex('transactions_client_id').on(t.userId, t.clientId).where(hasClientId),
    // Whoever records an occurrence, it is recorded once.
    uniqueIndex('transactions_occurrence')
      .on(t.recurringId, t.occurrenceDate)
      .where(sql`recurring_id is not null`),
    check('transaction_type', sql`${t.type} in ('income', 'expense', 'transfer')`),
    check('amount_in_bounds', sql`${t.amount} between 1 and ${sql.raw(String(maxAmount))}`),
    check('transfer_has_destination', sql`(${t.type} = 'transfer') = (${t.toAccountId} is not null)`),
    check('transfer_between_two_accounts', sql`${t.toAccountId} <> ${t.accountId}`),
  ],
)

/** Transactions that repeat. A trigger deletes the rules of a deleted account. */
export const recurringRules = sqliteTable(
  'recurring_rules',
  {
    id: id('id'),
    userId: owner('user_id'),
    accountId: integer('account_id')
      .notNull()
      .references(() => accounts.id),
    toAccountId: integer('to_account_id').references(() => accounts.id),
    /** May refer to a category that has been deleted. */
    categoryId: integer('category_id'),
    type: text('type', { enum: types.transactionTypes }).notNull(),
    amount: minor('amount'),
    /** In percent. */
    amountTolerance: integer('amount_tolerance').notNull().default(0),
    description: text('description'),
    reference: text('reference'),
    startsOn: text('starts_on').$type<CalendarDate>().notNull(),
    /** As `formatRecurrenceRule` writes it. */
    rrule: text('rrule').notNull(),
    weekend: text('weekend', { enum: types.weekendShifts }).notNull().default('keep'),
    autoRecord: integer('auto_record', { mode: 'boolean' }).notNull().default(false),
    remindDays: integer('remind_days'),
    paused: integer('paused', { mode: 'boolean' }).notNull().default(false),
    /** From the day of this instant in this time zone on, occurrences are due. */
    openedAt: instant('opened_at').notNull(),
    openedIn: text('opened_in').notNull(),
    /** What is different in single occurrences, by date. */
    exceptions: exceptions('exceptions').notNull().default(sql`'{}'`),
    /** The rule that continues this one. */
    successorId: integer('successor_id'),
    /** When the job looks at the rule next; null if there is nothing to record. Negative after a write, each time another. */
    dueAt: instant('due_at'),
    clientId: clientId(),
    version: version(),
    ...timestamps,
  },
  (t) => [
    index('recurring_rules_user').on(t.userId),
    uniqueIndex('recurring_rules_client_id').on(t.userId, t.clientId).where(hasClientId),
    index('recurring_rules_due').on(t.dueAt).where(sql`due_at is not null`),
  ],
)

/** Suggested rules that the user does not want, by their keys. */
export const dismissedSuggestions = sqliteTable(
  'dismissed_suggestions',
  { userId: owner('user_id'), key: text('key').notNull() },
  (t) => [primaryKey({ columns: [t.userId, t.key] })],
)

/** A rule whose occurrences imported rows may be, with the names of its accounts, as JSON the dates of its recorded occurrences, and the texts of these. */
export type LinkableRow = typeof recurringRules.$inferSelect & {
  accountName: string
  toAccountName: string | null
  recorded: string
  texts: string
}

/** Kept figures for dashboards and page counts: totals and counts by month, type, category and accounts. */
export const totals = sqliteTable(
  'totals',
  {
    userId: ownerOrFormer('user_id'),
    /** `YYYY-MM`. */
    month: text('month').notNull(),
    type: text('type', { enum: types.transactionTypes }).notNull(),
    /** 0 if uncategorised: in a table without row ids, no column of the primary key can be null. */
    categoryId: integer('category_id').notNull(),
    accountId: integer('account_id').notNull(),
    /** 0 unless it is a transfer. */
    toAccountId: integer('to_account_id').notNull(),
    total: minor('total'),
    /** The row is deleted when no transactions are left. */
    transactionCount: integer('transaction_count').notNull(),
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
 * The log of changes to accounts, categories and profiles, and of transactions that were deleted or moved to other accounts
 * (change-numbers.ts). Rows created before the user's first token are not logged, nor are transactions deleted with their
 * account.
 */
export const changes = sqliteTable(
  'changes',
  {
    userId: ownerOrFormer('user_id'),
    seq: integer('seq').notNull(),
    /** `forgotten` marks that all older entries have been removed. */
    noun: text('noun', { enum: [...types.changedNouns, 'forgotten'] }).notNull(),
    rowId: integer('row_id').notNull(),
    at: instant('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.seq] })],
)

/**
 * The bank's balance of an account at the end of a day. The account's own follows from its starting balance and `moved` of
 * all its checks up to that day; `base` and `after_entry` are for the story of the difference (balance-checks/story.ts).
 */
export const balanceChecks = sqliteTable(
  'balance_checks',
  {
    id: id('id'),
    userId: ownerOrFormer('user_id'),
    accountId: integer('account_id')
      .notNull()
      .references(() => accounts.id),
    date: text('date').$type<CalendarDate>().notNull(),
    balance: minor('balance'),
    /** The movements after the day of the check before, up to this one. Triggers keep them (triggers/balance-checks.sql). */
    moved: minor('moved').default(0 as Minor),
    /** The account's balance minus the bank's when the check got its day and balance. */
    base: minor('base'),
    /** The last entry of the log at that moment. */
    afterEntry: integer('after_entry').notNull(),
    source: text('source', { enum: types.checkSources }).notNull(),
    /** The import of the file that told the balance. */
    importId: integer('import_id'),
    clientId: clientId(),
    version: version(),
    ...timestamps,
  },
  (t) => [
    uniqueIndex('balance_checks_account_date').on(t.accountId, t.date),
    uniqueIndex('balance_checks_client_id').on(t.userId, t.clientId).where(hasClientId),
    index('balance_checks_import').on(t.importId).where(sql`import_id is not null`),
  ],
)

/**
 * Changes that moved the balance of an account on or before the day of its latest check. Triggers write an entry for each
 * change of a single row, in a reconciled period too; kept-totals.ts one for all rows of a bulk write between two checks.
 */
export const reconciliationLog = sqliteTable(
  'reconciliation_log',
  {
    /** Ids of entries are never used again, since checks refer to positions in the log. */
    id: id('id'),
    userId: ownerOrFormer('user_id'),
    accountId: integer('account_id').notNull(),
    /** The day from which the balance is another; `0000-00-00` for a starting balance. */
    date: text('date').$type<CalendarDate>().notNull(),
    /** By how much the change raised the balance. */
    effect: minor('effect'),
    /** Null if the entry is about several transactions, or none. */
    transactionId: integer('transaction_id'),
    op: text('op', { enum: types.loggedOperations }).notNull(),
    /** How many transactions the entry is about. */
    count: integer('count').notNull(),
    /** The fields that moved money, before and after, as JSON. No texts: a deletion is permanent. */
    before: text('before', { mode: 'json' }).$type<LoggedRow>(),
    after: text('after', { mode: 'json' }).$type<LoggedRow>(),
    /** Who made the change. Null until the end of the transaction that wrote the entry (written-by.ts). */
    byKind: text('by_kind', { enum: types.writerKinds }),
    /** The name of a named token, or the User-Agent of a session, copied since tokens are deleted. */
    byName: text('by_name'),
    tokenId: integer('token_id'),
    /** The last entry of the same write: entries of one write count together. */
    writeId: integer('write_id'),
    importId: integer('import_id'),
    cause: text('cause', { enum: types.changeCauses }),
    at: instant('at').notNull(),
  },
  (t) => [
    index('reconciliation_log_account').on(t.accountId, t.id),
    index('reconciliation_log_unnamed').on(t.byKind).where(sql`by_kind is null`),
  ],
)

/** What the log keeps of a transaction, or of an account's starting balance. Amounts are in minor units. */
export type LoggedRow =
  | {
      type: (typeof types.transactionTypes)[number]
      amount: Minor
      transaction_date: CalendarDate
      account_id: number
      to_account_id: number | null
    }
  | { starting_balance: Minor }

/** The highest id of a transaction that was deleted while it was the newest, so that no id is assigned twice. */
export const spentIds = sqliteTable('spent_ids', {
  noun: text('noun').primaryKey(),
  highest: integer('highest').notNull(),
})

/** Recorded by triggers: client ids of deleted rows, which a late retry must not bring back. */
export const spentClientIds = sqliteTable(
  'spent_client_ids',
  {
    userId: ownerOrFormer('user_id'),
    noun: text('noun', { enum: types.changedNouns }).notNull(),
    clientId: text('client_id').notNull(),
    /** The row that had the id. If it was joined with another, `imported_originals` has the row that replaced it. */
    rowId: integer('row_id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.noun, t.clientId] })],
)

/**
 * Rows that must not be imported again from later files. When a row that matches a row of a file is deleted, or edited in a
 * field that imports compare, a trigger records it as the file has it, except when an import is undone or an account is
 * deleted. matches/join.ts records joined rows, even typed ones. docs/matching.md has an example.
 */
export const importedOriginals = sqliteTable(
  'imported_originals',
  {
    userId: ownerOrFormer('user_id'),
    /** The id of the transaction. It may still exist: edited, or as the outflow of a joined transfer. */
    id: integer('id').notNull(),
    accountId: integer('account_id').notNull(),
    toAccountId: integer('to_account_id'),
    type: text('type', { enum: types.transactionTypes }).notNull(),
    amount: minor('amount'),
    reference: text('reference'),
    transactionDate: text('transaction_date').notNull(),
    /** The kind of match that it was joined in; null if it was deleted or edited. */
    kind: text('kind', { enum: types.matchKinds }),
    /** As in `transactions`. */
    importId: integer('import_id'),
    /** As in `transactions`. */
    bookedBy: integer('booked_by'),
    /** The row that replaced it when it was edited or joined: itself if it remained, or else the other row of the match. */
    joinedId: integer('joined_id'),
    /** The row that replaces it now: `joinedId`, or the row that replaced that one in later matches. Null if there is none. */
    mergedIntoId: integer('merged_into_id'),
    /** The number of the user's last change before it was joined: the changes of the join have greater numbers. */
    seq: integer('seq'),
    /** The row before it was joined, and which of its fields the other row received, as JSON. */
    kept: text('kept'),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.id] }),
    index('imported_originals_account_date_amount').on(t.userId, t.accountId, t.transactionDate, t.amount),
    index('imported_originals_merged_into')
      .on(t.userId, t.mergedIntoId)
      .where(sql`merged_into_id is not null`),
  ],
)

/** Rejected matches, the lower id first. Triggers remove the pairs of deleted transactions, but not of joined ones. */
export const rejectedMatches = sqliteTable(
  'rejected_matches',
  {
    userId: ownerOrFormer('user_id'),
    firstId: integer('first_id').notNull(),
    secondId: integer('second_id').notNull(),
    kind: text('kind', { enum: types.matchKinds }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.firstId, t.secondId, t.kind] }),
    index('rejected_matches_second').on(t.userId, t.secondId),
  ],
)

/** Transactions that are not these occurrences of recurring transactions. */
export const rejectedOccurrences = sqliteTable(
  'rejected_occurrences',
  {
    userId: owner('user_id'),
    transactionId: integer('transaction_id')
      .notNull()
      .references(() => transactions.id, { onDelete: 'cascade' }),
    recurringId: integer('recurring_id')
      .notNull()
      .references(() => recurringRules.id, { onDelete: 'cascade' }),
    occurrenceDate: text('occurrence_date').$type<CalendarDate>().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.transactionId, t.recurringId, t.occurrenceDate] }),
    index('rejected_occurrences_user').on(t.userId),
    index('rejected_occurrences_rule').on(t.recurringId),
  ],
)

/** Offline batches. Imports also stage their rows in one, inserted and deleted in the same round trip. */
export const batches = sqliteTable(
  'sync_batches',
  {
    id: text('id').primaryKey(),
    userId: ownerOrFormer('user_id'),
    status: text('status', { enum: types.syncStates }).notNull(),
    idempotencyKey: idempotencyKey(),
    /** SHA-256 of its body and leniency (`Prefer: handling=lenient`), to compare with a retry. Empty without a key. */
    bodyHash: text('body_hash').notNull(),
    createdAt: instant('created_at').notNull(),
    /**
     * When it was processed on arrival, or last queued; 1970 if the next sweep is to queue it; null while an earlier batch
     * of the same user is pending.
     */
    queuedAt: instant('queued_at'),
    completedAt: instant('completed_at'),
    /** The outcome of each item, in order; null until the batch has been processed, or if every item is invalid. */
    outcomes: text('outcomes', { mode: 'json' }).$type<StoredOutcome[]>(),
    /** Who sent it, as in `reconciliationLog`. */
    byKind: text('by_kind', { enum: types.writerKinds }),
    byName: text('by_name'),
    tokenId: integer('token_id'),
  },
  (t) => [
    index('sync_batches_user').on(t.userId, t.completedAt),
    uniqueIndex('sync_batches_idempotency_key').on(t.userId, t.idempotencyKey).where(hasKey),
    index('sync_batches_unfinished').on(t.queuedAt).where(sql`completed_at is null`),
    index('sync_batches_finished').on(t.completedAt).where(sql`completed_at is not null`),
  ],
)

/** The errors of an item. */
export type ItemErrors = [field: string, message: string][]

/**
 * The outcome of an item, with the row that it created or duplicates, and its errors. Only rows of an import can be
 * `deleted_before`, or `reconciled` with the last day of that period in place of errors. An item without a stored outcome is `invalid` if it was stored with errors, else `pending`.
 */
export type StoredOutcome = [
  outcome: Exclude<(typeof types.itemOutcomes)[number], 'pending'> | 'deleted_before' | 'reconciled',
  transactionId: number | null,
  errors: ItemErrors | null,
  /** The id of the imported original that the item duplicates, if the transaction replaced that row. */
  originalId?: number,
]

/**
 * The items of a batch, as JSON, in as many parts as their size requires. Ids are stored unchecked, since their rows may be
 * deleted before the batch is processed.
 */
export const batchParts = sqliteTable(
  'sync_parts',
  {
    batchId: text('batch_id')
      .notNull()
      .references(() => batches.id, { onDelete: 'cascade' }),
    /** The position of the part's first item. */
    start: integer('start').notNull(),
    /** How many of its items are invalid. */
    invalid: integer('invalid').notNull(),
    /** An array for each item, with the fields that transactions/bulk-insert.ts lists. */
    items: text('items').notNull(),
  },
  (t) => [primaryKey({ columns: [t.batchId, t.start] })],
)

/** A row while an upload of operations is written, for triggers; `items` is the id of its first new transaction. */
export const uploadSteps = sqliteTable(
  'upload_steps',
  { uploadId: text('upload_id').notNull(), step: text('step').notNull(), items: text('items').notNull() },
  (t) => [primaryKey({ columns: [t.uploadId, t.step] })],
)

/** The parts of an import's response without a column of their own (imports/store.ts). */
export type StoredImportResponse = {
  /** How the file was read: the value and proof of each aspect. */
  settled: Record<string, { value: string; proof: string }>
  /** The options for which the file had no use. Imports from before that was said have none. */
  unused?: string[]
  /** The number of rows with a category that earlier rows suggest. */
  categorised: number
  /** The names of the accounts that were created. Imports from before that was possible have none. */
  accounts?: string[]
  /** The rows of the file that already existed, in the order of their lines. The number is limited. */
  duplicates: { line: number; transactionId: number; reasons: MatchReason[] }[]
  /** The number of undecided matches of the created rows, and the last days that they span; null if there are none. */
  possible: { count: number; days: Span } | null
  /** The rows that have become occurrences of recurring transactions. Imports from before that was possible have none. */
  occurrences?: {
    count: number
    rows: { line: number; transactionId: number; recurringId: number; occurrenceDate: CalendarDate }[]
  }
  /** The positions of the rows that were left out because of a reconciled period. Earlier imports have none. */
  reconciled?: number[]
  /** The checks of the statement's balances, or those that a person has entered; minor units as texts. */
  checked?: {
    checks: (
      | { id: number; date: CalendarDate; balance: Minor; difference: string; state: 'ok' | 'broken' }
      | { id: number; date: CalendarDate; balance: Minor; file: Minor }
    )[]
    /** The starting balance with which all checks of the account would be right. */
    startingBalance: string | null
  }
  /** The balances of the statement and the account at the end of the closing date. */
  closing: { date: CalendarDate; statement: Minor; account: Minor } | null
}

export const imports = sqliteTable(
  'imports',
  {
    id: id('id'),
    /** Null while it is being undone. */
    userId: ownerUntilDeleted('user_id'),
    /** The batch that the rows passed through. */
    batchId: text('batch_id').notNull().unique('imports_batch'),
    kind: text('kind', { enum: types.importKinds }).notNull(),
    format: text('format', { enum: types.importFormats }).notNull(),
    rows: integer('rows').notNull(),
    created: integer('created').notNull(),
    duplicate: integer('duplicate').notNull(),
    /** How many rows were skipped because the user had deleted them. */
    deletedBefore: integer('deleted_before').notNull().default(0),
    /** A created row's id is this plus its position in the file, from 0. Unused ids may go to other rows. */
    firstId: integer('first_id').notNull(),
    idempotencyKey: idempotencyKey(),
    /** SHA-256 of the kind and the rows, to compare with a retry. */
    rowsHash: text('rows_hash'),
    /** The response to a request with a key, for retries; null until it is stored. */
    response: text('response', { mode: 'json' }).$type<StoredImportResponse>(),
    /** The name of the file in the form; null if it has none, and for older imports. */
    fileName: text('file_name'),
    /** The starting balances that it has given to the accounts that it created: undoing it takes them back. */
    startingBalances: text('starting_balances', { mode: 'json' }).$type<[accountId: number, Minor][]>(),
    /** The layout of the file for its account (`importLayouts`); null for JSON and older imports. */
    layout: text('layout'),
    /** The days of the first and the last row of the file, duplicates included. */
    firstDay: text('first_day').$type<CalendarDate>(),
    lastDay: text('last_day').$type<CalendarDate>(),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [
    index('imports_user').on(t.userId, t.id),
    uniqueIndex('imports_idempotency_key').on(t.userId, t.idempotencyKey).where(hasKey),
  ],
)

/** How files of a layout are read, as an import settled it. The next file of the layout is read in the same way. */
export const importLayouts = sqliteTable(
  'import_layouts',
  {
    id: id('id'),
    userId: owner('user_id'),
    /** Null for files that name their accounts themselves. */
    accountId: integer('account_id').references(() => accounts.id, { onDelete: 'cascade' }),
    /** SHA-256 of the format, the headers and the account. */
    layout: text('layout').notNull(),
    format: text('format', { enum: types.importFormats }).notNull(),
    headers: text('headers', { mode: 'json' }).$type<string[]>().notNull(),
    settled: text('settled', { mode: 'json' }).$type<Record<string, string>>().notNull(),
    /** The import that settled it: undoing that import deletes the layout. */
    importId: integer('import_id')
      .notNull()
      .references(() => imports.id, { onDelete: 'cascade' }),
  },
  (t) => [
    uniqueIndex('import_layouts_layout').on(t.userId, t.layout),
    index('import_layouts_account').on(t.accountId),
    index('import_layouts_import').on(t.importId),
  ],
)

/** The columns of a layout with which the next file is read. */
export type KeptLayout = Pick<
  typeof importLayouts.$inferSelect,
  'id' | 'layout' | 'format' | 'settled' | 'importId' | 'accountId'
> & { accountName: string | null }
