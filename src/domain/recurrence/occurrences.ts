import { addDays, type CalendarDate, daysBetween, isCalendarDate, type Span } from '../dates.ts'
import type { Minor } from '../money.ts'
import type { occurrenceStates, weekendShifts } from '../types.ts'
import { bookingDay, occurrences, occurrencesBetween, type Schedule } from './dates.ts'

/** For so many days from its booking day, an occurrence that is not recorded is due; then it is missed. */
export const dueDays = 62
/** By how many days a booking may be away from its occurrence. */
export const maxDaysMoved = 62
/** By how many days a transaction that may be an occurrence may be away from its booking day. */
export const maxPossibleDays = 3

/** The most exceptions of a rule, not counting those that are older than what is due. */
export const maxExceptions = 100
/** The most that it keeps: deleted transactions skip their occurrences beyond that. */
export const maxKeptExceptions = 200

/** The differences of one occurrence from its rule. */
export type Exception = {
  skip?: boolean
  amount?: Minor
  transaction_date?: CalendarDate
  description?: string
}
export type Exceptions = Record<CalendarDate, Exception>

/** Reads stored exceptions, without those that cannot be read. */
export function storedExceptions(json: string): Exceptions {
  try {
    const stored = Object.entries((JSON.parse(json) ?? {}) as Exceptions)
    return Object.fromEntries(stored.filter(([date, one]) => isCalendarDate(date) && isObject(one)))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return {}
  }
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null

/** An exception without the fields that say nothing, in a fixed order; null if none is left. */
export function exceptionOf(
  fields: {
    [Name in keyof Exception]: Exception[Name] | null
  },
): Exception | null {
  const { skip, amount, transaction_date, description } = fields
  const said = Object.entries({ skip, amount, transaction_date, description }).filter(
    ([, value]) => value != null && value !== false,
  )
  return said.length > 0 ? Object.fromEntries(said) : null
}

/** The exceptions after changes by date, null for none, without those that are so old that nothing reads them. */
export function withExceptions(
  exceptions: Exceptions,
  changes: Record<CalendarDate, Exception | null>,
  today: CalendarDate,
): Exceptions {
  const oldest = addDays(today, -dueDays - maxDaysMoved)
  const kept = Object.entries(exceptions).filter(([date]) => !(date in changes) && date >= oldest)
  const changed = Object.entries(changes).flatMap(([date, one]): [string, Exception][] =>
    one ? [[date, one]] : [],
  )
  return Object.fromEntries([...kept, ...changed].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The exceptions after a change of all occurrences from one on: what it sets no longer differs in the first of them. */
export function exceptionsAfter(
  exceptions: Exceptions,
  { from, set, today }: { from: CalendarDate; set: object; today: CalendarDate },
): Exceptions {
  const kept = Object.entries(exceptions[from] ?? {}).filter(([field]) => !(field in set))
  return withExceptions(exceptions, { [from]: exceptionOf(Object.fromEntries(kept)) }, today)
}

/** The properties of a rule from which its occurrences are computed. */
export type Occurring = Schedule & {
  weekend: (typeof weekendShifts)[number]
  paused: boolean
  /** Occurrences that are booked earlier are neither due nor recorded by the job. */
  openFrom: CalendarDate
  exceptions: Exceptions
}

/** An occurrence of a rule: its date, which identifies it, and the day of its booking. */
export type Occurrence = { date: CalendarDate; day: CalendarDate; exception: Exception }

/** True for the dates of occurrences that are recorded. */
export type IsRecorded = (date: CalendarDate) => boolean

export function occurrenceOn(rule: Occurring, date: CalendarDate): Occurrence {
  const exception = rule.exceptions[date] ?? {}
  return { date, day: exception.transaction_date ?? bookingDay(date, rule.weekend), exception }
}

/** The occurrences that are booked within a span of days, in the order of their dates. */
export function bookedIn(rule: Occurring, { from, to }: Span): Occurrence[] {
  const found: Occurrence[] = []
  for (const date of occurrences(rule, addDays(from, -maxDaysMoved))) {
    if (date > addDays(to, maxDaysMoved)) break
    const one = occurrenceOn(rule, date)
    if (one.day >= from && one.day <= to) found.push(one)
  }
  return found
}

/** The open occurrences up to a day: those due today, and upcoming ones. A paused rule has none. */
export function openUntil(
  rule: Occurring,
  isRecorded: IsRecorded,
  today: CalendarDate,
  to = today,
): Occurrence[] {
  const from = earliestDue(rule, today)
  return rule.paused ? [] : bookedIn(rule, { from, to }).filter((one) => isOpen(one, isRecorded))
}

/** An occurrence with what has become of it. */
export type StatedOccurrence = Occurrence & { state: (typeof occurrenceStates)[number]; daysLate: number }

/** The occurrences that are due today, and all that are booked from today to a day. A paused rule has none. */
export function statedOccurrences(
  rule: Occurring,
  isRecorded: IsRecorded,
  { from: today, to }: Span,
): StatedOccurrence[] {
  if (rule.paused) return []
  const late = openUntil(rule, isRecorded, today, addDays(today, -1))
  const ahead = bookedIn(rule, { from: today, to }).filter(({ day }) => day >= rule.openFrom)
  return [...late, ...ahead].map((one) => {
    const unrecorded = one.exception.skip ? 'skipped' : one.day <= today ? 'due' : 'upcoming'
    const state = isRecorded(one.date) ? 'recorded' : unrecorded
    return { ...one, state, daysLate: state === 'due' ? daysBetween(one.day, today) : 0 }
  })
}

/** True for an occurrence that is neither recorded nor skipped. */
export const isStillOpen = ({ state }: { state: (typeof occurrenceStates)[number] }): boolean =>
  state === 'due' || state === 'upcoming'

/** The date of the first open occurrence; null if there is none. */
export function nextOpen(rule: Occurring, isRecorded: IsRecorded, today: CalendarDate): CalendarDate | null {
  const from = earliestDue(rule, today)
  if (rule.paused) return null
  for (const date of occurrences(rule, addDays(from, -maxDaysMoved))) {
    const one = occurrenceOn(rule, date)
    if (one.day >= from && isOpen(one, isRecorded)) return date
  }
  return null
}

/** The first day after `today` on which an occurrence is booked; null if there is none. */
export function nextBookingAfter(rule: Occurring, today: CalendarDate): CalendarDate | null {
  let next: CalendarDate | null = null
  for (const date of occurrences(rule, addDays(today, 1 - maxDaysMoved))) {
    if (next && date > addDays(next, maxDaysMoved)) break
    const { day, exception } = occurrenceOn(rule, date)
    if (!exception.skip && day > today && (!next || day < next)) next = day
  }
  return next
}

/** `maxPossibleDays`, but never beyond half the interval of the rule, so that a transaction may be few of its occurrences. */
export function possibleDays(rule: Schedule, today: CalendarDate): number {
  return Math.min(maxPossibleDays, halfInterval(rule, { from: addDays(today, -dueDays), to: today }))
}

/** Half the shortest interval between the dates of a rule about a span of days, rounded down; infinite if there is none. */
export function halfInterval(rule: Schedule, { from, to }: Span): number {
  const dates = occurrencesBetween(rule, addDays(from, -maxDaysMoved), addDays(to, maxDaysMoved))
  const intervals = dates.slice(1).map((date, nth) => daysBetween(dates[nth] ?? date, date))
  return Math.min(...intervals.map((days) => Math.floor(days / 2)))
}

const isOpen = ({ date, exception }: Occurrence, isRecorded: IsRecorded) =>
  !exception.skip && !isRecorded(date)

function earliestDue({ openFrom }: Occurring, today: CalendarDate): CalendarDate {
  const from = addDays(today, -dueDays)
  return openFrom > from ? openFrom : from
}
