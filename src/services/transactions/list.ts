import { type SQL, sql } from 'drizzle-orm'
import { defaultPageSize, type TransactionQuery } from '../../contract/transactions.ts'
import type { Owner } from '../../db/owner.ts'
import { own, requireComplete } from '../../db/ownership.ts'
import { accounts, transactions } from '../../db/schema.ts'
import { latestDate } from '../../domain/dates.ts'
import type { Draft } from '../../domain/draft.ts'
import { filterParts, type TransactionFilter } from './filter.ts'
import { type TransactionWithRelations, withRelations } from './read.ts'
import { rowsByMonth } from './rows-by-month.ts'

/** From this offset on, finding the month in which a page begins costs less than skipping rows one by one. */
const farRows = 1_000

const newestFirst = sql`order by transaction_date desc, id desc`

/** One page; `total` counts the rows of all pages. */
export type TransactionPage = {
  page: number
  perPage: number
  total: number
  rows: TransactionWithRelations[]
}

/** Returns one page of the user's transactions, newest first. Throws Invalid. */
export async function listTransactions(
  owner: Owner,
  draft: Draft<TransactionQuery>,
): Promise<TransactionPage> {
  const { page = 1, per_page: perPage = defaultPageSize, ...filter } = await requireComplete(owner, draft)
  // However large the page number is, the offset must remain a safe integer.
  const offset = Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER - perPage)
  const ids = idsOfPage(owner, filter, { offset, perPage })
  const { rows, counted } = await owner.run({
    rows: withRelations(owner, sql`${transactions.id} in (${ids})`),
    counted: owner.db.all<{ total: number }>(sql`select coalesce(${totalOf(owner, filter)}, 0) as total`),
  })
  return { page, perPage, rows, total: counted[0]?.total ?? 0 }
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

type Slice = { offset: number; perPage: number }

function idsOfPage(owner: Owner, filter: TransactionFilter, slice: Slice): SQL {
  const months = slice.offset >= farRows ? rowsByMonth(owner, filter) : undefined
  return months ? idsFarBack(owner, filter, slice, months) : idsNearby(filterParts(owner, filter), slice)
}

/** Takes from each part as many of its newest rows as this page and those before it could need. */
function idsNearby(parts: SQL[], { offset, perPage }: Slice): SQL {
  const slice = sql`${newestFirst} limit ${perPage} offset ${offset}`
  if (parts.length === 1) return sql`select id from ${transactions} where ${parts[0]} ${slice}`
  const newest = parts.map(
    (part) => sql`
      select * from (select id, transaction_date from ${transactions} where ${part}
                     ${newestFirst} limit ${offset + perPage})`,
  )
  return sql`select id from (${sql.join(newest, sql` union all `)}) ${slice}`
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
