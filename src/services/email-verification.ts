import { and, eq, isNull } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import type { Owner, User } from '../db/owner.ts'
import { users } from '../db/schema.ts'
import { type Allowance, BadLink } from '../domain/failures.ts'
import { isVerificationLink, type LinkBase, verificationLink } from '../domain/links.ts'
import type { Outbox } from '../gateways/mail-queue.ts'
import { attempt, demandAttempt } from './throttle.ts'

/** How many verification mails one token may ask for in a minute (api.md §8). */
const resendsPerMinute = 6

/** Asks the queue for a verification mail. */
export async function mailVerification(
  outbox: Outbox,
  links: LinkBase,
  user: Pick<User, 'id' | 'name' | 'email'>,
  now: Date,
): Promise<void> {
  const url = await verificationLink(links, user, now)
  await outbox.post({ kind: 'verify_address', id: crypto.randomUUID(), to: user.email, name: user.name, url })
}

/** What came of asking for another verification mail. */
export type Resent = Allowance & { isVerified: boolean }

/** Sends the bearer another verification mail, unless the address is verified. Throws TooManyAttempts. */
export async function resendVerification(owner: Owner, outbox: Outbox, links: LinkBase): Promise<Resent> {
  const limit = { key: `resend:${owner.tokenId}`, perMinute: resendsPerMinute }
  const { statements } = attempt(owner.db, limit, owner.now, owner.isKnown)
  const [user, , inserted, counted] = await owner.run(...statements)
  const allowance = demandAttempt(limit, owner.now, inserted, counted)
  const isVerified = user.emailVerifiedAt !== null
  if (!isVerified) await mailVerification(outbox, links, user, owner.now)
  return { ...allowance, isVerified }
}

/**
 * Verifies the address of the user that a link is for; answers whether it was this click that did it.
 * Of several at once, exactly one did. Throws BadLink.
 */
export async function verifyEmail(
  db: Database,
  secret: string,
  link: { id: string; hash: string; expires: string; signature: string },
  now: Date,
): Promise<{ userId: number; isNew: boolean }> {
  const id = /^[1-9]\d{0,14}$/.test(link.id) ? Number(link.id) : 0
  const [[user]] = await db.batch([
    db.select({ id: users.id, email: users.email }).from(users).where(eq(users.id, id)),
  ])
  if (!user) throw new BadLink(404, 'User not found.')
  if (!(await isVerificationLink(secret, link, user, now))) throw new BadLink(403)
  const isStill = and(eq(users.id, user.id), eq(users.email, user.email))
  const [verified, [still]] = await db.batch([
    db
      .update(users)
      .set({ emailVerifiedAt: now, reminderLookAt: now, updatedAt: now })
      .where(and(isStill, isNull(users.emailVerifiedAt)))
      .returning({ id: users.id }),
    db.select({ id: users.id }).from(users).where(isStill),
  ])
  // The user may have left since the link was checked, or have got another address.
  if (!still) throw new BadLink(404, 'User not found.')
  return { userId: user.id, isNew: verified.length > 0 }
}
