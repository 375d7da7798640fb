import { counted, shortDay } from './format.ts'
import type { Options } from './ui/form.tsx'

/** The rules to choose from. */
export const repeats: Options = [
  ['FREQ=DAILY', 'Every day'],
  ['FREQ=WEEKLY', 'Every week'],
  ['FREQ=WEEKLY;INTERVAL=2', 'Every 2 weeks'],
  ['FREQ=MONTHLY', 'Every month'],
  ['FREQ=MONTHLY;BYMONTHDAY=-1', 'Every month on the last day'],
  ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', 'Every month on the last working day'],
  ['FREQ=MONTHLY;INTERVAL=3', 'Every 3 months'],
  ['FREQ=YEARLY', 'Every year'],
]

const units: Record<string, string> = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' }
const weekdays: Record<string, string> = {
  ...{ MO: 'Monday', TU: 'Tuesday', WE: 'Wednesday', TH: 'Thursday', FR: 'Friday' },
  ...{ SA: 'Saturday', SU: 'Sunday' },
}

/** A rule without its last day, and that day. */
export function splitRule(rrule: string): { base: string; until: string } {
  const [base = '', until = ''] = rrule.split(';UNTIL=')
  return { base, until: until.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3') }
}

export const joinRule = (base: string, until = ''): string =>
  until ? `${base};UNTIL=${until.replaceAll('-', '')}` : base

/** A rule in words: `Every 2 weeks on Monday and Friday, until 31 Dec 2026`. */
export function repeatsText(rrule: string): string {
  const { base, until } = splitRule(rrule)
  const end = until ? `, until ${shortDay(until)}` : ''
  const known = repeats.find(([one]) => one === base)
  if (known) return `${known[1]}${end}`
  const {
    FREQ = '',
    INTERVAL,
    COUNT,
    BYDAY,
    BYMONTHDAY,
    BYSETPOS,
  } = Object.fromEntries(base.split(';').map((part) => part.split('='))) as Record<string, string | undefined>
  const unit = units[FREQ] ?? 'time'
  const every = INTERVAL ? `Every ${counted(Number(INTERVAL), unit)}` : `Every ${unit}`
  const days = BYSETPOS
    ? 'the last working day'
    : (BYDAY && list(BYDAY, dayName)) || (BYMONTHDAY && list(BYMONTHDAY, monthDay))
  const on = days ? ` on ${days}` : ''
  return `${every}${on}${COUNT ? `, ${counted(Number(COUNT), 'time')} in all` : ''}${end}`
}

const list = (values: string, name: (value: string) => string): string =>
  new Intl.ListFormat('en').format(values.split(',').map(name))

const monthDay = (day: string): string => (day === '-1' ? 'the last day' : `the ${ordinal(Number(day))}`)

function dayName(value: string): string {
  const [, nth = '', day = ''] = /^(-?\d*)(\w\w)$/.exec(value) ?? []
  const name = weekdays[day] ?? day
  if (!nth) return name
  return Number(nth) > 0 ? `the ${ordinal(Number(nth))} ${name}` : `the last ${name}`
}

const suffixes: Record<string, string> = { one: 'st', two: 'nd', few: 'rd' }
const plural = new Intl.PluralRules('en', { type: 'ordinal' })
const ordinal = (nth: number): string => `${nth}${suffixes[plural.select(nth)] ?? 'th'}`
