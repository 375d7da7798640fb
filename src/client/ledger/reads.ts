import type { Account, Category, Summary, TransactionWithRelations, User } from '../api.ts'
import type { Copy } from './copy.ts'
import type { Creatable } from './entered.ts'
import { centsOf, compare, totalOf } from './money.ts'
import type { Renames } from './revive.ts'
import type { Key } from './rows.ts'
import { placeOf, type Shown } from './view.ts'

/** What a row on the device has beside its fields; what only the service gives is null until it has the row. */
type OnDevice<Row> = Omit<Row, 'id' | 'created_at' | 'updated_at'> & {
  id: number | null
  /** The device's name for the row, good for ever, wherever an id is asked for. */
  key: Key
} & ('created_at' extends keyof Row ? { created_at: string | null; updated_at: string | null } : unknown)
type Waits = { waits: Shown['transaction']['waits'] }

export type LedgerProfile = User & Waits
export type LedgerAccount = OnDevice<Account> & Waits
export type LedgerCategory = OnDevice<Category> & Waits
type Relation<Row> = OnDevice<NonNullable<Row>>
/** The ids of rows that the service does not have yet are null: keys are in `account`, `to_account` and `category`. */
export type LedgerTransaction = OnDevice<
  Omit<TransactionWithRelations, 'account_id' | 'account' | 'to_account' | 'category'>
> &
  Waits & {
    account_id: number | null
    account: Relation<TransactionWithRelations['account']>
    to_account: Relation<TransactionWithRelations['to_account']> | null
    category: Relation<TransactionWithRelations['category']> | null
  }
export type LedgerSummary = Omit<Summary, 'accounts' | 'category_breakdown'> & {
  accounts: OnDevice<Summary['accounts'][number]>[]
  category_breakdown: (Summary['category_breakdown'][number] & { category_key: Key | null })[]
}
export type LedgerPage = {
  data: LedgerTransaction[]
  current_page: number
  last_page: number
  per_page: number
  total: number
  from: number | null
  to: number | null
  searched_back_to?: string | null
}

/** The filters of GET /api/transactions. */
export type LedgerFilter = {
  account_id?: Key | number | undefined
  category_id?: Key | number | undefined
  type?: LedgerTransaction['type'] | undefined
  from?: string | undefined
  to?: string | undefined
  q?: string | undefined
  page?: number | undefined
  per_page?: number | undefined
}
/** One month or a range, as GET /api/summary takes them; by default the current month in the user's time zone. */
export type LedgerPeriod = { month?: string | undefined; from?: string | undefined; to?: string | undefined }

/** The newest rows that a search looks at, as the service does. */
const mostSearched = 10_000

/** Reads that answer as the service does, from what is on the device. */
export function readsOf({ view, stored }: Copy, now: () => number, renames: Renames) {
  const inOrder = <Row extends { rank: number; key: Key }>(all: ReadonlyMap<Key, Row>) =>
    [...all.values()].sort((a, b) => a.rank - b.rank || compare(a.key, b.key))

  /** The key for a key or an id, also for one that a row had before it was deleted and came back. */
  function keyOf(noun: Creatable, name: Key | number): Key {
    const key = ownKeyOf(noun, name)
    const back = renames.get(`${noun} ${key}`)
    return back ? keyOf(noun, back) : key
  }

  function ownKeyOf(noun: Creatable, name: Key | number): Key {
    if (typeof name === 'string' && name.startsWith('#')) return name
    if (noun !== 'transaction') return stored().rows.keyOf(noun, Number(name))
    const client = stored().rows.byId.transaction.get(Number(name))?.client_id
    return client == null ? String(name) : `#${client}`
  }

  function presentAccount({ rank, client_id, ...row }: Shown['account']): LedgerAccount {
    return { ...row, balance: totalOf(view().balanceOf(row.key)) }
  }

  function presentTransaction({ rank, client_id, ...row }: Shown['transaction']): LedgerTransaction {
    const account = view().get('account', row.account_id) as Shown['account']
    const to = row.to_account_id === null ? undefined : view().get('account', row.to_account_id)
    const category = row.category_id === null ? undefined : view().get('category', row.category_id)
    return {
      ...row,
      account_id: account.id,
      to_account_id: to?.id ?? null,
      category_id: category?.id ?? null,
      account: inBrief(account),
      to_account: to ? inBrief(to) : null,
      category: category ? inBrief(category) : null,
    }
  }

  /** The transactions of some days, newest first. */
  function between(from?: string, to?: string): readonly Shown['transaction'][] {
    const { listed } = view()
    if (from && to && from > to) return []
    const first = to ? placeOf(listed, { transaction_date: to, rank: Number.POSITIVE_INFINITY }) : 0
    const end = from ? placeOf(listed, { transaction_date: from, rank: -1 }) : listed.length
    return first === 0 && end === listed.length ? listed : listed.slice(first, end)
  }

  /** The transactions that match a filter, newest first, and how far back a search has looked. */
  function matching({ account_id, category_id, type, from, to, q }: LedgerFilter) {
    const account = account_id && keyOf('account', account_id)
    const category = category_id && category_id !== 'none' && keyOf('category', category_id)
    const isIn = (row: Shown['transaction']) => row.account_id === account || row.to_account_id === account
    const { get } = view()
    const categoryOf = (row: Shown['transaction']) =>
      row.category_id !== null && get('category', row.category_id) ? row.category_id : null
    const conditions = [
      account && isIn,
      category && ((row: Shown['transaction']) => categoryOf(row) === category),
      category_id === 'none' && ((row: Shown['transaction']) => categoryOf(row) === null),
      type && ((row: Shown['transaction']) => row.type === type),
    ].filter((one) => typeof one === 'function')
    const days = between(from, to)
    // No text is as long; a pattern may not be much longer.
    const text = q?.trim().slice(0, 1_000)
    if (!text) return { found: filtered(days, conditions) }
    // A search looks at the newest of what an account, or else a category, and dates leave.
    const narrow = account ? [isIn] : conditions.slice(0, category ? 1 : 0)
    const looked = filtered(days, narrow).slice(0, mostSearched)
    const isWhole = looked.length < mostSearched
    return {
      found: filtered(looked, [...conditions, containing(text)]),
      searched_back_to: isWhole ? null : (looked.at(-1)?.transaction_date ?? null),
    }
  }

  return {
    keyOf,
    reads: {
      profile(): LedgerProfile | undefined {
        const [row] = view().all('profile').values()
        if (!row) return undefined
        const { rank, key, ...profile } = row
        return profile
      },

      /** All accounts with their balances, oldest first. */
      accounts: (): LedgerAccount[] => inOrder(view().all('account')).map(presentAccount),

      /** All categories, oldest first. */
      categories: (): LedgerCategory[] =>
        inOrder(view().all('category')).map(({ rank, client_id, ...row }): LedgerCategory => row),

      /** One transaction, by its key or id; undefined if it is not there. */
      transaction(name: Key | number): LedgerTransaction | undefined {
        const row = view().get('transaction', keyOf('transaction', name))
        return row && presentTransaction(row)
      },

      /** A page of transactions, newest first. */
      transactions({ page = 1, per_page = 50, ...filter }: LedgerFilter = {}): LedgerPage {
        const { found, ...searched } = matching(filter)
        const before = (page - 1) * per_page
        const data = found.slice(before, before + per_page).map(presentTransaction)
        return {
          data,
          current_page: page,
          last_page: Math.max(1, Math.ceil(found.length / per_page)),
          per_page,
          total: found.length,
          from: data.length > 0 ? before + 1 : null,
          to: data.length > 0 ? before + data.length : null,
          ...searched,
        }
      },

      /** The dashboard of a month or a range. */
      summary({ month, from, to }: LedgerPeriod = {}): LedgerSummary {
        const [profile] = view().all('profile').values()
        const asked = month ?? (from || to ? undefined : monthIn(profile?.timezone ?? 'UTC', now()))
        const days = asked ? between(`${asked}-01`, `${asked}-31`) : between(from, to)
        const accounts = inOrder(view().all('account')).map(presentAccount)
        const all = accounts.reduce((sum, { key }) => sum + view().balanceOf(key), 0n)
        return {
          total_balance: totalOf(all),
          accounts: accounts.map(({ id, key, name, type, starting_balance, balance }) => ({
            ...{ id, key, name, type, starting_balance, balance },
          })),
          ...totalsOf(days, (key) => view().get('category', key)),
        }
      },
    },
  }
}

