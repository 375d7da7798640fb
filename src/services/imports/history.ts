import { desc, eq, sql } from 'drizzle-orm'
import type { Owner } from '../../db/owner.ts'
import { claim, demandClaim, own, readOwn } from '../../db/ownership.ts'
import { imports } from '../../db/schema.ts'
import { withinBounds } from '../bounds.ts'
import { undoRows } from '../bulk-insert.ts'

export type Import = typeof imports.$inferSelect

/** Imports that the list shows; older ones are reached by their ids. */
const importsListed = 200

/** The bearer's imports, newest first. */
export async function listImports(owner: Owner): Promise<Import[]> {
  const [, rows] = await owner.run(
    owner.db
      .select()
      .from(imports)
      .where(eq(imports.userId, owner.id))
      .orderBy(desc(imports.id))
      .limit(importsListed),
  )
  return rows
}

/** One import. Throws NotFound, Forbidden. */
export function showImport(owner: Owner, id: number): Promise<Import> {
  return readOwn(
    owner,
    imports,
    id,
    owner.db
      .select()
      .from(imports)
      .where(own(owner, imports, id)),
  )
}

/** Undoes an import: removes its rows, but for those edited since unless forced to. Throws NotFound, Forbidden. */
export async function deleteImport(owner: Owner, id: number, isForced: boolean): Promise<void> {
  const which = sql`user_id = ${owner.id} and ${isForced ? sql`true` : sql`updated_at = created_at`}`
  const [forget, remove] = undoRows(sql`${id}`, which)
  const [, claims] = await withinBounds(
    'amount',
    owner.run(
      claim(owner, imports, id),
      owner.db.run(forget),
      owner.db.run(remove),
      owner.db.delete(imports).where(own(owner, imports, id)),
    ),
  )
  demandClaim(imports, claims)
}
