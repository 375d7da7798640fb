import type { CalendarDate } from '../../domain/dates.ts'
import type { Minor } from '../../domain/money.ts'
import type { ClosingBalance } from '../statement.ts'

/** A row's amount, and the balance after it where the file says it. */
export type BalancedRow = { date: CalendarDate; amount: Minor; balance: Minor | null }

/**
 * The balance after the last row, if the balances of the file follow from its amounts, from the top down or from the
 * bottom up. Where they do not, or nothing shows which end is the last, there is none.
 */
export function closingBalance(rows: BalancedRow[]): ClosingBalance | null {
  const down = runningBalance(rows)
  const up = runningBalance(rows.toReversed())
  if (down && up && down.amount !== up.amount) return null
  return down ?? up
}

/** True if the balances prove the amounts: at least two of them, each the sum of the one before and what came between. */
export function balancesProve(rows: BalancedRow[]): boolean {
  const known = rows.filter((row) => row.balance !== null).length
  return known >= 2 && (runningBalance(rows) !== null || runningBalance(rows.toReversed()) !== null)
}

function runningBalance(rows: BalancedRow[]): ClosingBalance | null {
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
