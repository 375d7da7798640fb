import * as z from 'zod/mini'
import type { Handler } from '../queues/dispatch.ts'
import type { SyncQueue } from '../queues/queues.ts'

const messageSchema = z.object({ batch_id: z.uuid() })

/**
 * Processes the batches in the queue. The batch that `process` returns, the next one of the same user, is queued behind
 * those of other users. Failures are thrown, so that the message is retried.
 */
export function syncConsumer(
  queue: SyncQueue,
  process: (batchId: string) => Promise<string | undefined>,
): Handler {
  return async (message) => {
    const { data } = messageSchema.safeParse(message.body)
    if (data) {
      const next = await process(data.batch_id)
      if (next !== undefined) await queue.send(next)
    } else console.error(JSON.stringify({ event: 'sync message not understood', id: message.id }))
    return 'done'
  }
}
