import { and, eq, gt, type SQL, sql } from 'drizzle-orm'
import { insertWhere } from '../database/insert-where.ts'
import { type Database, runAll, runOne } from '../database/run.ts'
import { passwordResets, tokens, users } from '../database/schema.ts'
import { countAttempt, type Limit, requireAttempt } from '../database/throttle.ts'
import { minuteMs } from '../domain/dates.ts'
import { type Draft, valuesOf } from '../failures/draft.ts'
import { Invalid, TooManyAttempts } from '../failures/failures.ts'
import { exactLimits, resetLinkMinutes } from '../failures/limits.ts'
import { type Hashing, hashQueued } from '../identity/hashing.ts'
import { newSecret, sha256Hex } from '../identity/tokens.ts'
import { type ClientAddress, forgotKeys, mailLimits } from '../mail/limits.ts'
import { revokeLinks } from '../users/addresses.ts'
import type { LinkContext } from './context.ts'
import type { PasswordReset } from './email-contract.ts'

const linkTtlMs = resetLinkMinutes * minuteMs
const badToken = 'This password reset token is invalid.'
/** Unknown addresses share these counters, so that they cannot fill the table. */
const unknownCounters = 1_024

type MailContext = Omit<LinkContext, 'links' | 'removalQueue'>

/** The limits of a request: those of the user's address, or of one of the counters for unknown addresses. */
function limitsOf(email: string, client: ClientAddress): Limit[] {
  const found = sql`(select * from ${users} where ${users.email} = ${email})`
  const isUser = sql`exists ${found}`
  const keys = forgotKeys(email)
  const counter = Number.parseInt(sha256Hex(email).slice(0, 8), 16) % unknownCounters
  return [
    { key: sql`iif(${isUser}, ${keys.minute}, ${`nobody:${counter}`})`, ...exactLimits.resetMails },
    { key: keys.hour, when: isUser, ...exactLimits.resetLinks },
    ...mailLimits(found, client, isUser),
  ]
}

/** Emails a reset link; returns the rest of the limits. Throws Invalid (for an unknown address), TooManyAttempts. */
export async function mailResetLink(context: MailContext, email: string) {
  const { db, now, mailQueue } = context
  const limits = limitsOf(email, context.client)
  const { statements, isCounted } = countAttempt(db, limits, now)
  const token = newSecret(context.random)
  const reset = {
    tokenHash: sha256Hex(token),
    userId: sql<number>`(select ${users.id} from ${users} where ${users.email} = ${email})`,
    email,
    expiresAt: new Date(now.getTime() + linkTtlMs),
  }
  const isUser = sql`exists (select 1 from ${users} where ${users.email} = ${email})`
  const results = await runAll(db, {
    ...statements,
    found: db.select({ name: users.name }).from(users).where(eq(users.email, email)),
    reset: insertWhere(db, passwordResets, reset, sql`${isCounted} and ${isUser}`),
  })
  const allowance = requireAttempt(limits, now, results)
  const [user] = results.found
  if (!user) throw invalidEmail("We can't find a user with that email address.")
  const url = new URL(`${context.frontendUrl}/reset-password`)
  url.search = new URLSearchParams({ token, email }).toString()
  const { name } = user
  await mailQueue.send({ kind: 'reset_password', id: crypto.randomUUID(), to: email, name, url: url.href })
  return allowance
}

/** Beyond the limits, the page and earlier emails explain how to get a new password. */
export function ignoreLimits(error: unknown): void {
  if (!(error instanceof TooManyAttempts)) throw error
}

/**
 * Sets a new password with the token from a reset email, signs the user out everywhere and voids other emailed links.
 * Exactly one of several requests with the same token succeeds. Throws Invalid, TooBusy.
 */
export async function resetPassword(
  { db, now, hashing }: { db: Database; now: Date; hashing: Hashing },
  draft: Draft<PasswordReset>,
): Promise<void> {
  const { token, email, password } = valuesOf(draft)
  const userId = userOfToken(token, email, now)
  // Validated before the password is hashed, which is slow.
  const found = await runOne(db, db.select({ id: users.id }).from(users).where(eq(users.id, userId)))
  if (found.length === 0) throw invalidEmail(badToken)

  const passwordHash = await hashQueued(password, hashing)
  const links = revokeLinks(db, userId)
  const { changed } = await runAll(db, {
    changed: db
      .update(users)
      .set({ passwordHash, isPasswordProven: true, updatedAt: now })
      .where(eq(users.id, userId))
      .returning({ id: users.id }),
    tokens: db.delete(tokens).where(eq(tokens.userId, userId)),
    changeVoided: links.changeRevoked,
    // Last, since the other statements find the user by the token.
    resetsVoided: links.resetsRevoked,
  })
  if (changed.length === 0) throw invalidEmail(badToken)
}

/** The user's id in SQL: NULL unless the token is valid at this moment, for this address. */
function userOfToken(token: string, email: string, now: Date): SQL<number> {
  const isValid = and(
    eq(passwordResets.tokenHash, sha256Hex(token)),
    eq(passwordResets.email, email),
    eq(users.email, email),
    gt(passwordResets.expiresAt, now),
  )
  return sql<number>`(select ${passwordResets.userId} from ${passwordResets} join ${users} on ${users.id} = ${passwordResets.userId} where ${isValid})`
}

function invalidEmail(message: string): Invalid {
  return new Invalid({ email: [message] }, message)
}
