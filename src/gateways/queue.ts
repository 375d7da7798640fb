import { within } from '../domain/deadline.ts'

/** Cloudflare's limit for one call. */
const messagesPerCall = 100

/** A request does not wait longer for a queue to take its message. */
const longestWaitMs = 2_000

/** Sends a message. If that fails or takes too long, logs `failure`, which identifies it. Never throws. */
export async function sendOrLog<T>(queue: Queue<T>, message: T, failure: Record<string, string>) {
  try {
    await within(AbortSignal.timeout(longestWaitMs), queue.send(message))
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'unknown'
    console.error(JSON.stringify({ ...failure, reason }))
  }
}

/** Sends any number of messages. Throws if a call fails. */
export async function sendAll<T>(queue: Queue<T>, messages: T[]): Promise<void> {
  for (let start = 0; start < messages.length; start += messagesPerCall) {
    await queue.sendBatch(messages.slice(start, start + messagesPerCall).map((body) => ({ body })))
  }
}
