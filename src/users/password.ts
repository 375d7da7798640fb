import { and, eq, ne, type SQL, sql } from 'drizzle-orm'
import type { Owner, User } from '../database/owner.ts'
import { tokens, users } from '../database/schema.ts'
import { countAttempt, requireAttempt } from '../database/throttle.ts'
import { type Draft, valuesOf } from '../failures/draft.ts'
import { Invalid } from '../failures/failures.ts'
import { exactLimits } from '../failures/limits.ts'
import { type Hashing, hashQueued, verifyQueued } from '../identity/hashing.ts'
import { revokeLinks } from './addresses.ts'
import type { PasswordChange } from './contract.ts'

/** Returns the user and the hash of their password, null if they have none. Counts an attempt. Throws TooManyAttempts. */
export async function readOwnPassword(owner: Owner): Promise<{ user: User; stored: string | null }> {
  const limits = [{ key: `password:${owner.tokenId}`, ...exactLimits.passwordGuesses }]
  const { statements } = countAttempt(owner.db, limits, owner.now, owner.isValid)
  const results = await owner.run({
    password: owner.db.select({ hash: users.passwordHash }).from(users).where(eq(users.id, owner.id)),
    ...statements,
  })
  requireAttempt(limits, owner.now, results)
  return { user: results.user, stored: results.password[0]?.hash ?? null }
}

/** Throws Invalid under `field` unless the password matches the stored hash. Throws TooBusy. */
export async function requireOwnPassword(
  field: 'password' | 'current_password',
  password: string,
  stored: string,
  hashing: Hashing,
): Promise<void> {
  if (!(await verifyQueued(password, stored, hashing))) throw wrongPassword(field)
}

/** The failure for a password that is not, or is no longer, the stored one. */
export function wrongPassword(field: 'password' | 'current_password'): Invalid {
  return new Invalid({ [field]: ['The password is incorrect.'] })
}

/**
 * Changes the user's password, revokes their other tokens (with `keep_tokens`, only sessions) and voids emailed links.
 * `isPasswordProven` is unchanged, since the user may have registered with an address of another person. Throws
 * TooManyAttempts, Invalid, TooBusy.
 */
export async function changePassword(owner: Owner, draft: Draft<PasswordChange>, hashing: Hashing) {
  const { stored } = await readOwnPassword(owner)
  const { current_password, password, keep_tokens } = valuesOf(draft)
  if (stored === null) {
    const text = 'Your account has no password. To set one, use the link of POST /api/forgot-password.'
    throw new Invalid({ current_password: [text] })
  }
  await requireOwnPassword('current_password', current_password, stored, hashing)

  const passwordHash = await hashQueued(password, hashing)
  // Another session or a reset may have changed the password concurrently.
  const unchanged = and(eq(users.id, owner.id), eq(users.passwordHash, stored)) as SQL
  const isStill = sql`exists (select 1 from ${users} where ${unchanged})`
  const { changed } = await owner.run({
    tokens: owner.db
      .delete(tokens)
      .where(
        and(
          eq(tokens.userId, owner.id),
          ne(tokens.id, owner.tokenId),
          keep_tokens ? eq(tokens.scope, 'session') : undefined,
          isStill,
        ),
      ),
    ...revokeLinks(owner.db, owner.id, isStill),
    changed: owner.db
      .update(users)
      .set({ passwordHash, updatedAt: owner.now })
      .where(unchanged)
      .returning({ id: users.id }),
  })
  if (changed.length === 0) throw wrongPassword('current_password')
}
