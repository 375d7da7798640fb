import { type SQL, sql } from 'drizzle-orm'
import { rule } from '../../database/rules.ts'
import { changedElsewhere, type ProfileChanges } from '../../users/contract.ts'
import { dueReminderSoon } from '../../users/reminders.ts'
import { bitsOf } from './conflicts.ts'
import { type ChangedNoun, updateStep } from './updates.ts'

const conflictGroups = {
  name: 'name',
  timezone: 'timezone',
  reminder_time: 'reminder_time',
  due_reminders: 'due_reminders',
  currency: 'currency',
  email: 'email',
} satisfies Record<keyof Omit<ProfileChanges, 'password'>, string>

const profile: ChangedNoun = {
  table: 'users',
  conflictGroups,
  // A user has only one, so an operation need not name it.
  isRow: (userId) => sql`users.id = ${userId} and users.id = coalesce(item.id, users.id)`,
  hasVersion: false,
  // Clients may send back what they were shown, and an empty address.
  rules: () => [rule('email', changedElsewhere, sql`coalesce(next_email, now_email) = now_email`)],
}

export const updateProfiles = updateStep(profile, 'update profile', (now) => {
  const movesReminder = bitsOf(conflictGroups, (field) => field === 'timezone' || field === 'reminder_time')
  // The reminder jobs then work out when the next reminders are due.
  const lookAt = (column: string, soon: SQL) =>
    sql
      .raw(column)
      .append(sql` = iif(op.set_bits & ${sql.raw(String(movesReminder))}, ${soon}, users.${sql.raw(column)})`)
  const also = [lookAt('reminder_look_at', sql`${now}`), lookAt('due_reminder_look_at', dueReminderSoon(now))]
  // A new address is refused, so it is never written.
  const fields = Object.keys(conflictGroups).filter((field) => field !== 'email')
  return [{ fields, also }]
})
