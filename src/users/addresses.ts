import { and, eq, gt, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Database } from '../database/run.ts'
import { formerAddresses, passwordResets, pendingAddresses, users } from '../database/schema.ts'
import { dayMs } from '../domain/dates.ts'
import { reservedDays } from '../identity/links.ts'

/** True if an address belongs to, or is reserved for, a user other than `userId`. */
export function isTakenAddress(email: string | SQLWrapper, now: Date, userId: SQLWrapper = sql`null`): SQL {
  const isAnothers = sql`${users.email} = ${email} and ${users.id} is not ${userId}`
  return sql`(exists (select 1 from ${users} where ${isAnothers}) or ${isReserved(email, now, userId)})`
}

/** True if an address is reserved for a user other than `userId`. */
export function isReserved(email: string | SQLWrapper, now: Date, userId: SQLWrapper = sql`null`): SQL {
  const isAnothers = sql`${formerAddresses.email} = ${email} and ${formerAddresses.userId} is not ${userId}`
  return sql`exists (select 1 from ${formerAddresses} where ${isAnothers} and ${isStillReserved(now)})`
}

/** True for former addresses that are still reserved. */
export function isStillReserved(now: Date): SQL {
  return gt(formerAddresses.replacedAt, new Date(now.getTime() - reservedDays * dayMs))
}

/** The statements that void a user's emailed links, those that reset the password and that change the address. */
export function revokeLinks(db: Database, userId: number | SQL<number>, condition: SQL = sql`true`) {
  return {
    resetsRevoked: db.delete(passwordResets).where(and(eq(passwordResets.userId, userId), condition)),
    changeRevoked: db.delete(pendingAddresses).where(and(eq(pendingAddresses.userId, userId), condition)),
  }
}
