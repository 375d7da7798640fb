import { and, asc, between, eq, gt, type SQL, sql } from 'drizzle-orm'
import type { Owner } from '../database/owner.ts'
import { requireComplete } from '../database/ownership.ts'
import { accounts, totals, transactions } from '../database/schema.ts'
import { exactSum, partialSum, sumOfParts, type WideSum } from '../database/wide-sums.ts'
import {
  addDays,
  addMonths,
  type CalendarDate,
  type CalendarMonth,
  dateIn,
  daysOnEarth,
  lastDayOf,
  monthOf,
  type Span,
} from '../domain/dates.ts'
import type { Draft } from '../failures/draft.ts'
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
  const days = { from: addDays(from, 1), to: lastDayOf(lastMonth) }
  const parts =
    every === 'month'
      ? [movementsOfMonths(owner, account_id, monthOf(from), lastMonth)]
      : [
          movementsOfMonths(owner, account_id, lastMonth, lastMonth),
          movementsOfDays(owner, account_id, days, 'source'),
          movementsOfDays(owner, account_id, days, 'destination'),
        ]
  return sql`
    select at, accountId, ${sumOfParts} from (${sql.join(parts, sql` union all `)})
     group by 1, 2 order by at desc ${limitFigures}`
}

/** The kept totals of the months after one; those after `last` are all of the month after it. */
function movementsOfMonths(owner: Owner, id: number | undefined, after: CalendarMonth, last: CalendarMonth) {
  const accountId = sql`iif(is_destination, to_account_id, account_id)`
  return sql`
    select min(month, ${addMonths(last, 1)}) as at, ${accountId} as accountId,
           ${partialSum(sql`iif(is_destination or type = 'income', total, -total)`)}
      from ${totals} join (select 0 as is_destination union all select 1)
     where ${and(eq(totals.userId, owner.id), gt(totals.month, after))}
       and ${accountId} ${id === undefined ? sql`<> 0` : sql`= ${id}`}
     group by 1, 2`
}

/** The rows of some days by one of their accounts, read in the order of its index, and by their source from it alone. */
function movementsOfDays(
  owner: Owner,
  id: number | undefined,
  { from, to }: Span,
  side: 'source' | 'destination',
) {
  const { accountId, toAccountId, transactionDate, type, amount } = transactions
  const [own, other] = side === 'source' ? [accountId, toAccountId] : [toAccountId, accountId]
  const moved = side === 'source' ? sql`iif(${type} = 'income', ${amount}, -${amount})` : sql`${amount}`
  return sql`
    select transaction_date, ${accounts.id}, ${partialSum(moved)}
      from ${accounts} cross join ${transactions} on ${own} = ${accounts.id}
     where ${and(
       eq(accounts.userId, owner.id),
       id === undefined ? undefined : eq(accounts.id, id),
       between(transactionDate, from, to),
       // Rows of a deleted account disappear at once (live-accounts.ts).
       sql`(${other} is null or ${other} not in (select id from accounts where former_user_id = ${owner.id}))`,
     )}
     group by ${accounts.id}, transaction_date`
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
