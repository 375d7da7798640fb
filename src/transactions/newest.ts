import { type SQL, sql } from 'drizzle-orm'
import { transactions } from '../database/schema.ts'

/** The rows of a page: `perPage` of them after the first `offset`. */
export type Slice = { offset: number; perPage: number }

/** The order of lists. */
export const newestFirst = sql`order by transaction_date desc, id desc`

/**
 * Selects the id and date of the rows of a slice, from parts that have no rows in common. Reads no more of each part than
 * the slice and those before it can need.
 */
export function newestOf(parts: SQL[], { offset, perPage }: Slice): SQL {
  const slice = sql`${newestFirst} limit ${perPage} offset ${offset}`
  const of = (part: SQL | undefined) => sql`select id, transaction_date from ${transactions} where ${part}`
  if (parts.length === 1) return sql`${of(parts[0])} ${slice}`
  const newest = parts.map(
    (part) => sql`select * from (${of(part)} ${newestFirst} limit ${offset + perPage})`,
  )
  return sql`select id, transaction_date from (${sql.join(newest, sql` union all `)}) ${slice}`
}
