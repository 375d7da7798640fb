import { addDays, type CalendarDate, dateIn, instantIn } from './dates.ts'

/** A reminder that is later than this is left out (decisions.md, Resources). */
export const latestByMs = 2 * 3_600_000

/** What decides over a user's reminder. */
export type ReminderSettings = {
  isVerified: boolean
  timezone: string
  /** `HH:MM`, or null for none. */
  reminderTime: string | null
  /** The local day of the last reminder. */
  lastDay: CalendarDate | null
}

/** The local day that a reminder is due for, if any, until when it may go out, and when to look again. */
export type ReminderPlan = { dueFor?: { day: CalendarDate; until: Date }; lookAgainAt: Date | null }

/** Decides whether a reminder is due at `now`. Yesterday's may still be, just after midnight. */
export function planReminder(settings: ReminderSettings, now: Date): ReminderPlan {
  const { isVerified, timezone, reminderTime, lastDay } = settings
  if (!isVerified || reminderTime === null) return { lookAgainAt: null }
  const today = dateIn(timezone, now)
  const dueOn = (day: CalendarDate) => instantIn(timezone, day, reminderTime)

  const upcoming = [today, addDays(today, 1)].map(dueOn).find((due) => due > now)
  const lookAgainAt = upcoming ?? dueOn(addDays(today, 2))
  for (const day of [today, addDays(today, -1)]) {
    const until = new Date(dueOn(day).getTime() + latestByMs)
    const isDue = dueOn(day) <= now && now < until && (lastDay === null || day > lastDay)
    if (isDue) return { dueFor: { day, until }, lookAgainAt }
  }
  return { lookAgainAt }
}
