import { type SQL, sql } from 'drizzle-orm'
import { type Rule, rule } from './rules.ts'
import { accounts, categories, rejectedMatches } from './schema.ts'

/**
 * Lists of accounts and categories have no pages, so the longest must fit in one answer: the database refuses answers
 * above 10 MB, and an isolate has 128 MB for all its requests. Nobody reaches these by hand.
 */
export const maxAccounts = 500
export const maxCategories = 1_000
/** Characters in the notes of all accounts of a user together: 1.5 MB of JSON at worst. */
export const maxNotesLength = 250_000

/**
 * Uploaded batches of a user that are not processed yet: a hundred thousand items, and a hundred megabytes at worst. No
 * phone has that much to send, and the queue finishes several batches a second.
 */
export const maxUnfinishedBatches = 100

/** Rejected matches that a user may have: more than a household would look at in decades. */
export const maxRejections = 2_000

/** Holds if the user may have `added` more rows of a table; `field` gets the error. */
function quota(
  table: typeof accounts | typeof categories | typeof rejectedMatches,
  { most, noun, field }: { most: number; noun: string; field: string },
  userId: SQL,
  added: SQL,
): Rule {
  const existing = sql`select count(*) from ${table} where ${table.userId} = ${userId}`
  const text = `You cannot have more than ${most.toLocaleString('en')} ${noun}.`
  return rule(field, text, sql`((${existing}) + ${added} <= ${most})`)
}

/** Holds if the user may reject one more match. */
export function rejectionQuota(userId: SQL): Rule {
  return quota(
    rejectedMatches,
    { most: maxRejections, noun: 'rejected matches', field: 'ids' },
    userId,
    sql`1`,
  )
}

/** Holds if the user may have `added` more accounts. */
export function accountQuota(userId: SQL, added: SQL = sql`1`): Rule {
  return quota(accounts, { most: maxAccounts, noun: 'accounts', field: 'name' }, userId, added)
}

/**
 * Holds if the notes of an account may grow by `growth` characters while those of all the user's accounts together grow
 * by `inAll`. Even beyond the quota, notes may be shortened.
 */
export function notesQuota(userId: SQL, growth: SQL, inAll = growth): Rule {
  const existing = sql`
    select coalesce(sum(length(${accounts.notes})), 0) from ${accounts} where ${accounts.userId} = ${userId}`
  const text = `The notes of all your accounts together must not be greater than ${maxNotesLength.toLocaleString('en')} characters.`
  return rule('notes', text, sql`(${growth} <= 0 or (${existing}) + ${inAll} <= ${maxNotesLength})`)
}

/** By how many characters an account's notes grow, in SQL; `undefined` leaves them as they are. */
export function notesGrowth(notes: string | null | undefined, current: SQL = sql`null`): SQL {
  if (notes === undefined) return sql`0`
  return sql`(${[...(notes ?? '')].length} - coalesce(length(${current}), 0))`
}

/** Holds if the user may have `added` more categories; `field` gets the error. */
export function categoryQuota(userId: SQL, field: string, added: SQL = sql`1`): Rule {
  return quota(categories, { most: maxCategories, noun: 'categories', field }, userId, added)
}
