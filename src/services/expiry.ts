import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { absoluteTimeoutDays, idleTimeoutDays } from '../domain/tokens.ts'

const dayMs = 86_400_000
const syncsKeptDays = 30
const failedMailsKeptDays = 90
/** A mail that is refused leaves a row, and anybody can name an address that refuses mails. */
const failedMailsKept = 50_000
const failedMailsPerPart = 1_000
/** Longer than any limit counts. */
const attemptsKeptDays = 1
/** Each is a request of the Worker, which may make a thousand in a run; what is left over waits for the next one. */
const partsPerRun = 900

/** What goes from a table, and how many rows at once: so few that other writers wait for milliseconds. */
type Expiring = { table: string; rowsPerPart: number; isDue: (daysAgo: (days: number) => number) => SQL }

const expiring: readonly Expiring[] = [
  {
    table: 'tokens',
    rowsPerPart: 1_000,
    isDue: (daysAgo) =>
      sql`last_used_at <= ${daysAgo(idleTimeoutDays)} or created_at <= ${daysAgo(absoluteTimeoutDays)}`,
  },
  { table: 'password_resets', rowsPerPart: 1_000, isDue: (daysAgo) => sql`expires_at <= ${daysAgo(0)}` },
  { table: 'used_states', rowsPerPart: 5_000, isDue: (daysAgo) => sql`expires_at <= ${daysAgo(0)}` },
  { table: 'attempts', rowsPerPart: 5_000, isDue: (daysAgo) => sql`at <= ${daysAgo(attemptsKeptDays)}` },
  {
    table: 'failed_mails',
    rowsPerPart: failedMailsPerPart,
    // In the order in which they came, which spares an index.
    isDue: (daysAgo) => sql`
      rowid in (select rowid from failed_mails order by rowid limit ${failedMailsPerPart})
      and (failed_at <= ${daysAgo(failedMailsKeptDays)}
           or rowid <= (select max(rowid) - ${failedMailsKept} from failed_mails))`,
  },
  {
    table: 'sync_batches',
    // With up to a thousand items each.
    rowsPerPart: 10,
    isDue: (daysAgo) => sql`completed_at is not null and completed_at <= ${daysAgo(syncsKeptDays)}`,
  },
]

/**
 * Removes what has expired and is refused already, and batches that were finished thirty days ago, whose transactions
 * stay. Nothing depends on when, or whether, this runs. It takes turns among the tables, in parts that are a
 * transaction each, until nothing is left or the run has made enough of them. Answers the number of rows by table.
 */
export async function removeExpired(db: Database, now: Date): Promise<Record<string, number>> {
  const daysAgo = (days: number) => now.getTime() - days * dayMs
  const removed: Record<string, number> = Object.fromEntries(expiring.map(({ table }) => [table, 0]))
  const waiting = [...expiring]
  for (let part = 0; part < partsPerRun; part++) {
    const next = waiting.shift()
    if (!next) break
    const table = sql.identifier(next.table)
    const due = sql`select rowid from ${table} where ${next.isDue(daysAgo)} limit ${next.rowsPerPart}`
    const [{ rowsAffected }] = await db.batch([db.run(sql`delete from ${table} where rowid in (${due})`)])
    removed[next.table] = (removed[next.table] ?? 0) + rowsAffected
    if (rowsAffected >= next.rowsPerPart) waiting.push(next)
  }
  return removed
}
