import { addDays, type CalendarDate, daysBetween } from '../dates.ts'
import { formatMoney, type Minor } from '../money.ts'
import type { transactionTypes, weekendShifts } from '../types.ts'
import { payeeStems } from '../words.ts'
import { bookingDay, occurrencesBetween } from './dates.ts'
import { formatRecurrenceRule, type RecurrenceRule } from './rule.ts'

/** A recorded transaction, without a rule of its own unless it `isLinked`. */
export type PastRow = {
  id: number
  accountId: number
  toAccountId: number | null
  categoryId: number | null
  type: (typeof transactionTypes)[number]
  amount: Minor
  date: CalendarDate
  description: string | null
  words: string
  isLinked: boolean
}

/** What rows repeat. `dates` has the occurrences that they are. */
export type Repeating = {
  key: string
  rows: PastRow[]
  dates: CalendarDate[]
  startsOn: CalendarDate
  rrule: string
  weekend: (typeof weekendShifts)[number]
  amount: Minor
  /** In percent. */
  amountTolerance: number
  because: string
}

type Interval = { name: string; days: number; rule: RecurrenceRule }

/** The intervals that are looked for; `days` is their usual length. */
const intervals: Interval[] = [
  { name: 'month', days: 30.4, rule: { frequency: 'MONTHLY', interval: 1 } },
  { name: 'week', days: 7, rule: { frequency: 'WEEKLY', interval: 1 } },
  { name: '2 weeks', days: 14, rule: { frequency: 'WEEKLY', interval: 2 } },
  { name: '4 weeks', days: 28, rule: { frequency: 'WEEKLY', interval: 4 } },
  { name: '3 months', days: 91.3, rule: { frequency: 'MONTHLY', interval: 3 } },
  { name: '2 months', days: 60.9, rule: { frequency: 'MONTHLY', interval: 2 } },
  { name: '6 months', days: 182.6, rule: { frequency: 'MONTHLY', interval: 6 } },
]

/** Rows that repeat, at the least. */
const minRows = 3
/** By how many days a row may be away from its occurrence, but at most a seventh of the interval, so that shopping is no weekly bill. */
const maxDaysAway = 3
/** By how many percent amounts may differ. */
const maxDeviation = 10
/** After so many intervals without a row, the payments have ended. */
const intervalsUntilEnded = 1.5
/** Fewer rows are a coincidence if the payee has others as well, or if they are a day or more away. */
const minRowsAmongOthers = 5
/** How many rows may lie between those that repeat, for each of these. */
const maxBetween = 0.2
/** Only the first words of a text are compared. */
const maxStems = 6

/**
 * Finds the payments that repeat among rows: on one account, of one type, with a word of the payee in common. Each row is
 * in at most one. Linear in the number of rows.
 */
export function findRepeating(rows: readonly PastRow[], today: CalendarDate): Repeating[] {
  const sorted = rows
    .filter(({ date }) => date <= today)
    .sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : a.id - b.id))
  const found = [...groupsOf(sorted)].flatMap(([key, group]) => repeatingIn(key, group, today))
  const taken = new Set<number>()
  return found
    .sort((a, b) => b.rows.length - a.rows.length || (a.key < b.key ? -1 : 1))
    .filter(({ rows: own }) => {
      const isFree = own.every(({ id }) => !taken.has(id))
      if (isFree) for (const { id } of own) taken.add(id)
      return isFree
    })
}

/** The rows by account, type and each word of the payee; transfers by the other account. */
function groupsOf(rows: PastRow[]): Map<string, PastRow[]> {
  const groups = new Map<string, PastRow[]>()
  for (const row of rows) {
    const stems = row.type === 'transfer' ? [String(row.toAccountId)] : [...payeeStems(row.words)]
    for (const stem of stems.slice(0, maxStems)) {
      const key = `${row.accountId} ${row.type} ${stem}`
      const group = groups.get(key)
      if (group) group.push(row)
      else groups.set(key, [row])
    }
  }
  return groups
}

/** What repeats among the rows of a payee: the newest of all, or those of one amount among others. */
function repeatingIn(key: string, group: PastRow[], today: CalendarDate): Repeating[] {
  if (group.length < minRows || group.some(({ isLinked }) => isLinked)) return []
  const isClear = ({ rows, daysAway }: Fit) =>
    rows.length >= minRowsAmongOthers || (rows.length === group.length && daysAway <= rows.length)
  const whole = fitted(key, group, today, isClear)
  if (whole) return [whole]
  const byAmount = Map.groupBy(group, ({ amount }) => amount)
  return [...byAmount].flatMap(([amount, rows]) => fitted(`${key} ${amount}`, rows, today, isClear) ?? [])
}

/** The rule that most of the newest rows fit; undefined if none does. */
function fitted(
  key: string,
  rows: PastRow[],
  today: CalendarDate,
  isClear: (found: Fit) => boolean,
): Repeating | undefined {
  const found = intervals.flatMap(
    (interval) => fitAt(newestAtIntervals(rows, interval), interval, today) ?? [],
  )
  const [best] = found
    .filter(isClear)
    .sort((a, b) => b.rows.length - a.rows.length || a.daysAway - b.daysAway)
  if (!best) return undefined
  const amounts = amountsOf(best.rows)
  return amounts && { ...shownOf(best, amounts), key: `${key} ${best.interval.name}` }
}

