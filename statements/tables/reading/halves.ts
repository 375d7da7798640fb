import { addDays } from '../../../src/domain/dates.ts'
import type { OwnRow } from '../../shared/statement.ts'
import type { AppRow } from './app-rows.ts'

/** A row that may be one half of a transfer, or a starting balance. */
export type Half = OwnRow & Pick<AppRow, 'isHalf' | 'other' | 'isStart'>

export const rowOf = ({ isHalf: _, other: __, isStart: ___, ...row }: Half): OwnRow => row

/** The days that the halves of a transfer may be apart. */
const maxDaysApart = 5

/**
 * Makes one transfer of its two halves: an outflow and the nearest inflow of the same amount on another account, or on the
 * one that it names. A half without the other is a transfer if it surely names the other account and the file, which has
 * rows of `accounts`, has none of that account: otherwise the other half is another amount, such as one in another currency.
 */
export function joinHalves(rows: Half[], accounts: Set<string | null>): { rows: OwnRow[]; halves: number } {
  const pairs = pairsOf(rows.filter(({ isHalf }) => isHalf))
  const joined = new Set(pairs.values())
  let halves = 0
  const found = rows.flatMap((row): OwnRow[] => {
    if (joined.has(row)) return []
    const into = pairs.get(row)
    const other =
      into?.account ?? (row.other?.isSure && !accounts.has(row.other.account) && row.other.account)
    if (!other) {
      if (row.isHalf && row.type !== 'transfer') halves += 1
      return [rowOf(row)]
    }
    const [account, to_account] = row.type === 'expense' ? [row.account, other] : [other, row.account]
    const lines = [...row.lines, ...(into?.lines ?? [])]
    const toDate = into && into.date !== row.date && { to_date: into.date }
    return [{ ...rowOf(row), lines, type: 'transfer', account, to_account, category: null, ...toDate }]
  })
  return { rows: found, halves }
}

/** The inflow of each outflow that has one: those of the same day first, then those of one day more or less, and so on. */
function pairsOf(halves: Half[]): Map<Half, Half> {
  const inflows = new Inflows(halves.filter(({ type }) => type === 'income'))
  const outflows = halves.filter(({ type }) => type === 'expense')
  const pairs = new Map<Half, Half>()
  for (let apart = 0; apart <= maxDaysApart; apart += 1)
    for (const days of apart === 0 ? [0] : [apart, -apart])
      for (const row of outflows) {
        const inflow = pairs.has(row) ? null : inflows.take(row, addDays(row.date, days))
        if (inflow) pairs.set(row, inflow)
      }
  return pairs
}

/** Inflows by their day and amount, the account that they name as the other one, and their own account. */
class Inflows {
  readonly #found = new Map<string, Map<string | null, Half[]>>()

  constructor(inflows: Half[]) {
    for (const row of inflows.toReversed()) {
      if (row.account === null) continue
      const key = keyOf(row.date, row, row.other?.account ?? null)
      const accounts = this.#found.get(key) ?? new Map<string | null, Half[]>()
      const inflows = accounts.get(row.account) ?? []
      inflows.push(row)
      this.#found.set(key, accounts.set(row.account, inflows))
    }
  }

  /** Takes out an inflow of that day which may be the other half of the outflow. */
  take(outflow: Half, date: string): Half | null {
    for (const named of [outflow.account, null]) {
      const accounts = this.#found.get(keyOf(date, outflow, named))
      const account = accounts && accountFor(outflow, accounts)
      const inflows = accounts?.get(account ?? null)
      if (!accounts || !inflows) continue
      const inflow = inflows.pop() ?? null
      if (inflows.length === 0) accounts.delete(account ?? null)
      return inflow
    }
    return null
  }
}

const keyOf = (date: string, { amount }: Half, named: string | null) => JSON.stringify([date, amount, named])

/** The account that the outflow names, or else the first one that is not its own. */
function accountFor({ other, account }: Half, accounts: Map<string | null, Half[]>): string | null {
  if (other) return other.account === account ? null : other.account
  for (const one of accounts.keys()) if (one !== account) return one
  return null
}
