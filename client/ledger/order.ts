import { compare } from './money.ts'

/** What orders a transaction: rows that the service does not have yet have a rank above all ids. */
type Placed = { transaction_date: string; key?: string } & ({ rank: number } | { id: number })

/** Orders rows of a day. */
const rankOf = (row: { rank: number } | { id: number }): number => ('rank' in row ? row.rank : row.id)

/** Compares two transactions for a list with the newest first. */
export function newestFirst(a: Placed, b: Placed): number {
  if (a.transaction_date !== b.transaction_date) return a.transaction_date < b.transaction_date ? 1 : -1
  // Two tabs may have made rows of the same rank.
  return rankOf(b) - rankOf(a) || compare(b.key ?? '', a.key ?? '')
}

/** The index of a row in a list with the newest first, or the index at which to insert it. */
export function indexOf(list: readonly Placed[], row: Placed): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (newestFirst(list[middle] as Placed, row) < 0) low = middle + 1
    else high = middle
  }
  return low
}
