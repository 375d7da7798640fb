import { and, desc, eq } from 'drizzle-orm'
import { isLive, type Owner } from '../db/owner.ts'
import { deleteOwn, own } from '../db/ownership.ts'
import { tokens } from '../db/schema.ts'

/** Revokes the token of this request, and no other. */
export async function logout(owner: Owner): Promise<void> {
  await owner.run(owner.db.delete(tokens).where(own(owner, tokens, owner.tokenId)))
}

/** Revokes every token of the bearer, this one included. */
export async function logoutAll(owner: Owner): Promise<void> {
  await owner.run(owner.db.delete(tokens).where(eq(tokens.userId, owner.id)))
}

export type Session = Pick<typeof tokens.$inferSelect, 'id' | 'userAgent' | 'createdAt' | 'lastUsedAt'>

/** Sessions that the list shows: more would be too large an answer one day. */
const sessionsListed = 500

/** The bearer's tokens, the one used last first. */
export async function listSessions(owner: Owner): Promise<Session[]> {
  const { id, userAgent, createdAt, lastUsedAt } = tokens
  const [, rows] = await owner.run(
    owner.db
      .select({ id, userAgent, createdAt, lastUsedAt })
      .from(tokens)
      .where(and(eq(tokens.userId, owner.id), isLive(owner.now)))
      .orderBy(desc(lastUsedAt), desc(id))
      .limit(sessionsListed),
  )
  return rows
}

/** Revokes one token of the bearer. Throws NotFound, Forbidden. */
export function revokeSession(owner: Owner, id: number): Promise<void> {
  return deleteOwn(owner, tokens, id)
}
