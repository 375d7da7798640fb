import { and, eq, type SQL, sql } from 'drizzle-orm'
import { insertWhere } from '../database/insert-where.ts'
import type { Owner, User } from '../database/owner.ts'
import { runAll, runOne } from '../database/run.ts'
import { formerAddresses, pendingAddresses, users } from '../database/schema.ts'
import { countAttempt, requireAttempt } from '../database/throttle.ts'
import type { FieldErrors } from '../domain/field-errors.ts'
import { messageFor, requiredText, takenText } from '../domain/field-errors.ts'
import { type Draft, valuesOf, withErrors } from '../failures/draft.ts'
import { BadLink, Invalid } from '../failures/failures.ts'
import { exactLimits } from '../failures/limits.ts'
import type { Hashing } from '../identity/hashing.ts'
import { addressLink, isAddressLink, type LinkParts, linkedUserId } from '../identity/links.ts'
import { mailLimits, newAddress } from '../mail/limits.ts'
import { isStillReserved, isTakenAddress, revokeLinks } from '../users/addresses.ts'
import { readOwnPassword, requireOwnPassword, wrongPassword } from '../users/password.ts'
import type { LinkContext } from './context.ts'
import type { AddressChange } from './email-contract.ts'

/**
 * Requests a change of the user's address, in place of an earlier request: emails a link to the new address or, if the user
 * has no password, to the current one. Returns the address to which it was sent. Two round trips, since the Worker verifies
 * the password. Throws TooManyAttempts, Invalid, TooBusy.
 */
export async function requestAddressChange(
  owner: Owner,
  draft: Draft<AddressChange>,
  context: LinkContext & { hashing: Hashing },
): Promise<string> {
  const { hashing, mailQueue, links, client } = context
  const { db, now } = owner
  const { user, stored } = await readOwnPassword(owner)
  const checked = withErrors(draft, requestErrors(draft.values, user, stored !== null))
  const { email, current_password } = valuesOf(checked)
  if (stored !== null) await requireOwnPassword('current_password', current_password ?? '', stored, hashing)

  // Another request may have changed the password or the address concurrently.
  const unchanged = sql`${users.id} = ${owner.id} and ${users.passwordHash} is ${stored} and ${users.email} = ${user.email}`
  const isTaken = isTakenAddress(email, now, owner.id)
  const recipient = stored === null ? sql`(select * from ${users} where ${unchanged})` : newAddress(email)
  const limits = [
    { key: sql`'address:' || ${owner.id}`, ...exactLimits.addressChanges },
    ...mailLimits(recipient, client),
  ]
  const guard = sql`exists (select 1 from ${users} where ${unchanged}) and not ${isTaken}`
  const mail = countAttempt(db, limits, now, guard)
  const change = { email, isConfirmed: stored !== null, requestedAt: now }
  const results = await owner.run({
    same: db.select({ id: users.id }).from(users).where(unchanged),
    taken: db.all(sql`select 1 where ${isTaken}`),
    ...mail.statements,
    pending: insertWhere(
      db,
      pendingAddresses,
      { userId: owner.id, ...change },
      mail.isCounted,
    ).onConflictDoUpdate({ target: pendingAddresses.userId, set: change }),
  })
  if (results.same.length === 0) throw wrongPassword('current_password')
  if (results.taken.length > 0) throw new Invalid({ email: [messageFor('email', takenText)] })
  requireAttempt(limits, now, results)
  if (stored !== null) {
    await mailChangeLink(context, { ...user, email })
    return email
  }
  await mailQueue.send({
    kind: 'approve_address',
    id: crypto.randomUUID(),
    to: user.email,
    name: user.name,
    newAddress: email,
    url: addressLink(links, 'approve', { id: user.id, email }, now),
  })
  return user.email
}

function requestErrors(
  { email, current_password }: Partial<AddressChange>,
  user: User,
  hasPassword: boolean,
): FieldErrors {
  return {
    ...(hasPassword &&
      !current_password && { current_password: [messageFor('current_password', requiredText)] }),
    ...(email === user.email && { email: ['The email field must differ from the current address.'] }),
  }
}

async function mailChangeLink(
  { mailQueue, links, now }: LinkContext,
  { id, name, email }: { id: number; name: string; email: string },
): Promise<void> {
  const url = addressLink(links, 'change', { id, email }, now)
  await mailQueue.send({ kind: 'change_address', id: crypto.randomUUID(), to: email, name, url })
}

/** The state of a requested change: done before, or impossible, since another user has the address by now. */
export type ChangeState = 'pending' | 'done' | 'taken'

/** The state of the change that an `approve` or `change` link is for. Throws BadLink. */
export async function readChangeState(context: LinkContext, action: 'approve' | 'change', link: LinkParts) {
  return (await readChange(context, action, link)).state
}

/**
 * Confirms the request of a user without a password by the link in the email to their current address, and emails the link
 * to the new one. Throws BadLink, TooManyAttempts.
 */
