import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../database/client.ts'
import type { User } from '../database/owner.ts'
import type { Hashing } from '../shared/hashing.ts'
import { newSecret, type RandomBytes, sha256Hex } from '../shared/tokens.ts'

const tokensPerUser = 1_000

/** What signing in needs besides the input. The user agent is stored so that people recognise their sessions. */
export type SignInContext = {
  db: Database
  now: Date
  random: RandomBytes
  hashing: Hashing
  userAgent: string | null
}

/** A user who has just signed in, and their token, `<id>|<secret>`, which is shown only this once. */
export type SignedIn = { token: string; user: User }

/** Makes a secret, and the row that stores its hash once a user id is added. */
export function newToken({ now, random, userAgent }: Pick<SignInContext, 'now' | 'random' | 'userAgent'>) {
  const secret = newSecret(random)
  return { secret, row: { secretHash: sha256Hex(secret), userAgent, createdAt: now, lastUsedAt: now } }
}

/**
 * Deletes the oldest tokens of a user who has too many, so that signing in over and over cannot fill the table. A
 * hundred at a time are more than enough, since each sign-in adds only one.
 */
export function dropOldestTokens(db: Database, userId: number | SQL<number>) {
  return db.run(sql`
    delete from tokens where id in (
      select id from tokens where user_id = ${userId} order by id desc limit 100 offset ${tokensPerUser})`)
}
