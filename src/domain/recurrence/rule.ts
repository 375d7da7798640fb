import { addDays, type CalendarDate, earliestDate, isCalendarDate } from '../dates.ts'

const frequencies = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const
export type Frequency = (typeof frequencies)[number]
const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
const workdays = 'MO,TU,WE,TH,FR'
const maxInterval = 99
const maxCount = 999
const maxMonthDays = 4

/** A validated recurrence rule. Lists are in ascending order, without repetition. */
export type RecurrenceRule = {
  frequency: Frequency
  interval: number
  count?: number
  until?: CalendarDate
  /** Days of a week, 0 for Monday. */
  weekdays?: number[]
  /** The nth weekday of a month or a year, counted from its end if negative. */
  nthWeekday?: { nth: number; weekday: number }
  isLastWorkday?: boolean
  /** 1 to 31, or -1 for the last day. */
  monthDays?: number[]
  /** 1 to 12. */
  months?: number[]
}

type Part = {
  /** Returns the fields that a value stands for, undefined if it is invalid. */
  read: (value: string, frequency: Frequency) => Partial<RecurrenceRule> | undefined
  frequencies?: readonly Frequency[]
  needs?: string
  excludes?: string
}

const ofMonths: Frequency[] = ['MONTHLY', 'YEARLY']

/** The parts of RFC 5545 that a rule may have. */
const parts: Record<string, Part> = {
  FREQ: { read: () => ({}) },
  INTERVAL: { read: (value) => named('interval', integer(value, 1, maxInterval)) },
  COUNT: { read: (value) => named('count', integer(value, 1, maxCount)), excludes: 'UNTIL' },
  UNTIL: { read: (value) => named('until', dateIn(value)) },
  BYDAY: { read: readWeekdays, frequencies: ['WEEKLY', ...ofMonths], excludes: 'BYMONTHDAY' },
  BYMONTHDAY: {
    read: (value) =>
      named(
        'monthDays',
        list(value, maxMonthDays, (one) => (one === '-1' ? -1 : integer(one, 1, 31))),
      ),
    frequencies: ofMonths,
  },
  BYMONTH: {
    read: (value) =>
      named(
        'months',
        list(value, 12, (one) => integer(one, 1, 12)),
      ),
    frequencies: ['YEARLY'],
    needs: 'BYMONTHDAY',
  },
  BYSETPOS: {
    read: (value) => (value === '-1' ? {} : undefined),
    frequencies: ofMonths,
    needs: 'BYDAY',
  },
}

/** A text is no rule. The message is the text of an error. */
export class InvalidRecurrenceRule extends Error {
  override readonly name = 'InvalidRecurrenceRule'
}

function reject(text: string): never {
  throw new InvalidRecurrenceRule(text)
}

/** Reads a stored rule. One that cannot be read, such as one of a later version of the service, has no dates. */
export function storedRecurrenceRule(text: string): RecurrenceRule {
  try {
    return parseRecurrenceRule(text)
  } catch (error) {
    if (!(error instanceof InvalidRecurrenceRule)) throw error
    return { frequency: 'DAILY', interval: 1, until: addDays(earliestDate, -1) }
  }
}

/** Reads the text of a rule. Throws InvalidRecurrenceRule. */
export function parseRecurrenceRule(text: string): RecurrenceRule {
  const values = readParts(text)
  const frequency = frequencies.find((one) => one === values.FREQ)
  if (!frequency) reject(`The :field field must have a FREQ: ${frequencies.join(', ')}.`)
  const rule: RecurrenceRule = { frequency, interval: 1 }
  for (const [name, value] of Object.entries(values)) {
    const part = parts[name] as Part
    const { read, needs = name, excludes = '' } = part
    if (part.frequencies?.includes(frequency) === false)
      reject(`The :field field must not have ${name} with FREQ=${frequency}.`)
    if (!(needs in values)) reject(`The :field field must not have ${name} without ${needs}.`)
    if (excludes in values) reject(`The :field field must not have both ${name} and ${excludes}.`)
    Object.assign(rule, read(value, frequency) ?? reject(`The :field field has an invalid ${name}.`))
  }
  if ((rule.isLastWorkday ?? false) !== 'BYSETPOS' in values)
    reject(`The :field field must have BYSETPOS=-1 with BYDAY=${workdays}, and with nothing else.`)
  return rule
}

function readParts(text: string): Record<string, string> {
  const values: Record<string, string> = {}
  for (const part of text.toUpperCase().split(';')) {
    const [, name, value] = /^([A-Z-]{1,20})=([A-Z0-9,+-]+)$/.exec(part) ?? []
    if (!name || !value) reject('The :field field must be a recurrence rule, such as FREQ=MONTHLY.')
    if (!Object.hasOwn(parts, name)) reject(`The :field field must not have ${name}.`)
    if (name in values) reject(`The :field field must not have ${name} twice.`)
    values[name] = value
  }
  return values
}

/** Writes a rule, in the same way for all texts that mean it. */
export function formatRecurrenceRule(rule: RecurrenceRule): string {
  const { frequency, interval, count, until, nthWeekday, isLastWorkday, monthDays, months } = rule
  const texts = [`FREQ=${frequency}`]
  if (interval !== 1) texts.push(`INTERVAL=${interval}`)
  if (months) texts.push(`BYMONTH=${months}`)
  if (monthDays) texts.push(`BYMONTHDAY=${monthDays}`)
  if (rule.weekdays) texts.push(`BYDAY=${rule.weekdays.map((day) => weekdays[day])}`)
  if (nthWeekday) texts.push(`BYDAY=${nthWeekday.nth}${weekdays[nthWeekday.weekday]}`)
  if (isLastWorkday) texts.push(`BYDAY=${workdays}`, 'BYSETPOS=-1')
  if (count) texts.push(`COUNT=${count}`)
  if (until) texts.push(`UNTIL=${until.replaceAll('-', '')}`)
  return texts.join(';')
}

function readWeekdays(value: string, frequency: Frequency): Partial<RecurrenceRule> | undefined {
  const days = list(value, 7, (one) => (weekdays.includes(one) ? weekdays.indexOf(one) : undefined))
  if (frequency === 'WEEKLY') return named('weekdays', days)
  if (days) return days.join() === '0,1,2,3,4' ? { isLastWorkday: true } : undefined
  const [, ordinal = '', day = ''] = /^([+-]?\d{1,2})([A-Z]{2})$/.exec(value) ?? []
  const most = frequency === 'MONTHLY' ? 5 : 53
  const nth = integer(ordinal.replace('+', ''), -most, most)
  return nth && weekdays.includes(day) ? { nthWeekday: { nth, weekday: weekdays.indexOf(day) } } : undefined
}

const named = <Name extends keyof RecurrenceRule>(name: Name, value: RecurrenceRule[Name] | undefined) =>
  value === undefined ? undefined : { [name]: value }

function list(value: string, max: number, read: (one: string) => number | undefined): number[] | undefined {
  const values = value.split(',').map(read)
  const all = values.filter((one) => one !== undefined)
  const unique = [...new Set(all)].sort((a, b) => a - b)
  return all.length === values.length && unique.length <= max ? unique : undefined
}

function integer(text: string, min: number, max: number): number | undefined {
  const value = /^-?\d{1,3}$/.test(text) ? Number(text) : Number.NaN
  return value >= min && value <= max ? value : undefined
}

function dateIn(text: string): CalendarDate | undefined {
  const date = text.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3')
  return isCalendarDate(date) ? date : undefined
}
