import { randomTransaction } from '../../random-transaction.ts'
import {
  ifOwn,
  inQuery,
  invalid,
  locked,
  maybeOverride,
  type Operation,
  pick,
  request,
  type Turn,
  withinBounds,
  withinPeriod,
} from './calls.ts'
import { decimal, type Filter, shownPage, shownTransaction } from './shown.ts'
import type { Fields, Item, State, Transaction } from './state.ts'

/** The time of all histories. */
export const now = Date.parse('2026-01-31T20:00:00Z')

/** Few amounts, days and texts, so that transactions often repeat each other. */
const amounts = [10n, 20n]
const days = ['2025-12-31', '2026-01-01', '2026-01-31', '2026-02-01']
const rareDays = ['1900-01-01', '2024-02-29', '2100-12-31']

function day({ dice }: Turn): string {
  return dice.of(dice.isOnceIn(20) ? rareDays : days) as string
}

function amount({ dice, isRich }: Turn): bigint {
  if (dice.isOnceIn(50)) return 0n
  if (dice.isOnceIn(4)) return BigInt(dice.from(1, 999)) * 10_007n
  return isRich ? 999_999_999_999_999n : (dice.of(amounts) as bigint)
}

function fields(turn: Turn): Fields {
  const { dice } = turn
  const row = randomTransaction(dice, {
    accounts: [pick(turn, 'accounts'), pick(turn, 'accounts')],
    categories: [dice.isOnceIn(15) ? null : pick(turn, 'categories')],
    days: [day(turn)],
    amount: () => amount(turn),
    text: () => dice.oneOf([null, null, 'Coffee', 'Rent for May']),
  })
  const own = { ...row, category_id: row.category_id ?? null }
  if (!dice.isOnceIn(40)) return own
  // A destination on something other than a transfer, or a transfer to itself or nowhere.
  const wrong = row.type === 'transfer' ? dice.oneOf([null, row.account_id]) : pick(turn, 'accounts')
  return { ...own, to_account_id: wrong }
}

/** A transaction to create, alone or in a batch: some have client ids, new or sent before, and some repeat another. */
export function newItem(turn: Turn): Item {
  const { dice, state } = turn
  const force = dice.isOnceIn(3)
  const twin = dice.isOnceIn(6) && state.transactions.get(pick(turn, 'transactions'))
  if (twin) {
    const { id: _, user_id: __, is_synced: ___, version: ____, ...same } = twin
    return { ...same, reference: fields(turn).reference, client_id: null, force }
  }
  return { ...fields(turn), client_id: dice.isOnceIn(4) ? `c${dice.from(1, 60)}` : null, force }
}

/** Amounts are sent as decimal strings. */
export function asSent<T extends { amount?: bigint }>(fields: T) {
  return fields.amount === undefined ? fields : { ...fields, amount: decimal(fields.amount) }
}

/** True if a transaction keeps the rules that apply to every way of writing it. */
export function isValid(state: State, userId: number, fields: Fields): boolean {
  const { type, account_id, to_account_id, category_id, amount } = fields
  const isOwn = (things: Map<number, { user_id: number }>, id: number) => things.get(id)?.user_id === userId
  if (amount <= 0n || !isOwn(state.accounts, account_id)) return false
  if (category_id !== null && !isOwn(state.categories, category_id)) return false
  if (type !== 'transfer') return to_account_id === null
  return to_account_id !== null && to_account_id !== account_id && isOwn(state.accounts, to_account_id)
}

/** True if two transactions are equal in what moves money, and their references, if both have one. */
export function areDuplicates(one: Fields, other: Fields): boolean {
  const hasSame = (field: keyof Fields) => one[field] === other[field]
  return (
    hasSame('account_id') &&
    hasSame('to_account_id') &&
    hasSame('type') &&
    hasSame('amount') &&
    hasSame('transaction_date') &&
    (hasSame('reference') || one.reference === null || other.reference === null)
  )
}

/** The transaction that an item becomes. */
export function created(
  id: number,
  userId: number,
  { force: _, ...item }: Item,
  isSynced: boolean,
): Transaction {
  return { id, user_id: userId, ...item, is_synced: isSynced, version: 1 }
}

