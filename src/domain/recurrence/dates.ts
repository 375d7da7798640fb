import { addDays, type CalendarDate, dayMs, earliestDate, latestDate } from '../dates.ts'
import type { weekendShifts } from '../types.ts'
import type { RecurrenceRule } from './rule.ts'

/*
 * The dates of recurring transactions. A day that a month does not have falls on its last one (RFC 7529, SKIP=BACKWARD),
 * and every date is computed from the first day, never from the date before.
 */

/** A rule and the day from which it holds. */
export type Schedule = { startsOn: CalendarDate; rule: RecurrenceRule }

/** The dates from a day on, in order, up to the latest possible one. */
export function* occurrences({ startsOn, rule }: Schedule, from = startsOn): Generator<CalendarDate> {
  const [first, wanted] = [dayNumber(startsOn), dayNumber(from)]
  const last = dayNumber(rule.until && rule.until < latestDate ? rule.until : latestDate)
  const periods = periodsOf(rule, first)
  let found = 0
  // Without a COUNT, the dates before `from` need not be computed.
  for (let nth = rule.count ? 0 : Math.max(0, periods.nthOf(wanted)); periods.firstDay(nth) <= last; nth++) {
    for (const day of periods.days(nth)) {
      if (day < first) continue
      if (day > last || found === rule.count) return
      found++
      if (day >= wanted) yield dateOf(day)
    }
  }
}

/** The dates from one day to another, both included. */
export function occurrencesBetween(schedule: Schedule, from: CalendarDate, to: CalendarDate): CalendarDate[] {
  const dates: CalendarDate[] = []
  for (const date of occurrences(schedule, from)) {
    if (date > to) break
    dates.push(date)
  }
  return dates
}

/** The first date on a day or after it, by default of all; null if there is none. */
export function nextOccurrence(schedule: Schedule, from?: CalendarDate): CalendarDate | null {
  return occurrences(schedule, from).next().value ?? null
}

export function isOccurrence(schedule: Schedule, date: CalendarDate): boolean {
  return nextOccurrence(schedule, date) === date
}

/** Returns a function that tells whether a date is one of the schedule, quickly for many dates. */
export function datesOf(schedule: Schedule): (date: CalendarDate) => boolean {
  if (!schedule.rule.count) return (date) => isOccurrence(schedule, date)
  const dates = new Set(occurrences(schedule))
  return (date) => dates.has(date)
}

/** The rule without its dates from a day on. */
export function endedBefore({ count: _, ...rule }: RecurrenceRule, from: CalendarDate): RecurrenceRule {
  const until = addDays(from, -1)
  return { ...rule, until: rule.until && rule.until < until ? rule.until : until }
}

/** The rule with the dates of a schedule from one of them on, if it holds from that one. */
export function continuedFrom(schedule: Schedule, from: CalendarDate): RecurrenceRule {
  const { count, ...rule } = withDays(schedule)
  if (!count) return rule
  return { ...rule, count: count - occurrencesBetween(schedule, schedule.startsOn, addDays(from, -1)).length }
}

/** The rule with the days written out that it otherwise takes from its first day. */
function withDays({ startsOn, rule }: Schedule): RecurrenceRule {
  const { frequency } = rule
  if (rule.weekdays || rule.nthWeekday || rule.isLastWorkday || rule.monthDays || frequency === 'DAILY')
    return rule
  if (frequency === 'WEEKLY') return { ...rule, weekdays: [weekdayOf(dayNumber(startsOn))] }
  const [, month = 1, day = 1] = startsOn.split('-').map(Number)
  return { ...rule, monthDays: [day], ...(frequency === 'YEARLY' && { months: [month] }) }
}

/** The days, weeks, months or years of a rule, counted from that of its first day. */
type Periods = {
  firstDay: (nth: number) => number
  /** The period of a day, or the one before it if the day is between two. */
  nthOf: (day: number) => number
  /** The days of the dates in a period, in order. */
  days: (nth: number) => number[]
}

function periodsOf(rule: RecurrenceRule, first: number): Periods {
  const { frequency, interval } = rule
  const complete = withDays({ startsOn: dateOf(first), rule })
  if (frequency === 'DAILY' || frequency === 'WEEKLY') {
    const [start, length] =
      frequency === 'DAILY' ? [first, interval] : [first - weekdayOf(first), 7 * interval]
    const firstDay = (nth: number) => start + nth * length
    return {
      firstDay,
      nthOf: (day) => Math.floor((day - start) / length),
      days: (nth) => (complete.weekdays ?? [0]).map((day) => firstDay(nth) + day),
    }
  }
  const months = frequency === 'MONTHLY' ? 1 : 12
  const start = monthOf(first) - (monthOf(first) % months)
  const month = (nth: number) => start + nth * interval * months
  return {
    firstDay: (nth) => firstDayOf(month(nth)),
    nthOf: (day) => Math.floor((monthOf(day) - start) / (interval * months)),
    days: (nth) => daysIn(complete, month(nth), months),
  }
}

/** The days of a rule in a month, or in the twelve of a year. */
function daysIn(rule: RecurrenceRule, month: number, months: number): number[] {
  const [first, last] = [firstDayOf(month), firstDayOf(month + months) - 1]
  if (rule.isLastWorkday) return [last - Math.max(0, weekdayOf(last) - 4)]
  if (rule.nthWeekday) {
    const { nth, weekday } = rule.nthWeekday
    const firstOne = first + ((weekday - weekdayOf(first) + 7) % 7)
    const lastOne = last - ((weekdayOf(last) - weekday + 7) % 7)
    const day = nth > 0 ? firstOne + 7 * (nth - 1) : lastOne + 7 * (nth + 1)
    return day < first || day > last ? [] : [day]
  }
  const ofYear = rule.months ?? [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
  return (months === 1 ? [1] : ofYear).flatMap((one) => daysOfMonth(rule.monthDays ?? [], month + one - 1))
}

/** The days of a month, each once: those beyond its end are its last. */
function daysOfMonth(monthDays: number[], month: number): number[] {
  const [first, last] = [firstDayOf(month), firstDayOf(month + 1) - 1]
  const days = monthDays.map((day) => (day < 0 ? last : Math.min(first + day - 1, last)))
  return [...new Set(days)].sort((a, b) => a - b)
}

/** Days since 1970. */
const dayNumber = (date: CalendarDate) => Date.parse(`${date}T00:00:00Z`) / dayMs
const dateOf = (day: number): CalendarDate => new Date(day * dayMs).toISOString().slice(0, 10)
/** 0 for Monday. */
const weekdayOf = (day: number) => (((day + 3) % 7) + 7) % 7
/** Months since January 1900. */
const monthOf = (day: number) => {
  const date = new Date(day * dayMs)
  return (date.getUTCFullYear() - 1900) * 12 + date.getUTCMonth()
}
const firstDayOf = (month: number) => Date.UTC(1900, month) / dayMs

/** The day on which an occurrence is booked. */
export function bookingDay(date: CalendarDate, weekend: (typeof weekendShifts)[number]): CalendarDate {
  const daysAfterFriday = weekdayOf(dayNumber(date)) - 4
  if (weekend === 'keep' || daysAfterFriday < 1) return date
  const day = addDays(date, weekend === 'before' ? -daysAfterFriday : 3 - daysAfterFriday)
  return day < earliestDate || day > latestDate ? date : day
}
