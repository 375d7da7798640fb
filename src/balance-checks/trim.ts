import { sql } from 'drizzle-orm'
import { type Database, runOne } from '../database/run.ts'

/** Entries of an account that stay in the log. */
const keptEntries = 1_000
/** Accounts with too many are looked for among those of the newest entries of all users. */
const entriesSearched = 5_000
/** An account is looked at only while its log grows, with time for runs that fail. */
const searchedMs = 600_000
/** Entries that are deleted in one run. */
const entriesPerRun = 20_000

/** Deletes the oldest entries of accounts with more than a thousand. Returns the number of entries. */
export async function trimLog(db: Database, now: Date): Promise<Record<string, number>> {
  const since = now.getTime() - searchedMs
  const crowded = await runOne(
    db,
    db.all<{ accountId: number; oldest: number }>(sql`
      select * from (
        with latest as (select account_id, at from reconciliation_log order by id desc limit ${entriesSearched}),
             active(id) as materialized (select distinct account_id from latest where at > ${since})
        select id as accountId,
               (select entry.id from reconciliation_log entry where entry.account_id = active.id
                 order by entry.id desc limit 1 offset ${keptEntries}) as oldest
          from active)
       where oldest is not null`),
  )
  if (crowded.length === 0) return { trimmed: 0 }
  const deleted = await runOne(
    db,
    db.all<{ id: number }>(sql`
      delete from reconciliation_log where id in (
        select reconciliation_log.id from json_each(${JSON.stringify(crowded)}) crowded cross join reconciliation_log
         where account_id = crowded.value ->> 'accountId' and reconciliation_log.id <= crowded.value ->> 'oldest'
         limit ${entriesPerRun})
      returning id`),
  )
  return { trimmed: deleted.length }
}
