import { type SQL, sql } from 'drizzle-orm'

/*
 * Every change of what a user has takes that user's next number. A transaction carries the number of its last change
 * (`transactions.seq`), so that a write costs one index entry more and nothing has to be removed later; everything else
 * is in the log (`changes`): tombstones, moves to other accounts, accounts, categories and the profile. SQLite has one
 * writer, which takes the number and writes the row in one transaction: the order of numbers is the order of commits.
 *
 * Triggers write the log (migrations/0001_triggers.sql). Statements that insert or update transactions set `seq` to
 * `nextChange`, and those that delete many at once call `logDeletions` first.
 */

/**
 * The number of a user's last change, 0 before the first. Reads two rows, and evaluates `userId` twice, which may be a
 * column of the statement's table: hence the aliases.
 */
export const lastChange = (userId: SQL) => sql<number>`max(
  coalesce((select max(seq) from transactions latest where latest.user_id = ${userId}), 0),
  coalesce((select max(seq) from changes latest where latest.user_id = ${userId}), 0))`

/** The number that a user's next change takes. Of many rows in one statement, each adds its position, from 0. */
export const nextChange = (userId: SQL) => sql<number>`(1 + ${lastChange(userId)})`

/** Logs that transactions are deleted, of which the triggers say nothing. `rows` is a condition on the user's. */
export function logDeletions(userId: SQL, rows: SQL): SQL {
  return sql`
    insert into changes (user_id, seq, noun, row_id, at)
    select ${userId}, ${lastChange(userId)} + row_number() over (order by id), 'transaction', id,
           cast(unixepoch('subsec') * 1000 as integer)
      from transactions where ${rows}`
}
