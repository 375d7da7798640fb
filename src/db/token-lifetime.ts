import { eq, type SQL, sql } from 'drizzle-orm'
import { dayMs } from '../domain/dates.ts'
import type { Database } from './client.ts'
import { runOne } from './run.ts'
import { tokens } from './schema.ts'

/** Days after its last use on which a token expires. */
export const idleTimeoutDays = 90
/** Days after its creation on which a token expires, however much it is used. */
export const absoluteTimeoutDays = 365

/** The times after which a token must have been used and created to be valid now. */
export function lifetimeAt(now: Date) {
  return { usedAfter: daysBefore(now, idleTimeoutDays), createdAfter: daysBefore(now, absoluteTimeoutDays) }
}

/** True for tokens that have not expired, by idleness or by age. */
export function isLive({ usedAfter, createdAfter }: Record<'usedAfter' | 'createdAfter', Date | SQL>): SQL {
  return sql`last_used_at > ${usedAfter} and tokens.created_at > ${createdAfter}`
}

/** If a use after this has been recorded, further ones are not: once a day is enough. */
export function recentAfter(now: Date): Date {
  return daysBefore(now, 1)
}

/** Records that a token is in use, which extends its life. */
export async function recordUse({ db, tokenId, now }: { db: Database; tokenId: number; now: Date }) {
  await runOne(db, db.update(tokens).set({ lastUsedAt: now }).where(eq(tokens.id, tokenId)))
}

function daysBefore(instant: Date, days: number): Date {
  return new Date(instant.getTime() - days * dayMs)
}
