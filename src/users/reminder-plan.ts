import { addDays, type CalendarDate, dateIn, hourMs, instantIn } from '../domain/dates.ts'

/** A reminder that is later than this is not sent. */
const maxDelayMs = 2 * hourMs

/** The settings of a user's reminder. */
export type ReminderSettings = {
  isVerified: boolean
  timezone: string
  /** `HH:MM`, or null for none. */
  reminderTime: string | null
  /** The local day of the last reminder. */
  lastDay: CalendarDate | null
  /** When the settings were changed: reminders that were due earlier are not sent. */
  since?: Date | null
}

/** A due reminder with its local day and the time until which it may be sent; the next check, null for none. */
export type ReminderPlan = { dueFor?: { day: CalendarDate; until: Date }; lookAgainAt: Date | null }

/** Returns the reminder that is due, today's or yesterday's, and the time of the next check. */
export function planReminder(settings: ReminderSettings, now: Date): ReminderPlan {
  const { isVerified, timezone, reminderTime, lastDay, since = null } = settings
  if (!isVerified || reminderTime === null) return { lookAgainAt: null }
  const today = dateIn(timezone, now)
  const dueOn = (day: CalendarDate) => instantIn(timezone, day, reminderTime)

  const upcoming = [today, addDays(today, 1)].map(dueOn).find((due) => due > now)
  const lookAgainAt = upcoming ?? dueOn(addDays(today, 2))
  for (const day of [today, addDays(today, -1)]) {
    const due = dueOn(day)
    const until = new Date(due.getTime() + maxDelayMs)
    const isWanted = (lastDay === null || day > lastDay) && (since === null || due >= since)
    if (isWanted && due <= now && now < until) return { dueFor: { day, until }, lookAgainAt }
  }
  return { lookAgainAt }
}
