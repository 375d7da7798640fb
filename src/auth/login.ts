import { and, eq, sql } from 'drizzle-orm'
import { insertWhere } from '../database/insert-where.ts'
import { userColumns } from '../database/owner.ts'
import { runAll, runOne } from '../database/run.ts'
import { tokens, users } from '../database/schema.ts'
import { type Draft, valuesOf } from '../failures/draft.ts'
import { Invalid } from '../failures/failures.ts'
import { verifyQueued } from '../identity/hashing.ts'
import { hashPassword, isOutdated } from '../identity/passwords.ts'
import type { Credentials } from './contract.ts'
import { deleteOldestTokens, newToken, type SignedIn, type SignInContext } from './token.ts'

/** Validates the credentials and makes a token. Failures are identical and take the same time. Throws Invalid, TooBusy. */
export async function login(context: SignInContext, draft: Draft<Credentials>): Promise<SignedIn> {
  const { email, password } = valuesOf(draft)
  const { db, hashing } = context
  const columns = { user: userColumns, passwordHash: users.passwordHash }
  const [found] = await runOne(db, db.select(columns).from(users).where(eq(users.email, email)))
  const user = found?.user
  const stored = found?.passwordHash ?? null
  const matches = await verifyQueued(password, stored, hashing)
  if (!user || stored === null || !matches) throw wrongCredentials()

  const { secret, row } = newToken(context)
  // A concurrent reset has revoked all tokens, so the old password must not create another.
  const unchanged = and(eq(users.id, user.id), eq(users.passwordHash, stored))
  const isUnchanged = sql`exists (select 1 from ${users} where ${unchanged})`
  // Not in the queue of hashes, since a login with the right password must not fail.
  const rehash = () =>
    db
      .update(users)
      .set({ passwordHash: hashPassword(password, hashing.cost) })
      .where(unchanged)
  const { created } = await runAll(db, {
    created: insertWhere(db, tokens, { ...row, userId: user.id }, isUnchanged).returning({ id: tokens.id }),
    dropped: deleteOldestTokens(db, user.id),
    rehashed: isOutdated(stored, hashing.cost) ? [rehash()] : [],
  })
  const [token] = created
  if (!token) throw wrongCredentials()
  return { token: `${token.id}|${secret}`, user }
}

function wrongCredentials(): Invalid {
  const message = 'The provided credentials are incorrect.'
  return new Invalid({ email: [message] }, message)
}
