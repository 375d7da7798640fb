import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Scope } from './owner.ts'
import type { accounts, batches, categories, imports } from './schema.ts'

type KeyedTable = typeof accounts | typeof categories | typeof imports | typeof batches

/**
 * The conditions that keep a repeated Idempotency-Key from creating a second row. `earlier` matches the row that an
 * earlier request created; `isFirst` is true if there is none. A request without a key is always the first. The
 * key of an account or a category is its client id, which stays spent once the row is deleted (services/spent-keys.ts);
 * that of an import is remembered as long as the import, and that of a batch for thirty days (services/expiry.ts).
 */
export function idempotency(owner: Scope, table: KeyedTable, key: string | SQL | null | undefined) {
  if (!key) return { earlier: sql`false`, isFirst: sql`true` }
  const column = 'clientId' in table ? table.clientId : table.idempotencyKey
  const earlier = and(eq(table.userId, owner.id), eq(column, key)) as SQL
  return { earlier, isFirst: sql`not exists (select 1 from ${table} where ${earlier})` }
}
