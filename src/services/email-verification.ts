import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import type { Owner, User } from '../db/owner.ts'
import { runAll, runOne } from '../db/run.ts'
import { users } from '../db/schema.ts'
import { type Allowance, BadLink } from '../domain/failures.ts'
import {
  type AddressLink,
  addressLink,
  isAddressLink,
  type LinkBase,
  type LinkParts,
} from '../domain/links.ts'
import { exactLimits } from '../domain/rate-limits.ts'
import type { Outbox, RemovalQueue } from '../gateways/queues.ts'
import { type ClientAddress, mailLimits } from './mail-limits.ts'
import { countAttempt, type Limit, requireAttempt } from './throttle.ts'
import { userDeletion } from './user-deletion.ts'

/** Queues a verification email. */
export async function mailVerification(
  outbox: Outbox,
  links: LinkBase,
  user: Pick<User, 'id' | 'name' | 'email' | 'createdAt'>,
  now: Date,
): Promise<void> {
  await outbox.post({
    kind: 'verify_address',
    id: crypto.randomUUID(),
    to: user.email,
    name: user.name,
    url: await addressLink(links, 'verify', user, now),
    disownUrl: await addressLink(links, 'disown', user, now),
    registeredAt: user.createdAt.toISOString(),
  })
}

export type Resent = Allowance & { isVerified: boolean }

/** Sends another verification email, unless the user's address is verified. Throws TooManyAttempts. */
export async function resendVerification(
  owner: Owner,
  { outbox, links, client }: { outbox: Outbox; links: LinkBase; client: ClientAddress },
): Promise<Resent> {
  const recipient = sql`(select * from ${users} where ${users.id} = ${owner.id})`
  const isUnverified = sql`(select email_verified_at is null from ${recipient})`
  const limits: Limit[] = [
    { key: `resend:${owner.tokenId}`, ...exactLimits.verificationMails },
    ...mailLimits(recipient, client, isUnverified),
  ]
  const { statements } = countAttempt(owner.db, limits, owner.now, owner.isKnown)
  const results = await owner.run(statements)
  const allowance = requireAttempt(limits, owner.now, results)
  const isVerified = results.user.emailVerifiedAt !== null
  if (!isVerified) await mailVerification(outbox, links, results.user, owner.now)
  return { ...allowance, isVerified }
}

/**
 * Verifies the address of the user that a link is for. `isNew` says whether this click did it: of several at the same
 * time, exactly one does. Throws BadLink.
 */
export async function verifyEmail(db: Database, secret: string, link: LinkParts, now: Date) {
  const user = await userOfLink(db, secret, 'verify', link, now)
  const isSameUser = and(eq(users.id, user.id), eq(users.email, user.email))
  const { verified, found } = await runAll(db, {
    verified: db
      .update(users)
      .set({ emailVerifiedAt: now, reminderLookAt: now, updatedAt: now })
      .where(and(isSameUser, isNull(users.emailVerifiedAt)))
      .returning({ id: users.id }),
    found: db.select({ id: users.id }).from(users).where(isSameUser),
  })
  // The user may have been deleted since the link was checked.
  if (found.length === 0) throw new BadLink(404, 'User not found.')
  return { userId: user.id, isNew: verified.length > 0 }
}

/** True if a “this was not me” link can still end its registration. Throws BadLink. */
export async function canDisown(db: Database, secret: string, link: LinkParts, now: Date): Promise<boolean> {
  const user = await userOfLink(db, secret, 'disown', link, now)
  return user.emailVerifiedAt === null
}

/**
 * Ends the registration that a “this was not me” link is for: deletes the user and all their data. Returns whether it
 * did: a user whose address is verified stays, since it is they who read its emails. Throws BadLink.
 */
export async function disown(
  db: Database,
  secret: string,
  link: LinkParts,
  now: Date,
  removals: RemovalQueue,
): Promise<boolean> {
  const { id, email } = await userOfLink(db, secret, 'disown', link, now)
  const isSameUser = and(eq(users.id, id), eq(users.email, email))
  const isUnverified = and(isSameUser, isNull(users.emailVerifiedAt)) as SQL
  const { deleted, found } = await runAll(db, {
    ...userDeletion(db, email, isUnverified),
    found: db.select({ id: users.id }).from(users).where(isSameUser),
  })
  if (found.length > 0) return false
  // The button may have been pressed twice.
  if (deleted.length === 0) throw new BadLink(404, 'User not found.')
  await removals.post(id)
  return true
}

/** Returns the user that a link in a verification email is for. Throws BadLink. */
async function userOfLink(db: Database, secret: string, does: AddressLink, link: LinkParts, now: Date) {
  const id = /^[1-9]\d{0,14}$/.test(link.id) ? Number(link.id) : 0
  const columns = { id: users.id, email: users.email, emailVerifiedAt: users.emailVerifiedAt }
  const [user] = await runOne(db, db.select(columns).from(users).where(eq(users.id, id)))
  if (!user) throw new BadLink(404, 'User not found.')
  if (!(await isAddressLink(secret, does, link, user, now))) throw new BadLink(403)
  return user
}
