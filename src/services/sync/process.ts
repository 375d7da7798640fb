import { sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { isOutOfBounds } from '../../db/errors.ts'
import {
  absorbAll,
  failBroken,
  insertNewRows,
  numberNewRows,
  recogniseClientIds,
  recogniseRepeatedClientIds,
} from '../bulk-insert.ts'

/**
 * Processes what is pending of a batch, in one round trip and one transaction, however many items there are.
 * Called again, or twice at once, it finds nothing pending. In this order:
 *
 * 1. What carries a client id that has landed before is a duplicate of that row.
 * 2. What breaks a rule by now, since an account has gone, fails.
 * 3. Without a client id, rows that were there before absorb equal items, one each (decisions.md, Sync).
 * 4. The rest is created.
 */
export async function processSync(db: Database, batchId: string, now: Date): Promise<void> {
  const steps = [
    recogniseClientIds(batchId),
    failBroken(batchId),
    ...absorbAll(batchId),
    numberNewRows(batchId),
    recogniseRepeatedClientIds(batchId),
    insertNewRows(batchId, now, { isSynced: true, importId: sql`null`, guard: sql`true` }),
    sql`update sync_items set outcome = 'created' where batch_id = ${batchId} and outcome = 'pending'`,
    sql`update sync_batches set status = 'completed', completed_at = ${now.getTime()}
         where id = ${batchId} and completed_at is null`,
  ]
  const [first, ...rest] = steps.map((step) => db.run(step))
  if (!first) return
  try {
    await db.batch([first, ...rest])
  } catch (error) {
    if (!isOutOfBounds(error)) throw error
    await failSync(
      db,
      batchId,
      'The amounts of this batch would push a balance or total past its bounds.',
      now,
    )
  }
}

/** Gives up on a batch: what is pending fails, with the reason, and stays for its owner to see. */
export async function failSync(db: Database, batchId: string, reason: string, now: Date): Promise<void> {
  const errors = JSON.stringify([['batch', reason]])
  await db.batch([
    db.run(sql`
      update sync_items set outcome = 'failed', errors = ${errors} where batch_id = ${batchId} and outcome = 'pending'`),
    db.run(sql`
      update sync_batches set status = 'failed', completed_at = ${now.getTime()}
       where id = ${batchId} and completed_at is null`),
  ])
}
