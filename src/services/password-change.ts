import { and, eq, ne, type SQL, sql } from 'drizzle-orm'
import type { Owner, User } from '../db/owner.ts'
import { passwordResets, tokens, users } from '../db/schema.ts'
import { completed, type Draft } from '../domain/draft.ts'
import { Invalid } from '../domain/failures.ts'
import type { ScryptCost } from '../domain/passwords.ts'
import { hashInTurn, verifyInTurn } from './hashing.ts'
import { attempt, demandAttempt } from './throttle.ts'

/** A stolen token must not serve to find the password, whatever asks for it. */
const guesses = { most: 10, withinMs: 60_000 }

export type PasswordChange = { current_password: string; password: string }

/**
 * The bearer and the stored hash of their password, which must come to the Worker to be compared; null where they have
 * none. Counts as a guess. Throws TooManyAttempts.
 */
export async function readOwnPassword(owner: Owner): Promise<{ user: User; stored: string | null }> {
  const limits = [{ key: `password:${owner.tokenId}`, ...guesses }]
  const { statements } = attempt(owner.db, limits, owner.now, owner.isKnown)
  const ask = owner.db.select({ stored: users.passwordHash }).from(users).where(eq(users.id, owner.id))
  const [user, [credentials], , inserted, counted] = await owner.run(ask, ...statements)
  demandAttempt(limits, owner.now, inserted, counted)
  return { user, stored: credentials?.stored ?? null }
}

/** Throws Invalid under a field unless it is the stored password; throws TooBusy. */
export async function demandOwnPassword(
  field: 'password' | 'current_password',
  password: string,
  stored: string,
  cost: ScryptCost,
): Promise<void> {
  if (!(await verifyInTurn(password, stored, cost))) throw wrongPassword(field)
}

/** The refusal of a password that is not the stored one, or not any more. */
export function wrongPassword(field: 'password' | 'current_password'): Invalid {
  return new Invalid({ [field]: ['The password is incorrect.'] })
}

/**
 * Changes the bearer's password, ends their other sessions and voids reset links. It proves nothing about whose the
 * address is: whoever registered it may do this. Throws TooManyAttempts, Invalid, TooBusy.
 */
export async function changePassword(
  owner: Owner,
  draft: Draft<PasswordChange>,
  cost: ScryptCost,
): Promise<void> {
  const { stored } = await readOwnPassword(owner)
  const { current_password, password } = completed(draft)
  if (stored === null) throw noPassword()
  await demandOwnPassword('current_password', current_password, stored, cost)

  const passwordHash = await hashInTurn(password, cost)
  // The password may have been changed meanwhile, by another session or a reset.
  const unchanged = and(eq(users.id, owner.id), eq(users.passwordHash, stored)) as SQL
  const isStill = sql`exists (select 1 from ${users} where ${unchanged})`
  const [, , , changed] = await owner.run(
    owner.db.delete(tokens).where(and(eq(tokens.userId, owner.id), ne(tokens.id, owner.tokenId), isStill)),
    owner.db.delete(passwordResets).where(and(eq(passwordResets.userId, owner.id), isStill)),
    owner.db
      .update(users)
      .set({ passwordHash, updatedAt: owner.now })
      .where(unchanged)
      .returning({ id: users.id }),
  )
  if (changed.length === 0) throw wrongPassword('current_password')
}

function noPassword(): Invalid {
  return new Invalid({
    current_password: [
      'Your account has no password. To set one, use the link of POST /api/forgot-password.',
    ],
  })
}
