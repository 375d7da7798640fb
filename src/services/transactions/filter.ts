import { and, eq, gte, isNull, lte, or, type SQL, sql } from 'drizzle-orm'
import type { TransactionQuery } from '../../contract/transactions.ts'
import { hasLiveAccountsInBulk } from '../../db/live-accounts.ts'
import type { Scope } from '../../db/owner.ts'
import { accounts, categories, transactions } from '../../db/schema.ts'
import { liveCategory } from './read.ts'

export type TransactionFilter = Omit<TransactionQuery, 'page' | 'per_page'>

/** A filter as statements take it: whatever changes the text of a statement has a field of its own. */
export type Conditions = Omit<TransactionFilter, 'category_id' | 'q'> & {
  category_id?: number | undefined
  isUncategorised?: boolean | undefined
  /** A short text, as a pattern of `like`. */
  pattern?: string | undefined
  /** A longer text, for `instr`. */
  part?: string | undefined
}

/** `like` compares every letter of a pattern with every letter of a text: up to a hundred times the work of `instr`. */
const longestPattern = 8

export function conditionsOf({ category_id, q, ...others }: TransactionFilter): Conditions {
  const isShort = q !== undefined && q.length <= longestPattern
  return {
    ...others,
    category_id: category_id === 'none' ? undefined : category_id,
    isUncategorised: category_id === 'none' || undefined,
    pattern: isShort ? `%${q.replace(/[\\%_]/g, '\\$&')}%` : undefined,
    part: isShort ? undefined : q,
  }
}

/** The columns in which a text is looked for. Both ways of looking ignore the case of ASCII letters only. */
const texts = [transactions.description, transactions.reference]

/**
 * The conditions of a filter, as parts that have no rows in common. For an account, these are its own transactions and
 * the transfers into it, since each of the two has an index by date.
 */
export function filterParts(
  owner: Scope,
  { account_id, category_id, isUncategorised, type, from, to, pattern, part }: Conditions,
): SQL[] {
  // All rows of an account or category are its user's, so their index is enough, without a condition on the user.
  const isNarrow = account_id !== undefined || category_id !== undefined
  const conditions = and(
    isNarrow ? undefined : eq(transactions.userId, owner.id),
    hasLiveAccountsInBulk(owner),
    isUncategorised ? isNull(liveCategory) : undefined,
    category_id === undefined
      ? undefined
      : eq(transactions.categoryId, ownId(owner, categories, category_id)),
    type === undefined ? undefined : eq(transactions.type, type),
    from === undefined ? undefined : gte(transactions.transactionDate, from),
    to === undefined ? undefined : lte(transactions.transactionDate, to),
    pattern === undefined ? undefined : or(...texts.map((text) => sql`${text} like ${pattern} escape '\\'`)),
    part === undefined
      ? undefined
      : or(...texts.map((text) => sql`instr(lower(${text}), lower(${part})) > 0`)),
  ) as SQL
  if (account_id === undefined) return [conditions]
  const accountId = ownId(owner, accounts, account_id)
  return [transactions.accountId, transactions.toAccountId].map(
    (column) => and(eq(column, accountId), conditions) as SQL,
  )
}

/** The id, or NULL if the row is another user's, so that none of that user's transactions are read. */
function ownId(owner: Scope, table: typeof accounts | typeof categories, id: number): SQL {
  return sql`(select ${table.id} from ${table} where ${table.id} = ${id} and ${table.userId} = ${owner.id})`
}
