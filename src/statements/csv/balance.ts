import type { CalendarDate } from '../../domain/dates.ts'
import type { Minor } from '../../domain/money.ts'
import type { ClosingBalance } from '../statement.ts'

/** The amount of a row, and the balance after it if the file has one. */
export type Balanced = { date: CalendarDate; amount: Minor; balance: Minor | null }

/**
 * The balance after the latest row, if the balances follow from the amounts from the top down or from the bottom up.
 * Null if they do not, or if both directions hold and contradict each other.
 */
export function closingBalance(rows: Balanced[]): ClosingBalance | null {
  const down = runningBalance(rows)
  const up = runningBalance(rows.toReversed())
  if (down && up && down.amount !== up.amount) return null
  return down ?? up
}

/** True if the balances prove the amounts: there are two or more, and each follows from the one before. */
export function balancesProve(rows: Balanced[]): boolean {
  const known = rows.filter((row) => row.balance !== null).length
  return known >= 2 && (runningBalance(rows) !== null || runningBalance(rows.toReversed()) !== null)
}

function runningBalance(rows: Balanced[]): ClosingBalance | null {
  let running: number | null = null
  for (const { amount, balance } of rows) {
    if (running !== null) running += amount
    if (balance === null) continue
    if (running !== null && running !== balance) return null
    running = balance
  }
  const last = rows.at(-1)
  return running === null || !last ? null : { date: last.date, amount: running as Minor }
}
