import { formatMoney } from '../../src/domain/money.ts'

/** Minor units (cents) of an amount with two decimals: a bigint, since sums may exceed what a number holds exactly. */
export function centsOf(amount: string): bigint {
  return BigInt(amount.replace('.', ''))
}

/** A balance or a total, as the service's JSON has it. */
export function totalOf(cents: bigint): number {
  return Number(formatMoney(cents))
}

/** For sorting: negative if the first comes first. */
export function compare<T extends bigint | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}
