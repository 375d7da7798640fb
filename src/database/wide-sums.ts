import { type SQL, sql } from 'drizzle-orm'

const lowBits = 20
const lowUnits = 1n << BigInt(lowBits)

/** A sum, `high * 2^20 + low`: it may exceed a number's precision, and even SQLite's integers. */
export type WideSum = { high: number; low: number }

/** The columns `high` and `low` of a sum. Of two sums, the one with the greater `high`, then `low`, is greater. */
export function wideSum(amount: SQL): SQL {
  const low = sql.raw(`${lowUnits - 1n}`)
  const shift = sql.raw(`${lowBits}`)
  return sql`
    sum((${amount}) >> ${shift}) + (sum((${amount}) & ${low}) >> ${shift}) as high, sum((${amount}) & ${low}) & ${low} as low`
}

/** Minor units. */
export function exactSum({ high, low }: WideSum): bigint {
  return BigInt(high) * lowUnits + BigInt(low)
}
