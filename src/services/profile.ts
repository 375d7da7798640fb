import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { type Owner, type User, userColumns } from '../db/owner.ts'
import { attempts, failedMails, users } from '../db/schema.ts'
import { addError, type Draft, messageFor } from '../domain/draft.ts'
import { Invalid } from '../domain/failures.ts'
import type { ScryptCost } from '../domain/passwords.ts'
import type { Outbox } from '../gateways/mail-queue.ts'
import { mostDeletedAtOnce, rowsPerPart, tooManyRows } from './bounds.ts'
import { mailboxKey, mailLimits, newAddress } from './mail-limits.ts'
import { demandOwnPassword, readOwnPassword, wrongPassword } from './password-change.ts'
import { forgotKeys } from './password-reset.ts'
import { attempt } from './throttle.ts'

export type ProfileFields = {
  name: string
  timezone: string
  reminder_time: string | null
  email: string | null
}
/** What proves that it is really the user who leaves: the password, or the address where there is none. */
export type Farewell = { password?: string | null; email?: string | null }

/** The bearer. */
export async function showUser(owner: Owner): Promise<User> {
  const [user] = await owner.run()
  return user
}

/** Changes the profile fields that were sent. The address may be sent as it is, and is not changed. Throws Invalid. */
export async function updateProfile(owner: Owner, draft: Draft<Partial<ProfileFields>>): Promise<User> {
  const { name, timezone, reminder_time, email } = draft.values
  const movesReminder = timezone !== undefined || reminder_time !== undefined
  const isOwnAddress = email ? eq(users.email, email) : sql`true`
  const update = owner.db
    .update(users)
    .set({
      name,
      timezone,
      reminderTime: reminder_time,
      // When the reminder is due depends on both fields, of which one may be unsent: the reminder job works it out.
      reminderLookAt: movesReminder ? owner.now : undefined,
      updatedAt: owner.now,
    })
    .where(and(eq(users.id, owner.id), draft.complete ? isOwnAddress : sql`false`))
    .returning(userColumns)
  const [user, [changed]] = await owner.run(update)
  if (changed) return changed
  const errors = { ...draft.errors }
  if (email && email !== user.email) addError(errors, 'email', 'The :field field cannot be changed.')
  throw new Invalid(errors)
}

/**
 * Deletes the bearer and everything that is theirs, in one transaction unless they have uploaded tens of thousands of
 * items lately, and mails a receipt. Two round trips: the stored hash must come here to be compared. Throws TooManyAttempts, Invalid, TooBusy.
 */
export async function deleteUser(
  owner: Owner,
  draft: Draft<Farewell>,
  { scryptCost, outbox }: { scryptCost: ScryptCost; outbox: Outbox },
): Promise<void> {
  const { user, stored } = await readOwnPassword(owner)
  if (!draft.complete) throw new Invalid(draft.errors)
  await demandProof(draft.values, user, stored, scryptCost)
  if (user.transactionCount > mostDeletedAtOnce) throw tooManyRows('user')

  const unchanged = sql`${users.id} = ${owner.id} and ${users.passwordHash} is ${stored}`
  const canGo = sql`${unchanged} and ${hasBeenCleared}`
  const isVerified = user.emailVerifiedAt !== null
  const limits = mailLimits(newAddress(user.email), null)
  const mayGo = sql`exists (select 1 from ${users} where ${canGo})`
  const receipt = attempt(owner.db, limits, owner.now, isVerified ? sql`false` : mayGo)
  for (;;) {
    const [, , , , receipts, , , , deleted, still] = await owner.run(
      ...clearPart(owner.db, unchanged),
      ...receipt.statements,
      ...deletion(owner.db, user.email, canGo),
      owner.db.select({ id: users.id }).from(users).where(unchanged),
    )
    if (still.length > 0) continue
    if (deleted.length === 0) throw wrongPassword('password')
    if (!isVerified && receipts.length === 0) return
    break
  }
  await outbox.post({
    kind: 'farewell',
    id: `farewell-${user.id}-${owner.now.getTime()}`,
    to: user.email,
    name: user.name,
  })
}

/** True of a user once `clearPart` has left nothing. */
export const hasBeenCleared = sql`(
  not exists (select 1 from sync_batches where user_id = ${users.id})
  and not exists (select 1 from spent_client_ids where user_id = ${users.id}))`

/**
 * Takes away a part of what the leaving user has without a bound: uploaded batches, of which there may be millions of
 * items, and spent client ids. All of it at once would take the database longer than a request may, for good.
 */
export function clearPart(db: Database, condition: SQL) {
  const userId = sql`(select ${users.id} from ${users} where ${condition})`
  const batches = sql`
    select rowid as place, (select coalesce(max(position), -1) + 2 from sync_items where batch_id = id) as rows
      from sync_batches where user_id = ${userId} order by rowid limit ${rowsPerPart}`
  return [
    db.run(sql`
      delete from sync_batches where rowid in (
        select place from (
          select place, sum(rows) over (order by place rows between unbounded preceding and 1 preceding) as before
            from (${batches}))
         where coalesce(before, 0) < ${rowsPerPart})`),
    db.run(sql`
      delete from spent_client_ids where rowid in (
        select rowid from spent_client_ids where user_id = ${userId} limit ${rowsPerPart})`),
  ] as const
}

/**
 * The statements that delete the user with an address, where a condition still holds, with everything that is theirs;
 * the last one answers the user's id if it did.
 */
export function deletion(db: Database, email: string, condition: SQL) {
  const isStill = sql`exists (select 1 from ${users} where ${condition})`
  const counts = inArray(attempts.key, Object.values(forgotKeys(email)))
  // What counts the mails to an address that nobody has confirmed stays: leaving must not make room for more.
  const mailboxCounts = eq(attempts.key, mailboxKey(newAddress(email)))
  const isVerified = sql`exists (select 1 from ${users} where ${condition} and ${users.emailVerifiedAt} is not null)`
  return [
    // The two places that hold the address without belonging to the user's row.
    db.delete(attempts).where(or(and(counts, isStill), and(mailboxCounts, isVerified))),
    db.delete(failedMails).where(and(eq(failedMails.recipient, email), isStill)),
    db.delete(users).where(condition).returning({ id: users.id }),
  ] as const
}

async function demandProof(
  { password, email }: Farewell,
  user: User,
  stored: string | null,
  cost: ScryptCost,
): Promise<void> {
  if (stored === null) {
    if (email === user.email) return
    const text = email ? 'The :field does not match.' : 'The :field field is required.'
    throw new Invalid({ email: [messageFor('email', text)] })
  }
  if (!password) throw new Invalid({ password: [messageFor('password', 'The :field field is required.')] })
  await demandOwnPassword('password', password, stored, cost)
}