export async function approveChange(context: LinkContext, link: LinkParts): Promise<ChangeState> {
  const { user, email, state } = await readChange(context, 'approve', link)
  if (state !== 'pending') return state
  const { db, now } = context
  const limits = mailLimits(newAddress(email), context.client)
  const mail = countAttempt(db, limits, now)
  const pending = and(eq(pendingAddresses.userId, user.id), eq(pendingAddresses.email, email))
  const { confirmed, ...attempt } = await runAll(db, {
    ...mail.statements,
    confirmed: db
      .update(pendingAddresses)
      .set({ isConfirmed: true, requestedAt: now })
      .where(and(pending, eq(pendingAddresses.isConfirmed, false), mail.isCounted))
      .returning({ userId: pendingAddresses.userId }),
  })
  requireAttempt(limits, now, attempt)
  // The button may have been pressed twice.
  if (confirmed.length > 0) await mailChangeLink(context, { ...user, email })
  return 'pending'
}

/**
 * Replaces the address by the link in the email to the new one. If the old one was verified, it is reserved, and its email
 * has a link that restores it. Exactly one of several simultaneous requests replaces it. Throws BadLink.
 */
export async function completeChange(context: LinkContext, link: LinkParts): Promise<ChangeState> {
  const { user, email, state } = await readChange(context, 'change', link)
  if (state !== 'pending') return state
  const { db, now, mailQueue, links } = context
  const { id, email: old, name } = user
  const isReady = sql`exists (
    select 1 from ${pendingAddresses} join ${users} on ${users.id} = ${pendingAddresses.userId}
     where ${users.id} = ${id} and ${users.email} = ${old} and ${pendingAddresses.email} = ${email}
       and ${pendingAddresses.isConfirmed} and not ${isTakenAddress(email, now, sql`${id}`)})`
  const current = (column: SQL) => sql`(select ${column} from users where id = ${id})`
  const isVerified = sql`${current(sql`email_verified_at`)} is not null`
  const receipt = countAttempt(
    db,
    mailLimits(newAddress(old), null),
    now,
    sql`${isReady} and not ${isVerified}`,
  )
  // If the new address is a former one, the addresses after it are no longer reserved and get no link.
  const isEarlier = and(
    eq(formerAddresses.userId, id),
    eq(formerAddresses.email, email),
    isStillReserved(now),
  )
  const earlier = sql`(select min(${formerAddresses.id}) from ${formerAddresses} where ${isEarlier})`
  const row = { userId: id, email: old, idpId: current(sql`idp_id`), replacedAt: now }
  const mayReserve = sql`${isReady} and ${isVerified} and ${earlier} is null`
  const { reserved, attempted, changed } = await runAll(db, {
    ...receipt.statements,
    reserved: insertWhere(db, formerAddresses, row, mayReserve).returning({ id: formerAddresses.id }),
    takenBack: db
      .delete(formerAddresses)
      .where(sql`${formerAddresses.userId} = ${id} and ${formerAddresses.id} >= ${earlier} and ${isReady}`),
    changed: db
      .update(users)
      // The password does not prove the new address, which a stranger may have requested.
      .set({ email, emailVerifiedAt: now, isPasswordProven: false, reminderLookAt: now, updatedAt: now })
      .where(and(eq(users.id, id), isReady))
      .returning({ id: users.id }),
    ...revokeLinks(
      db,
      id,
      sql`exists (select 1 from ${users} where ${users.id} = ${id} and ${users.email} = ${email})`,
    ),
  })
  // Another request was faster.
  if (changed.length === 0) return readChangeState(context, 'change', link)
  const restoreUrl = reserved.length > 0 ? addressLink(links, 'restore', { id, email: old }, now) : undefined
  const sendsReceipt = attempted.length > 0 || restoreUrl !== undefined || user.emailVerifiedAt !== null
  if (sendsReceipt)
    await mailQueue.send({ kind: 'address_changed', id: crypto.randomUUID(), to: old, name, restoreUrl })
  return 'pending'
}

/** Returns the user of an `approve` or `change` link, the new address, and the state of the change. Throws BadLink. */
async function readChange({ db, now, links }: LinkContext, action: 'approve' | 'change', link: LinkParts) {
  const { userId, email: newEmail, isConfirmed } = pendingAddresses
  const columns = {
    user: { id: users.id, name: users.name, email: users.email, emailVerifiedAt: users.emailVerifiedAt },
    pending: { email: newEmail, isConfirmed, isTaken: sql<number>`${isTakenAddress(newEmail, now, userId)}` },
  }
  const [found] = await runOne(
    db,
    db
      .select(columns)
      .from(users)
      .leftJoin(pendingAddresses, eq(userId, users.id))
      .where(eq(users.id, linkedUserId(link))),
  )
  if (!found) throw new BadLink(404, 'User not found.')
  const { user, pending } = found
  const isFor = (email: string) => isAddressLink(links.secret, action, link, { id: user.id, email }, now)
  const done = { user, email: user.email, state: 'done' as const }
  if (pending && isFor(pending.email)) {
    if (action === 'approve' && pending.isConfirmed) return done
    if (action === 'approve' || pending.isConfirmed)
      return {
        user,
        email: pending.email,
        state: pending.isTaken ? ('taken' as const) : ('pending' as const),
      }
  } else if (isFor(user.email)) return done
  throw new BadLink(403)
}
