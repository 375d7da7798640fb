import { or, type SQL, sql } from 'drizzle-orm'
import type { Scope } from '../database/owner.ts'
import { transactions } from '../database/schema.ts'
import { mostSearched } from './contract.ts'
import { filterParts, type TransactionFilter } from './filter.ts'
import { newestOf, type Slice } from './newest.ts'

/**
 * Only the newest rows are searched: an ordinary index cannot find a word within a text, and one that can would make
 * every write nearly twice as expensive (docs/decisions.md, Searches are bounded).
 */
const reach = mostSearched

type Search = {
  /** Selects the ids of a page of what was found. */
  ids: (slice: Slice) => SQL
  /** Selects how many rows were found and, if some may not have been looked at, the day of the oldest one that was. */
  counted: SQL
}

/**
 * Looks for the text of a filter among the newest rows within its dates and of its account or, without one, of its
 * category: an index finds those. The other conditions apply to these rows only. filter.ts says how texts are compared.
 */
export function search(owner: Scope, filter: TransactionFilter): Search {
  const { account_id, category_id, from, to } = filter
  // No index finds the rows without a category.
  const category = category_id === 'none' ? undefined : category_id
  const narrow = account_id === undefined ? { category_id: category, from, to } : { account_id, from, to }
  const newest = newestOf(filterParts(owner, narrow), { offset: 0, perPage: reach, reach })
  // A cross join, or SQLite would go through the whole history in order, and look each row up among the newest.
  const looked = sql`(${newest}) looked cross join ${transactions} on ${transactions.id} = looked.id`
  const isMatch = or(...filterParts(owner, filter)) as SQL
  return {
    ids: ({ offset, perPage }) => sql`
      select looked.id from ${looked} where ${isMatch}
       order by looked.transaction_date desc, looked.id desc limit ${perPage} offset ${offset}`,
    counted: sql`
      select count(iif(${isMatch}, 1, null)) as total,
             iif(count(*) < ${reach}, null, min(looked.transaction_date)) as oldestSearched from ${looked}`,
  }
}
