/** A calendar date, `YYYY-MM-DD`, without a time zone: the day the user means. */
export type CalendarDate = string
/** A calendar month, `YYYY-MM`. */
export type CalendarMonth = string

export const earliestDate: CalendarDate = '1900-01-01'
export const latestDate: CalendarDate = '2100-12-31'

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** True for a day that exists: 2024-02-29 yes, 2023-02-29 no. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  // A day that the month has not is one of the next.
  return new Date(`${text}T00:00:00Z`).getUTCDate() === Number(text.slice(8))
}

/** The date some days later, or earlier for a negative number. */
export function addDays(date: CalendarDate, days: number): CalendarDate {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10)
}

/** True for an IANA time zone that this runtime knows, such as `Europe/Paris` or `UTC`. */
export function isTimeZone(name: string): boolean {
  // Intl also takes offsets such as +02:00, which are no IANA names and know no daylight saving.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** The calendar date of `instant` for somebody in `timeZone` (an IANA name). */
export function dateIn(timeZone: string, instant: Date): CalendarDate {
  return new Date(wallClock(timeZone, instant.getTime())).toISOString().slice(0, 10)
}

/** The calendar month of `instant` for somebody in `timeZone`. */
export function monthIn(timeZone: string, instant: Date): CalendarMonth {
  return monthOf(dateIn(timeZone, instant))
}

export function monthOf(date: CalendarDate): CalendarMonth {
  return date.slice(0, 7)
}

/** The 28th to the 31st. */
export function lastDayOf(month: CalendarMonth): CalendarDate {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10)
}

/** Days from the first to the last, both included; none where the last is before the first. */
export type Span = { from: CalendarDate; to: CalendarDate }
/** A span as the months that lie within it, none where the last is before the first, and the parts of those that it cuts. */
export type Period = { firstMonth: CalendarMonth; lastMonth: CalendarMonth; cuts: Span[] }

/** Divides a span into whole months and the parts of at most two others, at its ends. */
export function periodOf({ from, to }: Span): Period {
  const [first, last] = [monthOf(from), monthOf(to)]
  const cutsFirst = !from.endsWith('-01')
  const cutsLast = to !== lastDayOf(last)
  const firstMonth = cutsFirst ? monthOf(addDays(lastDayOf(first), 1)) : first
  const lastMonth = cutsLast ? monthOf(addDays(`${last}-01`, -1)) : last
  if (from > to) return { firstMonth, lastMonth, cuts: [] }
  if (first === last) return { firstMonth, lastMonth, cuts: cutsFirst || cutsLast ? [{ from, to }] : [] }
  const cuts = [
    ...(cutsFirst ? [{ from, to: lastDayOf(first) }] : []),
    ...(cutsLast ? [{ from: `${last}-01`, to }] : []),
  ]
  return { firstMonth, lastMonth, cuts }
}

/**
 * The instant at which clocks in `timeZone` show a date and a time (`HH:MM`). A time that daylight saving skips is
 * as much later as the clocks jump; of one that comes twice it is the first (as RFC 5545 and Temporal have it).
 */
export function instantIn(timeZone: string, date: CalendarDate, time: string): Date {
  const wanted = Date.parse(`${date}T${time}:00Z`)
  const offsetAt = (instant: number) => wallClock(timeZone, instant) - instant
  const [before, after] = [wanted - offsetAt(wanted - dayMs), wanted - offsetAt(wanted + dayMs)]
  const shown = [before, after].filter((instant) => wallClock(timeZone, instant) === wanted)
  return new Date(shown.length > 0 ? Math.min(...shown) : before)
}

/** The months that `instant` falls in anywhere on earth: one, or two around the turn of a month. */
export function monthsOnEarth(instant: Date): CalendarMonth[] {
  const at = (hours: number) => new Date(instant.getTime() + hours * hourMs).toISOString().slice(0, 7)
  return [...new Set([at(-12), at(14)])]
}

/** What clocks in `timeZone` show at `instant`, as if it were UTC: milliseconds, cut to whole seconds. */
function wallClock(timeZone: string, instant: number): number {
  const parts = new Intl.DateTimeFormat('en', {
    // Names of zones come and go; whoever has one that this runtime does not know is better off with UTC than without.
    timeZone: isTimeZone(timeZone) ? timeZone : 'UTC',
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(instant)
  const part = (type: string) => Number(parts.find((p) => p.type === type)?.value)
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
}
