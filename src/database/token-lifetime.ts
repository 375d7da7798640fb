import { eq, type SQL, sql } from 'drizzle-orm'
import { dayMs } from '../shared/dates.ts'
import type { Database } from './client.ts'
import { runOne } from './run.ts'
import { tokens } from './schema.ts'

/** A token expires this many days after its last use. */
export const idleTimeoutDays = 90
/** A token expires this many days after its creation, however much it is used. */
export const absoluteTimeoutDays = 365

/** The times after which a token must have been used and created to be valid now. */
export function lifetimeAt(now: Date) {
  return { usedAfter: daysBefore(now, idleTimeoutDays), createdAfter: daysBefore(now, absoluteTimeoutDays) }
}

/** True for tokens that have not expired, by idleness or by age. */
export function isLive({ usedAfter, createdAfter }: Record<'usedAfter' | 'createdAfter', Date | SQL>): SQL {
  return sql`last_used_at > ${usedAfter} and tokens.created_at > ${createdAfter}`
}

/** A use is recorded only if the last one on record is no later than this: once a day is enough. */
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
