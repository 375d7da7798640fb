import { Meter } from '../domain/meter.ts'
import { reportOf } from '../failures/error-report.ts'
import { retryDelaySeconds } from './retry-delay.ts'

/** The outcome of a message: done, or to be retried. */
export type MessageOutcome = 'done' | { retryAfterSeconds: number }

/** Handles one message. If it throws, the message is retried. */
export type Handler = (message: Message) => Promise<MessageOutcome>

/**
 * Handles, acknowledges or retries, and logs each message on its own. After its `max_retries` (wrangler.toml), a message
 * goes to the dead-letter queue (`consumerOf` in worker.ts), if there is one.
 */
export async function consume({ queue, messages }: MessageBatch, handlerOf: (meter: Meter) => Handler) {
  await Promise.all(messages.map((message) => consumeOne(queue, message, handlerOf)))
}

async function consumeOne(queue: string, message: Message, handlerOf: (meter: Meter) => Handler) {
  const meter = new Meter()
  const { id, attempts: attempt } = message
  let outcome: MessageOutcome
  try {
    outcome = await handlerOf(meter)(message)
  } catch (error) {
    console.error(JSON.stringify({ event: 'message failed', queue, id, attempt, ...reportOf(error) }))
    outcome = retryLater(message)
  }
  if (outcome === 'done') message.ack()
  else message.retry({ delaySeconds: outcome.retryAfterSeconds })
  const line = outcome === 'done' ? { outcome } : { outcome: 'retry', ...outcome }
  console.log(JSON.stringify({ event: 'message', queue, id, attempt, ...line, ...meter.read() }))
}

/** The outcome that retries the message, after a longer delay each time. */
export function retryLater({ attempts }: Message): MessageOutcome {
  return { retryAfterSeconds: retryDelaySeconds(attempts) }
}
