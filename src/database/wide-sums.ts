import { type SQL, sql } from 'drizzle-orm'

const lowBits = 20
const lowUnits = 1n << BigInt(lowBits)

/** A sum, `high * 2^20 + low`: it may exceed a number's precision, and even SQLite's integers. */
export type WideSum = { high: number; low: number }

const [shift, mask] = [sql.raw(`${lowBits}`), sql.raw(`${lowUnits - 1n}`)]

/** The columns `high` and `low` of a sum. Of two sums, the one with the greater `high`, then `low`, is greater. */
export function wideSum(amount: SQL): SQL {
  return sql`
    sum((${amount}) >> ${shift}) + (sum((${amount}) & ${mask}) >> ${shift}) as high, sum((${amount}) & ${mask}) & ${mask} as low`
}

/** The columns of a sum that is a part of others. `sumOfParts` adds them up. */
export function partialSum(amount: SQL): SQL {
  return sql`sum((${amount}) >> ${shift}) as high, sum((${amount}) & ${mask}) as low`
}

/** As `wideSum`, of columns of `partialSum`. */
export const sumOfParts = sql`sum(high) + (sum(low) >> ${shift}) as high, sum(low) & ${mask} as low`

/** Minor units. */
export function exactSum({ high, low }: WideSum): bigint {
  return BigInt(high) * lowUnits + BigInt(low)
}
