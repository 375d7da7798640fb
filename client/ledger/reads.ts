import { learnCategories, rowsLearnedFrom } from '../../src/shared/category-learning.ts'
import { dateIn, daysOnEarth, fallbackTimezone, monthOf } from '../../src/shared/dates.ts'
import { daysOfPeriod } from '../../src/summary/contract.ts'
import { defaultPageSize } from '../../src/transactions/contract.ts'
import type { Account, Category, Summary, TransactionWithRelations, User } from '../api.ts'
import type { Copy } from './copy.ts'
import type { Creatable } from './entered.ts'
import { compare, totalOf } from './money.ts'
import { balancesReportOf, daysOf, monthlyReportOf } from './reports.ts'
import type { Renames } from './revive.ts'
import type { Key } from './rows.ts'
import {
  between,
  type LedgerFilter,
  type LedgerMonths,
  type LedgerPeriod,
  type LedgerRange,
  matching,
} from './search.ts'
import type { Shown } from './shown-row.ts'
import { totalsOf } from './totals.ts'
import { readFilter, readMonths, readPeriod, readRange } from './validate.ts'

/** A row on the device. Fields that the service assigns are null until it has stored the row. */
type OnDevice<Row> = Omit<Row, 'id' | 'created_at' | 'updated_at'> & {
  id: number | null
  /** The device's name for the row, usable in place of an id. Only a deleted row that is brought back gets a new one. */
  key: Key
} & ('created_at' extends keyof Row ? { created_at: string | null; updated_at: string | null } : unknown)
type Flow = TransactionWithRelations['type']
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
export type LedgerMonthlyReport = ReturnType<typeof monthlyReportOf>
export type LedgerBalancesReport = ReturnType<typeof balancesReportOf>
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

/** Reads from the device, with the results of the service's endpoints. */
export function readsOf({ view, stored }: Copy, now: () => number, renames: Renames) {
  const inOrder = <Row extends { rank: number; key: Key }>(all: ReadonlyMap<Key, Row>) =>
    [...all.values()].sort((a, b) => a.rank - b.rank || compare(a.key, b.key))

  /** The date in the user's time zone. */
  function today(): string {
    const [profile] = view().all('profile').values()
    return dateIn(profile?.timezone ?? fallbackTimezone, new Date(now()))
  }

  const latestToday = () => daysOnEarth(new Date(now())).to

  /** The key of a row, by its key or id, even one from before it was deleted and restored. */
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

  return {
    keyOf,
    reads: {
      /** Undefined until it has been received. */
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

      /** A page of transactions, newest first. Throws LedgerError. */
      transactions(query: LedgerFilter = {}): LedgerPage {
        const { page = 1, per_page = defaultPageSize, ...filter } = readFilter(query)
        const { found, ...searched } = matching(view(), keyOf, filter)
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

      /**
       * The category in which the last three rows of the same payee are, or four of the last five, and why; undefined if
       * they do not agree.
       */
      suggestCategory(
        description: string,
        type: Flow,
      ): { category: LedgerCategory; because: string } | undefined {
        const filed = view()
          .listed.slice(0, rowsLearnedFrom)
          .flatMap((row) => {
            const category = row.category_id === null ? undefined : view().get('category', row.category_id)
            if (!category) return []
            const { key: id, name } = category
            return [
              {
                type: row.type,
                description: row.description,
                accountId: row.account_id,
                category: { id, name },
              },
            ]
          })
        const suggested = learnCategories<Key>(filed)({ description, type })
        const category = suggested && view().get('category', suggested.id)
        if (!category) return undefined
        const { rank, client_id, ...shown } = category
        return { category: shown, because: suggested.because }
      },

      /** The dashboard of a month or a range. Throws LedgerError. */
      summary(query: LedgerPeriod = {}): LedgerSummary {
        const period = readPeriod(query)
        const span = daysOfPeriod(period, monthOf(today()))
        const accounts = inOrder(view().all('account')).map(presentAccount)
        const all = accounts.reduce((sum, { key }) => sum + view().balanceOf(key), 0n)
        return {
          total_balance: totalOf(all),
          accounts: accounts.map(({ id, key, name, type, starting_balance, balance }) => ({
            ...{ id, key, name, type, starting_balance, balance },
          })),
          ...totalsOf(between(view(), span.from, span.to), (key) => view().get('category', key)),
          ...(period.daily && { daily_breakdown: daysOf(view(), span) }),
        }
      },

      /** Income and expenses by month, by default of the last twelve. Throws LedgerError. */
      monthlyReport(query: LedgerMonths = {}): LedgerMonthlyReport {
        const { account_id, ...months } = readMonths(query, latestToday())
        const only = account_id === undefined ? undefined : keyOf('account', account_id)
        return monthlyReportOf(view(), months, today(), only)
      },

      /** Balances at the end of days, weeks or months, by default of the last thirty days. Throws LedgerError. */
      balancesReport(query: LedgerRange = {}): LedgerBalancesReport {
        const { account_id, ...range } = readRange(query, latestToday())
        const only = account_id === undefined ? undefined : keyOf('account', account_id)
        const accounts = inOrder(view().all('account')).filter(
          ({ key }) => only === undefined || key === only,
        )
        return balancesReportOf(view(), accounts, range, today())
      },
    },
  }
}

function inBrief<Type>({ id, key, name, type }: { id: number | null; key: Key; name: string; type: Type }) {
  return { id, key, name, type }
}
