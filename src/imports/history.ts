import { desc, eq, getTableColumns, sql } from 'drizzle-orm'
import {
  type BalanceCheck,
  explainedChecksOf,
  selectExplainedChecks,
  stateOf,
} from '../balance-checks/read.ts'
import { withinBounds } from '../database/bounds.ts'
import type { Owner } from '../database/owner.ts'
import { ownRow, readOwn, requireOwned, selectOwnership } from '../database/ownership.ts'
import { toStatements } from '../database/run.ts'
import { accounts, imports } from '../database/schema.ts'
import { accountsChanged } from '../database/written-by.ts'
import { undoImport } from './undo.ts'

const { response: _, ...importColumns } = getTableColumns(imports)
export type Import = Omit<typeof imports.$inferSelect, 'response'>

/** Older imports are still found by their ids. */
export const importsListed = 200

/** Returns the user's imports, newest first. */
export function listImports(owner: Owner): Promise<Import[]> {
  const all = owner.db.select(importColumns).from(imports).where(eq(imports.userId, owner.id))
  return owner.runOne(all.orderBy(desc(imports.id)).limit(importsListed))
}

/** Returns one import. Throws NotFound, Forbidden. */
export function showImport(owner: Owner, id: number): Promise<Import> {
  const query = owner.db
    .select(importColumns)
    .from(imports)
    .where(ownRow(owner, imports, id))
  return readOwn(owner, imports, id, query)
}

/**
 * Undoes an import: deletes its transactions, edited ones only if forced. Returns the balance checks that this has broken.
 * Throws NotFound, Forbidden, Invalid. If very many of its rows were joined with others, they are separated first, in round
 * trips of their own: if a later one fails, they stay separated, and the next call continues.
 */
export async function deleteImport(owner: Owner, id: number, isForced: boolean): Promise<BalanceCheck[]> {
  const which = isForced ? sql`true` : sql`updated_at = created_at`
  const undone = undoImport(owner, sql`${id}`, which)
  const checks = new Map<number, BalanceCheck>()
  for (let isGone = false; !isGone; ) {
    const { owned, left, ...found } = await withinBounds(
      'amount',
      owner.run({
        owned: selectOwnership(owner, imports, id),
        undone: toStatements(undone),
        left: owner.db
          .select({ id: imports.id })
          .from(imports)
          .where(ownRow(owner, imports, id)),
        ...selectExplainedChecks(owner, sql`${accounts.id} in (${accountsChanged})`),
      }),
    )
    requireOwned(imports, owned)
    for (const check of explainedChecksOf(found)) {
      const isOnlyUndone = check.changes().every(({ cause, importId }) => cause === 'undo' && importId === id)
      if (check.wasOk && stateOf(check) === 'broken' && isOnlyUndone) checks.set(check.id, check)
      else checks.delete(check.id)
    }
    isGone = left.length === 0
  }
  return [...checks.values()]
}
