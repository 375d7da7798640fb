import { and, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import type { Owner, User } from '../database/owner.ts'
import { runAll, runOne } from '../database/run.ts'
import { tokens, users } from '../database/schema.ts'
import { countAttempt, type Limit, requireAttempt } from '../database/throttle.ts'
import { BadLink } from '../failures/failures.ts'
import { exactLimits } from '../failures/limits.ts'
import {
  addressLink,
  isAddressLink,
  type LinkAction,
  type LinkBase,
  type LinkParts,
  linkedUserId,
} from '../identity/links.ts'
import { mailLimits } from '../mail/limits.ts'
import type { MailQueue } from '../queues/queues.ts'
import { revokeLinks } from '../users/addresses.ts'
import { userDeletion } from '../users/delete.ts'
import type { LinkContext } from './context.ts'
import { ignoreLimits, mailResetLink } from './password-reset.ts'

/** Queues a verification email. */
export async function mailVerification(
  mailQueue: MailQueue,
  links: LinkBase,
  user: Pick<User, 'id' | 'name' | 'email' | 'createdAt'>,
  now: Date,
): Promise<void> {
  await mailQueue.send({
    kind: 'verify_address',
    id: crypto.randomUUID(),
    to: user.email,
    name: user.name,
    url: addressLink(links, 'verify', user, now),
    disownUrl: addressLink(links, 'disown', user, now),
    registeredAt: user.createdAt.toISOString(),
  })
}

/** Sends another verification email, unless the user's address is verified. Throws TooManyAttempts. */
export async function resendVerification(owner: Owner, { mailQueue, links, client }: LinkContext) {
  const recipient = sql`(select * from ${users} where ${users.id} = ${owner.id})`
  const isUnverified = sql`(select email_verified_at is null from ${recipient})`
  const limits: Limit[] = [
    { key: `resend:${owner.tokenId}`, ...exactLimits.verificationMails },
    ...mailLimits(recipient, client, isUnverified),
  ]
  const { statements } = countAttempt(owner.db, limits, owner.now, owner.isValid)
  const results = await owner.run(statements)
  const allowance = requireAttempt(limits, owner.now, results)
  const isVerified = results.user.emailVerifiedAt !== null
  if (!isVerified) await mailVerification(mailQueue, links, results.user, owner.now)
  return { ...allowance, isVerified }
}

/**
 * Verifies the address of the user of a link. `isNew` is true for exactly one of several simultaneous requests. Throws
 * BadLink.
 */
export async function verifyEmail(context: LinkContext, link: LinkParts) {
  const { db, now } = context
  const user = await userOfLink(context, 'verify', link)
  const isSameUser = and(eq(users.id, user.id), eq(users.email, user.email))
  const { verified, found } = await runAll(db, {
    verified: db
      .update(users)
      .set({ emailVerifiedAt: now, reminderLookAt: now, updatedAt: now })
      .where(and(isSameUser, isNull(users.emailVerifiedAt)))
      .returning({ id: users.id }),
    found: db.select({ id: users.id }).from(users).where(isSameUser),
  })
  // The user may have been deleted since the link was validated.
  if (found.length === 0) throw new BadLink(404, 'User not found.')
  return { userId: user.id, isNew: verified.length > 0 }
}

/** True if the link would verify an address that is not verified yet. Changes nothing. Throws BadLink. */
export async function canVerify(context: LinkContext, link: LinkParts): Promise<boolean> {
  const { emailVerifiedAt } = await userOfLink(context, 'verify', link)
  return emailVerifiedAt === null
}

/**
 * The action of a “this was not me” link. It deletes a user with an unverified address. If the address is verified, it signs
 * out all sessions, since a stranger may have registered, but does nothing once the owner of the address has set a password
 * by email or linked an identity provider.
 */
export type Disowning = 'deletes' | 'signs out' | 'nothing'

/** Returns the current action of a “this was not me” link. Throws BadLink. */
export async function readDisowning(context: LinkContext, link: LinkParts): Promise<Disowning> {
  const { emailVerifiedAt, isPasswordProven, idpId } = await userOfLink(context, 'disown', link)
  if (emailVerifiedAt === null) return 'deletes'
  return isPasswordProven || idpId !== null ? 'nothing' : 'signs out'
}

/**
 * Follows a “this was not me” link: deletes the user and all their data, or ends all sessions, removes the password and
 * emails a reset link. Returns its action. Throws BadLink.
 */
export async function disown(context: LinkContext, link: LinkParts): Promise<Disowning> {
  const { db, now, removalQueue } = context
  const { id, email } = await userOfLink(context, 'disown', link)
  const isSameUser = and(eq(users.id, id), eq(users.email, email))
  const isUnverified = and(isSameUser, isNull(users.emailVerifiedAt)) as SQL
  const isUnproven = and(
    isSameUser,
    isNotNull(users.emailVerifiedAt),
    eq(users.isPasswordProven, false),
    isNull(users.idpId),
  )
  const unproven = sql<number>`(select ${users.id} from ${users} where ${isUnproven})`
  const { deleted, signedOut, found } = await runAll(db, {
    ...userDeletion(db, email, isUnverified),
    tokens: db.delete(tokens).where(eq(tokens.userId, unproven)),
    ...revokeLinks(db, unproven),
    signedOut: db
      .update(users)
      .set({ passwordHash: null, updatedAt: now })
      .where(isUnproven)
      .returning({ id: users.id }),
    found: db.select({ id: users.id }).from(users).where(isSameUser),
  })
  if (signedOut.length > 0) {
    await mailResetLink(context, email).catch(ignoreLimits)
    return 'signs out'
  }
  if (found.length > 0) return 'nothing'
  // The button may have been pressed twice.
  if (deleted.length === 0) throw new BadLink(404, 'User not found.')
  await removalQueue.send(id)
  return 'deletes'
}

/** Returns the user of a link in a verification email. Throws BadLink. */
async function userOfLink({ db, now, links }: LinkContext, action: LinkAction, link: LinkParts) {
  const { email, emailVerifiedAt, isPasswordProven, idpId } = users
  const columns = { id: users.id, email, emailVerifiedAt, isPasswordProven, idpId }
  const isLinked = eq(users.id, linkedUserId(link))
  const [user] = await runOne(db, db.select(columns).from(users).where(isLinked))
  if (!user) throw new BadLink(404, 'User not found.')
  if (!isAddressLink(links.secret, action, link, user, now)) throw new BadLink(403)
  return user
}
