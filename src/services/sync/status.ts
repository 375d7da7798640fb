import { and, asc, eq, sql } from 'drizzle-orm'
import type { Owner } from '../../db/owner.ts'
import { syncBatches, syncItems } from '../../db/schema.ts'
import { Forbidden, NotFound } from '../../domain/failures.ts'
import type { SyncQueue } from '../../gateways/sync-queue.ts'
import { overdueMs } from './sweep.ts'

export type SyncStatus = {
  batch: typeof syncBatches.$inferSelect
  items: Pick<
    typeof syncItems.$inferSelect,
    'position' | 'clientId' | 'outcome' | 'transactionId' | 'errors'
  >[]
}

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
