import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dateIn, instantIn, monthIn, monthsOnEarth } from '../../../src/domain/dates.ts'

const zones = [
  ...['UTC', 'Europe/Paris', 'Asia/Kolkata', 'Asia/Tokyo', 'America/Los_Angeles', 'Pacific/Kiritimati'],
  ...['Pacific/Pago_Pago', 'Etc/GMT+12', 'Africa/Monrovia'],
]
const instants = fc.date({
  min: new Date('1975-01-01T00:00:00Z'),
  max: new Date('2100-12-31T23:59:59Z'),
  noInvalidDate: true,
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

  test('is always one of the current ones on earth, which are at most two', () => {
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

describe('the date of an instant', () => {
  test.each([
    ['UTC', '2026-11-20T23:59:59.999Z', '2026-11-20'],
    ['UTC', '2026-11-21T00:00:00.000Z', '2026-11-21'],
    ['Asia/Kathmandu', '2026-11-20T18:14:59.999Z', '2026-11-20'],
    ['Asia/Kathmandu', '2026-11-20T18:15:00.000Z', '2026-11-21'],
    ['Europe/Berlin', '2026-03-29T21:59:59.999Z', '2026-03-29'],
    ['Europe/Berlin', '2026-03-29T22:00:00.000Z', '2026-03-30'],
    ['Europe/Berlin', '2026-10-25T22:59:59.999Z', '2026-10-25'],
    ['Europe/Berlin', '2026-10-25T23:00:00.000Z', '2026-10-26'],
    ['Pacific/Kiritimati', '2026-11-20T10:00:00.000Z', '2026-11-21'],
    ['Pacific/Pago_Pago', '2026-11-20T10:59:59.999Z', '2026-11-19'],
    ['Pacific/Apia', '2011-12-30T09:59:59.999Z', '2011-12-29'],
    ['Pacific/Apia', '2011-12-30T10:00:00.000Z', '2011-12-31'],
    ['America/Santiago', '2024-09-08T03:59:59.999Z', '2024-09-07'],
    ['America/Santiago', '2024-09-08T04:00:00.000Z', '2024-09-08'],
    ['Asia/Kolkata', '1969-12-31T18:29:59.999Z', '1969-12-31'],
    ['Asia/Kolkata', '1969-12-31T18:30:00.000Z', '1970-01-01'],
  ])('in %s at %s is %s', (timeZone, instant, expected) => {
    expect(dateIn(timeZone, new Date(instant))).toBe(expected)
  })
})

describe('the instant at which clocks show a date and a time', () => {
  test.each([
    ['Europe/Berlin', '2026-03-29', '01:59', '2026-03-29T00:59:00.000Z'],
    ['Europe/Berlin', '2026-03-29', '03:00', '2026-03-29T01:00:00.000Z'],
    ['Europe/Berlin', '2026-03-29', '20:00', '2026-03-29T18:00:00.000Z'],
    ['America/New_York', '2026-11-01', '20:00', '2026-11-02T01:00:00.000Z'],
  ])('in %s on %s, when they jump, at %s is %s', (timeZone, date, time, expected) => {
    expect(instantIn(timeZone, date, time).toISOString()).toBe(expected)
  })

  test.each([
    ['Europe/Berlin', '2026-03-29', '02:00', '2026-03-29T01:00:00.000Z'],
    ['Europe/Berlin', '2026-03-29', '02:30', '2026-03-29T01:30:00.000Z'],
    ['America/New_York', '2026-03-08', '02:15', '2026-03-08T07:15:00.000Z'],
    ['Australia/Lord_Howe', '2026-10-04', '02:10', '2026-10-03T15:40:00.000Z'],
    ['America/Santiago', '2024-09-08', '00:30', '2024-09-08T04:30:00.000Z'],
    ['Asia/Beirut', '2026-03-29', '00:15', '2026-03-28T22:15:00.000Z'],
    ['Africa/Cairo', '2024-04-26', '00:00', '2024-04-25T22:00:00.000Z'],
    ['Pacific/Apia', '2011-12-30', '20:00', '2011-12-31T06:00:00.000Z'],
  ])(
    'in %s on %s at %s, which is skipped, is as much later as they jump: %s',
    (zone, date, time, expected) => {
      expect(instantIn(zone, date, time).toISOString()).toBe(expected)
    },
  )

  test.each([
    ['Europe/Berlin', '2026-10-25', '02:00', '2026-10-25T00:00:00.000Z'],
    ['Europe/Berlin', '2026-10-25', '02:59', '2026-10-25T00:59:00.000Z'],
    ['America/New_York', '2026-11-01', '01:30', '2026-11-01T05:30:00.000Z'],
    ['Australia/Lord_Howe', '2026-04-05', '01:45', '2026-04-04T14:45:00.000Z'],
    ['America/Santiago', '2024-04-06', '23:30', '2024-04-07T02:30:00.000Z'],
    ['Asia/Beirut', '2026-10-24', '23:30', '2026-10-24T20:30:00.000Z'],
  ])('in %s on %s at %s, which comes twice, is the first: %s', (zone, date, time, expected) => {
    expect(instantIn(zone, date, time).toISOString()).toBe(expected)
  })

  test('in Samoa around the day that was skipped is on either side of it', () => {
    expect(instantIn('Pacific/Apia', '2011-12-29', '23:59').toISOString()).toBe('2011-12-30T09:59:00.000Z')
    expect(instantIn('Pacific/Apia', '2011-12-31', '00:00').toISOString()).toBe('2011-12-30T10:00:00.000Z')
  })

  test('is on that date in every zone, on every day without a jump, and shows that time', () => {
    const times = fc.tuple(fc.integer({ min: 4, max: 22 }), fc.integer({ min: 0, max: 59 }))
    const zone = fc.constantFrom(...zones, 'Europe/Berlin', 'Australia/Lord_Howe', 'America/Santiago')
    const days = fc.date({ min: new Date('2015-01-01'), max: new Date('2037-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(zone, days, times, (timeZone, day, parts) => {
        const date = day.toISOString().slice(0, 10)
        const time = parts.map((part) => String(part).padStart(2, '0')).join(':')
        const instant = instantIn(timeZone, date, time)
        const shown = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'short' })
        return dateIn(timeZone, instant) === date && shown.format(instant) === `${date} ${time}`
      }),
    )
  })
})
