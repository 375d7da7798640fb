import { add, type Balances, move, startingBalances } from './balances.ts'
import { centsOf, compare } from './money.ts'
import type { Key } from './rows.ts'
import type { Shown } from './shown-row.ts'

type Transaction = Shown['transaction']
type Listed = Pick<Transaction, 'transaction_date' | 'rank'> & { key?: Key }

/** The transactions whose accounts exist, newest first, and the balances of the accounts. */
export function listingOf(accounts: ReadonlyMap<Key, Shown['account']>) {
  let listed: Transaction[] = []
  let balances: Balances<Key> = new Map()

  const isListed = (row: Transaction | undefined): row is Transaction =>
    row !== undefined &&
    accounts.has(row.account_id) &&
    (row.to_account_id === null || accounts.has(row.to_account_id))

  return {
    isListed,
    balanceOf: (key: Key) => balances.get(key) ?? 0n,

    get listed(): readonly Transaction[] {
      return listed
    },

    /** Puts one transaction in the place of another; either may be missing. */
    replace(before: Transaction | undefined, now: Transaction | undefined): void {
      if (isListed(before)) {
        listed.splice(indexOf(listed, before), 1)
        move(balances, before, -1n)
      }
      if (isListed(now)) {
        listed.splice(indexOf(listed, now), 0, now)
        move(balances, now)
      }
    },

    /** Changes the balance of an account whose starting balance has changed. */
    restart(before: Shown['account'], now: Shown['account']): void {
      add(balances, now.key, centsOf(now.starting_balance) - centsOf(before.starting_balance))
    },

    /** Puts all transactions in order, and adds up all balances. */
    order(transactions: Iterable<Transaction>): void {
      listed = [...transactions].filter(isListed).sort(newestFirst)
      balances = startingBalances(accounts)
      for (const row of listed) move(balances, row)
    },
  }
}

/** Compares two transactions for a list with the newest first. */
export function newestFirst(a: Listed, b: Listed): number {
  if (a.transaction_date !== b.transaction_date) return a.transaction_date < b.transaction_date ? 1 : -1
  // Two tabs may have made rows of the same rank.
  return b.rank - a.rank || compare(b.key ?? '', a.key ?? '')
}

/** The index of a row in a list with the newest first, or the index at which to insert it. */
export function indexOf(list: readonly Listed[], row: Listed): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (newestFirst(list[middle] as Listed, row) < 0) low = middle + 1
    else high = middle
  }
  return low
}
