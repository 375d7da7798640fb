import { within } from '../domain/deadline.ts'

/** Takes messages to be handled later. */
export type Sender<T> = {
  /** Never throws, and does not wait for long: a failure is logged. */
  post(message: T): Promise<void>
  /** Throws if the messages cannot be queued: for jobs that run again later. */
  postAll(messages: T[]): Promise<void>
}

/** Cloudflare's limit for one call. */
const messagesPerCall = 100

/** A request does not wait longer for a queue to take its message. */
const longestWaitMs = 2_000

/** Sends to a queue what `bodyOf` makes of a message. `failureOf` identifies one that could not be queued in the log. */
export function queueSender<T, Body>(
  queue: Queue<Body>,
  bodyOf: (message: T) => Body,
  failureOf: (message: T) => Record<string, string>,
): Sender<T> {
  return {
    async post(message) {
      try {
        await within(AbortSignal.timeout(longestWaitMs), queue.send(bodyOf(message)))
      } catch (error) {
        const reason = error instanceof Error ? error.name : 'unknown'
        console.error(JSON.stringify({ ...failureOf(message), reason }))
      }
    },
    async postAll(messages) {
      const bodies = messages.map((message) => ({ body: bodyOf(message) }))
      for (let start = 0; start < bodies.length; start += messagesPerCall)
        await queue.sendBatch(bodies.slice(start, start + messagesPerCall))
    },
  }
}
