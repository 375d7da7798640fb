import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { planReminder, type ReminderSettings } from '../../../src/users/reminder-plan.ts'

const settings = (fields: Partial<ReminderSettings> = {}): ReminderSettings => ({
  isVerified: true,
  timezone: 'UTC',
  reminderTime: '20:00',
  lastDay: null,
  ...fields,
})
const planAt = (instant: string, fields: Partial<ReminderSettings> = {}) =>
  planReminder(settings(fields), new Date(instant))

describe('a reminder', () => {
  test('reads the clock of its time zone often, but makes it once for all users there', () => {
    const reading = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts')
    for (let user = 0; user < 100; user++) planAt('2026-11-20T20:00:00Z', { timezone: 'Asia/Kathmandu' })
    expect(new Set(reading.mock.contexts).size).toBe(1)
    reading.mockRestore()
  })

  test('is not due again after a move over the date line to a day that is over', () => {
    const moved = { timezone: 'Pacific/Pago_Pago', lastDay: '2026-11-20' }
    expect(planAt('2026-11-20T07:00:00Z', moved).dueFor).toBeUndefined()
    expect(planAt('2026-11-21T07:00:00Z', moved).dueFor).toBeUndefined()
    expect(planAt('2026-11-22T07:00:00Z', moved).dueFor?.day).toBe('2026-11-21')
  })

  test('of Samoa has none on the day that was skipped, and one on each day around it', () => {
    const apia = { timezone: 'Pacific/Apia' }
    expect(planAt('2011-12-30T06:00:00Z', apia).dueFor?.day).toBe('2011-12-29')
    expect(planAt('2011-12-31T06:00:00Z', { ...apia, lastDay: '2011-12-29' }).dueFor?.day).toBe('2011-12-31')
  })
})

describe('a user who is due whenever it is time, for forty days,', () => {
  const zones = [
    ...['UTC', 'Europe/Berlin', 'America/New_York', 'America/Santiago', 'Asia/Beirut', 'Australia/Lord_Howe'],
    ...['Asia/Kathmandu', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Africa/Cairo'],
  ]
  const times = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 1, 15, 29, 30, 45, 59))
    .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'))
  const starts = fc.date({ min: new Date('2024-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })

  test('finds one reminder for each local day, none skipped, none twice, always ahead', () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), times, starts, (timezone, reminderTime, start) => {
        let now = start
        let lastDay: string | null = null
        const days: string[] = []
        for (let i = 0; i < 40; i++) {
          const { dueFor, lookAgainAt } = planReminder(settings({ timezone, reminderTime, lastDay }), now)
          if (dueFor) {
            days.push(dueFor.day)
            lastDay = dueFor.day
          }
          if (!lookAgainAt || lookAgainAt <= now) return false
          now = lookAgainAt
        }
        const gaps = days.slice(1).map((day, i) => Date.parse(day) - Date.parse(days[i] ?? ''))
        return days.length >= 39 && gaps.every((gap) => gap === 86_400_000)
      }),
      { numRuns: 20 },
    )
  })
})
