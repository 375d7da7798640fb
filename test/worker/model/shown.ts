import type { Account, Batch, Category, Kind, Row, State } from './state.ts'
import { sum } from './state.ts'

/** The model's rows and figures as the contract shows them, except for timestamps. */

/** Which transactions to list; ids are numbers as in the query. */
export type Filter = {
  account_id?: number
  category_id?: number | 'none'
  type?: Kind
  from?: string
  to?: string
  q?: string
}

/** Minor units as a decimal string: -5n is "-0.05". */
export function decimal(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0')
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** The number that a JSON parser makes of an exact amount. */
const number = (cents: bigint) => Number(decimal(cents))

export function shownAccount(state: State, account: Account) {
  const balance = state.balances(account.user_id).get(account.id) ?? 0n
  return { ...account, starting_balance: decimal(account.starting_balance), balance: number(balance) }
}

export function shownAccounts(state: State, userId: number) {
  const balances = state.balances(userId)
  return byId(state.of(state.accounts, userId)).map((account) => ({
    ...account,
    starting_balance: decimal(account.starting_balance),
    balance: number(balances.get(account.id) ?? 0n),
  }))
}

export function shownCategories(state: State, userId: number) {
  return byId(state.of(state.categories, userId))
}

export function shownRow({
  client_id: _,
  import_id: __,
  isEdited: ___,
  booked_by: ____,
  filed: _____,
  amount,
  ...row
}: Row) {
  return { ...row, amount: decimal(amount) }
}

export function shownRowWithNames(state: State, row: Row) {
  const label = (thing: Account | Category | undefined) =>
    thing ? { id: thing.id, name: thing.name, type: thing.type } : null
  return {
    ...shownRow(row),
    account: label(state.accounts.get(row.account_id)),
    to_account: label(state.accounts.get(row.to_account_id ?? 0)),
    category: label(state.categories.get(row.category_id ?? 0)),
  }
}

export function shownPage(state: State, userId: number, filter: Filter, page: number, pageSize = 50) {
  const rows = state
    .of(state.rows, userId)
    .filter((row) => passes(state, row, filter))
    .sort((a, b) => (a.transaction_date === b.transaction_date ? b.id - a.id : later(a, b)))
  const data = rows.slice((page - 1) * pageSize, page * pageSize)
  return {
    current_page: page,
    per_page: pageSize,
    total: rows.length,
    last_page: Math.max(1, Math.ceil(rows.length / pageSize)),
    data: data.map((row) => shownRowWithNames(state, row)),
  }
}

function passes(state: State, row: Row, { account_id, category_id, type, from, to, q }: Filter): boolean {
  const isOwn = (thing: Account | Category | undefined) => thing?.user_id === row.user_id
  if (account_id !== undefined && !isOwn(state.accounts.get(account_id))) return false
  if (account_id !== undefined && row.account_id !== account_id && row.to_account_id !== account_id)
    return false
  if (category_id === 'none' && row.category_id !== null) return false
  if (typeof category_id === 'number' && row.category_id !== category_id) return false
  if (type !== undefined && row.type !== type) return false
  if ((from && row.transaction_date < from) || (to && row.transaction_date > to)) return false
  return !q || [row.description, row.reference].some((text) => text?.toLowerCase().includes(q.toLowerCase()))
}

/** The first and the last day of a range; either can be left open. */
export type Range = { from?: string; to?: string }

export function shownSummary(state: State, userId: number, { from = '', to = '9' }: Range) {
  const rows = state.of(state.rows, userId).filter(({ transaction_date: date }) => date >= from && date <= to)
  const total = (kind: Kind) => sum(rows.flatMap(({ type, amount }) => (type === kind ? [amount] : [])))
  const [income, expense] = [total('income'), total('expense')]
  return {
    total_balance: number(sum(state.balances(userId).values())),
    accounts: shownAccounts(state, userId).map(({ id, name, type, starting_balance, balance }) => ({
      id,
      name,
      type,
      starting_balance,
      balance,
    })),
    monthly_summary: { income: number(income), expense: number(expense), net: number(income - expense) },
    category_breakdown: breakdown(state, rows),
  }
}

function breakdown(state: State, rows: Row[]) {
  const totals = new Map<number, bigint>()
  for (const { type, category_id, amount } of rows) {
    if (type !== 'expense') continue
    totals.set(category_id ?? 0, (totals.get(category_id ?? 0) ?? 0n) + amount)
  }
  return [...totals]
    .map(([id, total]) => ({ id, name: state.categories.get(id)?.name ?? 'Uncategorized', total }))
    .sort((a, b) => compare(b.total, a.total) || compare(a.name, b.name) || a.id - b.id)
    .map(({ id, name, total }) => ({ category_id: id || null, category_name: name, total: number(total) }))
}

export function shownBatch({ id, status, items }: Batch) {
  const count = (outcome: string) => items.filter((item) => item.outcome === outcome).length
  return {
    id,
    status,
    counts: {
      total: items.length,
      created: count('created'),
      duplicate: count('duplicate'),
      invalid: count('invalid'),
      failed: count('failed'),
    },
    items: items.map(({ client_id, outcome, transaction_id }, index) => ({
      index,
      client_id,
      outcome,
      transaction_id,
    })),
  }
}

function later(a: Row, b: Row): number {
  return compare(b.transaction_date, a.transaction_date)
}

function compare<T extends string | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function byId<T extends { id: number }>(things: T[]): T[] {
  return things.sort((a, b) => a.id - b.id)
}
