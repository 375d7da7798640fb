import { eq, sql } from 'drizzle-orm'
import { runBatch, runOne } from '../../db/batch.ts'
import type { Database } from '../../db/client.ts'
import { batches, batchItems } from '../../db/schema.ts'

/** The status the batch had (undefined for an unknown one), and how many items are pending again. */
export type Retry = { id: string; status: string | undefined; items: number }

/** Returns the ids of the failed batches that are still stored, oldest first. */
export async function failedSyncs(db: Database): Promise<string[]> {
  const { id, status, completedAt } = batches
  const failed = db.select({ id }).from(batches).where(eq(status, 'failed')).orderBy(completedAt)
  return (await runOne(db, failed)).map(({ id }) => id)
}

/** Makes a failed batch pending again, so that the next sweep queues it. Leaves all other batches alone. */
export async function retrySync(db: Database, id: string): Promise<Retry> {
  const hasFailed = sql`exists (select 1 from ${batches} where id = ${id} and status = 'failed')`
  const { found, items } = await runBatch(db, {
    found: db.select({ status: batches.status }).from(batches).where(eq(batches.id, id)),
    items: db.run(sql`
      update ${batchItems} set outcome = 'pending', errors = null
       where batch_id = ${id} and outcome = 'failed' and ${hasFailed}`),
    batch: db.run(sql`
      update ${batches} set status = 'pending', completed_at = null, queued_at = 0
       where id = ${id} and status = 'failed'`),
  })
  return { id, status: found[0]?.status, items: items.rowsAffected }
}
