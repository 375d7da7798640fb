import { and, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { jsonRow, optionalJsonRow } from '../database/json-row.ts'
import type { Owner, UserScope } from '../database/owner.ts'
import { ownRow, precondition, readOwn } from '../database/ownership.ts'
import { accounts, categories, transactions } from '../database/schema.ts'
import type { CalendarDate } from '../domain/dates.ts'
import type { ExpectedVersions } from '../domain/types.ts'

export type Transaction = typeof transactions.$inferSelect
type Account = typeof accounts.$inferSelect
type Category = typeof categories.$inferSelect
type Label<Type> = { id: number; name: string; type: Type }

/** The id of a transaction's category; null if it has none, or if the category has been deleted. */
export const liveCategory = sql<number | null>`(
  select id from categories category where category.id = transactions.category_id and category.user_id is not null)`

const ofRule = (column: SQL) =>
  sql`(select ${column} from recurring_rules rule where rule.id = transactions.recurring_id)`
/** The rule that a transaction is an occurrence of, and which one: null if the rule has been deleted. */
const liveOccurrence = {
  recurringId: sql<number | null>`${ofRule(sql`rule.id`)}`,
  occurrenceDate: sql<CalendarDate | null>`${ofRule(sql`transactions.occurrence_date`)}`,
}

/** The columns of a transaction as they are shown. */
export const transactionColumns = {
  ...getTableColumns(transactions),
  ...liveOccurrence,
  categoryId: liveCategory,
}

/** A transaction with the names of what it refers to. */
export type TransactionWithRelations = {
  transaction: Transaction
  account: Label<Account['type']>
  to_account: Label<Account['type']> | null
  category: Label<Category['type']> | null
}

/** Returns one transaction with its relations. Throws NotFound, Forbidden. */
export function showTransaction(owner: Owner, id: number): Promise<TransactionWithRelations> {
  return readOwn(owner, transactions, id, withRelations(owner, ownRow(owner, transactions, id)))
}

/** The precondition of a write to a transaction (see `precondition`). */
export function transactionPrecondition(owner: UserScope, id: number, expected: ExpectedVersions) {
  const select = (row: SQL) => owner.db.select(transactionColumns).from(transactions).where(row)
  return precondition(owner, transactions, id, expected, select)
}

/** Selects transactions with the names of what they refer to, newest first. */
export function withRelations({ db }: UserScope, where: SQL) {
  const toAccounts = alias(accounts, 'to_accounts')
  return db
    .select({
      transaction: jsonRow({
        ...transactionColumns,
        categoryId: sql<number | null>`${categories.id}`,
      }),
      account: jsonRow({ id: accounts.id, name: accounts.name, type: accounts.type }),
      to_account: optionalJsonRow({ id: toAccounts.id, name: toAccounts.name, type: toAccounts.type }),
      category: optionalJsonRow({ id: categories.id, name: categories.name, type: categories.type }),
    })
    .from(transactions)
    .innerJoin(accounts, eq(accounts.id, transactions.accountId))
    .leftJoin(toAccounts, eq(toAccounts.id, transactions.toAccountId))
    .leftJoin(
      categories,
      and(eq(categories.id, transactions.categoryId), eq(categories.userId, transactions.userId)),
    )
    .where(where)
    .orderBy(desc(transactions.transactionDate), desc(transactions.id))
}
