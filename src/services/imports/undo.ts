import { type SQL, sql } from 'drizzle-orm'
import { logDeletions } from '../../db/changes.ts'
import { discountRows } from '../../db/figures.ts'
import { hasLiveAccounts } from '../../db/ownership.ts'
import { separateImported } from '../matches/separate.ts'

/** The condition for the rows of an import: their ids lie within a range, in which others may lie as well. */
export function isImportedBy(importId: SQL): SQL {
  const first = sql`(select first_id from imports where id = ${importId})`
  const last = sql`(select first_id + rows - 1 from imports where id = ${importId})`
  return sql`id between ${first} and ${last} and import_id = ${importId}`
}

/**
 * Undoes an import: deletes it and those of its transactions that `which` matches. It loses its owner first, so that
 * the triggers leave its rows to `discountRows` and do not spend their client ids: importing the file again must work.
 * Rows that were deleted with an account stay deleted, and their client ids spent. An import with more joined rows than
 * are separated at a time keeps its owner and its rows until the statements are run again. Nobody has seen the rows of a
 * dry run, so their deletion is not logged.
 */
export function undoImport(
  userId: SQL,
  importId: SQL,
  { which, isDryRun }: { which: SQL; isDryRun: boolean },
): SQL[] {
  const created = isImportedBy(importId)
  const isBeingUndone = sql`exists (select 1 from imports where id = ${importId} and user_id is null)`
  // The plus makes SQLite search by id: the user has many rows, and few of them are of this import.
  const rows = sql`${created} and +user_id = ${userId} and ${which} and ${hasLiveAccounts} and ${isBeingUndone}`
  const { statements: separate, isDone } = isDryRun
    ? { statements: [], isDone: sql`true` }
    : separateImported(userId, created, which)
  return [
    ...separate,
    sql`update imports set user_id = null where id = ${importId} and user_id = ${userId} and ${isDone}`,
    ...discountRows(userId, rows),
    ...(isDryRun ? [] : [logDeletions(userId, rows)]),
    sql`delete from transactions where ${rows}`,
    ...(isDryRun ? [] : [forgetEdited(userId, importId)]),
    sql`update transactions set import_id = null where ${created} and ${isBeingUndone}`,
    sql`delete from imports where id = ${importId} and user_id is null`,
  ]
}

/** Forgets the edited rows that were deleted with their import, which were remembered as their file has them. */
function forgetEdited(userId: SQL, importId: SQL): SQL {
  return sql`
    delete from remembered
     where user_id = ${userId} and ${isImportedBy(importId)} and survivor_id = id
       and not exists (select 1 from transactions where transactions.id = remembered.id)`
}
