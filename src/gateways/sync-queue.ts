import { queueSender, type Sender } from './queue.ts'

/** The batch itself is in the database. */
export type SyncMessage = { batch_id: string }

/** Takes the ids of stored batches. One that cannot be queued is queued again by the sweep. */
export type SyncQueue = Sender<string>

/** Puts batches into the queue whose consumer processes them (consumers/sync.ts). */
export function syncQueue(queue: Queue<SyncMessage>): SyncQueue {
  const failureOf = (batchId: string) => ({ event: 'sync not queued', batchId })
  return queueSender(queue, (batch_id) => ({ batch_id }), failureOf)
}
