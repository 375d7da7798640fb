import * as z from 'zod/mini'
import type { Handler } from '../shared/dispatch.ts'
import type { RemovalQueue } from '../shared/queues.ts'

const messageSchema = z.object({ user_id: z.int() })

/** Removes what users have deleted. `remove` does part of it; while it returns false, the user is queued again. */
export function removalConsumer(remove: (userId: number) => Promise<boolean>, queue: RemovalQueue): Handler {
  return async (message) => {
    const { data } = messageSchema.safeParse(message.body)
    if (!data) console.error(JSON.stringify({ event: 'removal message not understood', id: message.id }))
    else if (!(await remove(data.user_id))) await queue.postAll([data.user_id])
    return 'done'
  }
}
