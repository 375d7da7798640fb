import { eq, type SQL, sql } from 'drizzle-orm'
import { dayMs } from '../domain/dates.ts'
import { type Database, runOne } from './run.ts'
import { tokens } from './schema.ts'

// Other limits: failures/limits.ts.

/** A token expires this many days after its last use. */
export const idleTimeoutDays = 90
/** A token expires this many days after its creation, however much it is used. */
export const absoluteTimeoutDays = 365

/** True for tokens that have not expired, by idleness, by age or on the day that a named token was made with. */
export function isLive(now: Date): SQL {
  const [usedAfter, createdAfter] = [daysBefore(now, idleTimeoutDays), daysBefore(now, absoluteTimeoutDays)]
  return sql`
    last_used_at > ${usedAfter} and tokens.created_at > ${createdAfter}
    and (expires_at is null or expires_at > ${now})`
}

/** A use is recorded only if the last recorded one is no later than this. */
export function recentUseAfter(now: Date): Date {
  return daysBefore(now, 1)
}

/** Records the use of a token, which postpones its expiry. */
export async function recordUse({ db, tokenId, now }: { db: Database; tokenId: number; now: Date }) {
  await runOne(db, db.update(tokens).set({ lastUsedAt: now }).where(eq(tokens.id, tokenId)))
}

function daysBefore(instant: Date, days: number): Date {
  return new Date(instant.getTime() - days * dayMs)
}
