import { hundredths } from '../text/contents.ts'
import { maxOptions } from '../text/headers.ts'

/** A column of running balances, with the columns that lead from each balance to the next. */
export type BalancedColumns = { balance: number; amount?: number; debit?: number; credit?: number }

/** Every choice of columns in which one or two columns account for each step of a column of running balances. */
export function balancedColumns(
  rows: string[][],
  allAmounts: number[],
  allBalances: number[],
): BalancedColumns[] {
  if (rows.length < 2) return []
  const [amounts, balances] = [allAmounts.slice(0, maxOptions), allBalances.slice(0, maxOptions)]
  const columns = [...new Set([...amounts, ...balances])]
  const values = rows.map(
    (cells) => new Map(columns.map((column) => [column, hundredths(cells[column] ?? '')])),
  )
  const found: BalancedColumns[] = []
  for (const balance of balances)
    for (const credit of amounts)
      for (const debit of amounts)
        if (balance !== credit && balance !== debit && leads(values, { balance, credit, debit }))
          found.push(credit === debit ? { balance, amount: credit } : { balance, debit, credit })
  return found
}

/**
 * True if a column of amounts, or two of debits and credits, lead from each balance to the next, in either order. The first
 * row may repeat the balance beside it, where two steps and more follow: it states the balances of the account.
 */
function leads(rows: Map<number, number>[], at: { balance: number; credit: number; debit: number }): boolean {
  const value = (row: Map<number, number> | undefined, column: number) => row?.get(column) ?? 0
  const isOne = at.credit === at.debit
  return [1, -1].some((step) =>
    rows.every((row, i) => {
      const [credit, debit] = [Math.abs(value(row, at.credit)), Math.abs(value(row, at.debit))]
      if (isOne ? credit === 0 : (credit === 0) === (debit === 0)) return false
      const before = rows[i - step]
      if (!before) return true
      const change = value(row, at.balance) - value(before, at.balance)
      if (i === 0 && change === 0 && rows.length > minRows) return true
      return isOne ? Math.abs(change) === credit : change === credit - debit
    }),
  )
}

/** Of fewer rows, the others would follow by a single step. */
const minRows = 3
