import { type SQL, sql } from 'drizzle-orm'
import { transactions } from '../database/schema.ts'

/** `reach` is how many rows the slice and those before it hold. */
export type Slice = { offset: number; perPage: number; reach: number }

/** The order of lists. */
export const newestFirst = sql`order by transaction_date desc, id desc`

/**
 * Selects the id and date of the rows of a slice, from parts that have no rows in common. Takes the newest `reach` rows
 * of each part: the slice and those before it can need no more.
 */
export function newestOf(parts: SQL[], { offset, perPage, reach }: Slice): SQL {
  const slice = sql`${newestFirst} limit ${perPage} offset ${offset}`
  const of = (part: SQL | undefined) => sql`select id, transaction_date from ${transactions} where ${part}`
  if (parts.length === 1) return sql`${of(parts[0])} ${slice}`
  const newest = parts.map((part) => sql`select * from (${of(part)} ${newestFirst} limit ${reach})`)
  return sql`select id, transaction_date from (${sql.join(newest, sql` union all `)}) ${slice}`
}
