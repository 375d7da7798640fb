/** A message of the sync queue: the batch itself is in the database. */
export type SyncMessage = { batch_id: string }

/** Where batches are handed over to be processed. */
export type SyncQueue = {
  /** Never throws: the batch is stored, and the sweep finds what was not queued. */
  post(batchId: string): Promise<void>
  /** Throws when the batches could not be queued. */
  postAll(batchIds: string[]): Promise<void>
}

/** What Cloudflare takes in one call. */
const messagesPerCall = 100

/** Hands batches to the queue whose consumer processes them (consumers/sync.ts). */
export function syncQueue(queue: Queue<SyncMessage>): SyncQueue {
  return {
    async post(batchId) {
      try {
        await queue.send({ batch_id: batchId })
      } catch (error) {
        const reason = error instanceof Error ? error.name : 'unknown'
        console.error(JSON.stringify({ event: 'sync not queued', batchId, reason }))
      }
    },
    async postAll(batchIds) {
      for (let start = 0; start < batchIds.length; start += messagesPerCall) {
        const messages = batchIds.slice(start, start + messagesPerCall)
        await queue.sendBatch(messages.map((batch_id) => ({ body: { batch_id } })))
      }
    },
  }
}
