import { and, eq, getTableName, type SQL, sql } from 'drizzle-orm'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import type { Draft } from '../domain/draft.ts'
import { Forbidden, Invalid, NotFound } from '../domain/failures.ts'
import type { Owner } from './owner.ts'
import type { accounts, categories, imports, tokens, transactions } from './schema.ts'

type OwnedTable = typeof accounts | typeof categories | typeof transactions | typeof tokens | typeof imports

const nouns = {
  accounts: 'Account',
  categories: 'Category',
  transactions: 'Transaction',
  tokens: 'Token',
  imports: 'Import',
} as const

/** The row `id` of a table, if it is the bearer's: the condition of every statement on one row. */
export function own(owner: Owner, table: OwnedTable, id: number): SQL {
  return and(eq(table.id, id), eq(table.userId, owner.id)) as SQL
}

/** True where `id` names a row of that user's in that table; both are expressions. */
export function owns(userId: SQL, table: OwnedTable, id: SQL): SQL {
  return sql`exists (select 1 from ${table} where ${table.id} = ${id} and ${table.userId} = ${userId})`
}

/** 1 on rows of the bearer's, 0 on everybody else's. */
export function isOwn(owner: Owner, table: OwnedTable): SQL<number> {
  return sql<number>`(${sql`${table.userId} = ${owner.id}`})`
}

/** Selects whether the row named in the path is there, and whose it is. Read the answer with `demandClaim`. */
export function claim(owner: Owner, table: OwnedTable, id: number) {
  return owner.db
    .select({ isOwn: isOwn(owner, table) })
    .from(table)
    .where(eq(table.id, id))
}

/** Throws NotFound for an absent row and Forbidden for another user's. */
export function demandClaim(table: OwnedTable, rows: { isOwn: number }[]): void {
  const [row] = rows
  if (!row) throw new NotFound(nouns[getTableName(table)])
  if (!row.isOwn) throw new Forbidden()
}

/** One row of the bearer's, as `query` selects it. Throws NotFound, Forbidden. */
export async function readOwn<Row>(
  owner: Owner,
  table: OwnedTable,
  id: number,
  query: RunnableQuery<Row[], 'sqlite'>,
): Promise<Row> {
  const [, claims, [row]] = await owner.run(claim(owner, table, id), query)
  demandClaim(table, claims)
  return row as Row
}

/** Deletes one row of the bearer's, and what hangs on it. Throws NotFound, Forbidden. */
export async function deleteOwn(owner: Owner, table: OwnedTable, id: number): Promise<void> {
  await deleteOwnWhere(owner, table, id, sql`true`)
}

/** The same where a condition holds; answers whether it did. */
export async function deleteOwnWhere(
  owner: Owner,
  table: OwnedTable,
  id: number,
  condition: SQL,
): Promise<boolean> {
  const [, claims, deleted] = await owner.run(
    claim(owner, table, id),
    owner.db
      .delete(table)
      .where(and(own(owner, table, id), condition))
      .returning({ id: table.id }),
  )
  demandClaim(table, claims)
  return deleted.length > 0
}

/**
 * Answers the values of a draft. One with errors is refused only after its bearer is known and, where it is
 * about a row, after that row is known to be the bearer's (decisions.md, order of checks).
 */
export async function demandComplete<T>(
  owner: Owner,
  draft: Draft<T>,
  table?: OwnedTable,
  id = 0,
): Promise<T> {
  if (draft.complete) return draft.values
  if (table) {
    const [, claims] = await owner.run(claim(owner, table, id))
    demandClaim(table, claims)
  } else {
    await owner.run()
  }
  throw new Invalid(draft.errors)
}
