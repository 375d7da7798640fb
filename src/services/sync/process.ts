import { sql } from 'drizzle-orm'
import { runBatch } from '../../db/batch.ts'
import type { Database } from '../../db/client.ts'
import { isOutOfBounds } from '../../db/errors.ts'
import { batches, batchItems } from '../../db/schema.ts'
import {
  countInserted,
  failRuleBreakers,
  insertPending,
  matchClientIds,
  settlePending,
} from '../bulk-insert.ts'

/**
 * Processes the pending items of a batch, in one round trip and one transaction, however many there are. A second call,
 * even at the same time, finds none pending. In this order:
 *
 * 1. An item whose client id belongs to an existing row is a duplicate of that row.
 * 2. An item that now breaks a rule, perhaps because its account is gone, fails.
 * 3. Rows that existed before absorb equal items without a client id, one each (docs/contract.md, Offline batches).
 * 4. The others are created.
 */
export async function processSync(db: Database, batchId: string, now: Date): Promise<void> {
  const steps = [
    matchClientIds(batchId),
    failRuleBreakers(batchId),
    ...settlePending(batchId),
    insertPending(batchId, now, { isSynced: true, importId: sql`null`, guard: sql`true` }),
    ...countInserted(batchId),
    sql`update ${batchItems} set outcome = 'created' where batch_id = ${batchId} and outcome = 'pending'`,
    sql`update ${batches} set status = 'completed', completed_at = ${now.getTime()}
         where id = ${batchId} and completed_at is null`,
  ]
  try {
    await runBatch(db, { steps: steps.map((step) => db.run(step)) })
  } catch (error) {
    if (!isOutOfBounds(error)) throw error
    const reason = 'The amounts of this batch would push a balance or total past its bounds.'
    await failSync(db, batchId, reason, now)
  }
}

/** Gives up on a batch: its pending items fail with the reason, which stays for the user to see. */
export async function failSync(db: Database, batchId: string, reason: string, now: Date): Promise<void> {
  const errors = JSON.stringify([['batch', reason]])
  await runBatch(db, {
    items: db.run(sql`
      update ${batchItems} set outcome = 'failed', errors = ${errors}
       where batch_id = ${batchId} and outcome = 'pending'`),
    batch: db.run(sql`
      update ${batches} set status = 'failed', completed_at = ${now.getTime()}
       where id = ${batchId} and completed_at is null`),
  })
}
