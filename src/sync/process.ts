import { type SQL, sql } from 'drizzle-orm'
import { isOutOfBounds } from '../database/errors.ts'
import { builder, type Database, runAll, toStatements } from '../database/run.ts'
import { batches, batchParts } from '../database/schema.ts'
import { nameSender } from '../database/written-by.ts'
import {
  addCreatedToTotals,
  type BatchId,
  createRows,
  determineOutcomes,
  indexOfField,
  isUnfinished,
  itemRules,
  userOfBatch,
} from '../transactions/bulk-insert.ts'

/**
 * The statements that process a batch, to be run in one transaction. They do nothing if it is finished or `batchId` is
 * NULL. `queueNext` queues the user's next batch.
 */
export function processItems(batchId: BatchId, now: Date, { comparesContent = true } = {}): SQL[] {
  return [
    determineOutcomes(batchId, itemRules(userOfBatch(batchId)), { hasClientIds: true, comparesContent }),
    createRows(batchId, now, { isSynced: true, importId: sql`null`, guard: hasUser(batchId) }),
    ...addCreatedToTotals(batchId),
    finish(batchId, now, 'completed'),
  ]
}

/**
 * Processes a batch, in one round trip and one transaction, however many items it has; `determineOutcomes` determines
 * their outcomes. If it would push a balance or total past its bounds, the batch fails as a whole. A second call, even
 * at the same time, finds it done. Returns the id of the user's next batch if that should be queued now. If it throws,
 * queues/dispatch.ts retries the message, and after the last attempt worker.ts calls `failSync`.
 */
export async function processSync(db: Database, batchId: string, now: Date): Promise<string | undefined> {
  try {
    const { queued } = await runAll(db, {
      items: toStatements([...processItems(batchId, now), nameSender(batchId)]),
      queued: queueNext(batchId, now),
    })
    return queued[0]?.id
  } catch (error) {
    if (!isOutOfBounds(error)) throw error
    const reason = 'The amounts of this batch would push a balance or total past its bounds.'
    return await failSync(db, batchId, reason, now)
  }
}

/**
 * Fails a batch: its valid items fail with the reason, which the user can read. Returns the id of the
 * user's next batch if that should be queued now.
 */
export async function failSync(db: Database, batchId: string, reason: string, now: Date) {
  const failed = sql`json_array('failed', null, json(${JSON.stringify([['batch', reason]])}))`
  const errors = sql`value -> ${indexOfField('errors')}`
  const { queued } = await runAll(db, {
    items: builder.run(sql`
      update ${batches} set outcomes = (
        select json_group_array(json(outcome)) from (
          select iif(${errors} = 'null', ${failed}, json_array('invalid', null, ${errors})) as outcome
            from ${batchParts} cross join json_each(items) where batch_id = ${batchId} order by start, key)
      ) where ${isUnfinished(batchId)}`),
    batch: builder.run(finish(batchId, now, 'failed')),
    queued: queueNext(batchId, now),
  })
  return queued[0]?.id
}

/** Completes or fails a batch, unless that has been done. */
function finish(batchId: BatchId, now: Date, status: 'completed' | 'failed'): SQL {
  return sql`update ${batches} set status = ${status}, completed_at = ${now} where ${isUnfinished(batchId)}`
}

/** Marks the user's next batch, if any, as queued, and returns its id. */
function queueNext(batchId: BatchId, now: Date) {
  const next = sql`
    select rowid from ${batches} where user_id = ${userOfBatch(batchId)} and completed_at is null order by rowid limit 1`
  return builder.all<{ id: string }>(sql`
      update ${batches} set queued_at = ${now} where rowid = (${next}) and queued_at is null returning id`)
}

/** False once the batch's user has been deleted: the batch creates nothing, and is removed with the user's other rows. */
const hasUser = (batchId: BatchId) => sql`exists (select 1 from users where id = ${userOfBatch(batchId)})`
