import { addDays, type CalendarDate, dateIn, hourMs, instantIn } from '../shared/dates.ts'

/** A reminder that would be this late, or later, is not sent. */
const latestByMs = 2 * hourMs

/** What a user's reminder depends on. */
export type ReminderSettings = {
  isVerified: boolean
  timezone: string
  /** `HH:MM`, or null for none. */
  reminderTime: string | null
  /** The local day of the last reminder. */
  lastDay: CalendarDate | null
  /** When these settings took effect: reminders that were due earlier are not sent. */
  since?: Date | null
}

/** The local day of a reminder that is due, if one is, and until when it may be sent; when to look again, null for never. */
export type ReminderPlan = { dueFor?: { day: CalendarDate; until: Date }; lookAgainAt: Date | null }

/** Decides whether a reminder is due. Just after midnight, yesterday's may still be due. */
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
