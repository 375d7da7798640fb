import { eq, sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { syncBatches } from '../../db/schema.ts'

/** What was there under an id, and how many items wait again: none where the batch had not failed. */
export type Retry = { id: string; status: string | undefined; items: number }

/** The batches that have failed and are still kept, the oldest first. */
export async function failedSyncs(db: Database): Promise<string[]> {
  const [rows] = await db.batch([
    db
      .select({ id: syncBatches.id })
      .from(syncBatches)
      .where(eq(syncBatches.status, 'failed'))
      .orderBy(syncBatches.completedAt),
  ])
  return rows.map(({ id }) => id)
}

/**
 * Puts a failed batch back to where it was when it was accepted, so that the next sweep queues it. A batch that has
 * not failed is left alone, so doing it twice does no more than doing it once.
 */
export async function retrySync(db: Database, id: string): Promise<Retry> {
  const hasFailed = sql`exists (select 1 from sync_batches where id = ${id} and status = 'failed')`
  const [[found], { rowsAffected }] = await db.batch([
    db.select({ status: syncBatches.status }).from(syncBatches).where(eq(syncBatches.id, id)),
    db.run(sql`
      update sync_items set outcome = 'pending', errors = null
       where batch_id = ${id} and outcome = 'failed' and ${hasFailed}`),
    db.run(sql`
      update sync_batches set status = 'pending', completed_at = null, queued_at = 0
       where id = ${id} and status = 'failed'`),
  ])
  return { id, status: found?.status, items: rowsAffected }
}
