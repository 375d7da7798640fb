import { type SQL, sql } from 'drizzle-orm'
import { logDeletions, nextChange } from '../database/change-numbers.ts'
import { subtractFromTotals } from '../database/kept-totals.ts'
import { hasLiveAccounts } from '../database/live-accounts.ts'
import type { Owner } from '../database/owner.ts'
import { lockOfCheck } from '../database/reconciled.ts'
import { setCause } from '../database/written-by.ts'
import { separateImported } from '../matches/separate.ts'
import { takeBackStartingBalances } from './new-accounts.ts'

/** The condition for the rows of an import: their ids lie within a range, in which others may lie as well. */
export function isImportedBy(importId: SQL): SQL {
  return sql`id between ${firstIdOf(importId)} and ${lastIdOf(importId)} and import_id = ${importId}`
}

const firstIdOf = (importId: SQL) => sql`(select first_id from imports where id = ${importId})`
const lastIdOf = (importId: SQL) => sql`(select first_id + rows - 1 from imports where id = ${importId})`

/**
 * Undoes an import: deletes it and those of its transactions that `which` matches. It loses its owner first, so that
 * the triggers leave its rows to `subtractFromTotals` and do not spend their client ids: importing the file again must work.
 * Rows that were deleted with an account stay deleted, and their client ids spent. An import with more joined rows than
 * are separated at a time keeps its owner and its rows until the statements are run again.
 */
export function undoImport({ id: userId, now }: Owner, importId: SQL, which: SQL): SQL[] {
  const created = isImportedBy(importId)
  const isBeingUndone = sql`exists (select 1 from imports where id = ${importId} and user_id is null)`
  // The plus makes SQLite search by id: the user has many rows, and few of them are of this import.
  const rows = sql`${created} and +user_id = ${userId} and ${which} and ${hasLiveAccounts} and ${isBeingUndone}`
  const { statements: separate, isDone } = separateImported(userId, created, which)
  return [
    ...separate,
    sql`update imports set user_id = null where id = ${importId} and user_id = ${userId} and ${isDone}`,
    ...removeChecks(sql`import_id = ${importId} and user_id = ${userId} and ${isBeingUndone}`, now),
    ...subtractFromTotals(userId, rows),
    logDeletions(userId, rows),
    sql`delete from transactions where ${rows}`,
    deleteOrphanedOriginals(userId, importId),
    sql`
    update transactions
       set import_id = null, version = version + 1, seq = ${nextChange(userId)} + id - ${firstIdOf(importId)}
     where ${created} and ${isBeingUndone}`,
    takeBackStartingBalances(userId, importId, now),
    sql`delete from imports where id = ${importId} and user_id is null`,
    setCause('undo', importId),
  ]
}

/** Removes checks, except those that a person has reconciled a period by: these say what the undo breaks. */
function removeChecks(which: SQL, now: Date): SQL[] {
  return [
    sql`
    update balance_checks
       set source = 'manual', import_id = null, version = version + 1, updated_at = ${now.getTime()}
     where ${which} and ${lockOfCheck} is not null`,
    sql`delete from balance_checks where ${which}`,
  ]
}

/**
 * Deletes the imported originals of the deleted rows: the edited ones among these, as their file has them,
 * and joined rows that cannot come back since their accounts are gone.
 */
function deleteOrphanedOriginals(userId: SQL, importId: SQL): SQL {
  return sql`
    delete from imported_originals
     where user_id = ${userId} and id in (
       select id from imported_originals indexed by imported_originals_merged_into
        where user_id = ${userId} and merged_into_id between ${firstIdOf(importId)} and ${lastIdOf(importId)}
          and not exists (select 1 from transactions where transactions.id = merged_into_id))`
}
