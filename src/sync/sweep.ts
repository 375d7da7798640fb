import { and, asc, inArray, isNull, lte } from 'drizzle-orm'
import { type Database, runOne } from '../database/run.ts'
import { batches } from '../database/schema.ts'
import type { Budgets } from '../failures/budgets.ts'
import type { SyncQueue } from '../queues/queues.ts'

const batchesPerSweep = 200

/** Queues overdue batches again. */
export async function sweepSyncs(db: Database, queue: SyncQueue, now: Date, { batchOverdueMs }: Budgets) {
  const overdue = db
    .select({ id: batches.id })
    .from(batches)
    .where(and(isNull(batches.completedAt), lte(batches.queuedAt, new Date(now.getTime() - batchOverdueMs))))
    .orderBy(asc(batches.queuedAt))
    .limit(batchesPerSweep)
  const requeued = db.update(batches).set({ queuedAt: now }).where(inArray(batches.id, overdue))
  const queued = await runOne(db, requeued.returning({ id: batches.id }))
  await queue.sendBatch(queued.map(({ id }) => id))
  return { queuedAgain: queued.length }
}
