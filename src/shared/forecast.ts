import {
  addDays,
  type CalendarDate,
  datesBetween,
  lastDayOf,
  monthOf,
  monthsBetween,
  type Span,
} from './dates.ts'
import type { reportIntervals } from './types.ts'

/** A change of an account's balance on a day, in minor units. */
export type Movement<Account> = { account: Account; day: CalendarDate; amount: bigint }

/** Balances at the end of a day. */
export type ForecastPoint<Account> = { date: CalendarDate; balances: Map<Account, bigint> }

/** The lowest balance of an account at the end of a day, and the first such day. */
export type LowestPoint<Account> = { account: Account; date: CalendarDate; balance: bigint }

/** The dates of a forecast's points: today, the ends of days, weeks or months, and the last day. */
export function forecastDates({ from, to }: Span, every: (typeof reportIntervals)[number]): CalendarDate[] {
  const dates =
    every === 'month'
      ? monthsBetween(monthOf(from), monthOf(to)).map(lastDayOf)
      : weeksOrDays({ from, to }, every)
  return [...new Set([from, ...dates.filter((date) => date > from && date < to), to])]
}

function weeksOrDays({ from, to }: Span, every: 'day' | 'week'): CalendarDate[] {
  const days = datesBetween({ from, to })
  return every === 'day' ? days : days.filter((_, nth) => nth % 7 === 0)
}

/** Adds the movements after today to the balances at the end of today. */
export function forecastBalances<Account>(
  span: Span,
  every: (typeof reportIntervals)[number],
  today: ReadonlyMap<Account, bigint>,
  movements: Movement<Account>[],
): { points: ForecastPoint<Account>[]; lowest: LowestPoint<Account>[] } {
  const byDay = Map.groupBy(movements, ({ day }) => day)
  const shown = new Set(forecastDates(span, every))
  const balances = new Map(today)
  const lowest = new Map(
    [...today].map(([account, balance]) => [account, { account, date: span.from, balance }]),
  )
  const points: ForecastPoint<Account>[] = []
  for (let date = span.from; date <= span.to; date = addDays(date, 1)) {
    for (const { account, amount } of date > span.from ? (byDay.get(date) ?? []) : []) {
      const balance = balances.get(account)
      if (balance !== undefined) balances.set(account, balance + amount)
    }
    for (const [account, balance] of balances) {
      const before = lowest.get(account)
      if (before && balance < before.balance) lowest.set(account, { account, date, balance })
    }
    if (shown.has(date)) points.push({ date, balances: new Map(balances) })
  }
  return { points, lowest: [...lowest.values()] }
}

/** The movements of a transaction, one for each of its accounts. */
export function movementsOf<Account>(
  day: CalendarDate,
  {
    type,
    account,
    toAccount,
    amount,
  }: { type: string; account: Account; toAccount: Account | null; amount: bigint },
): Movement<Account>[] {
  const own = { account, day, amount: type === 'income' ? amount : -amount }
  return toAccount === null ? [own] : [own, { account: toAccount, day, amount }]
}
