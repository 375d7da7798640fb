import { and, eq, getTableName, type SQL, sql } from 'drizzle-orm'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import type { Draft } from '../domain/draft.ts'
import { Forbidden, Invalid, NotFound } from '../domain/failures.ts'
import type { Owner, Scope } from './owner.ts'
import {
  accounts,
  type batches,
  type categories,
  type imports,
  type tokens,
  transactions,
  users,
} from './schema.ts'

type OwnedTable =
  | typeof accounts
  | typeof categories
  | typeof transactions
  | typeof tokens
  | typeof imports
  | typeof batches

const nouns = {
  accounts: 'Account',
  categories: 'Category',
  transactions: 'Transaction',
  tokens: 'Token',
  imports: 'Import',
  sync_batches: 'Sync batch',
} as const

/** The id of a row: a number, or the UUID of a batch; in prepared statements an expression. */
type Id = number | string | SQL

/**
 * True for transactions that are there, as long as their user is, whom `there` asks for as well. Those of an account
 * that its user has deleted, on either side, are not, and are removed later.
 */
export const isThere = sql`not exists (
  select 1 from ${accounts} gone
   where gone.former_user_id = transactions.user_id and gone.id in (transactions.account_id, transactions.to_account_id))`

/** `isThere` for many rows of the user's: while none of their accounts is being removed, no row is checked. */
export function areThere(owner: Scope): SQL {
  return sql`(not exists (select 1 from ${accounts} where ${accounts.formerUserId} = ${owner.id}) or ${isThere})`
}

/** Matches row `id` unless it, its account or its user has been deleted. */
export function there(table: OwnedTable, id: Id): SQL {
  const isSomebodys = sql`${table.userId} in (select ${users.id} from ${users})`
  const isKept = (table as OwnedTable) === transactions ? isThere : undefined
  return and(sql`${table.id} = ${id}`, isSomebodys, isKept) as SQL
}

/** Matches row `id` if it is the user's: the condition of every statement on a single row. */
export function own(owner: Scope, table: OwnedTable, id: Id): SQL {
  return and(there(table, id), eq(table.userId, owner.id)) as SQL
}

/** True if row `id`, to which another is to refer, exists and is that user's. Both are expressions. */
export function owns(userId: SQL, table: OwnedTable, id: SQL): SQL {
  return sql`exists (select 1 from ${table} where ${table.id} = ${id} and ${table.userId} = ${userId})`
}

/** A column that is 1 in the user's rows and 0 in everybody else's. */
export function isOwn(owner: Scope, table: OwnedTable): SQL<number> {
  return sql<number>`(${sql`${table.userId} = ${owner.id}`})`
}

/** Selects whether row `id` exists and is the user's. Pass the result to `requireOwned`. */
export function ownership(owner: Scope, table: OwnedTable, id: Id) {
  return owner.db
    .select({ isOwn: isOwn(owner, table) })
    .from(table)
    .where(there(table, id))
}

/** Throws NotFound if the row does not exist, Forbidden if it is another user's. */
export function requireOwned(table: OwnedTable, [row]: { isOwn: number }[]): void {
  if (!row) throw new NotFound(nouns[getTableName(table)])
  if (!row.isOwn) throw new Forbidden()
}

/** Returns a row of the user's as `query` selects it. Throws NotFound, Forbidden. */
export async function readOwn<Row>(
  owner: Owner,
  table: OwnedTable,
  id: Id,
  query: RunnableQuery<Row[], 'sqlite'>,
): Promise<Row> {
  const { owned, rows } = await owner.run({ owned: ownership(owner, table, id), rows: query })
  requireOwned(table, owned)
  return rows[0] as Row
}

/** Deletes a row of the user's, with everything that depends on it. Throws NotFound, Forbidden. */
export async function deleteOwn(owner: Owner, table: OwnedTable, id: Id): Promise<void> {
  const { owned } = await owner.run({
    owned: ownership(owner, table, id),
    deleted: owner.db.delete(table).where(own(owner, table, id)),
  })
  requireOwned(table, owned)
}

/**
 * Returns the values of a draft. Before throwing its errors, makes sure that the token is good and, if the request is
 * about a row, that the row is the user's (docs/contract.md, Order of checks).
 */
export async function requireComplete<T>(owner: Owner, draft: Draft<T>, table?: OwnedTable, id: Id = 0) {
  if (draft.complete) return draft.values
  const { owned } = await owner.run({ owned: table ? [ownership(owner, table, id)] : [] })
  for (const rows of owned) if (table) requireOwned(table, rows)
  throw new Invalid(draft.errors)
}
