import { sql } from 'drizzle-orm'
import type { ProfileChanges } from '../../contract/people.ts'
import { prepareOwned } from '../../db/owner.ts'
import type { Slots } from '../../db/prepared.ts'
import { rule } from '../guards.ts'
import { addressIsFixed } from '../profile.ts'
import { bitsOf } from './conflicts.ts'
import { type Staged, type Step, uploadOf } from './steps.ts'
import { applyUpdates, changesAsJson, judgeUpdates, type NounTable } from './updates.ts'

const groupOf = {
  name: 'name',
  timezone: 'timezone',
  reminder_time: 'reminder_time',
  email: 'email',
} satisfies Record<keyof Omit<ProfileChanges, 'password'>, string>

const profile: NounTable = {
  table: 'users',
  groupOf,
  row: (userId) => sql`users.id = ${userId}`,
  hasVersion: false,
  // Clients may send back what they were shown, and an empty address.
  rules: () => [rule('email', addressIsFixed, sql`coalesce(next_email, now_email) = now_email`)],
}

const update = prepareOwned((owner, staged: Slots<Staged>) => {
  const { db, now } = owner
  const upload = uploadOf(owner, staged)
  const { json } = staged
  const step = { noun: profile, step: 'update profile' }
  const movesReminder = bitsOf(groupOf, (field) => field === 'timezone' || field === 'reminder_time')
  // The reminder job works out when the next one is due.
  const lookAt = sql`reminder_look_at = iif(op.sent & ${sql.raw(String(movesReminder))}, ${now}, users.reminder_look_at)`
  // A new address is refused, so it is never written.
  const fields = Object.keys(groupOf).filter((field) => field !== 'email')
  return {
    judged: db.run(judgeUpdates(upload, { ...step, json })),
    updated: db.run(applyUpdates(upload, { ...step, fields, also: [lookAt] }, now)),
  }
})

export const updateProfiles: Step = (owner, asked, operations) =>
  Object.values(update(owner, { ...asked, json: changesAsJson(profile, operations) }))
