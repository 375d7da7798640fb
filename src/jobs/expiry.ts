import { type SQL, sql } from 'drizzle-orm'
import { type Database, runOne } from '../database/run.ts'
import { absoluteTimeoutDays, idleTimeoutDays } from '../database/token-lifetime.ts'
import { dayMs } from '../domain/dates.ts'
import { reservedDays } from '../identity/links.ts'

// Other limits: failures/limits.ts.

const batchesKeptDays = 30
const failedMailsKeptDays = 90
/** Any address can be registered, and each refused email leaves a row. */
const failedMailsKept = 50_000
const failedMailsPerPart = 1_000
/** No limit has a longer window. */
const attemptsKeptDays = 1
/** Each part is a request, and a Worker may make a thousand in a run; the next run deletes the rest. */
const partsPerRun = 900

/** The rows to delete from a table, in parts so small that other writers wait only for milliseconds. */
type Expiring = { table: string; rowsPerPart: number; isDue: (daysAgo: (days: number) => number) => SQL }

const expiring: readonly Expiring[] = [
  {
    table: 'tokens',
    rowsPerPart: 1_000,
    isDue: (daysAgo) =>
      sql`last_used_at <= ${daysAgo(idleTimeoutDays)} or created_at <= ${daysAgo(absoluteTimeoutDays)}
          or expires_at <= ${daysAgo(0)}`,
  },
  { table: 'password_resets', rowsPerPart: 1_000, isDue: (daysAgo) => sql`expires_at <= ${daysAgo(0)}` },
  { table: 'pending_addresses', rowsPerPart: 1_000, isDue: (daysAgo) => sql`requested_at <= ${daysAgo(1)}` },
  {
    table: 'former_addresses',
    rowsPerPart: 1_000,
    isDue: (daysAgo) => sql`replaced_at <= ${daysAgo(reservedDays)}`,
  },
  { table: 'used_states', rowsPerPart: 5_000, isDue: (daysAgo) => sql`expires_at <= ${daysAgo(0)}` },
  { table: 'attempts', rowsPerPart: 5_000, isDue: (daysAgo) => sql`at <= ${daysAgo(attemptsKeptDays)}` },
  {
    table: 'failed_mails',
    rowsPerPart: failedMailsPerPart,
    // In order of insertion, which needs no index.
    isDue: (daysAgo) => sql`
      rowid in (select rowid from failed_mails order by rowid limit ${failedMailsPerPart})
      and (failed_at <= ${daysAgo(failedMailsKeptDays)}
           or rowid <= (select max(rowid) - ${failedMailsKept} from failed_mails))`,
  },
  {
    table: 'sync_batches',
    // Each with up to a thousand items.
    rowsPerPart: 10,
    isDue: (daysAgo) => sql`completed_at is not null and completed_at <= ${daysAgo(batchesKeptDays)}`,
  },
]

/**
 * Deletes expired tokens, links and states (which are refused even before that), attempts that no longer count, old records
 * of failed emails, and batches that were done thirty days ago, but not the transactions that they created. The tables take
 * turns, in parts that are a round trip each, until nothing is left or the run is used up. Returns the number of rows
 * deleted from each table.
 */
export async function removeExpired(db: Database, now: Date): Promise<Record<string, number>> {
  const daysAgo = (days: number) => now.getTime() - days * dayMs
  const removed: Record<string, number> = Object.fromEntries(expiring.map(({ table }) => [table, 0]))
  const pending = [...expiring]
  for (let part = 0; part < partsPerRun; part++) {
    const next = pending.shift()
    if (!next) break
    const table = sql.identifier(next.table)
    const due = sql`select rowid from ${table} where ${next.isDue(daysAgo)} limit ${next.rowsPerPart}`
    const { rowsAffected } = await runOne(db, db.run(sql`delete from ${table} where rowid in (${due})`))
    removed[next.table] = (removed[next.table] ?? 0) + rowsAffected
    if (rowsAffected >= next.rowsPerPart) pending.push(next)
  }
  return removed
}
