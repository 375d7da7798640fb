import type { Minor, MoneyProblem } from '../../domain/money.ts'
import { parseMoney } from '../../domain/money.ts'

/** An amount without sign: up to five decimals by the schema, of which the third to fifth must be zeros. */
export function camtAmount(raw: string): Minor | MoneyProblem {
  if (!/^\d{1,18}(?:[.,]\d{0,5})?$/.test(raw)) return 'not a number'
  const [whole = '', decimals = ''] = raw.split(/[.,]/)
  const kept = decimals.slice(0, 2) + decimals.slice(2).replace(/0+$/, '')
  return parseMoney(kept === '' ? whole : `${whole}.${kept}`)
}

/** The amount with the sign of its credit or debit indicator. A reversal's indicator is that of the reversal itself. */
export function signed(amount: Minor | MoneyProblem, indicator: string): Minor | MoneyProblem {
  if (typeof amount !== 'number') return amount
  if (indicator === 'CRDT') return amount
  if (indicator === 'DBIT') return (amount === 0 ? 0 : -amount) as Minor
  return 'not a number'
}
