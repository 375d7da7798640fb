import { type SQL, sql } from 'drizzle-orm'
import type { User } from '../database/owner.ts'
import type { Database } from '../database/run.ts'
import type { Hashing } from '../identity/hashing.ts'
import { newSecret, type RandomBytes, sha256Hex } from '../identity/tokens.ts'

const sessionsPerUser = 1_000

/** The context of a sign-in. The user agent helps users to recognise their sessions. */
export type SignInContext = {
  db: Database
  now: Date
  random: RandomBytes
  hashing: Hashing
  userAgent: string | null
}

/** A user who has signed in, and their new token, `<id>|<secret>`. */
export type SignedIn = { token: string; user: User }

/** Makes a secret, and the row with its hash, without the user id. */
export function newToken({ now, random, userAgent }: Pick<SignInContext, 'now' | 'random' | 'userAgent'>) {
  const secret = newSecret(random)
  return { secret, row: { secretHash: sha256Hex(secret), userAgent, createdAt: now, lastUsedAt: now } }
}

/**
 * Deletes up to a hundred of the oldest sessions of a user who has too many, so that repeated sign-ins do not fill the
 * table.
 */
export function deleteOldestTokens(db: Database, userId: number | SQL<number>) {
  return db.run(sql`
    delete from tokens where id in (
      select id from tokens where user_id = ${userId} and scope = 'session'
       order by id desc limit 100 offset ${sessionsPerUser})`)
}