/** The newest rows that follow each other at the interval. Few others may lie between: a debit that bounced comes again. */
function newestAtIntervals(rows: PastRow[], { days }: Interval): PastRow[] {
  const slack = 2 * daysAwayOf(days) + 2
  const kept: PastRow[] = rows.slice(-1)
  let between = 0
  for (const row of rows.slice(0, -1).reverse()) {
    const apart = daysBetween(row.date, kept.at(-1)?.date ?? row.date)
    if (apart > days + slack || between > 1 + kept.length * maxBetween) break
    if (apart < days - slack) between++
    else kept.push(row)
  }
  return between > kept.length * maxBetween ? [] : kept.reverse()
}

const daysAwayOf = (interval: number) => Math.min(maxDaysAway, Math.floor(interval / 7))

type Fit = Pick<Repeating, 'rows' | 'dates' | 'weekend'> & {
  interval: Interval
  rule: RecurrenceRule
  daysAway: number
}

/** The days of a rule on which the rows come, with the fewest days between; undefined if there are none. */
function fitAt(rows: PastRow[], interval: Interval, today: CalendarDate): Fit | undefined {
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last || rows.length < minRows) return undefined
  if (daysBetween(last.date, today) > intervalsUntilEnded * interval.days) return undefined
  const most = daysAwayOf(interval.days)
  let best: Fit | undefined
  const [startsOn, until] = [addDays(first.date, -most), addDays(last.date, most)]
  for (const rule of rulesOf(interval.rule, rows)) {
    const dates = occurrencesBetween({ startsOn, rule }, startsOn, until).slice(0, rows.length)
    for (const weekend of ['keep', 'before', 'after'] as const) {
      const away = dates.map((date, nth) =>
        Math.abs(daysBetween(bookingDay(date, weekend), rows[nth]?.date ?? date)),
      )
      if (dates.length < rows.length || away.some((days) => days > most)) continue
      const daysAway = away.reduce((sum, days) => sum + days, 0)
      if (!best || daysAway < best.daysAway) best = { rows, dates, weekend, interval, rule, daysAway }
    }
  }
  return best
}

/** The rules of an interval on the days on which rows came, the last day of the month among them. */
function rulesOf(rule: RecurrenceRule, rows: PastRow[]): RecurrenceRule[] {
  if (rule.frequency === 'WEEKLY') {
    const days = new Set(rows.map(({ date }) => (new Date(date).getUTCDay() + 6) % 7))
    return [...days].map((day) => ({ ...rule, weekdays: [day] }))
  }
  const days = new Set(rows.map(({ date }) => Number(date.slice(8))))
  const isAtEnd = [...days].some((day) => day >= 28)
  return [...[...days].sort((a, b) => a - b), ...(isAtEnd ? [-1] : [])].map((day) => ({
    ...rule,
    monthDays: [day],
  }))
}

type Amounts = { amount: Minor; tolerance: number; least: Minor; most: Minor }

/** The amount of the last two rows, or the median, within whose tolerance all are; undefined if they differ by more. */
function amountsOf(rows: PastRow[]): Amounts | undefined {
  const amounts = rows.map(({ amount }) => amount)
  const [last, before] = [amounts.at(-1), amounts.at(-2)]
  if (last === undefined) return undefined
  if (last === before) return { amount: last, tolerance: 0, least: last, most: last }
  const [least, most] = [Math.min(...amounts) as Minor, Math.max(...amounts) as Minor]
  const middle = amounts.toSorted((a, b) => a - b)[amounts.length >> 1] ?? last
  if (Math.max(most - middle, middle - least) * 100 > middle * maxDeviation) return undefined
  return { amount: middle, tolerance: maxDeviation, least, most }
}

function shownOf({ rows, dates, weekend, rule, interval }: Fit, amounts: Amounts): Omit<Repeating, 'key'> {
  const { amount, tolerance, least, most } = amounts
  const sums = least === most ? formatMoney(amount) : `${formatMoney(least)} to ${formatMoney(most)}`
  const last = dayInWords(rows.at(-1)?.date ?? '')
  return {
    rows,
    dates,
    startsOn: dates[0] ?? '',
    rrule: formatRecurrenceRule(rule),
    weekend,
    amount,
    amountTolerance: tolerance,
    because: `${rows.length} payments of ${sums} ${whenInWords(rule, interval)}, the last on ${last}`,
  }
}

const weekdays = ['Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays', 'Sundays']

function whenInWords(
  { weekdays: [weekday = 0] = [], monthDays: [day = 1] = [], frequency, interval }: RecurrenceRule,
  { name }: Interval,
) {
  const each = interval === 1 ? `each ${name}` : `every ${name}`
  if (frequency === 'WEEKLY') return `around ${weekdays[weekday]}, ${each}`
  return `around the ${day < 0 ? 'last day' : ordinal(day)} of ${interval === 1 ? each : `the month, ${each}`}`
}

function ordinal(day: number): string {
  const ending = day > 3 && day < 21 ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th')
  return `${day}${ending}`
}

const dayInWords = (date: CalendarDate) =>
  new Date(`${date}T00:00:00Z`).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  })
