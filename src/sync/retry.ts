import { and, eq, sql } from 'drizzle-orm'
import { type Database, runAll, runOne } from '../database/run.ts'
import { batches, batchParts } from '../database/schema.ts'

/** The status that the batch had, undefined if there is no such batch, and how many of its items are valid. */
export type Retry = { id: string; status: string | undefined; items: number }

/** Returns the ids of the failed batches that are still stored, oldest first. */
export async function failedSyncs(db: Database): Promise<string[]> {
  const { id, status, completedAt } = batches
  const failed = db.select({ id }).from(batches).where(eq(status, 'failed')).orderBy(completedAt)
  return (await runOne(db, failed)).map(({ id }) => id)
}

/** The columns that make a failed batch pending again. */
export const pendingAgain = { status: 'pending' as const, outcomes: null, completedAt: null }

/** Makes a batch pending again if it has failed, so that the next sweep queues it. */
export async function retrySync(db: Database, id: string): Promise<Retry> {
  const valid = sql<number>`(
    select sum(json_array_length(items) - invalid) from ${batchParts} where batch_id = ${batches.id})`
  const { found } = await runAll(db, {
    found: db.select({ status: batches.status, valid }).from(batches).where(eq(batches.id, id)),
    batch: db
      .update(batches)
      .set({ ...pendingAgain, queuedAt: new Date(0) })
      .where(and(eq(batches.id, id), eq(batches.status, 'failed'))),
  })
  return { id, status: found[0]?.status, items: found[0]?.valid ?? 0 }
}
