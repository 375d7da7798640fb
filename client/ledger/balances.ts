import { centsOf } from './money.ts'

/** Balances in cents, by the keys or ids of accounts. */
export type Balances<Account> = Map<Account, bigint>

type Movement<Name> = { type: string; amount: string; account_id: Name; to_account_id: Name | null }

/** The balances of accounts that have no transactions yet. */
export function startingBalances<Account>(accounts: ReadonlyMap<Account, { starting_balance: string }>) {
  return new Map([...accounts].map(([account, row]) => [account, centsOf(row.starting_balance)]))
}

/** Applies a transaction to the balances of the accounts that it names; with -1n as `times`, takes it back. */
export function move<Account, Name>(
  balances: Balances<Account>,
  { type, amount, account_id, to_account_id }: Movement<Name>,
  accountOf: (name: Name) => Account,
  times = 1n,
): void {
  const cents = centsOf(amount) * times
  add(balances, accountOf(account_id), type === 'income' ? cents : -cents)
  if (to_account_id !== null) add(balances, accountOf(to_account_id), cents)
}

export function add<Account>(balances: Balances<Account>, account: Account, cents: bigint): void {
  balances.set(account, (balances.get(account) ?? 0n) + cents)
}
