import {
  addDays,
  type CalendarDate,
  datesBetween,
  lastDayOf,
  monthOf,
  monthsBetween,
  type Span,
} from '../dates.ts'
import type { reportIntervals } from '../types.ts'

/** A change of an account's balance on a day, in minor units. */
type Movement<Account> = { account: Account; day: CalendarDate; amount: bigint }

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

/** A transaction as far as it moves balances, on its day. */
export type Moved<Account> = {
  day: CalendarDate
  type: string
  account: Account
  toAccount: Account | null
  amount: bigint
}

/** What a forecast is made of. */
type Sources<Account, Expected> = {
  /** Of the accounts that it shows, with all their transactions, even those after today. */
  balances: ReadonlyMap<Account, bigint>
  /** The transactions after today. */
  future: (Moved<Account> & { isOccurrence: boolean })[]
  /** The open occurrences up to its last day. What is due counts tomorrow. */
  expected: Expected[]
}

/** The balances from the first day of a span, which is today, to its last. */
export function forecastOf<Account, Expected extends Moved<Account>>(
  span: Span,
  every: (typeof reportIntervals)[number],
  { balances, future, expected: all }: Sources<Account, Expected>,
) {
  const { from: today, to } = span
  const touches = ({ account, toAccount }: Moved<Account>) =>
    balances.has(account) || (toAccount !== null && balances.has(toAccount))
  const expected = all.filter(touches)
  const moved = future.flatMap(movementsOf)
  const ahead = expected.flatMap((one) =>
    movementsOf({ ...one, day: one.day > today ? one.day : addDays(today, 1) }),
  )
  const current = new Map(balances)
  for (const { account, amount } of moved) {
    const balance = current.get(account)
    if (balance !== undefined) current.set(account, balance - amount)
  }
  return {
    ...forecastBalances(span, every, current, [...moved, ...ahead]),
    due: expected.filter(({ day }) => day <= today),
    expected: expected.length,
    recordedAhead: future.filter((row) => row.isOccurrence && row.day <= to && touches(row)).length,
  }
}

/** Adds the movements after today to the balances at the end of today. */
function forecastBalances<Account>(
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
function movementsOf<Account>({
  day,
  type,
  account,
  toAccount,
  amount,
}: Moved<Account>): Movement<Account>[] {
  const own = { account, day, amount: type === 'income' ? amount : -amount }
  return toAccount === null ? [own] : [own, { account: toAccount, day, amount }]
}
