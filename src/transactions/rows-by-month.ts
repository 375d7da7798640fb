import { and, eq, gte, lte, type SQL, sql } from 'drizzle-orm'
import type { UserScope } from '../database/owner.ts'
import { totals, transactions } from '../database/schema.ts'
import { earliestDate, latestDate, periodOf } from '../domain/dates.ts'
import { transactionTypes } from '../domain/types.ts'
import { filterParts, type TransactionFilter } from './filter.ts'

/**
 * How many rows of each month match a filter: a query of `(month, rows)`, in which a month may occur more than once.
 * Whole months are read from the kept totals; in months that the filter cuts, the rows are counted. Undefined for
 * filters by account, import or text, whose rows are counted in other ways (list.ts).
 */
export function rowsByMonth(owner: UserScope, filter: TransactionFilter): SQL | undefined {
  const { account_id, import_id, q, type, from = earliestDate, to = latestDate } = filter
  if (account_id ?? import_id ?? q) return undefined
  const { firstMonth, lastMonth, cuts } = periodOf({ from, to })
  const category = filter.category_id === 'none' ? 0 : filter.category_id
  const within = and(
    eq(totals.userId, owner.id),
    filter.from === undefined ? undefined : gte(totals.month, firstMonth),
    filter.to === undefined ? undefined : lte(totals.month, lastMonth),
    category === undefined ? undefined : eq(totals.categoryId, category),
  )
  // For a category, one query per type, so that each can use the whole of `totals_type`. SQLite would choose the primary
  // key, and read every month.
  const byType = sql`indexed by totals_type`
  const types = category !== undefined && !type ? transactionTypes : [type]
  const kept = types.map(
    (one) => sql`
      select month, ${totals.transactionCount} as rows from ${totals} ${one ? byType : sql``}
       where ${and(within, one && eq(totals.type, one))}`,
  )
  const counted = cuts.map((span) => {
    const [rows] = filterParts(owner, { ...filter, ...span })
    return sql`select substr(${span.from}, 1, 7), count(*) from ${transactions} where ${rows}`
  })
  return sql.join([...kept, ...counted], sql` union all `)
}
