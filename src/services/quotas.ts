import { type SQL, sql } from 'drizzle-orm'
import { accounts, categories } from '../db/schema.ts'
import { type Rule, rule } from './guards.ts'

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
 * phone has as much to send, and the queue finishes several batches a second.
 */
export const maxUnfinishedBatches = 100

/** Holds if the user may have one more account. */
export function accountQuota(userId: SQL): Rule {
  const there = sql`(select count(*) from ${accounts} where ${accounts.userId} = ${userId})`
  return rule('name', `You cannot have more than ${maxAccounts} accounts.`, sql`(${there} < ${maxAccounts})`)
}

/** Holds if the notes fit with those of the user's other accounts. `id` is their account, 0 if it is new. */
export function notesQuota(userId: SQL, notes: string | null | undefined, id = 0): Rule {
  const length = notes ? [...notes].length : 0
  const others = sql`
    select coalesce(sum(length(${accounts.notes})), 0) from ${accounts}
     where ${accounts.userId} = ${userId} and ${accounts.id} <> ${id}`
  // Notes beyond the quota may still be shortened.
  const asLong = sql`exists (select 1 from ${accounts} where ${accounts.id} = ${id} and length(${accounts.notes}) >= ${length})`
  const text = `The notes of all your accounts together must not be greater than ${maxNotesLength.toLocaleString('en')} characters.`
  const fits = sql`((${others}) + ${length} <= ${maxNotesLength} or ${asLong})`
  return rule('notes', text, length > 0 ? fits : sql`true`)
}

/** Holds if the user may have `added` more categories; `field` gets the error. */
export function categoryQuota(userId: SQL, field: string, added: SQL = sql`1`): Rule {
  const there = sql`select count(*) from ${categories} where ${categories.userId} = ${userId}`
  const text = `You cannot have more than ${maxCategories.toLocaleString('en')} categories.`
  return rule(field, text, sql`((${there}) + ${added} <= ${maxCategories})`)
}
