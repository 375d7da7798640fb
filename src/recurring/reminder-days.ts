import { addDays, type CalendarDate, dateIn, instantIn } from '../domain/dates.ts'
import {
  type IsRecorded,
  type Occurrence,
  type Occurring,
  openUntil,
} from '../domain/recurrence/occurrences.ts'

/** The time of a user who has no daily reminder. */
const defaultTime = '20:00'

/** The settings of a user's reminders of occurrences, and what the job has done. */
export type DueReminderSettings = {
  timezone: string
  /** `HH:MM`, or null for the default. */
  reminderTime: string | null
  /** The local day up to which the job has handled all occurrences; null before its first check. */
  lastDay: CalendarDate | null
  /** The time since which the job was to check. */
  lookAt: Date
}

/** The days whose occurrences one email reminds of: after one day, up to another; none if the two are equal. */
export type ReminderDays = { after: CalendarDate; day: CalendarDate; lookAgainAt: Date }

/**
 * Returns the days whose time has come since the last check: usually today, or several after an outage, and the time of the
 * next check. Days are handled once, whatever happens to the settings: after a move to the west, a day is not repeated.
 */
export function daysToRemindOf({ timezone, reminderTime, lastDay, lookAt }: DueReminderSettings, now: Date) {
  const time = reminderTime ?? defaultTime
  const reached = (instant: Date): CalendarDate => {
    const today = dateIn(timezone, instant)
    const days = [today, addDays(today, -1)]
    return days.find((day) => instantIn(timezone, day, time) <= instant) ?? addDays(today, -2)
  }
  const after = lastDay ?? reached(lookAt)
  const day = reached(now) > after ? reached(now) : after
  return { after, day, lookAgainAt: instantIn(timezone, addDays(day, 1), time) }
}

/** The open occurrences of a rule to remind of on those days, `remindDays` days ahead. */
export function occurrencesToRemindOf(
  { remindDays, ...rule }: Occurring & { remindDays: number },
  isRecorded: IsRecorded,
  { after, day }: Pick<ReminderDays, 'after' | 'day'>,
  today: CalendarDate,
): Occurrence[] {
  const ahead = (date: CalendarDate) => addDays(date, remindDays)
  return openUntil(rule, isRecorded, today, ahead(day)).filter((one) => one.day > ahead(after))
}
