import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm'
import type { Owner } from '../database/owner.ts'
import { requireComplete } from '../database/ownership.ts'
import { accounts, totals, transactions } from '../database/schema.ts'
import { exactSum, type WideSum, wideSum } from '../database/wide-sums.ts'
import {
  addDays,
  addMonths,
  type CalendarDate,
  dateIn,
  daysOnEarth,
  lastDayOf,
  monthOf,
  type Span,
} from '../shared/dates.ts'
import type { Draft } from '../shared/draft.ts'
import { filterParts } from '../transactions/filter.ts'
import { type BalancesQuery, datesOfReport, daysOfReport } from './contract.ts'
import { limitFigures, requireFigures } from './figures.ts'

/** Balances at the end of a day, in minor units. Unlike those of today, they are not bounded. */
export type Point = { date: CalendarDate; balances: Map<number, bigint> }

/**
 * Returns the balances of each account, or of one, at the end of days, weeks or months, by default up to today in the
 * user's time zone. They are those of now without what moved later: whole months from kept totals, and with days and weeks
 * the rows of the range and of the rest of its last month. Throws Invalid.
 */
export async function reportBalances(owner: Owner, draft: Draft<BalancesQuery>): Promise<Point[]> {
  const query = await requireComplete(owner, draft)
  // The user's time zone comes with the results, so the days of all time zones are read.
  const today = daysOnEarth(owner.now)
  const days = { from: daysOfReport(query, today.from).from, to: daysOfReport(query, today.to).to }
  const ofAccount = query.account_id === undefined ? undefined : eq(accounts.id, query.account_id)
  const found = await owner.run({
    accounts: owner.db
      .select({ id: accounts.id, balance: accounts.balance })
      .from(accounts)
      .where(and(eq(accounts.userId, owner.id), ofAccount))
      .orderBy(asc(accounts.id)),
    movements: owner.db.all<Movement>(movementsSince(owner, query, days)),
  })
  const dates = datesOfReport(query, dateIn(found.user.timezone, owner.now))
  requireFigures(Math.max(found.movements.length, found.accounts.length * dates.length))
  return pointsAt(dates, found.accounts, found.movements)
}

/** The sum of movements of an account in a month or, if `at` is a date, on a day. */
type Movement = WideSum & { at: string; accountId: number }

/** Everything that moved after the first of the days, the latest first. */
function movementsSince(owner: Owner, { every, account_id }: BalancesQuery, { from, to }: Span): SQL {
  const lastMonth = monthOf(to)
  const isMonthly = every === 'month'
  const kept = and(eq(totals.userId, owner.id), gt(totals.month, isMonthly ? monthOf(from) : lastMonth))
  const filter = { account_id, from: addDays(from, 1), to: lastDayOf(lastMonth) }
  const rows = (isMonthly ? [] : filterParts(owner, filter)).map(
    (part) => sql`
      union all select transaction_date, type, amount, account_id, coalesce(to_account_id, 0)
        from ${transactions} where ${part}`,
  )
  const accountId = sql`iif(is_destination, to_account_id, account_id)`
  return sql`
    select at, ${accountId} as accountId, ${wideSum(sql`iif(is_destination or type = 'income', amount, -amount)`)}
      from (select min(month, ${addMonths(lastMonth, 1)}) as at, type, total as amount, account_id, to_account_id
              from ${totals} where ${kept} ${sql.join(rows)})
      join (select 0 as is_destination union all select 1)
     where ${accountId} ${account_id === undefined ? sql`<> 0` : sql`= ${account_id}`}
     group by 1, 2 order by at desc ${limitFigures}`
}

/** Goes back from the balances of now. A month (`2026-11`) sorts after all days of the month before. */
function pointsAt(dates: CalendarDate[], now: { id: number; balance: number }[], movements: Movement[]) {
  const balances = new Map(now.map(({ id, balance }) => [id, BigInt(balance)]))
  let next = 0
  const latestFirst = dates.toReversed().map((date) => {
    for (let one = movements[next]; one && one.at > date; one = movements[++next])
      balances.set(one.accountId, (balances.get(one.accountId) ?? 0n) - exactSum(one))
    return { date, balances: new Map(balances) }
  })
  return latestFirst.reverse()
}
