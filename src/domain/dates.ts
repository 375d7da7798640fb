/** `YYYY-MM-DD`, without a time zone. */
export type CalendarDate = string
/** `YYYY-MM`. */
export type CalendarMonth = string

export const earliestDate: CalendarDate = '1900-01-01'
export const latestDate: CalendarDate = '2100-12-31'

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** True for dates that exist: 2024-02-29, but not 2023-02-29. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  // Date takes 2023-02-29 for 2023-03-01.
  return new Date(`${text}T00:00:00Z`).getUTCDate() === Number(text.slice(8))
}

/** True for a date that a transaction may have. */
export const isPossibleDate = (text: string): boolean =>
  isCalendarDate(text) && text >= earliestDate && text <= latestDate

/** The date `days` later, or earlier if negative. */
export function addDays(date: CalendarDate, days: number): CalendarDate {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10)
}

/** For an unknown time zone. */
export const daysBetween = (from: CalendarDate, to: CalendarDate): number =>
  (Date.parse(to) - Date.parse(from)) / dayMs

export const fallbackTimezone = 'UTC'

/** True for an IANA time zone that this runtime knows, such as `Europe/Paris` or `UTC`. */
export function isTimeZone(name: string): boolean {
  // Intl also accepts offsets such as +02:00, which are not IANA names.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** The date at `instant` in `timeZone` (an IANA name). */
export function dateIn(timeZone: string, instant: Date): CalendarDate {
  return new Date(wallClock(timeZone, instant.getTime())).toISOString().slice(0, 10)
}

/** The month at `instant` in `timeZone`. */
export function monthIn(timeZone: string, instant: Date): CalendarMonth {
  return monthOf(dateIn(timeZone, instant))
}

export function monthOf(date: CalendarDate): CalendarMonth {
  return date.slice(0, 7)
}

export function lastDayOf(month: CalendarMonth): CalendarDate {
  const day = new Date(`${month}-01T00:00:00Z`)
  day.setUTCMonth(day.getUTCMonth() + 1, 0)
  return day.toISOString().slice(0, 10)
}

/** The month `months` later, or earlier if negative. */
export function addMonths(month: CalendarMonth, months: number): CalendarMonth {
  const day = new Date(`${month}-01T00:00:00Z`)
  day.setUTCMonth(day.getUTCMonth() + months)
  return monthOf(day.toISOString())
}

/** The dates from one to another, both included, `step` days apart and counted back from the last; the earliest first. */
export function datesBetween({ from, to }: Span, step = 1): CalendarDate[] {
  const dates: CalendarDate[] = []
  for (let date = to; date >= from; date = addDays(date, -step)) dates.unshift(date)
  return dates
}

/** The months from one to another, both included. */
export function monthsBetween(first: CalendarMonth, last: CalendarMonth): CalendarMonth[] {
  const months: CalendarMonth[] = []
  for (let month = first; month <= last; month = addMonths(month, 1)) months.push(month)
  return months
}

/** The days from one to the other, both included; none if the two are in the wrong order. */
export type Span = { from: CalendarDate; to: CalendarDate }

/** The part of a span that lies within the dates allowed for transactions. */
export function possibleDays({ from, to }: Span): Span {
  return { from: from < earliestDate ? earliestDate : from, to: to > latestDate ? latestDate : to }
}

/**
 * The next `to` of a search that has read the newest rows of a span, back to the day `oldest`; null at the end of the span.
 * Always before `to`, so that a search gets past a day with more rows than it reads.
 */
export function dayToContinueFrom(oldest: CalendarDate, { from, to }: Span): CalendarDate | null {
  if (oldest < to) return oldest
  return from < to ? addDays(to, -1) : null
}

/** A span as whole months (none if `firstMonth` is after `lastMonth`) and the partial months at its ends. */
export type Period = { firstMonth: CalendarMonth; lastMonth: CalendarMonth; cuts: Span[] }

/** Divides a span into whole months and at most two parts of months, at its ends. */
export function periodOf({ from, to }: Span): Period {
  const [first, last] = [monthOf(from), monthOf(to)]
  const cutsFirst = !from.endsWith('-01')
  const cutsLast = to !== lastDayOf(last)
  // If the span is empty, so is the range of whole months: `firstMonth` comes after `lastMonth`.
  const firstMonth = cutsFirst ? monthOf(addDays(lastDayOf(first), 1)) : first
  const lastMonth = cutsLast ? monthOf(addDays(`${last}-01`, -1)) : last
  const head = cutsFirst ? [{ from, to: lastDayOf(first) }] : []
  const tail = cutsLast ? [{ from: `${last}-01`, to }] : []
  const isWithinOneMonth = first === last && (cutsFirst || cutsLast)
  const cuts = isWithinOneMonth ? [{ from, to }] : [...head, ...tail]
  return { firstMonth, lastMonth, cuts: from > to ? [] : cuts }
}

/**
 * The instant at which clocks in `timeZone` show a date and time (`HH:MM`). As in RFC 5545 and Temporal, a time that
 * daylight saving skips moves later by as much as the clocks jump; if a time occurs twice, the first one counts.
 */
export function instantIn(timeZone: string, date: CalendarDate, time: string): Date {
  const wanted = Date.parse(`${date}T${time}:00Z`)
  const offsetAt = (instant: number) => wallClock(timeZone, instant) - instant
  const withOffsetBefore = wanted - offsetAt(wanted - dayMs)
  const withOffsetAfter = wanted - offsetAt(wanted + dayMs)
  const shown = [withOffsetBefore, withOffsetAfter].filter(
    (instant) => wallClock(timeZone, instant) === wanted,
  )
  return new Date(shown.length > 0 ? Math.min(...shown) : withOffsetBefore)
}

/** The months of `instant` in all time zones: one, or two around the end of a month. */
export function monthsOnEarth(instant: Date): CalendarMonth[] {
  const { from, to } = daysOnEarth(instant)
  return [...new Set([monthOf(from), monthOf(to)])]
}

/** The earliest and the latest date of `instant` in all time zones. */
export function daysOnEarth(instant: Date): Span {
  const at = (hours: number) => new Date(instant.getTime() + hours * hourMs).toISOString().slice(0, 10)
  return { from: at(-12), to: at(14) }
}

/** The local time in `timeZone` at `instant`, as a UTC timestamp in milliseconds, rounded down to seconds. */
function wallClock(timeZone: string, instant: number): number {
  const parts = clockIn(timeZone).formatToParts(instant)
  const part = (type: string) => Number(parts.find((p) => p.type === type)?.value)
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
}

/** Cached, since a DateTimeFormat takes 0.2 ms to construct, and a reminder uses it up to 17 times. */
let lastClock: { timeZone: string; format: Intl.DateTimeFormat } | undefined

function clockIn(timeZone: string): Intl.DateTimeFormat {
  if (lastClock?.timeZone === timeZone) return lastClock.format
  const format = new Intl.DateTimeFormat('en', {
    // Zones get renamed, so the runtime may not know a stored one.
    timeZone: isTimeZone(timeZone) ? timeZone : fallbackTimezone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  lastClock = { timeZone, format }
  return format
}
