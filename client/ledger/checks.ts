import { movementsOf as movements } from '../../src/domain/movements.ts'
import type { BalanceCheck } from '../api.ts'
import { centsOf, totalOf } from './money.ts'
import { firstIndex } from './order.ts'
import type { Pending } from './pending.ts'
import type { Key } from './rows.ts'
import type { Listed, Shown } from './shown-row.ts'
import type { View } from './view.ts'

type Transaction = Shown['transaction']
type Check = Shown['balance_check']

/** A change of this device that the service does not have yet, and by how much it moves the balance on a check's day. */
export type PendingEffect = {
  op: 'created' | 'updated' | 'deleted'
  /** The key of the transaction. */
  key: Key
  effect: number
  before: MovedMoney | null
  after: MovedMoney | null
}
type MovedMoney = Pick<Transaction, 'type' | 'amount' | 'transaction_date'>

/** A check with its difference, from the rows on the device and their pending changes. */
export type CheckedBalance = Check & Pick<BalanceCheck, 'ledger_balance' | 'difference' | 'state'>

type Moved = { account: Key; day: string; amount: bigint }

/** The movements of accounts by a transaction: in cents, on the day of the bank. */
export function movementsOf(row: Listed, accountOf: View['accountOf']): Moved[] {
  const { type, amount, account_id, to_account_id, transaction_date, booked_on, to_booked_on } = row
  return movements({
    ...{ type, amount: centsOf(amount), account: accountOf(account_id) },
    toAccount: to_account_id === null ? null : accountOf(to_account_id),
    ...{ day: booked_on ?? transaction_date, toDay: to_booked_on ?? transaction_date },
  })
}

/** The checks of all accounts, or of one, by account and day, with their differences. Goes through all rows once. */
export function checkedBalances(view: View, only: Key | undefined): CheckedBalance[] {
  const all = [...view.all('balance_check').values()].filter(
    ({ key, account_id }) => (only ?? account_id) === account_id && view.get('balance_check', key),
  )
  const byAccount = Map.groupBy(all, ({ account_id }) => account_id)
  const days = new Map<Key, { dates: string[]; moved: bigint[] }>()
  for (const [account, checks] of byAccount) {
    const dates = checks.map(({ date }) => date).sort()
    days.set(account, { dates, moved: dates.map(() => 0n) })
  }
  for (const row of days.size > 0 ? view.listed : [])
    for (const { account, day, amount } of movementsOf(row, view.accountOf)) {
      const { dates, moved } = days.get(account) ?? { dates: [], moved: [] }
      const at = firstIndex(dates, (date) => date >= day)
      if (at < moved.length) moved[at] = (moved[at] as bigint) + amount
    }
  return [...byAccount].flatMap(([account, checks]) => {
    const { dates, moved } = days.get(account) ?? { dates: [], moved: [] }
    let balance = centsOf(view.get('account', account)?.starting_balance ?? '0.00')
    const balances = new Map<string, bigint>()
    for (const [at, date] of dates.entries()) {
      balance += moved[at] ?? 0n
      balances.set(date, balance)
    }
    return checks
      .sort((a, b) => (a.date < b.date ? -1 : 1))
      .map((check): CheckedBalance => {
        const own = balances.get(check.date) ?? 0n
        const difference = own - centsOf(check.balance)
        return {
          ...check,
          ledger_balance: totalOf(own),
          difference: totalOf(difference),
          state: difference === 0n ? 'ok' : 'broken',
        }
      })
  })
}

/** The pending changes that move the balance on the day of a check, in the order in which they were made. */
export function pendingEffects(
  view: View,
  pending: ReadonlyMap<string, Pending>,
  { account_id, date }: Pick<Check, 'account_id' | 'date'>,
): PendingEffect[] {
  const effectOf = (row: Transaction | undefined) =>
    (row ? movementsOf(row, view.accountOf) : []).reduce(
      (sum, { account, day, amount }) => (account === account_id && day <= date ? sum + amount : sum),
      0n,
    )
  return [...pending.values()]
    .filter(({ noun }) => noun === 'transaction')
    .sort((a, b) => a.at - b.at)
    .flatMap(({ key }) => {
      const before = view.served('transaction', key) as Transaction | undefined
      const after = view.get('transaction', key)
      const effect = effectOf(after) - effectOf(before)
      if (effect === 0n) return []
      const op = !before ? 'created' : after ? 'updated' : 'deleted'
      return [{ op, key, effect: totalOf(effect), before: moneyOf(before), after: moneyOf(after) } as const]
    })
}

function moneyOf(row: Transaction | undefined): MovedMoney | null {
  return row ? { type: row.type, amount: row.amount, transaction_date: row.transaction_date } : null
}
