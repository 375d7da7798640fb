import { type SQL, sql } from 'drizzle-orm'
import type { Owner, Scope } from '../database/owner.ts'
import { ownRow, requireComplete } from '../database/ownership.ts'
import { accounts, transactions } from '../database/schema.ts'
import {
  type CalendarDate,
  dayToContinueFrom,
  earliestDate,
  latestDate,
  type Period,
  periodOf,
} from '../shared/dates.ts'
import type { Draft } from '../shared/draft.ts'
import { defaultPageSize, type TransactionQuery } from './contract.ts'
import { filterParts, type TransactionFilter } from './filter.ts'
import { newestFirst, newestOf, type Slice } from './newest.ts'
import { type TransactionWithRelations, withRelations } from './read.ts'
import { rowsByMonth } from './rows-by-month.ts'
import { search } from './search.ts'

/** From this offset on, finding the month in which a page begins costs less than skipping rows one by one. */
const farRows = 1_000

export type TransactionPage = {
  page: number
  perPage: number
  rows: TransactionWithRelations[]
  /** The number of rows on all pages. */
  total: number
  /** The day to continue a search from, or null if there is none; undefined if this was no search. */
  searchedBackTo: CalendarDate | null | undefined
}

/** `oldestSearched` is the day of the oldest row that a search looked at; null if there can be no older ones. */
type Counted = { total: number; oldestSearched?: CalendarDate | null }

type Listing = { filter: TransactionFilter; period: Period; slice: Slice; isFar: boolean }

function readPage(owner: Owner, { slice, ...listing }: Listing) {
  const { ids, counted } = listing.filter.q ? search(owner, listing.filter) : select(owner, listing)
  return {
    rows: withRelations(owner, sql`${transactions.id} in (${ids(slice)})`),
    counted: owner.db.all<Counted>(counted),
  }
}

/** Returns one page of the user's transactions, newest first. Throws Invalid. */
export async function listTransactions(
  owner: Owner,
  draft: Draft<TransactionQuery>,
): Promise<TransactionPage> {
  const { page = 1, per_page: perPage = defaultPageSize, ...filter } = await requireComplete(owner, draft)
  // However large the page number, the offset must remain a safe integer.
  const offset = Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER - perPage)
  const { from = earliestDate, to = latestDate } = filter
  const listing = {
    filter,
    period: periodOf({ from, to }),
    slice: { offset, perPage, reach: offset + perPage },
    isFar: offset >= farRows,
  }
  const results = await owner.run(readPage(owner, listing))
  const { total = 0, oldestSearched } = results.counted[0] ?? {}
  return {
    page,
    perPage,
    rows: results.rows,
    total,
    searchedBackTo: oldestSearched && dayToContinueFrom(oldestSearched, { from, to }),
  }
}

function select(owner: Scope, listing: Omit<Listing, 'slice'>) {
  return {
    ids: (slice: Slice) => idsOfPage(owner, { ...listing, slice }),
    counted: sql`select coalesce(${totalOf(owner, listing)}, 0) as total`,
  }
}

/** How many rows match a filter: read from the kept figures where possible, counted otherwise. */
function totalOf(owner: Scope, { filter, period }: Omit<Listing, 'slice'>): SQL {
  const { transactionCount, incomingCount, userId } = accounts
  const fields = Object.values(filter).filter((value) => value !== undefined)
  if (fields.length === 0)
    return sql`(select sum(${transactionCount}) from ${accounts} where ${userId} = ${owner.id})`
  const months = rowsByMonth(owner, filter, period)
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

function idsOfPage(owner: Scope, { filter, period, slice, isFar }: Listing): SQL {
  const months = isFar ? rowsByMonth(owner, filter, period) : undefined
  if (months) return idsFarBack(owner, filter, slice, months)
  return sql`select id from (${newestOf(filterParts(owner, filter), slice)})`
}

/** Starts in the month in which the page begins, skipping later months by their row counts. */
function idsFarBack(owner: Scope, filter: TransactionFilter, { offset, perPage }: Slice, months: SQL): SQL {
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
