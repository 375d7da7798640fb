import { asc, eq, getTableColumns, sql } from 'drizzle-orm'
import type { Owner } from '../../db/owner.ts'
import { own, ownership, requireOwned } from '../../db/ownership.ts'
import { batches, batchItems } from '../../db/schema.ts'
import type { SyncQueue } from '../../gateways/queues.ts'
import { overdueMs } from './sweep.ts'

const { position, clientId, outcome, transactionId, errors } = getTableColumns(batchItems)
const itemColumns = { position, clientId, outcome, transactionId, errors }

export type SyncStatus = {
  batch: typeof batches.$inferSelect
  items: Pick<typeof batchItems.$inferSelect, keyof typeof itemColumns>[]
}

/** Returns a batch and what became of its items. Queues it again if it is overdue. Throws NotFound, Forbidden. */
export async function showSync(owner: Owner, queue: SyncQueue, id: string): Promise<SyncStatus> {
  const ownBatch = own(owner, batches, id)
  const results = await owner.run({
    owned: ownership(owner, batches, id),
    batch: owner.db.select().from(batches).where(ownBatch),
    items: owner.db
      .select(itemColumns)
      .from(batchItems)
      .where(sql`${eq(batchItems.batchId, id)} and exists (select 1 from ${batches} where ${ownBatch})`)
      .orderBy(asc(position)),
  })
  requireOwned(batches, results.owned)
  const batch = results.batch[0] as SyncStatus['batch']
  if (batch.completedAt === null && batch.queuedAt.getTime() <= owner.now.getTime() - overdueMs)
    await queue.post(id)
  return { batch, items: results.items }
}
