import { and, desc, eq, getTableColumns, gte, isNull, lte, or, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { claim, demandClaim, demandComplete, own } from '../../db/claims.ts'
import type { Owner } from '../../db/owner.ts'
import { accounts, categories, categoryTotals, transactions } from '../../db/schema.ts'
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
  const parts = partsOf(owner, filter)
  const rows = withRelations(owner, sql`${transactions.id} in (${pageOf(parts, page)})`)
  if (Object.keys(filter).length === 0) {
    // The number of all rows is kept with the user, so the first page costs its fifty rows however long the history.
    const [user, found] = await owner.run(rows)
    return { rows: found as TransactionWithRelations[], total: user.transactionCount }
  }
  const [, found, [counted]] = await owner.run(
    rows,
    owner.db.all<{ total: number }>(sql`select ${totalOf(owner, filter, parts)} as total`),
  )
  return { rows: found as TransactionWithRelations[], total: counted?.total ?? 0 }
}

/**
 * The conditions of a filter, as parts that have no row in common. What leaves an account and what comes into it are
 * two parts, since each has an index in the order of the page.
 */
function partsOf(owner: Owner, filter: TransactionFilter): SQL[] {
  // Rows of an account or a category are its owner's: without another word of the owner, its index alone is read.
  const isNarrow = filter.account_id !== undefined || typeof filter.category_id === 'number'
  const owned = isNarrow ? undefined : eq(transactions.userId, owner.id)
  const conditions = and(owned, ...filterConditions(owner, filter))
  if (filter.account_id === undefined) return [conditions as SQL]
  // NULL for another user's, so that not even the rows of a foreign account are read.
  const accountId = ownId(owner, accounts, filter.account_id)
  return [transactions.accountId, transactions.toAccountId].map(
    (column) => and(eq(column, accountId), conditions) as SQL,
  )
}

/** The ids of a page: its part of the newest rows of each part. */
function pageOf(parts: SQL[], page: number): SQL {
  // Past 2^53 the offset would be no integer any more; no history is that long.
  const offset = Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER - pageSize)
  const newestFirst = sql`order by transaction_date desc, id desc`
  const slice = sql`${newestFirst} limit ${pageSize} offset ${offset}`
  if (parts.length === 1) return sql`select id from ${transactions} where ${parts[0]} ${slice}`
  const newest = parts.map(
    (part) => sql`
      select * from (select id, transaction_date from ${transactions} where ${part}
                     ${newestFirst} limit ${offset + pageSize})`,
  )
  return sql`select id from (${sql.join(newest, sql` union all `)}) ${slice}`
}

/** How many rows there are in all parts; of income and expenses alone the triggers keep it, by month and category. */
function totalOf(owner: Owner, { type, ...others }: TransactionFilter, parts: SQL[]): SQL {
  if (type && type !== 'transfer' && Object.keys(others).length === 0) {
    const kept = and(eq(categoryTotals.userId, owner.id), eq(categoryTotals.type, type))
    return sql`(select coalesce(sum(${categoryTotals.transactionCount}), 0) from ${categoryTotals} where ${kept})`
  }
  const counts = parts.map((part) => sql`(select count(*) from ${transactions} where ${part})`)
  return sql.join(counts, sql` + `)
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
  const { category_id, type, from, to, q } = filter
  const categoryId = ownId(owner, categories, category_id)
  return [
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
