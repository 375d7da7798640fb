import {
  and,
  count,
  desc,
  eq,
  getTableColumns,
  gte,
  inArray,
  isNull,
  lte,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { claim, demandClaim, demandComplete, own } from '../../db/claims.ts'
import type { Owner } from '../../db/owner.ts'
import { accounts, categories, transactions } from '../../db/schema.ts'
import type { CalendarDate } from '../../domain/dates.ts'
import type { Draft } from '../../domain/draft.ts'
import type { Transaction } from './fields.ts'

/** Rows on a page (api.md §8). */
export const pageSize = 50

/** Which transactions to list (decisions.md, Resources). */
export type TransactionFilter = {
  account_id?: number
  category_id?: number | 'none'
  type?: Transaction['type']
  from?: CalendarDate
  to?: CalendarDate
  q?: string
}

type Account = typeof accounts.$inferSelect
type Category = typeof categories.$inferSelect
type Label<Type> = { id: number; name: string; type: Type }

/** A transaction with the names of what it refers to. */
export type TransactionWithRelations = {
  transaction: Transaction
  account: Label<Account['type']>
  to_account: Label<Account['type']> | null
  category: Label<Category['type']> | null
}

/** One page of the bearer's transactions, newest first, and how many there are on all pages. */
export async function listTransactions(
  owner: Owner,
  page: number,
  draft: Draft<TransactionFilter>,
): Promise<{ rows: TransactionWithRelations[]; total: number }> {
  const filter = await demandComplete(owner, draft)
  const conditions = filterConditions(owner, filter)
  // Few rows are in one account or category: their indexes lead there, if `+` keeps SQLite from taking the user's.
  const isNarrow = filter.account_id !== undefined || typeof filter.category_id === 'number'
  const owned = isNarrow ? sql`+${transactions.userId} = ${owner.id}` : eq(transactions.userId, owner.id)
  const where = and(owned, ...conditions) as SQL
  const pageIds = owner.db
    .select({ id: transactions.id })
    .from(transactions)
    .where(where)
    .orderBy(desc(transactions.transactionDate), desc(transactions.id))
    .limit(pageSize)
    // Past 2^53 the offset would be no integer any more; no history is that long.
    .offset(Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER))
  const rows = withRelations(owner, inArray(transactions.id, pageIds))
  if (conditions.length === 0) {
    // The number of all rows is kept with the user, so the first page costs its fifty rows however long the history.
    const [user, found] = await owner.run(rows)
    return { rows: found as TransactionWithRelations[], total: user.transactionCount }
  }
  const [, found, counted] = await owner.run(
    rows,
    owner.db.select({ total: count() }).from(transactions).where(where),
  )
  return { rows: found as TransactionWithRelations[], total: counted[0]?.total ?? 0 }
}

/** One transaction with its relations. Throws NotFound, Forbidden. */
export async function showTransaction(owner: Owner, id: number): Promise<TransactionWithRelations> {
  const [, claims, [found]] = await owner.run(
    claim(owner, transactions, id),
    withRelations(owner, own(owner, transactions, id)),
  )
  demandClaim(transactions, claims)
  return found as TransactionWithRelations
}

function withRelations(owner: Owner, where: SQL) {
  const toAccounts = alias(accounts, 'to_accounts')
  return owner.db
    .select({
      transaction: getTableColumns(transactions),
      account: { id: accounts.id, name: accounts.name, type: accounts.type },
      to_account: { id: toAccounts.id, name: toAccounts.name, type: toAccounts.type },
      category: { id: categories.id, name: categories.name, type: categories.type },
    })
    .from(transactions)
    .innerJoin(accounts, eq(accounts.id, transactions.accountId))
    .leftJoin(toAccounts, eq(toAccounts.id, transactions.toAccountId))
    .leftJoin(categories, eq(categories.id, transactions.categoryId))
    .where(where)
    .orderBy(desc(transactions.transactionDate), desc(transactions.id))
}

function filterConditions(owner: Owner, filter: TransactionFilter): SQL[] {
  const { account_id, category_id, type, from, to, q } = filter
  // NULL for another user's, so that not even the rows of a foreign account are read.
  const accountId = ownId(owner, accounts, account_id)
  const categoryId = ownId(owner, categories, category_id)
  return [
    account_id && or(eq(transactions.accountId, accountId), eq(transactions.toAccountId, accountId)),
    category_id === 'none' && isNull(transactions.categoryId),
    typeof category_id === 'number' && eq(transactions.categoryId, categoryId),
    type && eq(transactions.type, type),
    from && gte(transactions.transactionDate, from),
    to && lte(transactions.transactionDate, to),
    q && or(contains(sql`${transactions.description}`, q), contains(sql`${transactions.reference}`, q)),
  ].filter((condition): condition is SQL => Boolean(condition))
}

function ownId(owner: Owner, table: typeof accounts | typeof categories, id: unknown): SQL {
  return sql`(select ${table.id} from ${table} where ${table.id} = ${id ?? null} and ${table.userId} = ${owner.id})`
}

function contains(column: SQL, text: string): SQL {
  return sql`${column} like ${`%${text.replace(/[\\%_]/g, '\\$&')}%`} escape '\\'`
}
