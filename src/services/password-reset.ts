import { and, eq, gt, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { insertWhere } from '../db/guarded.ts'
import { passwordResets, tokens, users } from '../db/schema.ts'
import { completed, type Draft } from '../domain/draft.ts'
import { type Allowance, Invalid } from '../domain/failures.ts'
import type { ScryptCost } from '../domain/passwords.ts'
import { hashSecret, newSecret, type RandomBytes } from '../domain/tokens.ts'
import type { Outbox } from '../gateways/mail-queue.ts'
import { hashInTurn } from './hashing.ts'
import { attempt, demandAttempt } from './throttle.ts'

const mailsPerMinute = 6
const goodForMs = 60 * 60_000

export type ResetFields = { token: string; email: string; password: string }
type MailContext = { db: Database; now: Date; random: RandomBytes; outbox: Outbox; frontendUrl: string }

/** The key by which the limit counts an address. */
export function forgotKey(email: string): string {
  return `forgot:${email}`
}

/** Mails a reset link to a user. Throws Invalid for an unknown address, TooManyAttempts. */
export async function forgotPassword(
  context: MailContext,
  draft: Draft<{ email: string }>,
): Promise<Allowance> {
  const { email } = completed(draft)
  const { db, now, outbox } = context
  const limit = { key: forgotKey(email), perMinute: mailsPerMinute }
  const { statements, taken } = attempt(db, limit, now)
  const token = newSecret(context.random)
  const reset = {
    tokenHash: await hashSecret(token),
    userId: sql<number>`(select ${users.id} from ${users} where ${users.email} = ${email})`,
    email,
    expiresAt: new Date(now.getTime() + goodForMs),
  }
  const isUser = sql`exists (select 1 from ${users} where ${users.email} = ${email})`
  const [, inserted, counted, [user]] = await db.batch([
    ...statements,
    db.select({ name: users.name }).from(users).where(eq(users.email, email)),
    insertWhere(db, passwordResets, reset, sql`${taken} and ${isUser}`),
  ])
  const allowance = demandAttempt(limit, now, inserted, counted)
  if (!user) throw unknownAddress()
  const url = new URL(`${context.frontendUrl}/reset-password`)
  url.search = new URLSearchParams({ token, email }).toString()
  await outbox.post({
    kind: 'reset_password',
    id: crypto.randomUUID(),
    to: email,
    name: user.name,
    url: url.href,
  })
  return allowance
}

/**
 * Sets a new password with the token of a reset mail; signs the user out everywhere and voids every other reset
 * token. Of several at once with one token, exactly one succeeds. Throws Invalid, TooBusy.
 */
export async function resetPassword(
  { db, now, scryptCost }: { db: Database; now: Date; scryptCost: ScryptCost },
  draft: Draft<ResetFields>,
): Promise<void> {
  const { token, email, password } = completed(draft)
  const userId = await userOfToken(token, email, now)
  // Hashing is slow by design: a token that is no good must not cost it.
  const [[found]] = await db.batch([db.select({ id: users.id }).from(users).where(eq(users.id, userId))])
  if (!found) throw badToken()

  const passwordHash = await hashInTurn(password, scryptCost)
  const [changed] = await db.batch([
    db
      .update(users)
      .set({ passwordHash, isPasswordProven: true, updatedAt: now })
      .where(eq(users.id, userId))
      .returning({ id: users.id }),
    db.delete(tokens).where(eq(tokens.userId, userId)),
    // Last, since it takes away what the others find the user by.
    db.delete(passwordResets).where(eq(passwordResets.userId, userId)),
  ])
  if (changed.length === 0) throw badToken()
}

/** The user's id as an expression: NULL unless the token is good at this moment, for this address. */
async function userOfToken(token: string, email: string, now: Date): Promise<SQL<number>> {
  const isGood = and(
    eq(passwordResets.tokenHash, await hashSecret(token)),
    eq(passwordResets.email, email),
    eq(users.email, email),
    gt(passwordResets.expiresAt, now),
  )
  return sql<number>`(select ${passwordResets.userId} from ${passwordResets} join ${users} on ${users.id} = ${passwordResets.userId} where ${isGood})`
}

function unknownAddress(): Invalid {
  const message = "We can't find a user with that email address."
  return new Invalid({ email: [message] }, message)
}

function badToken(): Invalid {
  const message = 'This password reset token is invalid.'
  return new Invalid({ email: [message] }, message)
}
