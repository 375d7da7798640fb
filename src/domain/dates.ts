/** A calendar date, `YYYY-MM-DD`, without a time zone: the day the user means. */
export type CalendarDate = string
/** A calendar month, `YYYY-MM`. */
export type CalendarMonth = string

export const earliestDate: CalendarDate = '1900-01-01'
export const latestDate: CalendarDate = '2100-12-31'

/** True for a day that exists: 2024-02-29 yes, 2023-02-29 no. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
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

/** The calendar month that `instant` falls in, for somebody in `timeZone` (an IANA name). */
export function monthIn(timeZone: string, instant: Date): CalendarMonth {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    calendar: 'gregory',
    numberingSystem: 'latn',
  }).formatToParts(instant)
  const part = (type: string) => parts.find((p) => p.type === type)?.value ?? ''
  return `${part('year').padStart(4, '0')}-${part('month')}`
}

/** The months that `instant` falls in anywhere on earth: one, or two around the turn of a month. */
export function monthsOnEarth(instant: Date): CalendarMonth[] {
  const hour = 3_600_000
  const at = (offsetHours: number) =>
    new Date(instant.getTime() + offsetHours * hour).toISOString().slice(0, 7)
  return [...new Set([at(-12), at(14)])]
}
