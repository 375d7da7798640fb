import { and, asc, eq, lte, sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import type { Owner } from '../../db/owner.ts'
import { syncBatches, syncItems } from '../../db/schema.ts'
import { Forbidden, NotFound } from '../../domain/failures.ts'
import type { SyncQueue } from '../../gateways/sync-queue.ts'

export type SyncStatus = {
  batch: typeof syncBatches.$inferSelect
  items: Pick<
    typeof syncItems.$inferSelect,
    'position' | 'clientId' | 'outcome' | 'transactionId' | 'errors'
  >[]
}

/** A batch that has waited for so long has lost its message: the queue delivers within seconds. */
const overdueMs = 30_000
/** Batches that one run of the sweep queues again. */
const batchesPerSweep = 200

/** A batch and what became of each item. One that waits for too long is put into the queue again. Throws NotFound, Forbidden. */
export async function showSync(owner: Owner, queue: SyncQueue, id: string): Promise<SyncStatus> {
  const ownBatch = and(eq(syncBatches.id, id), eq(syncBatches.userId, owner.id))
  const [, claims, [batch], items] = await owner.run(
    owner.db
      .select({ isOwn: sql<number>`(${sql`${syncBatches.userId} = ${owner.id}`})` })
      .from(syncBatches)
      .where(eq(syncBatches.id, id)),
    owner.db.select().from(syncBatches).where(ownBatch),
    owner.db
      .select({
        position: syncItems.position,
        clientId: syncItems.clientId,
        outcome: syncItems.outcome,
        transactionId: syncItems.transactionId,
        errors: syncItems.errors,
      })
      .from(syncItems)
      .where(and(eq(syncItems.batchId, id), sql`exists (select 1 from ${syncBatches} where ${ownBatch})`))
      .orderBy(asc(syncItems.position)),
  )
  if (!claims[0]) throw new NotFound('Sync batch')
  if (!batch) throw new Forbidden()
  if (batch.completedAt === null && batch.queuedAt.getTime() <= owner.now.getTime() - overdueMs)
    await queue.post(id)
  return { batch, items }
}

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
