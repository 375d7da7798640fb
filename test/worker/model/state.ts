import type { RandomTransaction } from '../../random-transaction.ts'

/** What the service must contain. Every figure is summed from the transactions each time. */

/** The fields of a transaction; amounts are minor units, as bigints so that sums are exact. */
export type Fields = RandomTransaction<number, bigint> & { category_id: number | null }
export type Item = Fields & { client_id: string | null; force: boolean }
export type Transaction = Fields & {
  id: number
  user_id: number
  client_id: string | null
  is_synced: boolean
  version: number
}
export type Account = {
  id: number
  user_id: number
  name: string
  type: string
  starting_balance: bigint
  notes: string | null
  reconciled_through: string | null
  version: number
}
export type Check = {
  id: number
  user_id: number
  account_id: number
  date: string
  balance: bigint
  version: number
}
export type Category = { id: number; user_id: number; name: string; type: string }
export type Outcome = { outcome: string; transaction_id: number | null }
export type Batch = {
  id: string
  user_id: number
  status: 'pending' | 'completed' | 'failed'
  key: string | null
  /** What was sent: the same key with other items is an error. */
  sent: Item[]
  isLenient: boolean
  items: (Item & Outcome)[]
}

/** No balance and no total of a month may pass this, in either direction. */
export const maxTotal = 9_000_000_000_000_000n

/** Everything at one moment. States are immutable: `after` makes the next one. */
export class State {
  accounts = new Map<number, Account>()
  transactions = new Map<number, Transaction>()
  batches = new Map<string, Batch>()
  checks = new Map<number, Check>()
  /** `user client_id` of transactions that were deleted. */
  spent = new Set<string>()
  /** Those of the start: histories change none. */
  categories = new Map<number, Category>()

  /** The state after a change. */
  after(change: (next: State) => void): State {
    const next = new State()
    next.accounts = new Map(this.accounts)
    next.transactions = new Map(this.transactions)
    next.batches = new Map(this.batches)
    next.checks = new Map(this.checks)
    next.spent = new Set(this.spent)
    next.categories = this.categories
    change(next)
    return next
  }

  /** The things of a user, oldest first. */
  of<T extends { user_id: number }>(things: Map<unknown, T>, userId: number): T[] {
    return [...things.values()].filter((thing) => thing.user_id === userId)
  }

  withClientId(userId: number, clientId: string | null): Transaction | undefined {
    return clientId === null
      ? undefined
      : this.of(this.transactions, userId).find(({ client_id }) => client_id === clientId)
  }

  /** Deletes a transaction; its client id cannot be used again. */
  delete({ id, user_id, client_id }: Transaction): void {
    this.transactions.delete(id)
    if (client_id !== null) this.spent.add(`${user_id} ${client_id}`)
  }

  balances(userId: number): Map<number, bigint> {
    const balances = new Map(this.of(this.accounts, userId).map((one) => [one.id, one.starting_balance]))
    const add = (id: number, amount: bigint) => balances.set(id, (balances.get(id) ?? 0n) + amount)
    for (const { account_id, to_account_id, type, amount } of this.of(this.transactions, userId)) {
      add(account_id, type === 'income' ? amount : -amount)
      if (to_account_id !== null) add(to_account_id, amount)
    }
    return balances
  }

  checksOf(accountId: number): Check[] {
    return [...this.checks.values()].filter(({ account_id }) => account_id === accountId)
  }

  /** The balance of an account at the end of a day. */
  balanceOn(accountId: number, date: string): bigint {
    let balance = this.accounts.get(accountId)?.starting_balance ?? 0n
    for (const { account_id, to_account_id, type, amount, transaction_date } of this.transactions.values()) {
      if (transaction_date > date) continue
      if (account_id === accountId) balance += type === 'income' ? amount : -amount
      if (to_account_id === accountId) balance += amount
    }
    return balance
  }

  /** The last day of the reconciled periods of this state in which `next` has another balance; null if there is none. */
  periodChangedBy(next: State): string | null {
    const dates = [...this.transactions.values(), ...next.transactions.values()].map(
      (one) => one.transaction_date,
    )
    const changed = [...this.accounts.values()].flatMap(({ id, reconciled_through: last }) => {
      if (last === null) return []
      const days = new Set([last, ...dates.filter((date) => date <= last)])
      return [...days].some((day) => this.balanceOn(id, day) !== next.balanceOn(id, day)) ? [last] : []
    })
    return changed.sort().at(-1) ?? null
  }

  /** True if each balance of the user, their sum and the income and expenses of each month are within bounds. */
  isInBounds(userId: number): boolean {
    const balances = [...this.balances(userId).values()]
    const totals = new Map<string, bigint>()
    for (const { type, transaction_date, amount } of this.of(this.transactions, userId)) {
      const month = `${type} ${transaction_date.slice(0, 7)}`
      if (type !== 'transfer') totals.set(month, (totals.get(month) ?? 0n) + amount)
    }
    return [...balances, sum(balances), ...totals.values()].every(
      (figure) => figure <= maxTotal && figure >= -maxTotal,
    )
  }
}

export function sum(amounts: Iterable<bigint>): bigint {
  let total = 0n
  for (const amount of amounts) total += amount
  return total
}
