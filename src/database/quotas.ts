import { type SQL, sql } from 'drizzle-orm'
import { type Rule, rule } from './rules.ts'
import {
  accounts,
  balanceChecks,
  categories,
  dismissedSuggestions,
  recurringRules,
  rejectedMatches,
  rejectedOccurrences,
} from './schema.ts'

// Other limits: failures/limits.ts.

/** Lists of accounts and categories have no pages. The longest must fit into the database's limit of 10 MB a response. */
export const maxAccounts = 500
export const maxCategories = 1_000
/** Characters in the notes of all accounts of a user together: at most 1.5 MB of JSON. */
export const maxNotesLength = 250_000
/** Pending batches of a user: 100,000 items, or 100 MB. The queue processes several batches a second. */
export const maxUnfinishedBatches = 100
/** Rejected matches of a user, and rejected occurrences, far above normal use. */
export const maxRejections = 2_000
/** Balance checks of an account: 33 years of months. */
export const maxChecksOfAccount = 400
/** Balance checks of a user: their list has no pages. */
export const maxChecks = 4_000
/** Recurring transactions of a user: their list has no pages, and each request about them reads them all. */
export const maxRules = 200
/** Dismissed suggestions of a user, far above normal use. */
export const maxDismissed = 1_000
/** Named tokens of a user that have not expired. */
export const maxNamedTokens = 50

/** The errors of quotas, which uploads check without SQL. */
export const quotaTexts = {
  accounts: quotaText(maxAccounts, 'accounts'),
  categories: quotaText(maxCategories, 'categories'),
  rules: quotaText(maxRules, 'recurring transactions'),
  checksOfAccount: quotaText(maxChecksOfAccount, 'balance checks for an account'),
  checks: quotaText(maxChecks, 'balance checks'),
  notes: `The notes of all your accounts together must not be greater than ${maxNotesLength.toLocaleString('en')} characters.`,
}

/** The user may have `added` more accounts; `field` gets the error. */
export const accountQuota = (userId: SQL, added: SQL = sql`1`, field = 'name') =>
  quota(accounts, { max: maxAccounts, text: quotaTexts.accounts, field }, userId, added)

/** The user may have `added` more categories; `field` gets the error. */
export const categoryQuota = (userId: SQL, field: string, added: SQL = sql`1`) =>
  quota(categories, { max: maxCategories, text: quotaTexts.categories, field }, userId, added)

/** The user may have one more recurring transaction. */
export const recurringQuota = (userId: SQL) =>
  quota(recurringRules, { max: maxRules, text: quotaTexts.rules, field: 'rrule' }, userId, sql`1`)

/** The account may have one more balance check, and so may its user. */
export function checkQuotas(userId: SQL, accountId: SQL): Rule[] {
  const ofAccount = sql`select count(*) from ${balanceChecks} where ${balanceChecks.accountId} = ${accountId}`
  const ofUser = sql`
    select count(*) from ${accounts} cross join ${balanceChecks} on ${balanceChecks.accountId} = ${accounts.id}
     where ${accounts.userId} = ${userId}`
  return [
    rule('date', quotaTexts.checksOfAccount, sql`((${ofAccount}) < ${maxChecksOfAccount})`),
    rule('date', quotaTexts.checks, sql`((${ofUser}) < ${maxChecks})`),
  ]
}

/** The user may reject one more match. */
export const rejectionQuota = (userId: SQL) =>
  quota(
    rejectedMatches,
    { max: maxRejections, text: quotaText(maxRejections, 'rejected matches'), field: 'ids' },
    userId,
    sql`1`,
  )

/** The user may reject one more occurrence. */
export const occurrenceRejectionQuota = (userId: SQL) =>
  quota(
    rejectedOccurrences,
    {
      max: maxRejections,
      text: quotaText(maxRejections, 'rejected occurrences'),
      field: 'transaction_id',
    },
    userId,
    sql`1`,
  )

/** The user may dismiss one more suggestion. */
export const dismissalQuota = (userId: SQL) =>
  quota(
    dismissedSuggestions,
    { max: maxDismissed, text: quotaText(maxDismissed, 'dismissed suggestions'), field: 'key' },
    userId,
    sql`1`,
  )

/**
 * The notes of an account may grow by `growth` characters. Even beyond the quota, notes may be
 * shortened.
 */
export function notesQuota(userId: SQL, growth: SQL): Rule {
  const existing = sql`
    select coalesce(sum(length(${accounts.notes})), 0) from ${accounts} where ${accounts.userId} = ${userId}`
  return rule(
    'notes',
    quotaTexts.notes,
    sql`(${growth} <= 0 or (${existing}) + ${growth} <= ${maxNotesLength})`,
  )
}

/** By how many characters an account's notes grow, in SQL; `undefined` does not change them. */
export function notesGrowth(notes: string | null | undefined, current: SQL = sql`null`): SQL {
  if (notes === undefined) return sql`0`
  return sql`(${[...(notes ?? '')].length} - coalesce(length(${current}), 0))`
}

function quota(
  table:
    | typeof accounts
    | typeof categories
    | typeof dismissedSuggestions
    | typeof recurringRules
    | typeof rejectedMatches
    | typeof rejectedOccurrences,
  { max, text, field }: { max: number; text: string; field: string },
  userId: SQL,
  added: SQL,
): Rule {
  const existing = sql`select count(*) from ${table} where ${table.userId} = ${userId}`
  return rule(field, text, sql`((${existing}) + ${added} <= ${max})`)
}

function quotaText(max: number, what: string): string {
  return `You cannot have more than ${max.toLocaleString('en')} ${what}.`
}
