import { or, type SQL, sql } from 'drizzle-orm'
import type { UserScope } from '../database/owner.ts'
import { transactions } from '../database/schema.ts'
import { maxRowsSearched } from './contract.ts'
import { filterParts, type TransactionFilter } from './filter.ts'
import { newestOf, type Slice } from './newest.ts'

/** Selects the ids of a page, and the number of rows on all pages. */
export type PageQueries = { ids: SQL; counted: SQL }

/**
 * Searches the newest rows within a filter's dates and import, and of its account or, without one, of its category, which an index
 * finds. The other conditions apply to these rows only; filter.ts compares texts and amounts. `counted` also selects the day of
 * the oldest row searched, null if all were.
 *
 * Only the newest rows are searched: an ordinary index cannot find a word within a text, one that can would make every
 * write nearly twice as expensive, and one by amount would cost a row for each write (docs/decisions.md, Searches are
 * bounded).
 */
export function search(owner: UserScope, filter: TransactionFilter, { offset, perPage }: Slice): PageQueries {
  const { account_id, category_id, import_id, from, to } = filter
  // No index finds the rows without a category.
  const category = category_id === 'none' ? undefined : category_id
  const narrow = {
    ...(account_id === undefined ? { category_id: category } : { account_id }),
    ...{ import_id, from, to },
  }
  const newest = newestOf(filterParts(owner, narrow), { offset: 0, perPage: maxRowsSearched })
  // A cross join, or SQLite would go through the whole history in order, and look each row up among the newest.
  const searched = sql`(${newest}) searched cross join ${transactions} on ${transactions.id} = searched.id`
  const isMatch = or(...filterParts(owner, filter)) as SQL
  return {
    ids: sql`
      select searched.id from ${searched} where ${isMatch}
       order by searched.transaction_date desc, searched.id desc limit ${perPage} offset ${offset}`,
    counted: sql`
      select count(iif(${isMatch}, 1, null)) as total,
             iif(count(*) < ${maxRowsSearched}, null, min(searched.transaction_date)) as oldestSearched from ${searched}`,
  }
}
