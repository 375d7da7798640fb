import { desc, eq, getTableColumns, sql } from 'drizzle-orm'
import { withinBounds } from '../database/bounds.ts'
import type { Owner } from '../database/owner.ts'
import { ownRow, readOwn, requireOwned, selectOwnership } from '../database/ownership.ts'
import { toStatements } from '../database/run.ts'
import { imports } from '../database/schema.ts'
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
 * Undoes an import: deletes its transactions, edited ones only if forced. Throws NotFound, Forbidden, Invalid. If very
 * many of its rows were joined with others, they are separated first, in round trips of their own: if a later one fails,
 * they stay separated, and the next call continues.
 */
export async function deleteImport(owner: Owner, id: number, isForced: boolean): Promise<void> {
  const which = isForced ? sql`true` : sql`updated_at = created_at`
  const undone = undoImport(owner.id, sql`${id}`, which)
  for (let isGone = false; !isGone; ) {
    const { owned, left } = await withinBounds(
      'amount',
      owner.run({
        owned: selectOwnership(owner, imports, id),
        undone: toStatements(undone),
        left: owner.db
          .select({ id: imports.id })
          .from(imports)
          .where(ownRow(owner, imports, id)),
      }),
    )
    requireOwned(imports, owned)
    isGone = left.length === 0
  }
}
