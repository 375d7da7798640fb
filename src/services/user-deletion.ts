import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { Farewell } from '../contract/people.ts'
import type { Database } from '../db/client.ts'
import type { Owner, User } from '../db/owner.ts'
import { attempts, batches, batchParts, failedMails, users } from '../db/schema.ts'
import { type Draft, messageFor } from '../domain/draft.ts'
import { Invalid } from '../domain/failures.ts'
import type { Outbox } from '../gateways/queues.ts'
import { bytesPerPart, rowsPerPart } from './bounds.ts'
import type { Hashing } from './hashing.ts'
import { mailboxKey, mailLimits, newAddress } from './mail-limits.ts'
import { readOwnPassword, requireOwnPassword, wrongPassword } from './password-change.ts'
import { forgotKeys } from './password-reset.ts'
import { attempt } from './throttle.ts'

/**
 * Deletes the user and all their data, and mails a receipt. Takes two round trips, since the stored hash is compared
 * here; more only if they have recently uploaded tens of thousands of items. Throws TooManyAttempts, Invalid, TooBusy.
 */
export async function deleteUser(
  owner: Owner,
  draft: Draft<Farewell>,
  { hashing, outbox }: { hashing: Hashing; outbox: Outbox },
): Promise<void> {
  const { user, stored } = await readOwnPassword(owner)
  if (!draft.complete) throw new Invalid(draft.errors)
  await requireProof(draft.values, user, stored, hashing)

  const unchanged = sql`${users.id} = ${owner.id} and ${users.passwordHash} is ${stored}`
  const canGo = sql`exists (select 1 from ${users} where ${unchanged} and ${isCleared})`
  const isVerified = user.emailVerifiedAt !== null
  const limits = mailLimits(newAddress(user.email), null)
  const receipt = attempt(owner.db, limits, owner.now, isVerified ? sql`false` : canGo)
  for (;;) {
    const { attempted, deleted, remaining } = await owner.run({
      ...clearing(owner.db, unchanged),
      ...receipt.statements,
      ...deletion(owner.db, user.email, unchanged),
    })
    if (remaining.length > 0) continue
    if (deleted.length === 0) throw wrongPassword('password')
    if (!isVerified && attempted.length === 0) return
    break
  }
  await outbox.post({
    kind: 'farewell',
    id: `farewell-${user.id}-${owner.now.getTime()}`,
    to: user.email,
    name: user.name,
  })
}

/** True for a user once `clearing` has nothing left to delete. */
const isCleared = sql`(
  not exists (select 1 from ${batches} where user_id = ${users.id})
  and not exists (select 1 from spent_client_ids where user_id = ${users.id}))`

/**
 * The statements that delete a part of what users can have without limit: uploaded batches, with millions of items, and
 * spent client ids. Deleting all of it at once would take longer than a request may.
 */
export function clearing(db: Database, condition: SQL) {
  const userId = sql`(select ${users.id} from ${users} where ${condition})`
  const sizes = sql`
    select rowid as place, (select sum(octet_length(items)) from ${batchParts} where batch_id = id) as bytes
      from ${batches} where user_id = ${userId} order by rowid limit ${rowsPerPart}`
  return {
    batches: db.run(sql`
      delete from ${batches} where rowid in (
        select place from (
          select place, sum(bytes) over (order by place rows between unbounded preceding and 1 preceding) as before
            from (${sizes}))
         where coalesce(before, 0) < ${bytesPerPart})`),
    spentClientIds: db.run(sql`
      delete from spent_client_ids where rowid in (
        select rowid from spent_client_ids where user_id = ${userId} limit ${rowsPerPart})`),
  }
}

/**
 * The statements that delete the user with that address, and all their data, if the condition still holds and `clearing`
 * has left nothing. Otherwise the user may be `remaining`.
 */
export function deletion(db: Database, email: string, condition: SQL) {
  const canGo = sql`${condition} and ${isCleared}`
  const isStill = sql`exists (select 1 from ${users} where ${canGo})`
  const counts = inArray(attempts.key, Object.values(forgotKeys(email)))
  // The count of mails to an unconfirmed address stays: deleting the account must not allow more of them.
  const mailboxCounts = eq(attempts.key, mailboxKey(newAddress(email)))
  const isVerified = sql`exists (select 1 from ${users} where ${canGo} and ${users.emailVerifiedAt} is not null)`
  return {
    // These two hold the address without referring to the user's row.
    attempts: db.delete(attempts).where(or(and(counts, isStill), and(mailboxCounts, isVerified))),
    failedMails: db.delete(failedMails).where(and(eq(failedMails.recipient, email), isStill)),
    deleted: db.delete(users).where(canGo).returning({ id: users.id }),
    remaining: db.select({ id: users.id }).from(users).where(condition),
  }
}

async function requireProof(
  { password, email }: Farewell,
  user: User,
  stored: string | null,
  hashing: Hashing,
): Promise<void> {
  if (stored === null) {
    if (email === user.email) return
    const text = email ? 'The :field does not match.' : 'The :field field is required.'
    throw new Invalid({ email: [messageFor('email', text)] })
  }
  if (!password) throw new Invalid({ password: [messageFor('password', 'The :field field is required.')] })
  await requireOwnPassword('password', password, stored, hashing)
}
