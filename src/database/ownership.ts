import { and, eq, getTableName, type SQL, sql } from 'drizzle-orm'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import type { ExpectedVersions } from '../domain/types.ts'
import type { Draft } from '../failures/draft.ts'
import { Forbidden, Invalid, NotFound, VersionConflict } from '../failures/failures.ts'
import { hasLiveAccount, hasLiveAccounts } from './live-accounts.ts'
import type { Owner, UserScope } from './owner.ts'
import type { Statement } from './run.ts'
import * as schema from './schema.ts'

const { users } = schema

type Table<Name extends keyof typeof schema> = (typeof schema)[Name]
type VersionedTable = Table<'accounts' | 'categories' | 'recurringRules' | 'transactions' | 'balanceChecks'>
type OwnedTable = VersionedTable | Table<'tokens' | 'imports' | 'importLayouts' | 'batches'>

const nouns = {
  accounts: 'Account',
  categories: 'Category',
  recurring_rules: 'Recurring transaction',
  transactions: 'Transaction',
  balance_checks: 'Balance check',
  tokens: 'Token',
  imports: 'Import',
  import_layouts: 'Layout',
  sync_batches: 'Sync batch',
} as const

/** The id of a row: a number, or the UUID of a batch. */
type Id = number | string

/** Matches row `id` unless the row, its user or (for a transaction or a balance check) an account of it has been deleted. */
export function existingRow(table: OwnedTable, id: Id): SQL {
  const hasUser = sql`${table.userId} in (select ${users.id} from ${users})`
  const isOn: Partial<Record<string, SQL>> = { transactions: hasLiveAccounts, balance_checks: hasLiveAccount }
  return and(sql`${table.id} = ${id}`, hasUser, isOn[getTableName(table)]) as SQL
}

/** Matches row `id` if it exists and is the user's. */
export function ownRow(owner: UserScope, table: OwnedTable, id: Id): SQL {
  return and(existingRow(table, id), eq(table.userId, owner.id)) as SQL
}

/** True if row `id` exists and is that user's. */
export function refersToOwn(userId: SQL, table: OwnedTable, id: SQL): SQL {
  const name = sql.raw(getTableName(table))
  return sql`exists (select 1 from ${name} where ${name}.id = ${id} and ${name}.user_id = ${userId})`
}

/** A column that is 1 in the user's rows and 0 in those of other users. */
export function isOwnColumn(owner: UserScope, table: OwnedTable): SQL<number> {
  return sql<number>`(${sql`${table.userId} = ${owner.id}`})`
}

/** Selects whether row `id` exists and is the user's. Pass the result to `requireOwned`. */
export function selectOwnership(owner: UserScope, table: OwnedTable, id: Id) {
  return owner.db
    .select({ isOwn: isOwnColumn(owner, table) })
    .from(table)
    .where(existingRow(table, id))
}

/** Throws NotFound if the row does not exist, Forbidden if it is another user's. */
export function requireOwned(table: OwnedTable, [row]: { isOwn: number }[]): void {
  if (!row) throw new NotFound(nouns[getTableName(table)])
  if (!row.isOwn) throw new Forbidden()
}

/**
 * The precondition of a write: the row is the user's and has one of the expected versions (`If-Match`), if there are any.
 * `isCurrentRow` is the condition of the write. `owned` and `conflictingRow` run before it, and `requirePrecondition` reads
 * their results. `select` makes the query that returns the row if its version is not expected.
 */
export function precondition<Query>(
  owner: UserScope,
  table: VersionedTable,
  id: Id,
  expected: ExpectedVersions,
  select: (row: SQL) => Query,
) {
  const own = ownRow(owner, table, id)
  const owned = selectOwnership(owner, table, id)
  if (expected === undefined) return { table, isCurrentRow: own, owned, conflictingRow: [] as Query[] }
  // The versions are between commas (domain/versions.ts).
  const isExpected = sql`instr(${expected}, ',' || ${table.version} || ',')`
  const conflictingRow = [select(sql`${own} and not ${isExpected}`)]
  return { table, isCurrentRow: and(own, isExpected) as SQL, owned, conflictingRow }
}

/** Throws NotFound, Forbidden, VersionConflict. */
export function requirePrecondition(
  table: VersionedTable,
  { owned, conflictingRow }: { owned: { isOwn: number }[]; conflictingRow: object[][] },
): void {
  requireOwned(table, owned)
  const [row] = conflictingRow.flat()
  if (row) throw new VersionConflict(nouns[getTableName(table)], row)
}

/** Returns the user's row that `query` selects. Throws NotFound, Forbidden. */
export async function readOwn<Row>(
  owner: Owner,
  table: OwnedTable,
  id: Id,
  query: RunnableQuery<Row[], 'sqlite'>,
): Promise<Row> {
  const { owned, rows } = await owner.run({ owned: selectOwnership(owner, table, id), rows: query })
  requireOwned(table, owned)
  return rows[0] as Row
}

/** Deletes one of the user's rows. Throws NotFound, Forbidden. */
export async function deleteOwn(owner: Owner, table: OwnedTable, id: Id): Promise<void> {
  const { owned } = await owner.run({
    owned: selectOwnership(owner, table, id),
    deleted: owner.db.delete(table).where(ownRow(owner, table, id)),
  })
  requireOwned(table, owned)
}

type Precondition = ReturnType<typeof precondition<RunnableQuery<object[], 'sqlite'> & Statement>>

/**
 * Returns the values of a draft. If it has errors, throws Invalid, after the failures that take precedence
 * (docs/contract.md, Order of checks): Unauthenticated and, with a precondition, NotFound, Forbidden and VersionConflict.
 */
export async function requireComplete<T>(owner: Owner, draft: Draft<T>, precondition?: Precondition) {
  if (draft.complete) return draft.values
  if (!precondition) await owner.run()
  else {
    const { table, owned, conflictingRow } = precondition
    requirePrecondition(table, await owner.run({ owned, conflictingRow }))
  }
  throw new Invalid(draft.errors)
}
