import { and, desc, eq } from 'drizzle-orm'
import type { Owner } from '../database/owner.ts'
import { deleteOwn, ownRow } from '../database/ownership.ts'
import { tokens } from '../database/schema.ts'
import { isLive } from '../database/token-lifetime.ts'

/** Revokes the token of this request. */
export async function logout(owner: Owner): Promise<void> {
  await owner.runOne(owner.db.delete(tokens).where(ownRow(owner, tokens, owner.tokenId)))
}

/** Revokes all tokens of the user, this one included. */
export async function logoutAll(owner: Owner): Promise<void> {
  await owner.runOne(owner.db.delete(tokens).where(eq(tokens.userId, owner.id)))
}

export type Session = Pick<typeof tokens.$inferSelect, 'id' | 'userAgent' | 'createdAt' | 'lastUsedAt'>

/** The list has no pages. */
export const sessionsListed = 500

/** Returns the user's valid tokens, most recently used first. */
export function listSessions(owner: Owner): Promise<Session[]> {
  const { id, userAgent, createdAt, lastUsedAt } = tokens
  const newest = owner.db
    .select({ id, userAgent, createdAt, lastUsedAt })
    .from(tokens)
    .where(and(eq(tokens.userId, owner.id), isLive(owner.now)))
    .orderBy(desc(lastUsedAt), desc(id))
    .limit(sessionsListed)
  return owner.runOne(newest)
}

/** Revokes one token. Throws NotFound, Forbidden. */
export async function revokeSession(owner: Owner, id: number): Promise<void> {
  await deleteOwn(owner, tokens, id)
}