function inBrief<Type>({ id, key, name, type }: { id: number | null; key: Key; name: string; type: Type }) {
  return { id, key, name, type }
}

function filtered<Row>(rows: readonly Row[], conditions: ((row: Row) => boolean)[]): readonly Row[] {
  return conditions.length === 0 ? rows : rows.filter((row) => conditions.every((holds) => holds(row)))
}

/** Like the service's searches, this ignores the case of ASCII letters only. */
function containing(q: string) {
  const eitherCase = (one: string) => `[${one.toLowerCase()}${one.toUpperCase()}]`
  const code = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`
  const pattern = new RegExp(q.replace(/./gs, (one) => (/[A-Za-z]/.test(one) ? eitherCase(one) : code(one))))
  return ({ description, reference }: Shown['transaction']) =>
    (description !== null && pattern.test(description)) || (reference !== null && pattern.test(reference))
}

function totalsOf(
  days: readonly Shown['transaction'][],
  category: (key: Key) => Shown['category'] | undefined,
) {
  let [income, expense] = [0n, 0n]
  const byCategory = new Map<Shown['category'] | undefined, bigint>()
  for (const { type, amount, category_id } of days) {
    const cents = centsOf(amount)
    if (type === 'income') income += cents
    if (type !== 'expense') continue
    expense += cents
    const row = category_id === null ? undefined : category(category_id)
    byCategory.set(row, (byCategory.get(row) ?? 0n) + cents)
  }
  const breakdown = [...byCategory].map(([row, cents]) => {
    const name = row?.name ?? 'Uncategorized'
    return { row, cents, name, order: `${codePoints(name)} ${row ? 1 : 0}`, rank: row?.rank ?? 0 }
  })
  breakdown.sort((a, b) => compare(b.cents, a.cents) || compare(a.order, b.order) || a.rank - b.rank)
  return {
    monthly_summary: {
      income: totalOf(income),
      expense: totalOf(expense),
      net: totalOf(income - expense),
    },
    category_breakdown: breakdown.map(({ row, cents, name }) => ({
      category_id: row?.id ?? null,
      category_key: row?.key ?? null,
      category_name: name,
      total: totalOf(cents),
    })),
  }
}

/** Orders texts as the database does: by code points, not by UTF-16 units. */
function codePoints(text: string): string {
  return Array.from(text, (one) => one.codePointAt(0)?.toString(16).padStart(6, '0')).join('')
}

function monthIn(timeZone: string, ms: number): string {
  const options = { year: 'numeric', month: '2-digit', numberingSystem: 'latn', calendar: 'gregory' } as const
  let format: Intl.DateTimeFormat
  try {
    format = new Intl.DateTimeFormat('en', { ...options, timeZone })
  } catch {
    // The service knows a time zone that this device does not.
    format = new Intl.DateTimeFormat('en', { ...options, timeZone: 'UTC' })
  }
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]))
  return `${parts.year}-${parts.month}`
}
