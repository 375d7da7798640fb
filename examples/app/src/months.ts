import type { Ledger } from 'purse-client'
import { lastDay, monthAfter } from './format.ts'

/** The months that end with one, oldest first. */
export const monthsUntil = (last: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => monthAfter(last, index + 1 - count))

/** Income, expenses and their difference in each month. */
export const sumsOf = (ledger: Ledger, months: string[]) =>
  months.map((month) => ledger.summary({ month }).monthly_summary)

/** The total of all balances at the end of each month. */
export function netWorthOf(ledger: Ledger, months: string[]): number[] {
  const { total_balance } = ledger.summary()
  return months.map((month) => {
    const from = `${monthAfter(month, 1)}-01`
    return total_balance - ledger.summary({ from, to: '2100-12-31' }).monthly_summary.net
  })
}

export const spanOf = (month: string) => ({ from: `${month}-01`, to: lastDay(month) })
