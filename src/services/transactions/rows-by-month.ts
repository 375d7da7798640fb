import { and, eq, gte, lte, type SQL, sql } from 'drizzle-orm'
import type { Owner } from '../../db/owner.ts'
import { totals, transactions } from '../../db/schema.ts'
import { earliestDate, latestDate, monthOf, periodOf } from '../../domain/dates.ts'
import { transactionTypes } from '../../domain/types.ts'
import { filterParts, type TransactionFilter } from './filter.ts'

/**
 * How many rows of each month match a filter: a query of `(month, rows)`, in which a month may occur more than once.
 * Whole months are read from kept totals, those that the filter cuts are counted. Undefined for filters by account or
 * text, for which no totals are kept.
 */
export function rowsByMonth(owner: Owner, filter: TransactionFilter): SQL | undefined {
  if (filter.account_id !== undefined || filter.q !== undefined) return undefined
  const { from = earliestDate, to = latestDate, type, category_id: category } = filter
  const { firstMonth, lastMonth, cuts } = periodOf({ from, to })
  const within = and(
    eq(totals.userId, owner.id),
    filter.from === undefined ? undefined : gte(totals.month, firstMonth),
    filter.to === undefined ? undefined : lte(totals.month, lastMonth),
    category === undefined ? undefined : eq(totals.categoryId, category === 'none' ? 0 : category),
  )
  // One query per type: with a single type, the index on categories can be used to its full length. SQLite takes the
  // primary key for cheaper, which holds every month.
  const byType = sql`indexed by totals_type`
  const types = category !== undefined && !type ? transactionTypes : [type]
  const kept = types.map(
    (one) => sql`
      select month, ${totals.transactionCount} as rows from ${totals} ${one ? byType : sql``}
       where ${and(within, one && eq(totals.type, one))}`,
  )
  const counted = cuts.map((span) => {
    const [rows] = filterParts(owner, { ...filter, ...span })
    return sql`select ${monthOf(span.from)}, count(*) from ${transactions} where ${rows}`
  })
  return sql.join([...kept, ...counted], sql` union all `)
}
