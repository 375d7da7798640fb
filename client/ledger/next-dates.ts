import { isCalendarDate } from '../../src/domain/dates.ts'
import { bookingDay, occurrences } from '../../src/domain/recurrence/dates.ts'
import { InvalidRecurrenceRule, parseRecurrenceRule } from '../../src/domain/recurrence/rule.ts'
import type { Recurring } from '../api.ts'

export type Repeated = Pick<Recurring, 'starts_on' | 'rrule'> & Partial<Pick<Recurring, 'weekend'>>

/** The first days from a date on, on which a recurring transaction would be booked; none if its rule is invalid. */
export function nextDates(
  { starts_on, rrule, weekend = 'keep' }: Repeated,
  from: string,
  count: number,
): string[] {
  const days: string[] = []
  if (!isCalendarDate(starts_on)) return days
  try {
    for (const date of occurrences({ startsOn: starts_on, rule: parseRecurrenceRule(rrule) }, from)) {
      if (days.length === count) break
      days.push(bookingDay(date, weekend))
    }
  } catch (error) {
    if (!(error instanceof InvalidRecurrenceRule)) throw error
  }
  return days
}
