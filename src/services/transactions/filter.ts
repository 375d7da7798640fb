import { and, eq, gte, isNull, lte, or, type SQL, sql } from 'drizzle-orm'
import type { TransactionQuery } from '../../contract/transactions.ts'
import type { Owner } from '../../db/owner.ts'
import { areThere } from '../../db/ownership.ts'
import { accounts, categories, transactions } from '../../db/schema.ts'
import type { CalendarDate } from '../../domain/dates.ts'
import { liveCategory } from './read.ts'

export type TransactionFilter = Omit<TransactionQuery, 'page' | 'per_page'>

/**
 * The conditions of a filter, as parts that have no rows in common: for an account, what leaves it and what comes in,
 * since each has an index in page order. The last day may be an SQL expression.
 */
export function filterParts(
  owner: Owner,
  filter: Omit<TransactionFilter, 'to'> & { to?: CalendarDate | SQL },
): SQL[] {
  const { account_id, category_id, type, from, to, q } = filter
  // The rows of an account or category are all its user's. Without a condition on the user, their index is enough.
  const isNarrow = account_id !== undefined || typeof category_id === 'number'
  const conditions = and(
    isNarrow ? undefined : eq(transactions.userId, owner.id),
    areThere(owner),
    category_id === undefined ? undefined : inCategory(owner, category_id),
    type && eq(transactions.type, type),
    from ? gte(transactions.transactionDate, from) : undefined,
    to ? lte(transactions.transactionDate, to) : undefined,
    q
      ? or(contains(sql`${transactions.description}`, q), contains(sql`${transactions.reference}`, q))
      : undefined,
  ) as SQL
  if (account_id === undefined) return [conditions]
  const accountId = ownId(owner, accounts, account_id)
  return [transactions.accountId, transactions.toAccountId].map(
    (column) => and(eq(column, accountId), conditions) as SQL,
  )
}

function inCategory(owner: Owner, id: number | 'none'): SQL {
  return id === 'none' ? isNull(liveCategory) : eq(transactions.categoryId, ownId(owner, categories, id))
}

/** The id, or NULL if it is another user's, so that none of their rows are read. */
function ownId(owner: Owner, table: typeof accounts | typeof categories, id: number): SQL {
  return sql`(select ${table.id} from ${table} where ${table.id} = ${id} and ${table.userId} = ${owner.id})`
}

/** Longer patterns would make `like` compare each letter with each: up to a hundred times the work of `instr`. */
const longestPattern = 8

/** Both ways ignore the case of ASCII letters only. */
function contains(column: SQL, text: string): SQL {
  if (text.length > longestPattern) return sql`instr(lower(${column}), lower(${text})) > 0`
  return sql`${column} like ${`%${text.replace(/[\\%_]/g, '\\$&')}%`} escape '\\'`
}
