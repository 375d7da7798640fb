import { type SQL, sql } from 'drizzle-orm'

/*
 * Every change to an account, a category, a transaction or the profile gets its user's next number, in the order of the
 * commits. A transaction carries the number of its last change (`transactions.seq`, set to `nextChange` by each write).
 * Triggers log all other changes in `changes`: deletions, moves to other accounts, accounts, categories and the profile.
 */

/** The number of a user's last change, 0 before the first. Aliased, since `userId` may be a column of the outer query. */
export const lastChange = (userId: SQL) => sql<number>`max(
  coalesce((select max(seq) from transactions latest where latest.user_id = ${userId}), 0),
  coalesce((select max(seq) from changes latest where latest.user_id = ${userId}), 0))`

/** The number of a user's next change. Where one statement writes many rows, each adds its position, from 0. */
export const nextChange = (userId: SQL) => sql<number>`(1 + ${lastChange(userId)})`

/** Logs a deletion of transactions that the triggers ignore, before it runs. `rows` is a condition on `transactions`. */
export function logDeletions(userId: SQL, rows: SQL): SQL {
  return sql`
    insert into changes (user_id, seq, noun, row_id, at)
    select ${userId}, ${lastChange(userId)} + row_number() over (order by id), 'transaction', id,
           cast(unixepoch('subsec') * 1000 as integer)
      from transactions where ${rows}`
}
