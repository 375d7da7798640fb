import { type SQL, sql } from 'drizzle-orm'
import type { Owner, UserScope } from '../database/owner.ts'
import { ownRow, requireComplete } from '../database/ownership.ts'
import { accounts, transactions } from '../database/schema.ts'
import { type CalendarDate, dayToContinueFrom, earliestDate, latestDate } from '../domain/dates.ts'
import type { Draft } from '../failures/draft.ts'
import { defaultPageSize, type TransactionQuery } from './contract.ts'
import { filterParts, type TransactionFilter } from './filter.ts'
import { newestFirst, newestOf, type Slice } from './newest.ts'
import { type TransactionWithRelations, withRelations } from './read.ts'
import { rowsByMonth } from './rows-by-month.ts'
import { type PageQueries, search } from './search.ts'

/** From this offset on, finding the month in which a page begins costs less than skipping rows one by one. */
const minDistantOffset = 1_000

export type TransactionPage = {
  page: number
  perPage: number
  rows: TransactionWithRelations[]
  /** The number of rows on all pages. */
  total: number
  /** The day to continue a search from, or null if there is none; undefined if this was no search. */
  searchedBackTo: CalendarDate | null | undefined
}

/** Returns one page of the user's transactions, newest first. Throws Invalid. */
export async function listTransactions(owner: Owner, draft: Draft<TransactionQuery>) {
  const { page = 1, per_page: perPage = defaultPageSize, ...filter } = await requireComplete(owner, draft)
  // However large the page number, the offset must remain a safe integer.
  const offset = Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER - perPage)
  const { ids, counted } = (isSearch(filter) ? search : select)(owner, filter, { offset, perPage })
  const results = await owner.run({
    rows: withRelations(owner, sql`${transactions.id} in (${ids})`),
    counted: owner.db.all<{ total: number; oldestSearched?: CalendarDate | null }>(counted),
  })
  const { total = 0, oldestSearched } = results.counted[0] ?? {}
  const { from = earliestDate, to = latestDate } = filter
  return {
    page,
    perPage,
    rows: results.rows,
    total,
    searchedBackTo: oldestSearched && dayToContinueFrom(oldestSearched, { from, to }),
  }
}

/** No index finds a text or an amount. */
const isSearch = ({ q, amount_from, amount_to }: TransactionFilter) =>
  (q ?? amount_from ?? amount_to) !== undefined

function select(owner: UserScope, filter: TransactionFilter, slice: Slice): PageQueries {
  const months = rowsByMonth(owner, filter)
  return {
    ids:
      months && slice.offset >= minDistantOffset
        ? idsOfDistantPage(owner, filter, slice, months)
        : sql`select id from (${newestOf(filterParts(owner, filter), slice)})`,
    counted: sql`select coalesce(${totalOf(owner, filter, months)}, 0) as total`,
  }
}

/** How many rows match a filter: read from the kept figures where possible, counted otherwise. */
function totalOf(owner: UserScope, filter: TransactionFilter, months: SQL | undefined): SQL {
  const { transactionCount, incomingCount, userId } = accounts
  const fields = Object.values(filter).filter((value) => value !== undefined)
  if (fields.length === 0)
    return sql`(select sum(${transactionCount}) from ${accounts} where ${userId} = ${owner.id})`
  if (months) return sql`(select sum(rows) from (${months}))`
  const { account_id } = filter
  if (account_id && fields.length === 1) {
    return sql`(select ${transactionCount} + ${incomingCount} from ${accounts} where ${ownRow(owner, accounts, account_id)})`
  }
  const counts = filterParts(owner, filter).map(
    (part) => sql`(select count(*) from ${transactions} where ${part})`,
  )
  return sql.join(counts, sql` + `)
}

/** Starts in the month in which the page begins, skipping later months by their row counts. */
function idsOfDistantPage(
  owner: UserScope,
  filter: TransactionFilter,
  { offset, perPage }: Slice,
  months: SQL,
): SQL {
  const { to = latestDate, ...others } = filter
  const [part] = filterParts(owner, others)
  return sql`
    with months as (select month, sum(rows) as rows from (${months}) group by month),
         passed as (select month, rows, sum(rows) over (order by month desc) as passed from months),
         start as materialized (
           select month || '-31' as last_day, ${offset} - (passed - rows) as skipped from passed
            where passed > ${offset} order by month desc limit 1)
    select id from ${transactions} where ${part} and transaction_date <= min(${to}, (select last_day from start))
    ${newestFirst} limit ${perPage} offset coalesce((select skipped from start), 0)`
}
