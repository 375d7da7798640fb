import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import type { User } from '../../db/owner.ts'
import type { ScryptCost } from '../../domain/passwords.ts'
import { hashSecret, newSecret, type RandomBytes } from '../../domain/tokens.ts'

/** How many sessions somebody can have at once. */
const tokensPerUser = 1_000

/** What signing in needs beside the input; the user agent is kept so that people recognise their sessions. */
export type SignInContext = {
  db: Database
  now: Date
  random: RandomBytes
  scryptCost: ScryptCost
  userAgent: string | null
}

/** A user who has just signed in, and the token that proves it: `<id>|<secret>`, shown this once. */
export type SignedIn = { token: string; user: User }

/** A fresh secret, and the row that stores it once a user id is added. */
export async function newToken({
  now,
  random,
  userAgent,
}: Pick<SignInContext, 'now' | 'random' | 'userAgent'>) {
  const secret = newSecret(random)
  return { secret, row: { secretHash: await hashSecret(secret), userAgent, createdAt: now, lastUsedAt: now } }
}

/**
 * Ends the oldest sessions of somebody who has more than anybody needs: signing in over and over would fill the table.
 * Some at a time, since one sign-in makes one token.
 */
export function dropOldestTokens(db: Database, userId: number | SQL<number>) {
  return db.run(sql`
    delete from tokens where id in (
      select id from tokens where user_id = ${userId} order by id desc limit 100 offset ${tokensPerUser})`)
}
