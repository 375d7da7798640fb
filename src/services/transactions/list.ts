import { type SQL, sql } from 'drizzle-orm'
import { defaultPageSize, type TransactionQuery } from '../../contract/transactions.ts'
import type { Owner } from '../../db/owner.ts'
import { own, requireComplete } from '../../db/ownership.ts'
import { accounts, transactions } from '../../db/schema.ts'
import { type CalendarDate, latestDate } from '../../domain/dates.ts'
import type { Draft } from '../../domain/draft.ts'
import { filterParts, type TransactionFilter } from './filter.ts'
import { newestFirst, newestOf, type Slice } from './newest.ts'
import { type TransactionWithRelations, withRelations } from './read.ts'
import { rowsByMonth } from './rows-by-month.ts'
import { search } from './search.ts'

/** From this offset on, finding the month in which a page begins costs less than skipping rows one by one. */
const farRows = 1_000

/**
 * `total` counts the rows of all pages. Of a search, `searchedBackTo` is the day of the last row that it looked at, null
 * if it has looked at all.
 */
type Counted = { total: number; searchedBackTo?: CalendarDate | null }

export type TransactionPage = Counted & { page: number; perPage: number; rows: TransactionWithRelations[] }

/** Returns one page of the user's transactions, newest first. Throws Invalid. */
export async function listTransactions(
  owner: Owner,
  draft: Draft<TransactionQuery>,
): Promise<TransactionPage> {
  const { page = 1, per_page: perPage = defaultPageSize, ...filter } = await requireComplete(owner, draft)
  // However large the page number is, the offset must remain a safe integer.
  const offset = Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER - perPage)
  const { ids, counted } = filter.q === undefined ? select(owner, filter) : search(owner, filter)
  const results = await owner.run({
    rows: withRelations(owner, sql`${transactions.id} in (${ids({ offset, perPage })})`),
    counted: owner.db.all<Counted>(counted),
  })
  const { total = 0, searchedBackTo } = results.counted[0] ?? {}
  return { page, perPage, rows: results.rows, total, searchedBackTo }
}

function select(owner: Owner, filter: TransactionFilter) {
  return {
    ids: (slice: Slice) => idsOfPage(owner, filter, slice),
    counted: sql`select coalesce(${totalOf(owner, filter)}, 0) as total`,
  }
}

/** How many rows match a filter: read from kept figures where there are any, counted otherwise. */
function totalOf(owner: Owner, filter: TransactionFilter): SQL {
  const { transactionCount, incomingCount, userId } = accounts
  if (Object.keys(filter).length === 0)
    return sql`(select sum(${transactionCount}) from ${accounts} where ${userId} = ${owner.id})`
  const months = rowsByMonth(owner, filter)
  if (months) return sql`(select sum(rows) from (${months}))`
  const { account_id, ...others } = filter
  if (account_id !== undefined && Object.keys(others).length === 0) {
    return sql`(select ${transactionCount} + ${incomingCount} from ${accounts} where ${own(owner, accounts, account_id)})`
  }
  const counts = filterParts(owner, filter).map(
    (part) => sql`(select count(*) from ${transactions} where ${part})`,
  )
  return sql.join(counts, sql` + `)
}

function idsOfPage(owner: Owner, filter: TransactionFilter, slice: Slice): SQL {
  const months = slice.offset >= farRows ? rowsByMonth(owner, filter) : undefined
  if (months) return idsFarBack(owner, filter, slice, months)
  return sql`select id from (${newestOf(filterParts(owner, filter), slice)})`
}

/** Starts in the month in which the page begins, skipping later months by their row counts. */
function idsFarBack(owner: Owner, filter: TransactionFilter, { offset, perPage }: Slice, months: SQL): SQL {
  const { to = latestDate } = filter
  const [part] = filterParts(owner, { ...filter, to: sql`min(${to}, (select last_day from start))` })
  return sql`
    with months as (select month, sum(rows) as rows from (${months}) group by month),
         passed as (select month, rows, sum(rows) over (order by month desc) as passed from months),
         start as materialized (
           select month || '-31' as last_day, ${offset} - (passed - rows) as skipped from passed
            where passed > ${offset} order by month desc limit 1)
    select id from ${transactions} where ${part}
    ${newestFirst} limit ${perPage} offset coalesce((select skipped from start), 0)`
}
