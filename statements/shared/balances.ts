import { type Minor, negated } from '../../src/domain/money.ts'
import type { StatementAccount, StatementEntry } from './statement.ts'

/** The part of a statement between two balances. `reversals` are entries that some banks mark the wrong way round. */
export type Balances = {
  account: StatementAccount
  opening: Minor | null
  closing: Minor | null
  reversals: StatementEntry[]
}

/** Compares entries with the balances around them; reversals are turned round where these prove it. Null if all agree. */
export function evidenceOfBalances(parts: Balances[]): string | null {
  for (const { account, opening, closing, reversals } of parts) {
    if (opening === null || closing === null) continue
    const sum = (entries: StatementEntry[]) => entries.reduce((total, { amount }) => total + amount, 0)
    const missing = closing - opening - sum(account.entries)
    if (missing !== 0 && missing === -2 * sum(reversals))
      for (const entry of reversals) entry.amount = negated(entry.amount)
    else if (missing !== 0)
      return `The opening balance and the entries of a statement do not give its closing balance${account.entries[0] ? ` (first entry: ${account.entries[0].lines[0]})` : ''}.`
  }
  return null
}
