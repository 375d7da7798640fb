import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import { union } from 'drizzle-orm/sqlite-core'
import type { Owner, User } from '../database/owner.ts'
import type { Database } from '../database/run.ts'
import { attempts, failedMails, formerAddresses, users } from '../database/schema.ts'
import { countAttempt } from '../database/throttle.ts'
import { messageFor, requiredText } from '../domain/field-errors.ts'
import type { Draft } from '../failures/draft.ts'
import { Invalid } from '../failures/failures.ts'
import type { Hashing } from '../identity/hashing.ts'
import { forgotKeys, mailboxKey, mailLimits, newAddress } from '../mail/limits.ts'
import type { MailQueue, RemovalQueue } from '../queues/queues.ts'
import type { Farewell } from './contract.ts'
import { readOwnPassword, requireOwnPassword, wrongPassword } from './password.ts'

/**
 * Deletes the user and all their data, and emails a receipt, unless a limit on emails to unverified addresses is used up.
 * Two round trips, since the Worker verifies the password. Throws TooManyAttempts, Invalid, TooBusy.
 */
export async function deleteUser(
  owner: Owner,
  draft: Draft<Farewell>,
  {
    hashing,
    mailQueue,
    removalQueue,
  }: { hashing: Hashing; mailQueue: MailQueue; removalQueue: RemovalQueue },
): Promise<void> {
  const { user, stored } = await readOwnPassword(owner)
  if (!draft.complete) throw new Invalid(draft.errors)
  await requireProof(draft.values, user, stored, hashing)

  const unchanged = sql`${users.id} = ${owner.id} and ${users.passwordHash} is ${stored}`
  const isUnchanged = sql`exists (select 1 from ${users} where ${unchanged})`
  const isVerified = user.emailVerifiedAt !== null
  const limits = mailLimits(newAddress(user.email), null)
  const receipt = countAttempt(owner.db, limits, owner.now, isVerified ? sql`false` : isUnchanged)
  const { attempted, deleted } = await owner.run({
    ...receipt.statements,
    ...userDeletion(owner.db, user.email, unchanged),
  })
  if (deleted.length === 0) throw wrongPassword('password')
  await removalQueue.send(user.id)
  if (!isVerified && attempted.length === 0) return
  await mailQueue.send({
    kind: 'farewell',
    id: `farewell-${user.id}-${owner.now.getTime()}`,
    to: user.email,
    name: user.name,
  })
}

/**
 * The statements that delete the user with that address if the condition holds: sign-in and links stop working, and the
 * address is free. The remaining rows are inaccessible, and jobs/removal.ts removes them later.
 */
export function userDeletion(db: Database, email: string, condition: SQL) {
  const isStill = sql`exists (select 1 from ${users} where ${condition})`
  const counts = inArray(attempts.key, Object.values(forgotKeys(email)))
  // The count for an unverified address stays, so that deleting the user allows no further emails.
  const mailboxCounts = eq(attempts.key, mailboxKey(newAddress(email)))
  // Of the failed emails, also those to a former address.
  const own = db.select({ email: users.email }).from(users).where(condition)
  const former = db
    .select({ email: formerAddresses.email })
    .from(formerAddresses)
    .innerJoin(users, eq(users.id, formerAddresses.userId))
    .where(condition)
  const isVerified = sql`exists (select 1 from ${users} where ${condition} and ${users.emailVerifiedAt} is not null)`
  return {
    // These two contain the address, but no user id.
    attempts: db.delete(attempts).where(or(and(counts, isStill), and(mailboxCounts, isVerified))),
    failedMails: db.delete(failedMails).where(inArray(failedMails.recipient, union(own, former))),
    deleted: db.delete(users).where(condition).returning({ id: users.id }),
  }
}

async function requireProof(
  { password, email }: Farewell,
  user: User,
  stored: string | null,
  hashing: Hashing,
): Promise<void> {
  if (stored === null) {
    if (email === user.email) return
    const text = email ? 'The :field does not match.' : requiredText
    throw new Invalid({ email: [messageFor('email', text)] })
  }
  if (!password) throw new Invalid({ password: [messageFor('password', requiredText)] })
  await requireOwnPassword('password', password, stored, hashing)
}
