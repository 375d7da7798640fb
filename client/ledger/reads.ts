import { dateIn, daysOnEarth, fallbackTimezone, monthOf } from '../../src/domain/dates.ts'
import { daysOfPeriod } from '../../src/summary/contract.ts'
import { defaultPageSize } from '../../src/transactions/contract.ts'
import { checkedBalances, pendingEffects } from './checks.ts'
import type { Copy } from './copy.ts'
import { forecastReportOf, presentRule, upcomingOf } from './expected.ts'
import type { FindKey } from './keys.ts'
import { compare, totalOf } from './money.ts'
import { nextDates, type Repeated } from './next-dates.ts'
import {
  type LedgerAccount,
  type LedgerBalancesReport,
  type LedgerCategory,
  type LedgerCheck,
  type LedgerExplainedCheck,
  type LedgerForecast,
  type LedgerMonthlyReport,
  type LedgerPage,
  type LedgerProfile,
  type LedgerRecurring,
  type LedgerSummary,
  type LedgerTransaction,
  type LedgerUpcoming,
  presenterOf,
} from './present.ts'
import { balancesReportOf, daysOf, monthlyReportOf } from './reports.ts'
import type { Key } from './rows.ts'
import { rulesOf } from './rules.ts'
import {
  between,
  type LedgerFilter,
  type LedgerMonths,
  type LedgerPeriod,
  type LedgerRange,
  matching,
} from './search.ts'
import type { Shown } from './shown-row.ts'
import { suggestedCategory } from './suggest.ts'
import { totalsOf } from './totals.ts'
import { readFilter, readForecast, readMonths, readPeriod, readRange, readUpcoming } from './validate.ts'
import type { View } from './view.ts'

/** Reads rows from the device, with the results of the service's endpoints. */
export function rowReadsOf(copy: Copy, keyOf: FindKey) {
  const { view } = copy
  const present = presenterOf(copy)
  return {
    /**
     * How much of a copy has arrived that is being fetched whole, as the first one is; null if none is. `total` is null until
     * the service has told it.
     */
    progress(): { received: number; total: number | null } | null {
      const { meta, incoming } = copy.stored()
      return meta.incoming === null
        ? null
        : { received: incoming.byId.transaction.size, total: meta.expected }
    },

    /** Undefined until it has been received. */
    profile(): LedgerProfile | undefined {
      const [row] = view().all('profile').values()
      return row && present.profile(row)
    },

    /** All accounts with their balances, oldest first. */
    accounts: (): LedgerAccount[] => oldestFirst(view().all('account')).map(present.account),

    /** All categories, oldest first. */
    categories: (): LedgerCategory[] => oldestFirst(view().all('category')).map(present.category),

    /** One transaction, by its key or id; undefined if it is not there. */
    transaction(name: Key | number): LedgerTransaction | undefined {
      const row = view().get('transaction', keyOf('transaction', name))
      return row && present.transaction(row)
    },

    /** A page of transactions, newest first. Throws LedgerError. */
    transactions(query: LedgerFilter = {}): LedgerPage {
      const { page = 1, per_page = defaultPageSize, ...filter } = readFilter(query)
      const { found, ...searched } = matching(view(), keyOf, filter)
      const before = (page - 1) * per_page
      const data = found
        .slice(before, before + per_page)
        .map(view().present)
        .map(present.transaction)
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
      type: LedgerTransaction['type'],
    ): { category: LedgerCategory; because: string } | undefined {
      const suggested = suggestedCategory(view(), { description, type })
      return suggested && { ...suggested, category: present.category(suggested.category) }
    },
  }
}

/** Reads figures from the device, with the results of the service's endpoints. */
export function figureReadsOf(copy: Copy, keyOf: FindKey, now: () => number) {
  const { view, pending } = copy
  const present = presenterOf(copy)
  const today = () => todayOf(view(), now)
  const latestToday = () => daysOnEarth(new Date(now())).to

  return {
    /** All recurring transactions, oldest first. */
    recurring(): LedgerRecurring[] {
      const day = today()
      const rules = rulesOf(copy, day)
      return rules.map((rule) => presentRule(rule, rules, day, present.relations))
    },

    /** The occurrences that are due, and those of the next days, thirty by default. Throws LedgerError. */
    upcoming(query: { days?: number | undefined } = {}): LedgerUpcoming {
      const day = today()
      return upcomingOf(view(), rulesOf(copy, day), day, readUpcoming(query))
    },

    /** The next days, by default three, on which a transaction that repeats so would be booked; none if its rule is invalid. */
    nextDates: (repeated: Repeated, count = 3): string[] => nextDates(repeated, today(), count),

    /** Balances of the next ninety days, or of others, with expected occurrences. Throws LedgerError. */
    forecast(query: Omit<LedgerRange, 'from'> = {}): LedgerForecast {
      const day = today()
      const { account_id, ...range } = readForecast(query, day)
      const only = account_id === undefined ? undefined : keyOf('account', account_id)
      const accounts = oldestFirst(view().all('account')).filter(({ key }) => (only ?? key) === key)
      return forecastReportOf(view(), rulesOf(copy, day), accounts, { query: range, today: day })
    },

    /** The balance checks of all accounts, or of one, by account and day, with their differences. */
    checks(account?: Key | number): LedgerCheck[] {
      const only = account === undefined ? undefined : keyOf('account', account)
      return checkedBalances(view(), only).map(present.check)
    },

    /** One balance check, by its key or id, and the pending changes that concern it; undefined if it is not there. */
    check(name: Key | number): LedgerExplainedCheck | undefined {
      const row = view().get('balance_check', keyOf('balance_check', name))
      const check = row && checkedBalances(view(), row.account_id).find(({ key }) => key === row.key)
      return check && { ...present.check(check), pending: pendingEffects(view(), pending, check) }
    },

    /** The dashboard of a month or a range. Throws LedgerError. */
    summary(query: LedgerPeriod = {}): LedgerSummary {
      const period = readPeriod(query)
      const span = daysOfPeriod(period, monthOf(today()))
      const accounts = oldestFirst(view().all('account'))
      const all = accounts.reduce((sum, { key }) => sum + view().balanceOf(key), 0n)
      return {
        total_balance: totalOf(all),
        accounts: accounts.map(({ id, key, name, type, starting_balance }) => ({
          ...{ id, key, name, type, starting_balance, balance: totalOf(view().balanceOf(key)) },
        })),
        ...totalsOf(between(view(), span.from, span.to), (name) => view().get('category', name)),
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
      const accounts = oldestFirst(view().all('account')).filter(
        ({ key }) => only === undefined || key === only,
      )
      return balancesReportOf(view(), accounts, range, today())
    },
  }
}

function oldestFirst<Row extends Pick<Shown['account'], 'rank' | 'key'>>(all: ReadonlyMap<Key, Row>): Row[] {
  return [...all.values()].sort((a, b) => a.rank - b.rank || compare(a.key, b.key))
}

/** The date in the user's time zone. */
export function todayOf(view: View, now: () => number): string {
  const [profile] = view.all('profile').values()
  return dateIn(profile?.timezone ?? fallbackTimezone, new Date(now()))
}
