/** Minor units (cents) of an amount with two decimals: a bigint, since sums may exceed what a number holds exactly. */
export function centsOf(amount: string): bigint {
  return BigInt(amount.replace('.', ''))
}

/** An amount with two decimals: 1250n is "12.50". */
export function amountOf(cents: bigint): string {
  const digits = String(cents).replace('-', '').padStart(3, '0')
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** A balance or a total, as the service's JSON has it. */
export function totalOf(cents: bigint): number {
  return Number(amountOf(cents))
}

/** The amount as the service will write it, or undefined if it is not an amount. */
export function readAmount(input: unknown): string | undefined {
  const match = /^([+-]?)(?=\.?\d)0*(\d{0,13})(?:\.(\d{0,2}))?$/.exec(textOf(input).trim())
  if (!match) return undefined
  const [, sign, whole = '', decimals = ''] = match
  const amount = `${whole || 0}.${decimals.padEnd(2, '0')}`
  return sign === '-' && amount !== '0.00' ? `-${amount}` : amount
}

/** Drops the noise of calculating with floats, as in 0.30000000000000004. */
function textOf(input: unknown): string {
  if (typeof input !== 'number') return String(input)
  const rounded = input.toFixed(2)
  const noise = Math.min(2 * Number.EPSILON * Math.abs(input), 0.000_04)
  return Math.abs(Number(rounded) - input) <= noise ? rounded : String(input)
}

/** For sorting: negative if the first comes first. */
export function compare<T extends bigint | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}
