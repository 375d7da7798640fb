import * as z from 'zod/mini'
import type { Handler } from './dispatch.ts'

const messageSchema = z.object({ batch_id: z.uuid() })

/** Processes the batches of the queue. Failures are thrown, so the message is retried. */
export function syncConsumer(process: (batchId: string) => Promise<void>): Handler {
  return async (message) => {
    const { data } = messageSchema.safeParse(message.body)
    if (data) await process(data.batch_id)
    else console.error(JSON.stringify({ event: 'sync message not understood', id: message.id }))
    return 'done'
  }
}
