import { sql } from 'drizzle-orm'
import type { Owner } from '../database/owner.ts'
import { ownRow, requireOwned, selectOwnership } from '../database/ownership.ts'
import { batches, batchParts, type ItemErrors } from '../database/schema.ts'
import type { itemOutcomes } from '../domain/types.ts'
import type { Budgets } from '../failures/budgets.ts'
import type { SyncQueue } from '../queues/queues.ts'
import { indexOfField } from '../transactions/bulk-insert.ts'

export type SyncStatus = {
  batch: typeof batches.$inferSelect
  items: { clientId: string | null; outcome: ItemOutcome }[]
}

/** Returns a batch and the outcome of each item. Queues the batch again if it is overdue. Throws NotFound, Forbidden. */
export async function showSync(
  owner: Owner,
  id: string,
  { syncQueue, budgets }: { syncQueue: SyncQueue; budgets: Budgets },
): Promise<SyncStatus> {
  const ownBatch = ownRow(owner, batches, id)
  const clientIdAndErrors = sql`json_array(value -> ${indexOfField('client_id')}, value -> ${indexOfField('errors')})`
  const results = await owner.run({
    owned: selectOwnership(owner, batches, id),
    batch: owner.db.select().from(batches).where(ownBatch),
    parts: owner.db.all<{ items: string }>(sql`
      select (select json_group_array(${clientIdAndErrors}) from json_each(${batchParts.items})) as items
        from ${batchParts}
       where batch_id = ${id} and exists (select 1 from ${batches} where ${ownBatch}) order by start`),
  })
  requireOwned(batches, results.owned)
  const batch = results.batch[0] as SyncStatus['batch']
  if (batch.completedAt === null && isOverdue(batch, owner.now, budgets)) await syncQueue.send(id)
  const staged = results.parts.flatMap(({ items }) => JSON.parse(items) as StagedItem[])
  // The cast is safe: only items of imports are `deleted_before`.
  const outcomes = batch.outcomes as ItemOutcome[] | null
  const items = staged.map(([clientId, errors], position) => ({
    clientId,
    outcome: outcomes?.[position] ?? undecided(errors),
  }))
  return { batch, items }
}

/** The outcome of an item as clients see it. */
type ItemOutcome = [
  outcome: (typeof itemOutcomes)[number],
  transactionId: number | null,
  errors: ItemErrors | null,
]
type StagedItem = [clientId: string | null, errors: ItemErrors | null]

/** The outcome of an item whose batch has not been processed. */
function undecided(errors: ItemErrors | null): ItemOutcome {
  return [errors ? 'invalid' : 'pending', null, errors]
}

function isOverdue({ queuedAt }: SyncStatus['batch'], now: Date, { batchOverdueMs }: Budgets): boolean {
  return queuedAt !== null && queuedAt.getTime() <= now.getTime() - batchOverdueMs
}
