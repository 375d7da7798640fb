import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import { claim, demandClaim, own, readOwn } from '../../db/claims.ts'
import type { Owner } from '../../db/owner.ts'
import { imports, transactions } from '../../db/schema.ts'
import { withinBounds } from '../bounds.ts'

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
  return readOwn(owner, imports, id)
}

/** Undoes an import: removes its rows, but for those edited since unless forced to. Throws NotFound, Forbidden. */
export async function deleteImport(owner: Owner, id: number, isForced: boolean): Promise<void> {
  const isUntouched = isForced ? undefined : sql`${transactions.updatedAt} = ${transactions.createdAt}`
  const ofImport = and(eq(transactions.importId, id), eq(transactions.userId, owner.id), isUntouched) as SQL
  const [, claims] = await withinBounds(
    'amount',
    owner.run(
      claim(owner, imports, id),
      owner.db.delete(transactions).where(ofImport),
      owner.db.delete(imports).where(own(owner, imports, id)),
    ),
  )
  demandClaim(imports, claims)
}
