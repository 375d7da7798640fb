import { and, eq, gt, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { insertWhere } from '../db/insert-where.ts'
import { passwordResets, tokens, users } from '../db/schema.ts'
import { completed, type Draft } from '../domain/draft.ts'
import { type Allowance, Invalid } from '../domain/failures.ts'
import type { ScryptCost } from '../domain/passwords.ts'
import { hashSecret, newSecret, type RandomBytes } from '../domain/tokens.ts'
import type { Outbox } from '../gateways/mail-queue.ts'
import { hashInTurn } from './hashing.ts'
import { type Client, mailLimits } from './mail-limits.ts'
import { attempt, demandAttempt, type Limit } from './throttle.ts'

const perMinute = { most: 6, withinMs: 60_000 }
const goodForMs = 60 * 60_000
/** Over the hour for which a link is good: whoever is refused has one in the mailbox that still is. */
const perHour = { most: 20, withinMs: goodForMs }
/** Addresses that are nobody's are counted in so many places: making them up cannot fill the table. */
const placesOfNobody = 1_024

export type ResetFields = { token: string; email: string; password: string }
type MailContext = {
  db: Database
  now: Date
  random: RandomBytes
  outbox: Outbox
  frontendUrl: string
  client: Client
}

/** The keys by which the limits count a user's address. */
export function forgotKeys(email: string): { minute: string; hour: string } {
  return { minute: `forgot:${email}`, hour: `forgot in an hour:${email}` }
}

/** What asking for a link counts against: of a user by address, of nobody in one of the places for all such addresses. */
async function limitsOf(email: string, client: Client): Promise<Limit[]> {
  const found = sql`(select * from ${users} where ${users.email} = ${email})`
  const isUser = sql`exists ${found}`
  const keys = forgotKeys(email)
  const place = Number.parseInt((await hashSecret(email)).slice(0, 8), 16) % placesOfNobody
  return [
    { key: sql`iif(${isUser}, ${keys.minute}, ${`nobody:${place}`})`, ...perMinute },
    { key: keys.hour, when: isUser, ...perHour },
    ...mailLimits(found, client, isUser),
  ]
}

/** Mails a reset link to a user. Throws Invalid for an unknown address, TooManyAttempts. */
export async function forgotPassword(
  context: MailContext,
  draft: Draft<{ email: string }>,
): Promise<Allowance> {
  const { email } = completed(draft)
  const { db, now, outbox } = context
  const limits = await limitsOf(email, context.client)
  const { statements, taken } = attempt(db, limits, now)
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
  const allowance = demandAttempt(limits, now, inserted, counted)
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
