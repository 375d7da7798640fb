import { and, asc, desc, eq, getTableColumns } from 'drizzle-orm'
import type { Owner } from '../database/owner.ts'
import { deleteOwn, ownRow } from '../database/ownership.ts'
import { pendingAddresses, tokens } from '../database/schema.ts'
import { isLive } from '../database/token-lifetime.ts'

/** Revokes the token of this request. */
export async function logout(owner: Owner): Promise<void> {
  await owner.runOne(owner.db.delete(tokens).where(ownRow(owner, tokens, owner.tokenId)))
}

/** Revokes all tokens of the user, this one included, and a requested change of the address. */
export async function logoutAll(owner: Owner): Promise<void> {
  const { db, id } = owner
  await owner.run({
    pending: db.delete(pendingAddresses).where(eq(pendingAddresses.userId, id)),
    // Last, since the owner is found by one of them.
    tokens: db.delete(tokens).where(eq(tokens.userId, id)),
  })
}

const { secretHash: _, userId: __, ...columns } = getTableColumns(tokens)
/** A session or a named token as its user sees it. */
export type Session = Omit<typeof tokens.$inferSelect, 'secretHash' | 'userId'>
export const sessionColumns = columns

/** The list has no pages. */
export const sessionsListed = 500

/** Returns the user's valid tokens: the named ones, then the sessions, each most recently used first. */
export function listSessions(owner: Owner): Promise<Session[]> {
  const newest = owner.db
    .select(sessionColumns)
    .from(tokens)
    .where(and(eq(tokens.userId, owner.id), isLive(owner.now)))
    .orderBy(asc(eq(tokens.scope, 'session')), desc(tokens.lastUsedAt), desc(tokens.id))
    .limit(sessionsListed)
  return owner.runOne(newest)
}

/** Revokes one token. Throws NotFound, Forbidden. */
export async function revokeSession(owner: Owner, id: number): Promise<void> {
  await deleteOwn(owner, tokens, id)
}
