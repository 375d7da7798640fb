import { add, type Balances, move, startingBalances } from './balances.ts'
import { centsOf, compare } from './money.ts'
import type { Key } from './rows.ts'
import { type Listed, rankOf, type Shown } from './shown-row.ts'

type Account = Shown['account']
type Placed = { transaction_date: string; key?: Key } & ({ rank: number } | { id: number })

/** The transactions whose accounts exist, newest first, and the balances of the accounts, which `keyOf` names. */
export function listingOf(accounts: ReadonlyMap<Key, Account>, keyOf: (account: Key | number) => Key) {
  let listed: Listed[] = []
  let balances: Balances<Key> = new Map()

  const exists = (account: Key | number) => accounts.has(keyOf(account))
  const isListed = (row: Listed | undefined): row is Listed =>
    row !== undefined && exists(row.account_id) && (row.to_account_id === null || exists(row.to_account_id))

  return {
    isListed,
    balanceOf: (key: Key) => balances.get(key) ?? 0n,

    get listed(): readonly Listed[] {
      return listed
    },

    /** Puts one transaction in the place of another; either may be missing. */
    replace(before: Listed | undefined, now: Listed | undefined): void {
      if (isListed(before)) {
        listed.splice(indexOf(listed, before), 1)
        move(balances, before, keyOf, -1n)
      }
      if (isListed(now)) {
        listed.splice(indexOf(listed, now), 0, now)
        move(balances, now, keyOf)
      }
    },

    /** Changes the balance of an account whose starting balance has changed. */
    restart(before: Account, now: Account): void {
      add(balances, now.key, centsOf(now.starting_balance) - centsOf(before.starting_balance))
    },

    /** Puts all transactions in order, and adds up all balances. */
    order(transactions: Iterable<Listed>): void {
      listed = [...transactions].filter(isListed).sort(newestFirst)
      balances = startingBalances(accounts)
      for (const row of listed) move(balances, row, keyOf)
    },
  }
}

/** Compares two transactions for a list with the newest first. */
export function newestFirst(a: Placed, b: Placed): number {
  if (a.transaction_date !== b.transaction_date) return a.transaction_date < b.transaction_date ? 1 : -1
  // Two tabs may have made rows of the same rank.
  return rankOf(b) - rankOf(a) || compare(b.key ?? '', a.key ?? '')
}

/** The index of a row in a list with the newest first, or the index at which to insert it. */
export function indexOf(list: readonly Placed[], row: Placed): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (newestFirst(list[middle] as Placed, row) < 0) low = middle + 1
    else high = middle
  }
  return low
}
