import type { Minor, MoneyProblem } from '../../domain/money.ts'
import { parseMoney } from '../../domain/money.ts'

/** An amount without a sign. The schema allows five decimals; the third to fifth must be zero here. */
export function camtAmount(raw: string): Minor | MoneyProblem {
  if (!/^\d{1,18}(?:[.,]\d{0,5})?$/.test(raw)) return 'not a number'
  const [whole = '', decimals = ''] = raw.split(/[.,]/)
  const kept = decimals.slice(0, 2) + decimals.slice(2).replace(/0+$/, '')
  return parseMoney(kept === '' ? whole : `${whole}.${kept}`)
}

/** The amount, negative if its indicator says debit. The indicator of a reversal is already that of the reversal. */
export function signed(amount: Minor | MoneyProblem, indicator: string): Minor | MoneyProblem {
  if (typeof amount !== 'number') return amount
  if (indicator === 'CRDT') return amount
  if (indicator === 'DBIT') return (amount === 0 ? 0 : -amount) as Minor
  return 'not a number'
}
