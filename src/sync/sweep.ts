import { and, asc, inArray, isNull, lte } from 'drizzle-orm'
import { type Database, runOne } from '../database/run.ts'
import { batches } from '../database/schema.ts'
import type { SyncQueue } from '../queues/queues.ts'

/** The queue delivers within seconds, so the message of a batch that is pending for longer may be lost. */
export const overdueMs = 30_000
const batchesPerSweep = 200

/** Queues overdue batches again. */
export async function sweepSyncs(db: Database, queue: SyncQueue, now: Date) {
  const overdue = db
    .select({ id: batches.id })
    .from(batches)
    .where(and(isNull(batches.completedAt), lte(batches.queuedAt, new Date(now.getTime() - overdueMs))))
    .orderBy(asc(batches.queuedAt))
    .limit(batchesPerSweep)
  const requeued = db.update(batches).set({ queuedAt: now }).where(inArray(batches.id, overdue))
  const queued = await runOne(db, requeued.returning({ id: batches.id }))
  await queue.sendBatch(queued.map(({ id }) => id))
  return { queuedAgain: queued.length }
}
