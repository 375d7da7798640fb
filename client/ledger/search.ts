import { dayToContinueFrom, earliestDate, latestDate } from '../../src/domain/dates.ts'
import { searchedTexts } from '../../src/domain/transaction-fields.ts'
import { maxRowsSearched } from '../../src/transactions/contract.ts'
import { centsOf } from './money.ts'
import { indexOf } from './order.ts'
import type { Key } from './rows.ts'
import { type Listed, refersTo } from './shown-row.ts'
import type { View } from './view.ts'

/** The filters of GET /api/transactions, where keys serve as ids and several types as one, and `words`. */
export type LedgerFilter = {
  account_id?: Key | number | undefined
  category_id?: Key | number | undefined
  type?: Listed['type'] | readonly Listed['type'][] | undefined
  import_id?: number | undefined
  from?: string | undefined
  to?: string | undefined
  /** Unlike the service, which searches the newest rows, a ledger compares the amounts of all. */
  amount_from?: string | number | undefined
  amount_to?: string | number | undefined
  q?: string | undefined
  /**
   * A text, or several of which one is enough: each of its words occurs, in any case, in the description, the reference,
   * or the name of an account or the category, or begins the amount. Unlike `q`, it looks at all rows.
   */
  words?: string | readonly string[] | undefined
  page?: number | undefined
  per_page?: number | undefined
}

/** A filter whose amounts are in minor units. */
export type ReadFilter = Omit<LedgerFilter, 'amount_from' | 'amount_to'> & {
  amount_from?: number | undefined
  amount_to?: number | undefined
}

/** One month or a range, as GET /api/summary takes them; by default the current month in the user's time zone. */
export type LedgerPeriod = {
  month?: string | undefined
  from?: string | undefined
  to?: string | undefined
  daily?: boolean | undefined
}

/** The months of GET /api/reports/monthly. */
export type LedgerMonths = {
  from?: string | undefined
  to?: string | undefined
  account_id?: Key | number | undefined
}

/** The range of GET /api/reports/balances; a key serves as an id. */
export type LedgerRange = {
  from?: string | undefined
  to?: string | undefined
  every?: 'day' | 'week' | 'month' | undefined
  account_id?: Key | number | undefined
}

/** The transactions from one day to another, newest first. */
export function between({ listed }: View, from?: string, to?: string): readonly Listed[] {
  if (from && to && from > to) return []
  const first = to ? indexOf(listed, { transaction_date: to, rank: Number.POSITIVE_INFINITY }) : 0
  const end = from ? indexOf(listed, { transaction_date: from, rank: -1 }) : listed.length
  return first === 0 && end === listed.length ? listed : listed.slice(first, end)
}

/** The transactions that match a filter, newest first, and how far back a search has looked. */
export function matching(
  view: View,
  keyOf: (noun: 'account' | 'category', name: Key | number) => Key,
  filter: ReadFilter,
) {
  const { account_id, category_id, type, import_id, from, to, amount_from, amount_to, q, words } = filter
  const account = account_id ? view.get('account', keyOf('account', account_id)) : undefined
  const category = category_id ? view.get('category', keyOf('category', category_id)) : undefined
  const isIn = (row: Listed) => refersTo(row.account_id, account) || refersTo(row.to_account_id, account)
  const types = [type].flat()
  const isImported = (row: Listed) => row.import_id === import_id
  const isFiled = ({ category_id }: Listed) => category_id !== null && view.get('category', category_id)
  const conditions = [
    account_id && isIn,
    category_id && category_id !== 'none' && ((row: Listed) => refersTo(row.category_id, category)),
    category_id === 'none' && ((row: Listed) => !isFiled(row)),
    type && ((row: Listed) => types.includes(row.type)),
    import_id && isImported,
    amount_from !== undefined && (({ amount }: Listed) => centsOf(amount) >= amount_from),
    amount_to !== undefined && (({ amount }: Listed) => centsOf(amount) <= amount_to),
    words && havingWords(view, [words].flat()),
  ].filter((one) => typeof one === 'function')
  const inPeriod = between(view, from, to)
  if (!q) {
    const isSearch = (amount_from ?? amount_to) !== undefined
    return { found: filtered(inPeriod, conditions), ...(isSearch && { searched_back_to: null }) }
  }
  // A search looks at the newest rows of an account, or else of a category, in the requested days and import.
  const narrow = account_id ? [isIn] : conditions.slice(0, category_id && category_id !== 'none' ? 1 : 0)
  const searched = filtered(inPeriod, import_id ? [...narrow, isImported] : narrow).slice(0, maxRowsSearched)
  const oldest = searched.length < maxRowsSearched ? undefined : searched.at(-1)
  return {
    found: filtered(searched, [...conditions, containing(q)]),
    searched_back_to: oldest
      ? dayToContinueFrom(oldest.transaction_date, { from: from ?? earliestDate, to: to ?? latestDate })
      : null,
  }
}

/** The rows in which all words of one of the texts occur. */
function havingWords(view: View, texts: readonly string[]) {
  const ways = texts.map((text) =>
    text
      .split(/\s+/)
      .filter(Boolean)
      .map((word) => havingWord(view, word)),
  )
  return (row: Listed) => ways.some((words) => words.every((occursIn) => occursIn(row)))
}

function havingWord(view: View, word: string) {
  const pattern = new RegExp(word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'iu')
  // Names are few, so texts that contain them need not be made for each row.
  const named = (noun: 'account' | 'category') =>
    new Set(
      [...view.all(noun).values()].flatMap(({ name, key, id }) => (pattern.test(name) ? [key, id] : [])),
    )
  const [accounts, categories] = [named('account'), named('category')]
  return ({ description, reference, amount, account_id, to_account_id, category_id }: Listed) =>
    pattern.test(description ?? '') ||
    pattern.test(reference ?? '') ||
    amount.startsWith(word) ||
    accounts.has(account_id) ||
    (to_account_id !== null && accounts.has(to_account_id)) ||
    (category_id !== null && categories.has(category_id))
}

function filtered<Row>(rows: readonly Row[], conditions: ((row: Row) => boolean)[]): readonly Row[] {
  return conditions.length === 0 ? rows : rows.filter((row) => conditions.every((holds) => holds(row)))
}

/**
 * Like the service's searches, this ignores the case of ASCII letters only, and finds rows from before texts were stored
 * in NFC.
 */
function containing(q: string) {
  const eitherCase = (one: string) => `[${one.toLowerCase()}${one.toUpperCase()}]`
  const code = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`
  const literal = (text: string) =>
    text.replace(/./gs, (one) => (/[A-Za-z]/.test(one) ? eitherCase(one) : code(one)))
  const pattern = new RegExp(`${literal(q)}|${literal(q.normalize('NFD'))}`)
  return (row: Listed) =>
    searchedTexts.some((name) => {
      const text = row[name]
      return text != null && pattern.test(text)
    })
}
