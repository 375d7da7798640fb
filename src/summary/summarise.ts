import { and, asc, between, eq, ne, type SQL, sql } from 'drizzle-orm'
import type { Owner, UserScope } from '../database/owner.ts'
import { requireComplete } from '../database/ownership.ts'
import { accounts, categories, totals, transactions } from '../database/schema.ts'
import { exactSum, type WideSum, wideSum } from '../database/wide-sums.ts'
import {
  type CalendarDate,
  type CalendarMonth,
  datesBetween,
  monthIn,
  monthsOnEarth,
  type Period,
  periodOf,
  type Span,
} from '../domain/dates.ts'
import { type Minor, sumOfBalances } from '../domain/money.ts'
import type { Draft } from '../failures/draft.ts'
import { filterParts } from '../transactions/filter.ts'
import { daysOfPeriod, type PeriodQuery } from './contract.ts'

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
  /** Every day of the period; none unless requested. */
  days: { date: CalendarDate; income: bigint; expense: bigint }[]
}

/** Returns the dashboard of a month or a range, by default the current month in the user's time zone. Throws Invalid. */
export async function summarise(owner: Owner, draft: Draft<PeriodQuery>): Promise<Summary> {
  const query = await requireComplete(owner, draft)
  // The user's time zone comes with the results, so every month that may be the current one is read.
  const spans = monthsOnEarth(owner.now).map((current) => daysOfPeriod(query, current))
  const [first, last = first] = spans as [Span, Span?]
  const periods = (first.from === last.from ? [first] : spans).map(periodOf)
  const found = await owner.run({
    accounts: owner.db
      .select(accountColumns)
      .from(accounts)
      .where(eq(accounts.userId, owner.id))
      .orderBy(asc(accounts.id)),
    totals: owner.db.all<Total>(totalsOf(owner, periods)),
    days: query.daily
      ? [owner.db.all<TotalOfDay>(totalsOfDays(owner, { from: first.from, to: last.to }))]
      : [],
  })
  const chosen = daysOfPeriod(query, monthIn(found.user.timezone, owner.now))
  const { firstMonth } = periodOf(chosen)
  const sums = found.totals
    .filter((row) => row.firstMonth === firstMonth)
    .map((row) => ({ ...row, total: exactSum(row) }))
  const sumOf = (type: 'income' | 'expense') =>
    sums.reduce((sum, row) => (row.type === type ? sum + row.total : sum), 0n)
  return {
    totalBalance: sumOfBalances(found.accounts.map(({ balance }) => balance)),
    accounts: found.accounts,
    income: sumOf('income'),
    expense: sumOf('expense'),
    breakdown: sums.filter(({ type }) => type === 'expense'),
    days: found.days.flatMap((rows) => everyDay(chosen, rows)),
  }
}

type TotalOfDay = WideSum & { date: CalendarDate; type: 'income' | 'expense' }

function totalsOfDays(owner: UserScope, span: Span): SQL {
  const rows = and(...filterParts(owner, span), ne(transactions.type, 'transfer'))
  return sql`
    select transaction_date as date, type, ${wideSum(sql`amount`)}
      from ${transactions} where ${rows} group by transaction_date, type`
}

function everyDay(span: Span, rows: TotalOfDay[]) {
  const sums = new Map(rows.map((row) => [`${row.date} ${row.type}`, exactSum(row)]))
  return datesBetween(span).map((date) => ({
    date,
    income: sums.get(`${date} income`) ?? 0n,
    expense: sums.get(`${date} expense`) ?? 0n,
  }))
}

type Total = WideSum & {
  firstMonth: CalendarMonth
  type: 'income' | 'expense'
  id: number | null
  name: string
}

/** The totals of each period, largest first, then by name. */
function totalsOf(owner: UserScope, periods: Period[]): SQL {
  const each = periods.map((period) => totalsOfPeriod(owner, period))
  return sql`${sql.join(each, sql` union all `)} order by high desc, low desc, name, id`
}

/**
 * The total of income, and the totals of expenses by category: whole months from kept totals, parts of months from the
 * rows.
 */
function totalsOfPeriod(owner: UserScope, { firstMonth, lastMonth, cuts }: Period): SQL {
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
           ${wideSum(sql`total`)}
      from (select type, category_id, total from ${totals} where ${kept} ${sql.join(rows)}) entry
      left join ${categories} on entry.type = 'expense' and ${categories.id} = entry.category_id
                             and ${categories.userId} is not null
     group by entry.type, ${categories.id}`
}
