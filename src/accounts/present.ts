import { formatMoney, moneyNumber } from '../domain/money.ts'
import { presentTimestamps } from '../domain/present.ts'
import type { Account } from './read.ts'
import type { ShownAccount } from './response-contract.ts'

export function presentAccount(account: Account): ShownAccount {
  return {
    id: account.id,
    user_id: account.userId,
    name: account.name,
    type: account.type,
    kind: account.kind,
    starting_balance: formatMoney(account.startingBalance),
    notes: account.notes,
    closed_on: account.closedOn,
    reconciled_through: account.reconciledThrough,
    version: account.version,
    ...presentTimestamps(account),
    balance: moneyNumber(account.balance),
  }
}
