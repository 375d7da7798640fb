import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Owner } from './owner.ts'
import type { accounts, categories, imports } from './schema.ts'

type KeyedTable = typeof accounts | typeof categories | typeof imports

/**
 * What makes a request with an Idempotency-Key create its row once: `made` finds the row that an earlier request
 * with the same key has made, and `isFirst` is true where there is none, for a known bearer. Without a key all are first.
 */
export function once(
  owner: Owner,
  table: KeyedTable,
  key: string | null | undefined,
): { made: SQL; isFirst: SQL } {
  if (!key) return { made: sql`false`, isFirst: owner.isKnown }
  const made = and(eq(table.userId, owner.id), eq(table.idempotencyKey, key)) as SQL
  return { made, isFirst: sql`(${owner.isKnown} and not exists (select 1 from ${table} where ${made}))` }
}
