import { and, asc, eq, gte, sql } from 'drizzle-orm'
import { runAll } from '../database/run.ts'
import { formerAddresses, tokens, users } from '../database/schema.ts'
import { BadLink } from '../failures/failures.ts'
import { isAddressLink, type LinkParts, linkedUserId } from '../identity/links.ts'
import { sha256Hex } from '../identity/tokens.ts'
import { isStillReserved, revokeLinks } from '../users/addresses.ts'
import type { LinkContext } from './context.ts'
import { ignoreLimits, mailResetLink } from './password-reset.ts'

/** The state of a former address: `done` if it is the user's again. */
export type RestoreState = 'pending' | 'done'

/** The state of the address that a `restore` link is for. Throws BadLink. */
export async function readRestoreState(context: LinkContext, link: LinkParts): Promise<RestoreState> {
  return (await readFormer(context, link)).former ? 'pending' : 'done'
}

/**
 * Restores a former address, with the identity at the provider that was linked then: ends all sessions and named tokens,
 * removes the password and emails a reset link. Later addresses lose their own links. Throws BadLink.
 */
export async function restoreAddress(context: LinkContext, link: LinkParts) {
  const { db, now } = context
  const { userId, former } = await readFormer(context, link)
  if (!former) return 'done'
  const { id, email, idpId } = former
  const isFormer = sql`exists (select 1 from ${formerAddresses} where ${formerAddresses.id} = ${id})`
  const { restored } = await runAll(db, {
    tokens: db.delete(tokens).where(and(eq(tokens.userId, userId), isFormer)),
    ...revokeLinks(db, userId, isFormer),
    restored: db
      .update(users)
      .set({ email, idpId, passwordHash: null, emailVerifiedAt: now, updatedAt: now })
      .where(and(eq(users.id, userId), isFormer))
      .returning({ id: users.id }),
    laterRevoked: db
      .delete(formerAddresses)
      .where(and(eq(formerAddresses.userId, userId), gte(formerAddresses.id, id))),
  })
  // Another request was faster.
  if (restored.length === 0) return readRestoreState(context, link)
  await mailResetLink(context, email).catch(ignoreLimits)
  return 'pending'
}

/** Returns the user of a link, and their former address unless it is the current one again. Throws BadLink. */
async function readFormer({ db, now, links }: LinkContext, link: LinkParts) {
  const userId = linkedUserId(link)
  const { id, email, idpId } = formerAddresses
  const { user, rows } = await runAll(db, {
    user: db.select({ email: users.email }).from(users).where(eq(users.id, userId)),
    rows: db
      .select({ id, email, idpId })
      .from(formerAddresses)
      .where(and(eq(formerAddresses.userId, userId), isStillReserved(now)))
      .orderBy(asc(id)),
  })
  const [current] = user
  if (!current) throw new BadLink(404, 'User not found.')
  const former = rows.find((row) => sha256Hex(row.email) === link.hash)
  const address = former?.email ?? current.email
  if (!isAddressLink(links.secret, 'restore', link, { id: userId, email: address }, now))
    throw new BadLink(403)
  return { userId, former }
}
