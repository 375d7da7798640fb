const dateFormat = (options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat(undefined, { ...options, timeZone: 'UTC' })
  return (date: string): string => format.format(new Date(date))
}
export const longDay = dateFormat({ weekday: 'long', day: 'numeric', month: 'long' })
export const longDayOfYear = dateFormat({ dateStyle: 'full' })
export const shortDay = dateFormat({ dateStyle: 'medium' })
export const monthName = dateFormat({ month: 'long', year: 'numeric' })
export const shortMonth = dateFormat({ month: 'short' })
export const shortMonthOfYear = dateFormat({ month: 'short', year: '2-digit' })

/** The date in a time zone, `YYYY-MM-DD`. The service may know one that this device does not. */
export function dayOf(time: Date, timeZone = 'UTC'): string {
  try {
    return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(time)
  } catch {
    return dayOf(time)
  }
}
export const today = (timeZone?: string): string => dayOf(new Date(), timeZone)

/** The date that is a number of days after another, `YYYY-MM-DD`. */
export const dayAfter = (date: string, count: number): string =>
  new Date(Date.parse(date) + count * 86_400_000).toISOString().slice(0, 10)

/** How many days a date is after another. */
export const daysBetween = (from: string, to: string): number =>
  (Date.parse(to) - Date.parse(from)) / 86_400_000

/** The last day of a month, `YYYY-MM-DD`. */
export const lastDay = (month: string): string => dayAfter(monthAfter(month, 1), -1)

/** The months that end with one, as a period of a report. */
export const monthsUntil = (to: string, count: number) => ({ from: monthAfter(to, 1 - count), to })

/** The month that is a number of months after another, `YYYY-MM`. */
export function monthAfter(month: string, count: number): string {
  const date = new Date(month)
  date.setUTCMonth(date.getUTCMonth() + count)
  return date.toISOString().slice(0, 7)
}

/** The days of a month up to today, and as many of the month before; undefined for a month that is not running. */
export function sameDays(month: string, today: string) {
  if (!today.startsWith(month) || today === lastDay(month)) return undefined
  const previous = monthAfter(month, -1)
  const [end = ''] = [`${previous}${today.slice(7)}`, lastDay(previous)].sort()
  return { now: { from: `${month}-01`, to: today }, before: { from: `${previous}-01`, to: end } }
}

const browsers = ['Edg', 'OPR', 'Firefox', 'FxiOS', 'Chrome', 'CriOS', 'Safari']
const systems = ['iPhone', 'iPad', 'Android', 'Windows', 'Mac OS', 'CrOS', 'Linux']
const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', FxiOS: 'Firefox', CriOS: 'Chrome' }

/** `Firefox on Linux`, from a browser's user agent; any other text is returned as it is. */
export function deviceName(agent: string | null): string {
  const [browser, system] = [browsers, systems].map((signs) => signs.find((sign) => agent?.includes(sign)))
  return browser && system ? `${names[browser] ?? browser} on ${system}` : (agent ?? 'Unknown')
}

/** A number with its thousands separated. */
export const grouped = (count: number): string => count.toLocaleString()
export const counted = (count: number, noun: string): string =>
  `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`

/** The parts that there are, on one line. */
export const dotted = (...parts: (string | false | null | undefined)[]): string =>
  parts.filter(Boolean).join(' · ')
