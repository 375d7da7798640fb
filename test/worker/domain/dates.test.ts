import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isCalendarDate, isTimeZone, monthIn, monthsOnEarth } from '../../../src/domain/dates.ts'

const zones = [
  'UTC',
  'Europe/Paris',
  'Asia/Kolkata',
  'Asia/Tokyo',
  'America/Los_Angeles',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Etc/GMT+12',
  'Africa/Monrovia',
]
const instants = fc.date({
  min: new Date('1975-01-01T00:00:00Z'),
  max: new Date('2100-12-31T23:59:59Z'),
  noInvalidDate: true,
})

describe('a calendar date', () => {
  test('is every day there is', () => {
    fc.assert(fc.property(instants, (instant) => isCalendarDate(instant.toISOString().slice(0, 10))))
  })

  test('is no day past the end of its month', () => {
    const months = fc.record({
      year: fc.integer({ min: 1900, max: 2100 }),
      month: fc.integer({ min: 1, max: 12 }),
      past: fc.integer({ min: 1, max: 30 }),
    })
    fc.assert(
      fc.property(months, ({ year, month, past }) => {
        const day = new Date(Date.UTC(year, month, 0)).getUTCDate() + past
        const text = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
        return !isCalendarDate(text)
      }),
    )
  })

  test.each(['2024-02-29', '2000-02-29', '1900-01-01', '2100-12-31'])('is %s', (text) => {
    expect(isCalendarDate(text)).toBe(true)
  })

  test.each([
    '2023-02-29',
    '1900-02-29',
    '2026-13-01',
    '2026-00-01',
    '2026-01-00',
    '2026-1-1',
    '20260101',
    '2026-01-01T00:00:00Z',
    ' 2026-01-01',
    '2026-01-01\n',
    '+002026-01-01',
    '٢٠٢٦-٠١-٠١',
    '',
  ])('is not %j', (text) => {
    expect(isCalendarDate(text)).toBe(false)
  })
})

describe('a time zone', () => {
  test.each(zones)('is %s', (name) => {
    expect(isTimeZone(name)).toBe(true)
  })

  test.each(['', 'Mars/Olympus', '+02:00', '-0500', 'UTC+2', 'Europe', 'x'.repeat(5_000), 'Europe/Paris\0'])(
    'is not %j',
    (name) => {
      expect(isTimeZone(name)).toBe(false)
    },
  )
})

describe('the month of an instant', () => {
  test.each([
    ['UTC', '2026-11-30T23:59:59.999Z', '2026-11'],
    ['UTC', '2026-12-01T00:00:00Z', '2026-12'],
    ['Asia/Tokyo', '2026-12-31T15:00:00Z', '2027-01'],
    ['America/Los_Angeles', '2027-01-01T07:59:59Z', '2026-12'],
    ['Asia/Kolkata', '2026-11-30T18:30:00Z', '2026-12'],
    ['Asia/Kolkata', '2026-11-30T18:29:59Z', '2026-11'],
    ['Europe/Paris', '2026-03-31T21:59:59Z', '2026-03'],
    ['Europe/Paris', '2026-03-31T22:00:00Z', '2026-04'],
  ])('in %s at %s is %s', (timeZone, instant, expected) => {
    expect(monthIn(timeZone, new Date(instant))).toBe(expected)
  })

  test('is always one of those on earth, and these are at most two', () => {
    fc.assert(
      fc.property(instants, fc.constantFrom(...zones), (instant, zone) => {
        const months = monthsOnEarth(instant)
        return months.length <= 2 && months.includes(monthIn(zone, instant))
      }),
    )
  })

  test.each([
    ['2026-11-15T12:00:00Z', ['2026-11']],
    ['2026-11-30T09:59:59Z', ['2026-11']],
    ['2026-11-30T10:00:00Z', ['2026-11', '2026-12']],
    ['2026-12-01T11:59:59Z', ['2026-11', '2026-12']],
    ['2026-12-01T12:00:00Z', ['2026-12']],
  ])('anywhere on earth at %s is one of %j', (instant, expected) => {
    expect(monthsOnEarth(new Date(instant))).toEqual(expected)
  })
})
