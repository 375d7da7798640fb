import { sendAll, sendOrLog } from './queue.ts'

/** A message of the sync queue: the batch itself is in the database. */
export type SyncMessage = { batch_id: string }

/** Where batches are handed over to be processed. */
export type SyncQueue = {
  /** Never throws: the batch is stored, and the sweep finds what was not queued. */
  post(batchId: string): Promise<void>
  /** Throws when the batches could not be queued. */
  postAll(batchIds: string[]): Promise<void>
}

/** Hands batches to the queue whose consumer processes them (consumers/sync.ts). */
export function syncQueue(queue: Queue<SyncMessage>): SyncQueue {
  return {
    post: (batchId) => sendOrLog(queue, { batch_id: batchId }, { event: 'sync not queued', batchId }),
    postAll: (batchIds) =>
      sendAll(
        queue,
        batchIds.map((batch_id) => ({ batch_id })),
      ),
  }
}
