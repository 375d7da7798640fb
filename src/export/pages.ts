import { and, asc, eq, getTableColumns, gte, lte, or, sql } from 'drizzle-orm'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import { jsonRows } from '../database/json-row.ts'
import type { Owner } from '../database/owner.ts'
import type { ResultOf, Statements } from '../database/run.ts'
import { accounts, categories, recurringRules, transactions } from '../database/schema.ts'
import { dateIn } from '../domain/dates.ts'
import { withSmallerPages } from '../feed/feed.ts'
import { feedAccountColumns, feedCategoryColumns } from '../feed/rows.ts'
import type { AppContext } from '../http/app-types.ts'
import { limitLargeResponse } from '../http/large-responses.ts'
import { ruleColumns } from '../recurring/read.ts'
import type { Transaction } from '../transactions/read.ts'
import type { ExportQuery } from './contract.ts'

/** A million rows take 400 round trips, and a page takes less than a megabyte. */
const rowsPerPage = 2_500

/** The user's data has changed since the export began. */
export class DataChanged extends Error {
  override readonly name = 'DataChanged'
}

/**
 * Reads an export page by page, each in one transaction and one round trip with a deadline of its own. All pages are of one
 * state: one that finds the user's change number raised throws DataChanged.
 */
export class ExportReader {
  readonly owner: Owner
  /** The current date in the user's time zone, once a page has been read. */
  today = ''
  readonly #c: AppContext
  #limit = rowsPerPage

  constructor(c: AppContext) {
    this.#c = c
    this.owner = c.get('owner')
    this.owner.compareState(undefined)
  }

  /** Runs the statements of a page of `limit` rows, which is smaller if their texts are too large for one response. */
  async read<T extends Statements>(statementsOf: (limit: number) => T) {
    const { state } = this.owner
    const results = await withSmallerPages(this.#limit, (limit) => {
      this.#limit = limit
      return limitLargeResponse(this.#c, limit, () => {
        this.#c.get('deadline').start()
        return this.owner.run(statementsOf(limit))
      })
    })
    if (state !== undefined && state !== this.owner.state) throw new DataChanged()
    this.today ||= dateIn(results.user.timezone, this.owner.now)
    return results
  }

  /** Yields the pages of a list. The first has been read already; `next` selects the rows after one as one text. */
  async *pages<Row>(
    first: Rows<Row>,
    next: (limit: number, after: Row) => RunnableQuery<Rows<Row>, 'sqlite'>,
  ) {
    for (let page = first; ; ) {
      const rows = page[0]?.rows ?? []
      yield rows
      const last = rows.at(-1)
      if (last === undefined || rows.length < this.#limit) return
      const results = await this.read((limit) => ({ page: next(limit, last) }))
      page = results.page
    }
  }
}

/** The result of a query with `jsonRows`. */
type Rows<Row> = { rows: Row[] }[]

/** The statements of the first page of every format. */
export function firstStatements({ db, id }: Owner, filter: ExportQuery, limit: number) {
  const { createdAt, updatedAt } = categories
  return {
    accounts: db
      .select(feedAccountColumns)
      .from(accounts)
      .where(eq(accounts.userId, id))
      .orderBy(asc(accounts.id)),
    categories: db
      .select({ ...feedCategoryColumns, createdAt, updatedAt })
      .from(categories)
      .where(eq(categories.userId, id))
      .orderBy(asc(categories.id)),
    transactions: nextTransactions({ db, id }, filter, limit),
  }
}

/** The user's recurring transactions, for the formats that have them. */
export const selectExportedRules = ({ db, id }: Owner) =>
  db
    .select(ruleColumns)
    .from(recurringRules)
    .where(eq(recurringRules.userId, id))
    .orderBy(asc(recurringRules.id))

type Statement = ReturnType<typeof firstStatements>
/** The lists that were read with the first page. */
export type FirstPage = { [Name in keyof Statement]: ResultOf<Statement[Name]> }

/**
 * Yields the user's transactions, oldest first, in pages. Those of a deleted account are left out: they are removed later.
 * A category that has been deleted is none.
 */
export async function* transactionPages(reader: ExportReader, filter: ExportQuery, first: FirstPage) {
  const ownAccounts = new Set(first.accounts.map(({ id }) => id))
  const ownCategories = new Set(first.categories.map(({ id }) => id))
  const isLive = ({ accountId, toAccountId }: Transaction) =>
    ownAccounts.has(accountId) && (toAccountId === null || ownAccounts.has(toAccountId))
  const pages = reader.pages(first.transactions, (limit, after) =>
    nextTransactions(reader.owner, filter, limit, after),
  )
  for await (const page of pages) {
    const rows = page.filter(isLive)
    for (const row of rows) if (!ownCategories.has(row.categoryId ?? 0)) row.categoryId = null
    yield rows
  }
}

function nextTransactions(
  { db, id }: Pick<Owner, 'db' | 'id'>,
  { from, to, account_id }: ExportQuery,
  limit: number,
  after?: Transaction,
) {
  const { userId, accountId, toAccountId, transactionDate } = transactions
  const isAhead = after && sql`(transaction_date, id) > (${after.transactionDate}, ${after.id})`
  const page = db
    .select(getTableColumns(transactions))
    .from(transactions)
    .where(
      and(
        eq(userId, id),
        from ? gte(transactionDate, from) : undefined,
        to ? lte(transactionDate, to) : undefined,
        account_id ? or(eq(accountId, account_id), eq(toAccountId, account_id)) : undefined,
        isAhead,
      ),
    )
    .orderBy(asc(transactionDate), asc(transactions.id))
    .limit(limit)
    .as('transactions')
  return db.select({ rows: jsonRows(getTableColumns(transactions)) }).from(page)
}
