import { and, eq, gte, isNull, lte, or, type SQL, sql } from 'drizzle-orm'
import { columnOf } from '../database/input-columns.ts'
import { hasLiveAccountsInBulk } from '../database/live-accounts.ts'
import type { UserScope } from '../database/owner.ts'
import { accounts, categories, transactions } from '../database/schema.ts'
import { searchedTexts } from '../domain/transaction-fields.ts'
import type { TransactionQuery } from './contract.ts'
import { liveCategory } from './read.ts'

export type TransactionFilter = Omit<TransactionQuery, 'page' | 'per_page'>

/** `like` compares every letter of a pattern with every letter of a text: up to a hundred times the work of `instr`. */
const longestPattern = 8

/** The columns in which a text is looked for. Both ways of looking ignore the case of ASCII letters only. */
const searchedColumns = searchedTexts.map((name) => transactions[columnOf(name)])

/**
 * The conditions of a filter, as parts that have no rows in common. For an account, these are its own transactions and
 * the transfers into it, since each of the two has an index by date.
 */
export function filterParts(owner: UserScope, filter: TransactionFilter): SQL[] {
  const { account_id, category_id, type, from, to, amount_from, amount_to, q, import_id } = filter
  // All rows of an account, category or import are its user's, so their index is enough, without a condition on the user.
  const isNarrow = account_id !== undefined || typeof category_id === 'number' || import_id !== undefined
  const conditions = and(
    isNarrow ? undefined : eq(transactions.userId, owner.id),
    hasLiveAccountsInBulk(owner),
    category_id === 'none' ? isNull(liveCategory) : undefined,
    typeof category_id === 'number'
      ? eq(transactions.categoryId, ownId(owner, categories, category_id))
      : undefined,
    type === undefined ? undefined : eq(transactions.type, type),
    from === undefined ? undefined : gte(transactions.transactionDate, from),
    to === undefined ? undefined : lte(transactions.transactionDate, to),
    amount_from === undefined ? undefined : gte(transactions.amount, amount_from),
    amount_to === undefined ? undefined : lte(transactions.amount, amount_to),
    import_id === undefined ? undefined : isOfImport(owner, import_id),
    q === undefined ? undefined : contains(q),
  ) as SQL
  if (account_id === undefined) return [conditions]
  const accountId = ownId(owner, accounts, account_id)
  return [transactions.accountId, transactions.toAccountId].map(
    (column) => and(eq(column, accountId), conditions) as SQL,
  )
}

/** The ids of an import's rows lie within a range, in which others may lie as well. */
function isOfImport(owner: UserScope, id: number): SQL {
  return sql`${transactions.id} in (
    select imported.id from imports cross join transactions imported
        on imported.id between imports.first_id and imports.first_id + imports.rows - 1
     where imports.id = ${id} and imports.user_id = ${owner.id} and imported.import_id = imports.id)`
}

/** Rows from before texts were stored in NFC may have the text decomposed. */
function contains(q: string): SQL {
  const spellings = [...new Set([q, q.normalize('NFD')])]
  const found = spellings.flatMap((one) =>
    searchedColumns.map((text) =>
      one.length <= longestPattern
        ? sql`${text} like ${`%${one.replace(/[\\%_]/g, '\\$&')}%`} escape '\\'`
        : sql`instr(lower(${text}), lower(${one})) > 0`,
    ),
  )
  return or(...found) as SQL
}

/** The id, or NULL if the row is another user's, so that none of that user's transactions are read. */
function ownId(owner: UserScope, table: typeof accounts | typeof categories, id: number): SQL {
  return sql`(select ${table.id} from ${table} where ${table.id} = ${id} and ${table.userId} = ${owner.id})`
}
