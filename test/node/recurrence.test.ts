import { RRuleTemporal } from 'rrule-temporal'
import { describe, expect, test } from 'vitest'
import { addDays, type CalendarDate, latestDate } from '../../src/domain/dates.ts'
import {
  bookingDay,
  continuedFrom,
  endedBefore,
  isOccurrence,
  nextOccurrence,
  occurrences,
  occurrencesBetween,
  type Schedule,
} from '../../src/domain/recurrence/dates.ts'
import {
  formatRecurrenceRule,
  parseRecurrenceRule,
  type RecurrenceRule,
} from '../../src/domain/recurrence/rule.ts'
import { Dice } from '../dice.ts'

const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

const read = parseRecurrenceRule

const datesOf = (startsOn: CalendarDate, text: string, count = 6) =>
  firstOf({ startsOn, rule: read(text) }, count)

function firstOf(schedule: Schedule, count: number): CalendarDate[] {
  const dates: CalendarDate[] = []
  for (const date of occurrences(schedule)) {
    if (dates.length === count) break
    dates.push(date)
  }
  return dates
}

describe('the dates of a rule', () => {
  test.each([
    ['2026-01-31', 'FREQ=MONTHLY', '2026-01-31 2026-02-28 2026-03-31 2026-04-30 2026-05-31 2026-06-30'],
    ['2024-02-29', 'FREQ=YEARLY', '2024-02-29 2025-02-28 2026-02-28 2027-02-28 2028-02-29 2029-02-28'],
    ['2026-02-01', 'FREQ=MONTHLY;BYMONTHDAY=30,31;COUNT=3', '2026-02-28 2026-03-30 2026-03-31'],
    ['2026-02-01', 'FREQ=MONTHLY;BYMONTHDAY=-1;UNTIL=20260331', '2026-02-28 2026-03-31'],
    ['2026-11-27', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=FR,MO;COUNT=3', '2026-11-27 2026-12-07 2026-12-11'],
    ['2026-11-27', 'FREQ=MONTHLY;BYDAY=5FR;COUNT=2', '2027-01-29 2027-04-30'],
    ['2026-05-01', 'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=2', '2026-05-29 2026-06-30'],
    ['2026-05-01', 'FREQ=YEARLY;BYMONTH=3,9;BYMONTHDAY=31;COUNT=3', '2026-09-30 2027-03-31 2027-09-30'],
    ['2026-05-01', 'FREQ=YEARLY;BYDAY=-1FR;COUNT=2', '2026-12-25 2027-12-31'],
    ['2100-12-30', 'FREQ=DAILY', '2100-12-30 2100-12-31'],
    ['2026-05-02', 'FREQ=DAILY;UNTIL=20260501', ''],
  ])('from %s with %s are %s', (startsOn, text, expected) => {
    expect(datesOf(startsOn, text).join(' ')).toBe(expected)
  })

  test('are those of an enumeration day by day, for 2,000 random rules', () => {
    const dice = new Dice(58)
    for (let nth = 0; nth < 2_000; nth++) {
      const schedule = randomSchedule(dice)
      const to = addDays(schedule.startsOn, dice.from(0, 1_500))
      const from = addDays(schedule.startsOn, dice.from(-10, 800))
      const all = enumerated(schedule, to)
      const described = `${schedule.startsOn} ${formatRecurrenceRule(schedule.rule)} ${from} ${to}`
      expect(occurrencesBetween(schedule, schedule.startsOn, to), described).toEqual(all)
      const later = all.filter((date) => date >= from)
      expect(occurrencesBetween(schedule, from, to), described).toEqual(later)
      if (later[0]) expect(nextOccurrence(schedule, from), described).toBe(later[0])
      const day = addDays(schedule.startsOn, dice.from(0, 100))
      if (day <= to) expect(isOccurrence(schedule, day), described).toBe(all.includes(day))
    }
  })

  test('are those of rrule-temporal, where no month is too short', () => {
    const dice = new Dice(59)
    let compared = 0
    for (let nth = 0; nth < 700; nth++) {
      const schedule = randomSchedule(dice)
      const { startsOn, rule } = schedule
      const [, , day = 1] = startsOn.split('-').map(Number)
      const days =
        rule.monthDays ?? (rule.frequency === 'MONTHLY' || rule.frequency === 'YEARLY' ? [day] : [])
      // It also takes the 53rd weekday of a year that has 52 for one of the next.
      if (days.some((one) => one > 28) || Math.abs(rule.nthWeekday?.nth ?? 0) === 53) continue
      compared++
      const found = firstOf(schedule, 20)
      expect(found, `${startsOn} ${formatRecurrenceRule(rule)}`).toEqual(oracle(schedule, found.length))
    }
    expect(compared).toBeGreaterThan(350)
  })

  test('of 200 hostile rules are found within the time of a test', () => {
    const hostile = [
      'FREQ=YEARLY;INTERVAL=99',
      'FREQ=YEARLY;INTERVAL=99;BYDAY=53MO;COUNT=999',
      'FREQ=MONTHLY;INTERVAL=48;BYDAY=5FR',
      'FREQ=MONTHLY;INTERVAL=12;BYDAY=5FR;COUNT=999',
      'FREQ=DAILY;COUNT=999',
      'FREQ=DAILY',
    ].map((text) => ({ startsOn: '1900-02-01', rule: read(text) }))
    const found = hostile.map((schedule) => {
      for (let nth = 0; nth < 200; nth++) occurrencesBetween(schedule, '2100-01-01', latestDate)
      return occurrencesBetween(schedule, '2100-01-01', latestDate).length
    })
    expect(found).toEqual([0, 0, 0, 0, 0, 365])
  })
})

describe('a rule', () => {
  test.each([
    ['', 'must be a recurrence rule, such as FREQ=MONTHLY.'],
    ['every month', 'must be a recurrence rule, such as FREQ=MONTHLY.'],
    ['RRULE:FREQ=MONTHLY', 'must be a recurrence rule, such as FREQ=MONTHLY.'],
    ['INTERVAL=2', 'must have a FREQ: DAILY, WEEKLY, MONTHLY, YEARLY.'],
    ['FREQ=HOURLY', 'must have a FREQ: DAILY, WEEKLY, MONTHLY, YEARLY.'],
    ['FREQ=DAILY;BYHOUR=3', 'must not have BYHOUR.'],
    ['FREQ=WEEKLY;WKST=SU', 'must not have WKST.'],
    ['FREQ=MONTHLY;CONSTRUCTOR=1', 'must not have CONSTRUCTOR.'],
    ['FREQ=DAILY;FREQ=DAILY', 'must not have FREQ twice.'],
    ['FREQ=DAILY;BYDAY=MO', 'must not have BYDAY with FREQ=DAILY.'],
    ['FREQ=WEEKLY;BYMONTHDAY=3', 'must not have BYMONTHDAY with FREQ=WEEKLY.'],
    ['FREQ=MONTHLY;BYMONTH=3', 'must not have BYMONTH with FREQ=MONTHLY.'],
    ['FREQ=YEARLY;BYMONTH=3', 'must not have BYMONTH without BYMONTHDAY.'],
    ['FREQ=MONTHLY;BYSETPOS=-1', 'must not have BYSETPOS without BYDAY.'],
    ['FREQ=MONTHLY;COUNT=2;UNTIL=20270101', 'must not have both COUNT and UNTIL.'],
    ['FREQ=MONTHLY;BYDAY=1FR;BYMONTHDAY=3', 'must not have both BYDAY and BYMONTHDAY.'],
    ['FREQ=MONTHLY;INTERVAL=0', 'has an invalid INTERVAL.'],
    ['FREQ=MONTHLY;INTERVAL=100', 'has an invalid INTERVAL.'],
    ['FREQ=MONTHLY;COUNT=1000', 'has an invalid COUNT.'],
    ['FREQ=MONTHLY;UNTIL=20270231', 'has an invalid UNTIL.'],
    ['FREQ=MONTHLY;UNTIL=20270228T000000Z', 'has an invalid UNTIL.'],
    ['FREQ=MONTHLY;BYDAY=FR', 'has an invalid BYDAY.'],
    ['FREQ=MONTHLY;BYDAY=6FR', 'has an invalid BYDAY.'],
    ['FREQ=MONTHLY;BYDAY=1FR,2FR', 'has an invalid BYDAY.'],
    ['FREQ=WEEKLY;BYDAY=1FR', 'has an invalid BYDAY.'],
    ['FREQ=MONTHLY;BYMONTHDAY=-2', 'has an invalid BYMONTHDAY.'],
    ['FREQ=MONTHLY;BYMONTHDAY=1,2,3,4,5', 'has an invalid BYMONTHDAY.'],
    ['FREQ=YEARLY;BYMONTHDAY=1;BYMONTH=13', 'has an invalid BYMONTH.'],
    [
      'FREQ=MONTHLY;BYDAY=1FR;BYSETPOS=-1',
      'must have BYSETPOS=-1 with BYDAY=MO,TU,WE,TH,FR, and with nothing else.',
    ],
    [
      'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR',
      'must have BYSETPOS=-1 with BYDAY=MO,TU,WE,TH,FR, and with nothing else.',
    ],
  ])('%s is refused: it %s', (text, expected) => {
    expect(() => read(text)).toThrow(`The :field field ${expected}`)
  })

  test('has one text, however it was written', () => {
    const texts = [
      'count=3;freq=monthly;bymonthday=31,1,31',
      'FREQ=MONTHLY;BYMONTHDAY=1,31;COUNT=3;INTERVAL=1',
    ]
    for (const text of texts)
      expect(formatRecurrenceRule(read(text))).toBe('FREQ=MONTHLY;BYMONTHDAY=1,31;COUNT=3')
    const dice = new Dice(60)
    for (let nth = 0; nth < 1_000; nth++) {
      const text = formatRecurrenceRule(randomSchedule(dice).rule)
      expect(formatRecurrenceRule(read(text))).toBe(text)
    }
  })

  test('divided at one of its dates has the same dates as before', () => {
    const dice = new Dice(61)
    for (let nth = 0; nth < 2_000; nth++) {
      const schedule = randomSchedule(dice)
      const all = firstOf(schedule, 30)
      const from = dice.of(all)
      if (!from) continue
      const before = { ...schedule, rule: endedBefore(schedule.rule, from) }
      const after = { startsOn: from, rule: continuedFrom(schedule, from) }
      const divided = [...occurrencesBetween(before, schedule.startsOn, latestDate), ...firstOf(after, 30)]
      expect(
        divided.slice(0, 30),
        `${schedule.startsOn} ${formatRecurrenceRule(schedule.rule)} ${from}`,
      ).toEqual(all)
    }
  })

  test('of the 31st stays one when it goes on from a shorter month', () => {
    const rule = continuedFrom({ startsOn: '2026-01-31', rule: read('FREQ=MONTHLY;COUNT=12') }, '2026-02-28')
    expect(formatRecurrenceRule(rule)).toBe('FREQ=MONTHLY;BYMONTHDAY=31;COUNT=11')
  })
})

test('a booking moves from the weekend to the Friday before or the Monday after', () => {
  const days = ['2026-11-27', '2026-11-28', '2026-11-29', '2026-11-30']
  const booked = (weekend: 'keep' | 'before' | 'after') => days.map((day) => bookingDay(day, weekend))
  expect(booked('keep')).toEqual(days)
  expect(booked('before')).toEqual(['2026-11-27', '2026-11-27', '2026-11-27', '2026-11-30'])
  expect(booked('after')).toEqual(['2026-11-27', '2026-11-30', '2026-11-30', '2026-11-30'])
  expect(bookingDay('2100-12-25', 'after')).toBe('2100-12-27')
})

function randomSchedule(dice: Dice): Schedule {
  const startsOn = addDays('2000-01-01', dice.from(0, 14_000))
  const frequency = dice.oneOf(['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'])
  const parts = [`FREQ=${frequency}`]
  const some = (count: number, of: () => string) => Array.from({ length: dice.from(1, count) }, of).join(',')
  const monthDay = () => dice.oneOf([String(dice.from(1, 28)), String(dice.from(29, 31)), '-1'])
  if (dice.happens(0.5)) parts.push(`INTERVAL=${dice.happens(0.9) ? dice.from(1, 6) : dice.from(1, 99)}`)
  if (frequency === 'WEEKLY' && dice.happens(0.6)) parts.push(`BYDAY=${some(4, () => dice.oneOf(weekdays))}`)
  if (frequency === 'MONTHLY' || frequency === 'YEARLY') {
    const most = frequency === 'MONTHLY' ? 5 : 53
    const ordinal = () => `${dice.oneOf(['', '-'])}${dice.from(1, most)}${dice.oneOf(weekdays)}`
    const kind = dice.weighed({ plain: 2, days: 4, ordinal: 2, workday: 1 })
    if (kind === 'days') parts.push(`BYMONTHDAY=${some(4, monthDay)}`)
    if (kind === 'days' && frequency === 'YEARLY' && dice.happens(0.7))
      parts.push(`BYMONTH=${some(3, () => String(dice.from(1, 12)))}`)
    if (kind === 'ordinal') parts.push(`BYDAY=${ordinal()}`)
    if (kind === 'workday') parts.push('BYDAY=MO,TU,WE,TH,FR', 'BYSETPOS=-1')
  }
  const end = dice.weighed({ none: 6, count: 2, until: 2 })
  if (end === 'count') parts.push(`COUNT=${dice.from(1, 40)}`)
  if (end === 'until') parts.push(`UNTIL=${addDays(startsOn, dice.from(0, 2_000)).replaceAll('-', '')}`)
  return { startsOn, rule: read(parts.join(';')) }
}

/** Every day that an enumeration may ask about, by its number. */
const calendar = Array.from({ length: 17_000 }, (_, nth) => {
  const date = addDays('2000-01-01', nth - 400)
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
  return {
    date,
    year,
    month,
    day,
    weekday: (nth - 400 + 5 + 700) % 7,
    isLastOfMonth: addDays(date, 1).endsWith('-01'),
  }
})
type Day = (typeof calendar)[number]
const numberOf = new Map(calendar.map(({ date }, nth) => [date, nth]))
const dayAt = (nth: number) => calendar[nth] as Day

/** The dates up to a day, by asking of each day whether the rule has it. */
function enumerated({ startsOn, rule }: Schedule, to: CalendarDate): CalendarDate[] {
  const found: CalendarDate[] = []
  const first = numberOf.get(startsOn) ?? 0
  for (let nth = first; dayAt(nth).date <= to; nth++) {
    if (rule.until && dayAt(nth).date > rule.until) break
    if (rule.count && found.length === rule.count) break
    if (isInPeriod(first, rule, nth) && hasDay(dayAt(first), rule, nth)) found.push(dayAt(nth).date)
  }
  return found
}

function isInPeriod(first: number, { frequency, interval }: RecurrenceRule, nth: number): boolean {
  const [start, day] = [dayAt(first), dayAt(nth)]
  const passed = {
    DAILY: nth - first,
    WEEKLY: Math.floor((nth - first + start.weekday) / 7),
    MONTHLY: (day.year - start.year) * 12 + day.month - start.month,
    YEARLY: day.year - start.year,
  }
  return passed[frequency] % interval === 0
}

function hasDay(start: Day, rule: RecurrenceRule, nth: number): boolean {
  const { frequency, nthWeekday } = rule
  const { year, month, day, weekday, isLastOfMonth } = dayAt(nth)
  if (frequency === 'DAILY') return true
  if (frequency === 'WEEKLY') return (rule.weekdays ?? [start.weekday]).includes(weekday)
  const isSamePeriod = (other: Day) =>
    other.year === year && (frequency === 'YEARLY' || other.month === month)
  if (nthWeekday) {
    const step = nthWeekday.nth > 0 ? -7 : 7
    const away = Math.abs(nthWeekday.nth)
    return (
      weekday === nthWeekday.weekday &&
      isSamePeriod(dayAt(nth + step * (away - 1))) &&
      !isSamePeriod(dayAt(nth + step * away))
    )
  }
  if (rule.isLastWorkday) return weekday < 5 && !isSamePeriod(dayAt(nth + (weekday === 4 ? 3 : 1)))
  const days = rule.monthDays ?? [start.day]
  const months = rule.months ?? (frequency === 'YEARLY' && !rule.monthDays ? [start.month] : [month])
  return (
    months.includes(month) && days.some((one) => one === day || (isLastOfMonth && (one === -1 || one > day)))
  )
}

/** The first dates by rrule-temporal. */
function oracle({ startsOn, rule }: Schedule, count: number): CalendarDate[] {
  const compact = startsOn.replaceAll('-', '')
  const text = formatRecurrenceRule(rule).replace(/UNTIL=(\d+)/, 'UNTIL=$1T000000Z')
  const found = new RRuleTemporal({
    rruleString: `DTSTART;TZID=UTC:${compact}T000000\nRRULE:${text}`,
    temporal: {
      ZonedDateTime: { from: (value: string) => ({ timeZoneId: 'UTC', toString: () => value }) },
    },
  }).all((_, nth) => nth < count)
  return found.map((one) => one.toString().slice(0, 10))
}
