import { asc, lte, sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { syncBatches } from '../../db/schema.ts'
import type { SyncQueue } from '../../gateways/sync-queue.ts'

/** A batch that has waited for so long has lost its message: the queue delivers within seconds. */
export const overdueMs = 30_000
/** Batches that one run of the sweep queues again. */
const batchesPerSweep = 200

/** Queues again what was stored and never finished. */
export async function sweepSyncs(
  db: Database,
  queue: SyncQueue,
  now: Date,
): Promise<{ queuedAgain: number }> {
  const overdue = db
    .select({ id: syncBatches.id })
    .from(syncBatches)
    .where(
      sql`${syncBatches.completedAt} is null and ${lte(syncBatches.queuedAt, new Date(now.getTime() - overdueMs))}`,
    )
    .orderBy(asc(syncBatches.queuedAt))
    .limit(batchesPerSweep)
  const [batches] = await db.batch([
    db
      .update(syncBatches)
      .set({ queuedAt: now })
      .where(sql`${syncBatches.id} in ${overdue}`)
      .returning({ id: syncBatches.id }),
  ])
  await queue.postAll(batches.map(({ id }) => id))
  return { queuedAgain: batches.length }
}
