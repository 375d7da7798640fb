import { add, type Balances, move, startingBalances } from './balances.ts'
import { centsOf } from './money.ts'
import { indexOf, newestFirst } from './order.ts'
import type { Key, Rows, ServedRow } from './rows.ts'
import type { Listed, Shown } from './shown-row.ts'

type Account = Shown['account']
/** A transaction as the service has sent it and as it is listed. */
export type Differing = { served: ServedRow<'transaction'> | undefined; listed: Listed | undefined }

/** The transactions whose accounts exist, newest first, and the balances of the accounts, which `accountOf` names. */
export function listingOf(accounts: ReadonlyMap<Key, Account>, accountOf: (account: Key | number) => Key) {
  let listed: Listed[] = []
  let balances: Balances<Key> = new Map()

  const exists = (account: Key | number) => accounts.has(accountOf(account))
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
        move(balances, before, accountOf, -1n)
      }
      if (isListed(now)) {
        listed.splice(indexOf(listed, now), 0, now)
        move(balances, now, accountOf)
      }
    },

    /** Changes the balance of an account whose starting balance has changed. */
    restart(before: Account, now: Account): void {
      add(balances, now.key, centsOf(now.starting_balance) - centsOf(before.starting_balance))
    },

    /** Lists the rows of the service, of which some are listed otherwise, and derives the balances from what these move. */
    order(rows: Rows, differing: Differing[]): void {
      balances = startingBalances(accounts)
      for (const [account, cents] of rows.moved) add(balances, accountOf(account), cents)
      const replaced = new Set<Listed | undefined>(differing.map(({ served }) => served))
      const kept: Listed[] = rows.inOrder().filter((row) => {
        const isKept = !replaced.has(row) && isListed(row)
        if (!isKept) move(balances, row, accountOf, -1n)
        return isKept
      })
      const others = differing.map((one) => one.listed).filter(isListed)
      for (const row of others) move(balances, row, accountOf)
      // Quick, since only the others are out of place.
      listed = others.length > 0 ? [...kept, ...others].sort(newestFirst) : kept
    },
  }
}
