import { sendAll, sendOrLog } from './queue.ts'

/** The batch itself is in the database. */
export type SyncMessage = { batch_id: string }

/** Takes batches to be processed later. */
export type SyncQueue = {
  /** Never throws: the batch is stored, and the sweep queues it again. */
  post(batchId: string): Promise<void>
  /** Throws if the batches cannot be queued. */
  postAll(batchIds: string[]): Promise<void>
}

/** Puts batches into the queue whose consumer processes them (consumers/sync.ts). */
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
