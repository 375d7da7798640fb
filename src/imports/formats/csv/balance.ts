import type { CalendarDate } from '../../../shared/dates.ts'
import type { Minor } from '../../../shared/money.ts'
import type { ClosingBalance } from '../statement.ts'

/** The amount of a row, and the balance after it if the file has one. A date that cannot be read is null. */
export type Balanced = { date: CalendarDate | null; amount: Minor; balance: Minor | null }

/** How many steps from one balance to the next equal the amount between them, its opposite, or neither. */
type Steps = { same: number; opposite: number; other: number }

/**
 * What running balances say about the signs of the amounts: all right, all inverted, or some of each; `either` if that
 * depends on the end from which the rows are read. Null if they say nothing.
 */
export type SignCheck = 'right' | 'inverted' | 'mixed' | 'either' | null

/**
 * The balance after the latest row, if the balances follow from the amounts, whether from the top down or from the bottom
 * up. Null if they do not, or if both directions hold and contradict each other.
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

/** A line of a file; only rows have an amount. */
type StatedLine = { line: number; amount: Minor | null; balance: Minor | null }

/**
 * The lines without an amount at which the balance changes, as the rows on both sides show. None unless all
 * other balances follow from the amounts, whether from the top down or from the bottom up.
 */
export function unexplainedLines(lines: StatedLine[]): number[] {
  const ordered = lines.toSorted((a, b) => a.line - b.line)
  return changesWithoutAmount(ordered) ?? changesWithoutAmount(ordered.reverse()) ?? []
}

function changesWithoutAmount(lines: StatedLine[]): number[] | null {
  const found: number[] = []
  let running: number | null = null
  let between: StatedLine[] = []
  for (const one of lines) {
    const { amount, balance } = one
    if (amount === null) {
      between.push(one)
      continue
    }
    const before: number | null = balance === null ? running : balance - amount
    if (running !== null && before !== running) {
      const change = between.find((line) => line.balance === before)
      if (!change) return null
      found.push(change.line)
    }
    running = before === null ? null : before + amount
    between = []
  }
  return found
}

/** What the balances say about the signs. If the two ends differ, the dates show where to begin. */
export function checkSigns(rows: Balanced[]): SignCheck {
  const down = signCheckOf(stepsOf(rows))
  const up = signCheckOf(stepsOf(rows.toReversed()))
  if (down === null || up === null || down === up) return down ?? up
  const isUp = isNewestFirst(rows)
  return isUp === null ? 'either' : isUp ? up : down
}

/** True if the file begins with its latest row; null if the dates do not show it. */
function isNewestFirst(rows: Balanced[]): boolean | null {
  const [first, last] = [rows[0]?.date, rows.at(-1)?.date]
  return first && last && first !== last ? first > last : null
}

/**
 * Gives amounts the signs that the balances show. `signOfFirst` decides the sign of the oldest row, which no
 * balance precedes. If the balances fit from either end, the dates show where to begin. Null if they do not
 * account for every row.
 */
export function signedByBalances<T extends Balanced>(
  rows: T[],
  signOfFirst: (row: T) => number | null,
): T[] | null {
  const orders = [rows, rows.toReversed()]
  if (isNewestFirst(rows)) orders.reverse()
  for (const ordered of orders) {
    const signed = ordered.map((row, i) => {
      const before = ordered[i - 1]?.balance
      const moved = i === 0 ? signOfFirst(row) : (row.balance ?? 0) - (before ?? 0)
      const amount = i === 0 ? (moved ?? 0) * row.amount : moved
      return Math.abs(amount ?? 0) === row.amount ? { ...row, amount: amount as Minor } : null
    })
    if (signed.every((row) => row !== null)) return ordered === rows ? signed : signed.toReversed()
  }
  return null
}

/**
 * The rows whose amounts lead from the oldest balance to the latest; none unless the balances prove that all of these go
 * one way.
 */
export function provedRows<T extends Balanced>(rows: T[]): T[] {
  const check = checkSigns(rows)
  if (check !== 'right' && check !== 'inverted') return []
  const first = rows.findIndex(({ balance }) => balance !== null)
  const last = rows.findLastIndex(({ balance }) => balance !== null)
  // The amount of the oldest balance itself comes before it.
  const isOldestFirst = signCheckOf(stepsOf(rows)) === check
  return isOldestFirst ? rows.slice(first + 1, last + 1) : rows.slice(first, last)
}

/** The rows that the running balances include: all that are booked, and the pending ones that changed the balance. */
export function countedRows<T extends Balanced & { isPending: boolean }>(rows: T[]): T[] {
  const booked = rows.filter(({ isPending }) => !isPending)
  if (booked.length === rows.length) return rows
  const down = followBalance(rows)
  const up = followBalance(rows.toReversed())?.toReversed() ?? []
  const best = down && down.length >= up.length ? down : up
  return best.length > booked.length ? best : booked
}

/**
 * Follows the balance from row to row, leaving out pending rows unless they change it, which the oldest cannot show; null
 * if it cannot be followed.
 */
function followBalance<T extends Balanced & { isPending: boolean }>(rows: T[]): T[] | null {
  const kept: T[] = []
  let running: number | null = null
  for (const row of rows) {
    const follows = running !== null && row.balance === running + row.amount
    if (row.isPending && !follows) {
      // Until a row counts, one that is left out still gives the balance from which the next may follow.
      if (kept.length === 0) running = row.balance
      continue
    }
    if (kept.length > 0 && running !== null && row.balance !== null && !follows) return null
    kept.push(row)
    if (row.balance !== null) running = row.balance
    else if (running !== null) running += row.amount
  }
  return kept
}

function stepsOf(rows: Balanced[]): Steps {
  const steps = { same: 0, opposite: 0, other: 0 }
  let last: number | null = null
  let moved = 0
  for (const { amount, balance } of rows) {
    moved += amount
    if (balance === null) continue
    const change = balance - (last ?? 0)
    if (last !== null && (moved !== 0 || change !== 0))
      steps[change === moved ? 'same' : change === -moved ? 'opposite' : 'other'] += 1
    last = balance
    moved = 0
  }
  return steps
}

function signCheckOf({ same, opposite, other }: Steps): SignCheck {
  if (same > 0 && opposite > 0 && other <= (same + opposite) / 2) return 'mixed'
  if (other > 0 || same + opposite === 0) return null
  return same > 0 ? 'right' : 'inverted'
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
  return running === null || !last?.date ? null : { date: last.date, amount: running as Minor }
}
