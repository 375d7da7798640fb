import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { UserScope } from './owner.ts'
import type { accounts, batches, categories, imports } from './schema.ts'

type KeyedTable = typeof accounts | typeof categories | typeof imports | typeof batches

/**
 * Conditions for a request with an Idempotency-Key: `earlier` matches the row that an earlier request with the key has
 * created, `isFirst` is true if there is none. A request without a key is always the first. The key of an account or a
 * category is its client id (spent-keys.ts). A key expires with its import, or 30 days after its batch (jobs/expiry.ts).
 */
export function idempotency(owner: UserScope, table: KeyedTable, key: string | SQL | null | undefined) {
  if (!key) return { earlier: sql`false`, isFirst: sql`true` }
  const column = 'clientId' in table ? table.clientId : table.idempotencyKey
  const earlier = and(eq(table.userId, owner.id), eq(column, key)) as SQL
  return { earlier, isFirst: sql`not exists (select 1 from ${table} where ${earlier})` }
}
