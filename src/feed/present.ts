import { presentAccount } from '../accounts/present.ts'
import { presentStoredCheck } from '../balance-checks/present.ts'
import { presentCategory } from '../categories/present.ts'
import { moneyNumber, sumOfBalances } from '../domain/money.ts'
import { presentStoredRule } from '../recurring/present.ts'
import { presentTransaction } from '../transactions/present.ts'
import { presentUser } from '../users/present.ts'
import type { ShownChange, ShownFeed } from './contract.ts'
import { writeCursor } from './cursor.ts'
import type { Feed } from './feed.ts'
import type { Change } from './rows.ts'

export function presentFeed({ changes, cursor, hasMore, isSnapshot, balances }: Feed): ShownFeed {
  return {
    changes: changes.map(presentChange),
    cursor: writeCursor(cursor),
    has_more: hasMore,
    snapshot: isSnapshot,
    ...(isSnapshot && {
      total_transactions: balances.reduce((sum, { transactions }) => sum + transactions, 0),
    }),
    ...(!hasMore && {
      balances: balances.map(({ id, balance }) => ({ account_id: id, balance: moneyNumber(balance) })),
      total_balance: moneyNumber(sumOfBalances(balances.map(({ balance }) => balance))),
    }),
  }
}

/** A row as it is now, or as a tombstone. */
export function presentChange(change: Change): ShownChange {
  const { noun, id, row } = change
  if (row === null) return { noun, id, data: null }
  if (noun === 'profile') return { noun, id, data: presentUser(row) }
  if (noun === 'balance_check') return { noun, id, data: presentStoredCheck(row) }
  if (noun === 'recurring') return { noun, id, data: presentStoredRule(row) }
  const fed = { client_id: row.clientId }
  if (noun === 'category') return { noun, id, data: { ...presentCategory(row), ...fed } }
  if (noun === 'transaction') return { noun, id, data: { ...presentTransaction(row), ...fed } }
  // An account's balance changes without the account, so the feed sends balances separately.
  const { balance, ...account } = presentAccount(row)
  return { noun, id, data: { ...account, ...fed } }
}
