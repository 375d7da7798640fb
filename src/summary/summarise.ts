import { and, asc, between, eq, ne, type SQL, sql } from 'drizzle-orm'
import type { Owner, Scope } from '../database/owner.ts'
import { requireComplete } from '../database/ownership.ts'
import { accounts, categories, totals, transactions } from '../database/schema.ts'
import {
  type CalendarMonth,
  earliestDate,
  latestDate,
  monthIn,
  monthsOnEarth,
  type Period,
  periodOf,
} from '../shared/dates.ts'
import type { Draft } from '../shared/draft.ts'
import { type Minor, sumOfBalances } from '../shared/money.ts'
import { filterParts } from '../transactions/filter.ts'
import type { PeriodQuery } from './contract.ts'

const accountColumns = {
  id: accounts.id,
  name: accounts.name,
  type: accounts.type,
  startingBalance: accounts.startingBalance,
  balance: accounts.balance,
}

/** Totals are in minor units; those of a range are not bounded. */
export type Summary = {
  totalBalance: Minor
  accounts: Pick<typeof accounts.$inferSelect, keyof typeof accountColumns>[]
  income: bigint
  expense: bigint
  breakdown: { id: number | null; name: string; total: bigint }[]
}

/** Returns the dashboard of a month or a range, by default the current month in the user's time zone. Throws Invalid. */
export async function summarise(owner: Owner, draft: Draft<PeriodQuery>): Promise<Summary> {
  const requested = requestedPeriod(await requireComplete(owner, draft))
  // The user's time zone comes with the results, so every month that may be the current one is read.
  const periods = requested ? [requested] : monthsOnEarth(owner.now).map(wholeMonth)
  const found = await owner.run({
    accounts: owner.db
      .select(accountColumns)
      .from(accounts)
      .where(eq(accounts.userId, owner.id))
      .orderBy(asc(accounts.id)),
    totals: owner.db.all<Total>(totalsOf(owner, periods)),
  })
  const chosen = periods.length === 1 ? periods[0]?.firstMonth : monthIn(found.user.timezone, owner.now)
  const sums = found.totals
    .filter(({ firstMonth }) => firstMonth === chosen)
    .map(({ high, low, ...row }) => ({ ...row, total: BigInt(high) * lowUnits + BigInt(low) }))
  const sumOf = (type: 'income' | 'expense') =>
    sums.reduce((sum, row) => (row.type === type ? sum + row.total : sum), 0n)
  return {
    totalBalance: sumOfBalances(found.accounts.map(({ balance }) => balance)),
    accounts: found.accounts,
    income: sumOf('income'),
    expense: sumOf('expense'),
    breakdown: sums.filter(({ type }) => type === 'expense'),
  }
}

const wholeMonth = (month: CalendarMonth): Period => ({ firstMonth: month, lastMonth: month, cuts: [] })

function requestedPeriod({ month, from, to }: PeriodQuery): Period | undefined {
  if (month) return wholeMonth(month)
  if (!from && !to) return undefined
  return periodOf({ from: from ?? earliestDate, to: to ?? latestDate })
}

/** A total is `high * 2^20 + low`: that of many years may exceed a number's precision, and even SQLite's integers. */
type Total = {
  firstMonth: CalendarMonth
  type: 'income' | 'expense'
  id: number | null
  name: string
  high: number
  low: number
}
const lowBits = 20
const lowUnits = 1n << BigInt(lowBits)

/** The totals of each period, largest first, then by name. */
function totalsOf(owner: Scope, periods: Period[]): SQL {
  const each = periods.map((period) => totalsOfPeriod(owner, period))
  return sql`${sql.join(each, sql` union all `)} order by high desc, low desc, name, id`
}

/**
 * The total of income, and the totals of expenses by category: whole months from kept totals, parts of months from the
 * rows.
 */
function totalsOfPeriod(owner: Scope, { firstMonth, lastMonth, cuts }: Period): SQL {
  const low = sql.raw(`${lowUnits - 1n}`)
  const shift = sql.raw(`${lowBits}`)
  const kept = and(
    eq(totals.userId, owner.id),
    between(totals.month, firstMonth, lastMonth),
    ne(totals.type, 'transfer'),
  )
  const rows = cuts.map(
    (span) => sql`
      union all select type, coalesce(category_id, 0), amount from ${transactions}
       where ${and(...filterParts(owner, span), ne(transactions.type, 'transfer'))}`,
  )
  return sql`
    select ${firstMonth} as firstMonth, entry.type,
           ${categories.id} as id, coalesce(${categories.name}, 'Uncategorized') as name,
           sum(total >> ${shift}) + (sum(total & ${low}) >> ${shift}) as high, sum(total & ${low}) & ${low} as low
      from (select type, category_id, total from ${totals} where ${kept} ${sql.join(rows)}) entry
      left join ${categories} on entry.type = 'expense' and ${categories.id} = entry.category_id
                             and ${categories.userId} is not null
     group by entry.type, ${categories.id}`
}
