import { and, eq, isNull, lte, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import type { Owner, User } from '../db/owner.ts'
import { tokens, users } from '../db/schema.ts'
import { type Allowance, BadLink } from '../domain/failures.ts'
import {
  type AddressLink,
  addressLink,
  isAddressLink,
  type LinkBase,
  type LinkParts,
} from '../domain/links.ts'
import type { Outbox } from '../gateways/mail-queue.ts'
import { mostDeletedAtOnce } from './bounds.ts'
import { type Client, mailLimits } from './mail-limits.ts'
import { clearPart, deletion, hasBeenCleared } from './profile.ts'
import { attempt, demandAttempt, type Limit } from './throttle.ts'

/** How often one token may ask for a verification mail in a minute (api.md §8). */
const resends = { most: 6, withinMs: 60_000 }

/** Asks the queue for a verification mail. */
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

/** What came of asking for another verification mail. */
export type Resent = Allowance & { isVerified: boolean }

/** Sends the bearer another verification mail, unless the address is verified. Throws TooManyAttempts. */
export async function resendVerification(
  owner: Owner,
  { outbox, links, client }: { outbox: Outbox; links: LinkBase; client: Client },
): Promise<Resent> {
  const bearer = sql`(select * from ${users} where ${users.id} = ${owner.id})`
  const isUnverified = sql`(select email_verified_at is null from ${bearer})`
  const limits: Limit[] = [
    { key: `resend:${owner.tokenId}`, ...resends },
    ...mailLimits(bearer, client, isUnverified),
  ]
  const { statements } = attempt(owner.db, limits, owner.now, owner.isKnown)
  const [user, , inserted, counted] = await owner.run(...statements)
  const allowance = demandAttempt(limits, owner.now, inserted, counted)
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
  link: LinkParts,
  now: Date,
): Promise<{ userId: number; isNew: boolean }> {
  const user = await userOfLink(db, secret, 'verify', link, now)
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

/** Whether the account that a link "this was not me" is for can still be ended by it. Throws BadLink. */
export async function canDisown(db: Database, secret: string, link: LinkParts, now: Date): Promise<boolean> {
  const user = await userOfLink(db, secret, 'disown', link, now)
  return user.emailVerifiedAt === null
}

/**
 * Ends the account that a link "this was not me" is for: deletes it with everything in it, or locks it, so that nobody
 * can sign in, where it holds more than one request can delete. Once the address is verified the account is that of
 * whoever reads its mails, and stays. Throws BadLink.
 */
export async function disown(
  db: Database,
  secret: string,
  link: LinkParts,
  now: Date,
): Promise<'deleted' | 'locked' | 'too late'> {
  const { id, email } = await userOfLink(db, secret, 'disown', link, now)
  const isUnverified = and(eq(users.id, id), eq(users.email, email), isNull(users.emailVerifiedAt)) as SQL
  const canGo = and(isUnverified, lte(users.transactionCount, mostDeletedAtOnce)) as SQL
  for (;;) {
    const [, , , , deleted, still, locked] = await db.batch([
      ...clearPart(db, canGo),
      ...deletion(db, email, sql`${canGo} and ${hasBeenCleared}`),
      db.select({ id: users.id }).from(users).where(canGo),
      db.update(users).set({ passwordHash: null }).where(isUnverified).returning({ id: users.id }),
      db
        .delete(tokens)
        .where(sql`${tokens.userId} = ${id} and exists (select 1 from ${users} where ${isUnverified})`),
    ])
    if (still.length > 0) continue
    if (deleted.length > 0) return 'deleted'
    return locked.length > 0 ? 'locked' : 'too late'
  }
}

/** The user that a link of a verification mail was made for. Throws BadLink. */
async function userOfLink(db: Database, secret: string, does: AddressLink, link: LinkParts, now: Date) {
  const id = /^[1-9]\d{0,14}$/.test(link.id) ? Number(link.id) : 0
  const [[user]] = await db.batch([
    db
      .select({ id: users.id, email: users.email, emailVerifiedAt: users.emailVerifiedAt })
      .from(users)
      .where(eq(users.id, id)),
  ])
  if (!user) throw new BadLink(404, 'User not found.')
  if (!(await isAddressLink(secret, does, link, user, now))) throw new BadLink(403)
  return user
}
