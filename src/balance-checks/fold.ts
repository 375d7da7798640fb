import { asc, eq, sql } from 'drizzle-orm'
import { jsonRow } from '../database/json-row.ts'
import { type Database, runAll, runOne } from '../database/run.ts'
import { balanceChecks, reconciliationLog } from '../database/schema.ts'
import { exactSum } from '../database/wide-sums.ts'
import { differencesOf } from './differences.ts'
import { checkedColumns, entryColumns } from './read.ts'

/** Entries of an account that stay in the log. */
const keptEntries = 1_000
/** Accounts with too many are looked for among those of the newest entries of all users. */
const entriesSearched = 5_000
/** An account is looked at only while its log grows, with time for runs that fail. */
const searchedMs = 600_000
/** Entries that are folded in one transaction. */
const entriesPerPart = 5_000
/** Each is two round trips, and a Worker may make a thousand in a run. */
const partsPerRun = 300

/**
 * Folds the oldest entries of accounts with more than a thousand into their checks: adds their effects to `base`, and deletes
 * them. A check that broke meanwhile keeps when, and how many changes there were since. Returns the number of entries.
 */
export async function foldLog(db: Database, now: Date): Promise<Record<string, number>> {
  const since = now.getTime() - searchedMs
  const crowded = await runOne(
    db,
    db.all<{ id: number }>(sql`
      select id from (
        with latest as (select account_id, at from reconciliation_log order by id desc limit ${entriesSearched}),
             active(id) as materialized (select distinct account_id from latest where at > ${since})
        select id from active
         where exists (select 1 from reconciliation_log where account_id = active.id limit 1 offset ${keptEntries}))`),
  )
  const pending = crowded.map(({ id }) => id)
  let folded = 0
  for (let part = 0; part < partsPerRun; part++) {
    const accountId = pending.shift()
    if (accountId === undefined) break
    const count = await foldOldest(db, accountId)
    folded += count
    if (count === entriesPerPart) pending.push(accountId)
  }
  return { folded }
}

/** Folds a part of the entries of an account; returns how many. */
async function foldOldest(db: Database, accountId: number): Promise<number> {
  const isOfAccount = eq(reconciliationLog.accountId, accountId)
  const firstKept = sql`(
    select id from reconciliation_log where account_id = ${accountId} order by id desc limit 1 offset ${keptEntries - 1})`
  // Entries that are written meanwhile are newer than those.
  const found = await runAll(db, {
    checks: db
      .select({ row: jsonRow(checkedColumns) })
      .from(balanceChecks)
      .where(eq(balanceChecks.accountId, accountId)),
    entries: db
      .select({ row: jsonRow(entryColumns) })
      .from(reconciliationLog)
      .where(sql`${isOfAccount} and ${reconciliationLog.id} < ${firstKept}`)
      .orderBy(asc(reconciliationLog.id))
      .limit(entriesPerPart),
  })
  const entries = found.entries.map(({ row }) => ({ ...row, effect: exactSum(row) }))
  const last = entries.at(-1)?.id
  if (last === undefined) return 0
  const checks = found.checks
    .map(({ row }) => ({ ...row, base: exactSum(row) }))
    .filter(({ afterEntry }) => afterEntry < last)
  const differences = differencesOf(checks, entries)
  const rows = checks.flatMap(({ id, afterEntry, brokenCount }) => {
    const one = differences.get(id)
    if (!one) return []
    const { difference, brokenAt, changes, folded } = one
    const count = changes().reduce((sum, change) => sum + Math.max(change.count, 1), folded ? brokenCount : 0)
    return [[id, afterEntry, String(difference), brokenAt?.getTime() ?? null, brokenAt ? count : 0]]
  })
  await runAll(db, {
    // A check that has been changed since is compared anew, and later than these entries.
    checks: db.run(sql`
      with folded as materialized (
        select value ->> 0 as id, value ->> 1 as after_entry, cast(value ->> 2 as integer) as base,
               value ->> 3 as broken_since, value ->> 4 as broken_count from json_each(${JSON.stringify(rows)}))
      update balance_checks
         set base = folded.base, after_entry = ${last}, broken_since = folded.broken_since, broken_count = folded.broken_count
        from folded where balance_checks.id = folded.id and balance_checks.after_entry = folded.after_entry`),
    // Another run may have folded some of them.
    entries: db.run(sql`
      delete from reconciliation_log where account_id = ${accountId} and id <= ${last}
         and not exists (select 1 from balance_checks where account_id = ${accountId} and after_entry < ${last})`),
  })
  return entries.length
}
