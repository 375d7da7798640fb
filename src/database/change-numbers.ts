import { type SQL, sql } from 'drizzle-orm'

/*
 * Every change to an account, a category, a transaction or the profile takes its user's next number. A transaction carries
 * the number of its last change (`transactions.seq`), so that a write costs one more index entry and nothing has to be
 * removed later; everything else is in the log (`changes`): deletions, moves to other accounts, and all changes to
 * accounts, categories and the profile. SQLite has one writer, which takes the number and writes the row in one
 * transaction: the order of the numbers is the order of the commits.
 *
 * Triggers write the log (migrations/0001_triggers.sql). Statements that insert or update transactions set `seq` to
 * `nextChange`. The triggers ignore the rows of an import that is being undone, so undoing it calls `logDeletions`.
 */

/**
 * The number of a user's last change, 0 before the first. Reads two rows. The aliases are there because `userId` may be
 * a column of the surrounding statement's table.
 */
export const lastChange = (userId: SQL) => sql<number>`max(
  coalesce((select max(seq) from transactions latest where latest.user_id = ${userId}), 0),
  coalesce((select max(seq) from changes latest where latest.user_id = ${userId}), 0))`

/** The number of a user's next change. Where one statement writes many rows, each adds its position, from 0. */
export const nextChange = (userId: SQL) => sql<number>`(1 + ${lastChange(userId)})`

/**
 * Logs the deletion of transactions that the triggers ignore; to be run before they are deleted. `rows` is a condition on
 * the user's transactions.
 */
export function logDeletions(userId: SQL, rows: SQL): SQL {
  return sql`
    insert into changes (user_id, seq, noun, row_id, at)
    select ${userId}, ${lastChange(userId)} + row_number() over (order by id), 'transaction', id,
           cast(unixepoch('subsec') * 1000 as integer)
      from transactions where ${rows}`
}
