/** An amount in minor units (cents): always a safe integer. */
export type Minor = number & { readonly unit: 'minor' }

// Other limits: failures/limits.ts.

/** The largest amount or starting balance: 9,999,999,999,999.99. */
export const maxAmount = 999_999_999_999_999 as Minor

/**
 * The largest balance, sum of a user's balances, or total of a month's income or expenses, positive or negative:
 * 90,000,000,000,000.00, a safe integer in minor units. Totals of several months may exceed it (summary/summarise.ts), and
 * so may those of transfers, which are in no response, and those of a month with more than 10,000 kept totals
 * (src/database/triggers/kept-totals.sql).
 */
export const maxTotal = 9_000_000_000_000_000 as Minor

/** Why an input is not an amount. */
export type MoneyProblem = 'not a number' | 'too many decimals' | 'too large' | 'too small'

const plainDecimal = /^[+-]?(?:\d+(?:\.(\d+))?|\.(\d+))$/
/**
 * Decimals that may be a rounding error of a float, as in 0.30000000000000004. `fromFloat` checks, since larger floats are
 * coarser: 999999999.2999999 is 999999999.30, but 0.2999999 has a third decimal.
 */
const floatNoise = /^\d\d(?:0{6}|9{6})\d*$|^\d9{6}\d*$/

/**
 * Reads a JSON number or a numeric string as minor units, exactly. More than two decimals are rejected, unless they may be
 * a rounding error of a float: "1.000" is rejected, "1.00000000" is not.
 */
export function parseMoney(input: unknown): Minor | MoneyProblem {
  if (typeof input === 'number') return fromFloat(input)
  if (typeof input !== 'string') return 'not a number'
  const match = plainDecimal.exec(input.trim())
  if (!match) return 'not a number'
  const decimals = match[1] ?? match[2] ?? ''
  if (decimals.length <= 2) return inRange(fromDecimalString(input.trim()))
  return floatNoise.test(decimals) ? fromFloat(Number(input)) : 'too many decimals'
}

/** Writes minor units as a decimal string with two decimals: 1250 is "12.50". */
export function formatMoney(amount: Minor | bigint): string {
  const digits = String(amount).replace('-', '').padStart(3, '0')
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

declare global {
  interface JSON {
    /** A number that JSON.stringify writes as this text (ECMAScript proposal JSON.parse source text access). */
    rawJSON(text: string): number
  }
}

/**
 * Writes minor units as a JSON number: 1250 is 12.5. From 2^46 on (in whole units, not minor ones), the nearest float may
 * print different cents, so the exact digits go into the JSON text.
 */
export function moneyNumber(amount: Minor | bigint): number {
  const float = Number(amount) / 100
  if (Math.abs(float) < 2 ** 46) return float
  return JSON.rawJSON(formatMoney(amount))
}

/** The opposite of an amount, without a negative zero. */
export function negated(amount: Minor): Minor {
  return (amount === 0 ? 0 : -amount) as Minor
}

/** Adds up balances. Their sum is bounded, but a running total may exceed what a number holds exactly. */
export function sumOfBalances(balances: Minor[]): Minor {
  return Number(balances.reduce((sum, balance) => sum + BigInt(balance), 0n)) as Minor
}

function fromDecimalString(text: string): number {
  const negative = text.startsWith('-')
  const [whole = '', decimals = ''] = text.replace(/^[+-]/, '').split('.')
  const minor = Number(whole) * 100 + Number(decimals.padEnd(2, '0'))
  return negative && minor !== 0 ? -minor : minor
}

function fromFloat(value: number): Minor | MoneyProblem {
  if (!Number.isFinite(value)) return 'not a number'
  if (Math.abs(value) > maxAmount / 100 + 1) return beyond(value)
  const minor = Math.round(value * 100)
  // The cap rejects a real third or fourth decimal.
  const noise = Math.min(2 * Number.EPSILON * Math.abs(value), 0.000_04)
  if (Math.abs(value - minor / 100) > noise) return 'too many decimals'
  return inRange(minor === 0 ? 0 : minor)
}

function inRange(minor: number): Minor | MoneyProblem {
  return Math.abs(minor) <= maxAmount ? (minor as Minor) : beyond(minor)
}

function beyond(value: number): MoneyProblem {
  return value < 0 ? 'too small' : 'too large'
}
