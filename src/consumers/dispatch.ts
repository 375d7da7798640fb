/** What a handler says of one message: done (also when there is nothing to do), or again later. */
export type Verdict = 'done' | { retryAfterSeconds: number }

/** Handles one message. A handler that throws is retried as if it had said so. */
export type Handler = (message: Message) => Promise<Verdict>

const firstRetrySeconds = 5
const longestRetrySeconds = 3_600

/** The only place that acknowledges and retries: one by one, so that a bad message holds up no good one. */
export async function consume(batch: MessageBatch, handle: Handler): Promise<void> {
  await Promise.all(
    batch.messages.map(async (message) => {
      const verdict = await handle(message).catch((error) => {
        const name = error instanceof Error ? error.name : 'unknown'
        console.error(
          JSON.stringify({ event: 'message failed', queue: batch.queue, id: message.id, error: name }),
        )
        return retryLater(message)
      })
      if (verdict === 'done') message.ack()
      else message.retry({ delaySeconds: verdict.retryAfterSeconds })
    }),
  )
}

/** Doubles the delay with each attempt, up to an hour. */
export function retryLater({ attempts }: Message): Verdict {
  return { retryAfterSeconds: Math.min(firstRetrySeconds * 2 ** (attempts - 1), longestRetrySeconds) }
}
