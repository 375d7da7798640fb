import { within } from '../domain/deadline.ts'

/** What Cloudflare takes in one call. */
const messagesPerCall = 100

/** How long a request waits for a queue to take its message. */
const longestWaitMs = 2_000

/** Sends a message, and logs where that fails or takes long, with what identifies it: never throws. */
export async function sendOrLog<T>(queue: Queue<T>, message: T, failure: Record<string, string>) {
  try {
    await within(AbortSignal.timeout(longestWaitMs), queue.send(message))
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'unknown'
    console.error(JSON.stringify({ ...failure, reason }))
  }
}

/** Sends any number of messages, a hundred in a call. Throws where a call fails. */
export async function sendAll<T>(queue: Queue<T>, messages: T[]): Promise<void> {
  for (let start = 0; start < messages.length; start += messagesPerCall) {
    await queue.sendBatch(messages.slice(start, start + messagesPerCall).map((body) => ({ body })))
  }
}
