import type { WaitUntil } from './deadline.ts'
import type { Mail } from './mails.ts'

/** Accepts messages to be handled later. */
type Sender<T> = {
  /** Never throws, nor waits long: a slow queue gets its message after the response, and a failure is logged. */
  post(message: T): Promise<void>
  /** Throws if the messages cannot be queued: for jobs that run again later. */
  postAll(messages: T[]): Promise<void>
}

/**
 * Accepts emails. One that cannot be queued must not make its request fail: what the request did is done, and
 * a link can be asked for again.
 */
export type Outbox = Sender<Mail>

/** Accepts the ids of stored batches. The sweep queues those that could not be queued. */
export type SyncQueue = Sender<string>

/** Accepts the ids of users who have deleted something. The sweep queues those that could not be queued. */
export type RemovalQueue = Sender<number>

/** The batch itself is in the database. */
export type SyncMessage = { batch_id: string }

/** What to remove is found in the database. */
export type RemovalMessage = { user_id: number }

/** Cloudflare's limit for one call. */
const messagesPerCall = 100

/** A response waits no longer than this for a queue to take its message. */
const longestWaitMs = 2_000

/** Puts emails into the queue whose consumer sends them (consumers/mail.ts). */
export function queueOutbox(queue: Queue<Mail>, waitUntil: WaitUntil): Outbox {
  const failureOf = ({ kind, id }: Mail) => ({ event: 'mail not queued', kind, id })
  return queueSender({ queue, waitUntil }, (mail) => mail, failureOf)
}

/** Puts batches into the queue whose consumer processes them (consumers/sync.ts). */
export function syncQueue(queue: Queue<SyncMessage>, waitUntil: WaitUntil): SyncQueue {
  const failureOf = (batchId: string) => ({ event: 'sync not queued', batchId })
  return queueSender({ queue, waitUntil }, (batch_id) => ({ batch_id }), failureOf)
}

/** Puts users into the queue whose consumer removes what they have deleted (consumers/removal.ts). */
export function removalQueue(queue: Queue<RemovalMessage>, waitUntil: WaitUntil): RemovalQueue {
  const failureOf = (userId: number) => ({ event: 'removal not queued', userId: String(userId) })
  return queueSender({ queue, waitUntil }, (user_id) => ({ user_id }), failureOf)
}

/** Sends to a queue what `bodyOf` makes of a message. `failureOf` is what the log says of one that was not queued. */
function queueSender<T, Body>(
  { queue, waitUntil }: { queue: Queue<Body>; waitUntil: WaitUntil },
  bodyOf: (message: T) => Body,
  failureOf: (message: T) => Record<string, string>,
): Sender<T> {
  return {
    async post(message) {
      const sent = queue.send(bodyOf(message)).catch((error: unknown) => {
        const reason = error instanceof Error ? error.name : 'unknown'
        console.error(JSON.stringify({ ...failureOf(message), reason }))
      })
      waitUntil(sent)
      await Promise.race([sent, scheduler.wait(longestWaitMs)])
    },
    async postAll(messages) {
      const bodies = messages.map((message) => ({ body: bodyOf(message) }))
      for (let start = 0; start < bodies.length; start += messagesPerCall)
        await queue.sendBatch(bodies.slice(start, start + messagesPerCall))
    },
  }
}
