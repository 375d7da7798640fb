import { compare } from './money.ts'

/** The sort key of a transaction. Rows that the service does not have yet have a rank above all ids. */
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
  return firstIndex(list, (one) => newestFirst(one, row) >= 0)
}

/** The index of the first element of a sorted list for which a condition holds, or the length of the list. */
export function firstIndex<T>(list: readonly T[], holds: (one: T) => boolean): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(list[middle] as T)) high = middle
    else low = middle + 1
  }
  return low
}
