import { and, eq, sql } from 'drizzle-orm'
import { toColumns } from '../database/input-columns.ts'
import { type Owner, type User, userColumns } from '../database/owner.ts'
import { users } from '../database/schema.ts'
import { addError } from '../domain/field-errors.ts'
import type { Draft } from '../failures/draft.ts'
import { Invalid } from '../failures/failures.ts'
import { changedElsewhere, type ProfileChanges } from './contract.ts'
import { dueReminderSoon } from './reminders.ts'

/** Returns the user. */
export async function showUser(owner: Owner): Promise<User> {
  const { user } = await owner.run()
  return user
}

/** Changes only the fields that were sent. The address may be sent, but not changed. Throws Invalid. */
export async function updateProfile(owner: Owner, draft: Draft<ProfileChanges>): Promise<User> {
  const { email, password: _, ...changes } = draft.values
  const movesReminder = changes.timezone !== undefined || changes.reminder_time !== undefined
  const isOwnAddress = email ? eq(users.email, email) : sql`true`
  const update = owner.db
    .update(users)
    .set({
      ...toColumns(changes),
      // The reminder jobs compute the next reminders, which depend on both fields.
      ...(movesReminder && { reminderLookAt: owner.now, dueReminderLookAt: dueReminderSoon(owner.now) }),
      updatedAt: owner.now,
    })
    .where(and(eq(users.id, owner.id), draft.complete ? isOwnAddress : sql`false`))
    .returning(userColumns)
  const results = await owner.run({ changed: update })
  const [changed] = results.changed
  if (changed) return changed
  const errors = { ...draft.errors }
  if (email && email !== results.user.email) addError(errors, 'email', changedElsewhere)
  throw new Invalid(errors)
}
