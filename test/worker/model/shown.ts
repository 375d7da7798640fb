import { searchedTexts } from '../../../src/domain/transaction-fields.ts'
import type { Account, Batch, Category, Check, State, Transaction } from './state.ts'

/** The model's data as the contract shows them, except for timestamps. */

/** Which transactions to list. */
export type Filter = {
  account_id?: number
  category_id?: number | 'none'
  type?: string
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
  return shownAccounts(state, account.user_id).find(({ id }) => id === account.id)
}

export function shownAccounts(state: State, userId: number) {
  const balances = state.balances(userId)
  return state
    .of(state.accounts, userId)
    .sort((a, b) => a.id - b.id)
    .map((account) => ({
      ...account,
      starting_balance: decimal(account.starting_balance),
      balance: number(balances.get(account.id) ?? 0n),
    }))
}

export function shownCheck(state: State, { user_id: _, ...check }: Check) {
  const ledger = state.balanceOn(check.account_id, check.date)
  const difference = ledger - check.balance
  return {
    ...check,
    balance: decimal(check.balance),
    ledger_balance: number(ledger),
    difference: number(difference),
    state: difference === 0n ? 'ok' : 'broken',
  }
}

export function shownChecks(state: State, userId: number) {
  return state
    .of(state.checks, userId)
    .sort((a, b) => a.account_id - b.account_id || compare(a.date, b.date))
    .map((check) => shownCheck(state, check))
}

export function shownTransaction({ client_id: _, amount, ...rest }: Transaction) {
  return { ...rest, amount: decimal(amount) }
}

function shownWithNames(state: State, transaction: Transaction) {
  const label = (thing: Account | Category | undefined) =>
    thing ? { id: thing.id, name: thing.name, type: thing.type } : null
  return {
    ...shownTransaction(transaction),
    account: label(state.accounts.get(transaction.account_id)),
    to_account: label(state.accounts.get(transaction.to_account_id ?? 0)),
    category: label(state.categories.get(transaction.category_id ?? 0)),
  }
}

export function shownPage(state: State, userId: number, filter: Filter, page: number, pageSize: number) {
  const found = state
    .of(state.transactions, userId)
    .filter((one) => matches(state, one, filter))
    .sort((a, b) => compare(b.transaction_date, a.transaction_date) || b.id - a.id)
  return {
    current_page: page,
    per_page: pageSize,
    total: found.length,
    last_page: Math.max(1, Math.ceil(found.length / pageSize)),
    data: found.slice((page - 1) * pageSize, page * pageSize).map((one) => shownWithNames(state, one)),
  }
}

function matches(state: State, transaction: Transaction, filter: Filter): boolean {
  const { user_id, account_id, to_account_id, category_id, type, transaction_date } = transaction
  const { from = '', to = '9', q = '' } = filter
  const isOfAccount =
    [account_id, to_account_id].includes(filter.account_id ?? account_id) &&
    (filter.account_id === undefined || state.accounts.get(filter.account_id)?.user_id === user_id)
  return (
    isOfAccount &&
    (filter.category_id === undefined || (category_id ?? 'none') === filter.category_id) &&
    (filter.type === undefined || type === filter.type) &&
    transaction_date >= from &&
    transaction_date <= to &&
    searchedTexts.some((name) => (transaction[name] ?? '').toLowerCase().includes(q.toLowerCase()))
  )
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

function compare<T extends string | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}
