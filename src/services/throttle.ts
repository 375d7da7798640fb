import { and, count, eq, lte, min, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { insertWhere } from '../db/guarded.ts'
import { attempts } from '../db/schema.ts'
import { type Allowance, TooManyAttempts } from '../domain/failures.ts'

const windowMs = 60_000

/** An exact limit: so many attempts with one key in any minute, counted in the database, across all isolates. */
export type Limit = { key: string; perMinute: number }

/**
 * The statements of one attempt, for the batch of the request that makes it; `taken` is true where a later
 * statement of the batch may go on. Read the answers of the three with `demandAttempt`.
 */
export function attempt(db: Database, { key, perMinute }: Limit, now: Date, guard: SQL = sql`true`) {
  const nonce = crypto.randomUUID()
  const ofKey = eq(attempts.key, key)
  const room = sql`(select count(*) from ${attempts} where ${ofKey}) < ${perMinute}`
  const statements = [
    db.delete(attempts).where(and(ofKey, lte(attempts.at, new Date(now.getTime() - windowMs)))),
    insertWhere(db, attempts, { nonce, key, at: now }, sql`${guard} and ${room}`).returning({
      nonce: attempts.nonce,
    }),
    db
      .select({ used: count(), oldest: min(attempts.at) })
      .from(attempts)
      .where(ofKey),
  ] as const
  const taken = sql`exists (select 1 from ${attempts} where ${attempts.nonce} = ${nonce})`
  return { statements, taken }
}

/** Answers what is left of the minute; throws TooManyAttempts where nothing was. */
export function demandAttempt(
  { perMinute }: Limit,
  now: Date,
  inserted: { nonce: string }[],
  counted: { used: number; oldest: Date | null }[],
): Allowance {
  const [{ used, oldest } = { used: 0, oldest: null }] = counted
  if (inserted.length > 0) return { limit: perMinute, remaining: perMinute - used }
  const freeAt = (oldest ?? now).getTime() + windowMs
  throw new TooManyAttempts(perMinute, Math.max(1, Math.ceil((freeAt - now.getTime()) / 1000)))
}
