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
  /** When these settings took effect: what was due before is no reminder of theirs. */
  since?: Date | null
}

/** The local day that a reminder is due for, if any, until when it may go out, and when to look again. */
export type ReminderPlan = { dueFor?: { day: CalendarDate; until: Date }; lookAgainAt: Date | null }

/** Decides whether a reminder is due at `now`. Yesterday's may still be, just after midnight. */
export function planReminder(settings: ReminderSettings, now: Date): ReminderPlan {
  const { isVerified, timezone, reminderTime, lastDay, since = null } = settings
  if (!isVerified || reminderTime === null) return { lookAgainAt: null }
  const today = dateIn(timezone, now)
  const dueOn = (day: CalendarDate) => instantIn(timezone, day, reminderTime)

  const upcoming = [today, addDays(today, 1)].map(dueOn).find((due) => due > now)
  const lookAgainAt = upcoming ?? dueOn(addDays(today, 2))
  for (const day of [today, addDays(today, -1)]) {
    const due = dueOn(day)
    const until = new Date(due.getTime() + latestByMs)
    const isWanted = (lastDay === null || day > lastDay) && (since === null || due >= since)
    if (isWanted && due <= now && now < until) return { dueFor: { day, until }, lookAgainAt }
  }
  return { lookAgainAt }
}
