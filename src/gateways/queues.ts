import { within } from '../domain/deadline.ts'
import type { Mail } from '../domain/mails.ts'

/** Takes messages to be handled later. */
type Sender<T> = {
  /** Never throws, and does not wait for long: a failure is logged. */
  post(message: T): Promise<void>
  /** Throws if the messages cannot be queued: for jobs that run again later. */
  postAll(messages: T[]): Promise<void>
}

/** Takes mails. One that cannot be queued must not fail its request: it can be asked for again. */
export type Outbox = Sender<Mail>

/** Takes the ids of stored batches. One that cannot be queued is queued again by the sweep. */
export type SyncQueue = Sender<string>

/** Takes the ids of users who have deleted something. One that cannot be queued is queued by the sweep. */
export type RemovalQueue = Sender<number>

/** The batch itself is in the database. */
export type SyncMessage = { batch_id: string }

/** What is to be removed is found in the database. */
export type RemovalMessage = { user_id: number }

/** Cloudflare's limit for one call. */
const messagesPerCall = 100

/** A request does not wait longer for a queue to take its message. */
const longestWaitMs = 2_000

/** Puts mails into the queue whose consumer sends them (consumers/mail.ts). */
export function queueOutbox(queue: Queue<Mail>): Outbox {
  const failureOf = ({ kind, id }: Mail) => ({ event: 'mail not queued', kind, id })
  return queueSender(queue, (mail) => mail, failureOf)
}

/** Puts batches into the queue whose consumer processes them (consumers/sync.ts). */
export function syncQueue(queue: Queue<SyncMessage>): SyncQueue {
  const failureOf = (batchId: string) => ({ event: 'sync not queued', batchId })
  return queueSender(queue, (batch_id) => ({ batch_id }), failureOf)
}

/** Puts users into the queue whose consumer removes what they have deleted (consumers/removal.ts). */
export function removalQueue(queue: Queue<RemovalMessage>): RemovalQueue {
  const failureOf = (userId: number) => ({ event: 'removal not queued', userId: String(userId) })
  return queueSender(queue, (user_id) => ({ user_id }), failureOf)
}

/** Sends to a queue what `bodyOf` makes of a message. `failureOf` identifies one that could not be queued in the log. */
function queueSender<T, Body>(
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
