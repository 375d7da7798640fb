import { and, eq, sql } from 'drizzle-orm'
import { insertWhere } from '../../db/insert-where.ts'
import { userColumns } from '../../db/owner.ts'
import { tokens, users } from '../../db/schema.ts'
import { completed, type Draft } from '../../domain/draft.ts'
import { Invalid } from '../../domain/failures.ts'
import { hashPassword, isOutdated } from '../../domain/passwords.ts'
import { verifyInTurn } from '../hashing.ts'
import { dropOldestTokens, newToken, type SignedIn, type SignInContext } from './token.ts'

export type Credentials = { email: string; password: string }

/**
 * Checks the credentials and makes a token. Unknown addresses and wrong passwords fail alike, after the same work.
 * Throws Invalid, TooBusy.
 */
export async function login(context: SignInContext, draft: Draft<Credentials>): Promise<SignedIn> {
  const { email, password } = completed(draft)
  const { db, scryptCost } = context
  const [[found]] = await db.batch([
    db
      .select({ user: userColumns, passwordHash: users.passwordHash })
      .from(users)
      .where(eq(users.email, email)),
  ])
  const stored = found?.passwordHash ?? null
  const matches = await verifyInTurn(password, stored, scryptCost)
  if (!found || stored === null || !matches) throw wrongCredentials()

  const { secret, row } = await newToken(context)
  // A reset in between has revoked every token: none is made on the strength of the old password.
  const unchanged = and(eq(users.id, found.user.id), eq(users.passwordHash, stored))
  const isUnchanged = sql`exists (select 1 from ${users} where ${unchanged})`
  const [[created]] = await db.batch([
    insertWhere(db, tokens, { ...row, userId: found.user.id }, isUnchanged).returning({ id: tokens.id }),
    dropOldestTokens(db, found.user.id),
    // Out of turn: a password that was right is not refused for the sake of its renewal.
    ...(isOutdated(stored, scryptCost)
      ? [
          db
            .update(users)
            .set({ passwordHash: hashPassword(password, scryptCost) })
            .where(unchanged),
        ]
      : []),
  ])
  if (!created) throw wrongCredentials()
  return { token: `${created.id}|${secret}`, user: found.user }
}

function wrongCredentials(): Invalid {
  const message = 'The provided credentials are incorrect.'
  return new Invalid({ email: [message] }, message)
}
