import type { Minor, MoneyProblem } from '../../domain/money.ts'
import { ungroupedAmount } from '../written/amount.ts'

/** An amount without a sign. The schema allows five decimals; the third to fifth must be zero here. */
export function camtAmount(raw: string): Minor | MoneyProblem {
  return /^\d{1,18}(?:[.,]\d{0,5})?$/.test(raw) ? ungroupedAmount(raw) : 'not a number'
}

/** The amount, negative if its indicator says debit. The indicator of a reversal is already that of the reversal. */
export function signed(amount: Minor | MoneyProblem, indicator: string): Minor | MoneyProblem {
  if (typeof amount !== 'number') return amount
  if (indicator === 'CRDT') return amount
  if (indicator === 'DBIT') return (amount === 0 ? 0 : -amount) as Minor
  return 'not a number'
}
