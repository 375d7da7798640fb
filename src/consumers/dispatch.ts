import { Meter } from '../db/meter.ts'
import { reportOf } from '../domain/error-report.ts'
import { retryDelaySeconds } from '../domain/retry-delay.ts'

/** What a handler says of one message: done (also when there is nothing to do), or again later. */
export type Verdict = 'done' | { retryAfterSeconds: number }

/** Handles one message. A handler that throws is retried as if it had said so. */
export type Handler = (message: Message) => Promise<Verdict>

/**
 * The only place that acknowledges and retries: one by one, so that a bad message holds up no good one.
 * Each message gets a handler of its own, and a line in the log.
 */
export async function consume(batch: MessageBatch, handlerOf: (meter: Meter) => Handler): Promise<void> {
  await Promise.all(batch.messages.map((message) => settle(batch.queue, message, handlerOf)))
}

async function settle(queue: string, message: Message, handlerOf: (meter: Meter) => Handler): Promise<void> {
  const meter = new Meter()
  const { id, attempts: attempt } = message
  let verdict: Verdict
  try {
    verdict = await handlerOf(meter)(message)
  } catch (error) {
    console.error(JSON.stringify({ event: 'message failed', queue, id, attempt, ...reportOf(error) }))
    verdict = retryLater(message)
  }
  if (verdict === 'done') message.ack()
  else message.retry({ delaySeconds: verdict.retryAfterSeconds })
  const outcome = verdict === 'done' ? { outcome: 'done' } : { outcome: 'retry', ...verdict }
  console.log(JSON.stringify({ event: 'message', queue, id, attempt, ...outcome, ...meter.read() }))
}

/** Asks for another attempt at the message, later each time. */
export function retryLater({ attempts }: Message): Verdict {
  return { retryAfterSeconds: retryDelaySeconds(attempts) }
}