export const transactionOperations: Operation[] = [
  {
    name: 'create a transaction',
    weight: 30,
    plan(turn) {
      const item = newItem(turn)
      const override = maybeOverride(turn)
      const { id: userId } = turn.person
      const sent = { ...asSent(item), ...override }
      return request(turn, 'POST', '/api/transactions', { body: sent }, (state, { body }) => {
        const earlier = item.amount > 0n && state.withClientId(userId, item.client_id)
        if (earlier) return { status: 200, body: shownTransaction(earlier) }
        if (state.of(state.accounts, userId).length === 0) return { status: 403 }
        const isComplete = item.type === 'transfer' || item.category_id !== null
        const isSpent = state.spent.has(`${userId} ${item.client_id}`)
        if (!isComplete || isSpent || !isValid(state, userId, item)) return invalid()
        const transaction = created(body?.id ?? -1, userId, item, false)
        const next = state.after((next) => next.transactions.set(transaction.id, transaction))
        const last = override.override_reconciled ? null : state.periodChangedBy(next)
        if (last !== null) return locked(last, 'transaction_date')
        const similar = state.of(state.transactions, userId).filter((one) => areDuplicates(one, item))
        if (similar.length > 0 && !item.force) {
          const newest = similar.sort((a, b) => b.id - a.id).slice(0, 5)
          return { status: 409, body: { is_duplicate: true, duplicates: newest.map(({ id }) => ({ id })) } }
        }
        return withinBounds(next, turn, 'amount', { status: 201, body: shownTransaction(transaction) })
      })
    },
  },
  {
    name: 'change a transaction',
    weight: 20,
    plan(turn) {
      const id = pick(turn, 'transactions')
      const changes = someOf(turn, fields(turn))
      const override = maybeOverride(turn)
      const body = { ...asSent(changes), ...override }
      return request(turn, 'PUT', `/api/transactions/${id}`, { body }, (state) =>
        ifOwn('Transaction', state.transactions.get(id), turn, (old) => {
          const changed = { ...withoutDestination(old, changes), ...changes, version: old.version + 1 }
          if (!isValid(state, turn.person.id, changed)) return invalid()
          const next = state.after((next) => next.transactions.set(id, changed))
          const expected = { status: 200, body: shownTransaction(changed) }
          return withinPeriod(state, next, turn, { field: 'amount', override }, expected)
        }),
      )
    },
  },
  {
    name: 'delete a transaction',
    weight: 6,
    plan(turn) {
      const id = pick(turn, 'transactions')
      const override = maybeOverride(turn)
      return request(turn, 'DELETE', `/api/transactions/${id}${inQuery(override)}`, {}, (state) =>
        ifOwn('Transaction', state.transactions.get(id), turn, (transaction) => {
          const next = state.after((next) => next.delete(transaction))
          return withinPeriod(state, next, turn, { field: 'amount', override }, { status: 204 })
        }),
      )
    },
  },
]

/**
 * A single field in half of the changes, since a trigger that overlooks one column would still run for another. Changes
 * of the type come with the destination that it needs.
 */
function someOf({ dice }: Turn, all: Fields): Partial<Fields> {
  const names = Object.keys(all) as (keyof Fields)[]
  const chosen = dice.isOnceIn(2) ? [dice.of(names)] : names.filter(() => dice.isOnceIn(2))
  if (chosen.includes('type') && all.type === 'transfer') chosen.push('to_account_id')
  return Object.fromEntries(chosen.map((name) => [name, all[name as keyof Fields]]))
}

/** A transfer that becomes something else loses its destination. */
function withoutDestination(old: Transaction, { type = 'transfer' }: Partial<Fields>): Transaction {
  return type === 'transfer' ? old : { ...old, to_account_id: null }
}

/** Half of the pages are without a filter: their total is a kept figure. */
export const listTransactions: Operation = {
  name: 'list transactions',
  weight: 4,
  plan(turn) {
    const { dice } = turn
    const filter: Filter = dice.isOnceIn(2) ? {} : filterOf(turn)
    const page = dice.of([1, 1, 1, 2, 3, 9]) as number
    const pageSize = dice.of([1, 7, 50, 500]) as number
    const query = new URLSearchParams({ page: String(page), per_page: String(pageSize) })
    for (const [name, value] of Object.entries(filter)) query.set(name, String(value))
    return request(turn, 'GET', `/api/transactions?${query}`, {}, (state) => ({
      status: 200,
      body: shownPage(state, turn.person.id, filter, page, pageSize),
    }))
  },
}

function filterOf(turn: Turn): Filter {
  const { dice } = turn
  const all = {
    account_id: pick(turn, 'accounts'),
    category_id: dice.isOnceIn(2) ? ('none' as const) : pick(turn, 'categories'),
    type: fields(turn).type,
    from: day(turn),
    to: day(turn),
    q: dice.of(['coffee', 'rent', 'may', '%']) as string,
  }
  return Object.fromEntries(Object.entries(all).filter(() => dice.isOnceIn(3)))
}
