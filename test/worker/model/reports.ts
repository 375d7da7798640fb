import { type Operation, pick, request } from './calls.ts'
import { decimal } from './shown.ts'
import { type State, sum, type Transaction } from './state.ts'

const number = (cents: bigint) => Number(decimal(cents))
const monthOf = (date: string) => date.slice(0, 7)

const monthRanges = [
  ['2025-12', '2026-02'],
  ['2016-03', '2026-02'],
  ['2023-12', '2024-03'],
  ['1900-01', '1900-01'],
  ['2091-01', '2100-12'],
]
/** The last twelve months at the time of the histories. */
const lastMonths = ['2025-02', '2026-01']

export const readMonths: Operation = {
  name: 'report months',
  weight: 2,
  plan(turn) {
    const given = turn.dice.isOnceIn(4) ? undefined : turn.dice.of(monthRanges)
    const [from = '', to = ''] = given ?? lastMonths
    const query = given ? `?from=${from}&to=${to}` : ''
    return request(turn, 'GET', `/api/reports/monthly${query}`, {}, (state) => ({
      status: 200,
      body: { months: monthsFrom(from, to).map((month) => shownMonth(state, turn.person.id, month)) },
    }))
  },
}

function monthsFrom(from: string, to: string): string[] {
  const months = []
  for (let at = new Date(`${from}-01`); monthOf(at.toISOString()) <= to; at.setUTCMonth(at.getUTCMonth() + 1))
    months.push(monthOf(at.toISOString()))
  return months
}

function shownMonth(state: State, userId: number, month: string) {
  const rows = state
    .of(state.transactions, userId)
    .filter(({ type, transaction_date }) => type !== 'transfer' && monthOf(transaction_date) === month)
  const total = (some: Transaction[]) => sum(some.map(({ amount }) => amount))
  const [income, expense] = ['income', 'expense'].map((kind) =>
    total(rows.filter(({ type }) => type === kind)),
  )
  const groups = [...Map.groupBy(rows, ({ type, category_id }) => `${type} ${category_id}`).values()]
  const categories = groups.map((group) => {
    const { type = '', category_id: id = null } = group[0] ?? {}
    return { id, type, total: total(group) }
  })
  categories.sort(
    (a, b) => Number(b.total - a.total) || (a.id ?? 1e9) - (b.id ?? 1e9) || (a.type === 'income' ? -1 : 1),
  )
  return {
    ...{ month, income: number(income ?? 0n), expense: number(expense ?? 0n) },
    net: number((income ?? 0n) - (expense ?? 0n)),
    categories: categories.map(({ id, type, total }) => ({
      ...{ category_id: id, type, total: number(total) },
      category_name: state.categories.get(id ?? 0)?.name ?? 'Uncategorized',
    })),
  }
}

const days = [
  ['2025-12-30', '2026-02-02'],
  ['2025-02-01', '2026-02-01'],
  ['2024-02-27', '2024-03-01'],
  ['1900-01-01', '1900-12-31'],
  ['2100-12-31', '2100-12-31'],
]

export const readBalances: Operation = {
  name: 'report balances',
  weight: 2,
  plan(turn) {
    const { dice } = turn
    const [from = '', to = ''] = dice.of(days) ?? []
    const every = dice.of(['day', 'week', 'month']) ?? ''
    const accountId = dice.isOnceIn(3) ? pick(turn, 'accounts') : undefined
    const query = new URLSearchParams({ from, to, every, ...(accountId && { account_id: `${accountId}` }) })
    return request(turn, 'GET', `/api/reports/balances?${query}`, {}, (state) => ({
      status: 200,
      body: {
        points: datesOf(from, to, every).map((date) => shownPoint(state, turn.person.id, date, accountId)),
      },
    }))
  },
}

function datesOf(from: string, to: string, every: string): string[] {
  const at = (date: number) => new Date(date).toISOString().slice(0, 10)
  const day = 86_400_000
  if (every === 'month')
    return monthsFrom(monthOf(from), monthOf(to)).map((month) => {
      const [year, number] = month.split('-').map(Number)
      return at(Date.UTC(year ?? 0, number ?? 0, 1) - day)
    })
  const all = Math.round((Date.parse(to) - Date.parse(from)) / day)
  const step = every === 'week' ? 7 : 1
  return Array.from({ length: all + 1 }, (_, nth) => nth)
    .filter((nth) => (all - nth) % step === 0)
    .map((nth) => at(Date.parse(from) + nth * day))
}

function shownPoint(state: State, userId: number, date: string, accountId: number | undefined) {
  const rows = state.of(state.transactions, userId).filter(({ transaction_date }) => transaction_date <= date)
  const balances = state
    .of(state.accounts, userId)
    .filter(({ id }) => accountId === undefined || id === accountId)
    .sort((a, b) => a.id - b.id)
    .map(({ id, starting_balance }) => {
      const moved = rows.map(({ type, amount, account_id, to_account_id }) => {
        const own = account_id === id ? (type === 'income' ? amount : -amount) : 0n
        return to_account_id === id ? own + amount : own
      })
      return { id, balance: starting_balance + sum(moved) }
    })
  return {
    ...{ date, total: number(sum(balances.map(({ balance }) => balance))) },
    accounts: balances.map(({ id, balance }) => ({ account_id: id, balance: number(balance) })),
  }
}
