import type { Budgets } from '../failures/budgets.ts'
import type { WaitUntil } from '../failures/deadline.ts'
import type { Mail } from './mails.ts'

/** Sends messages to a queue. */
type Sender<T> = {
  /** Never throws: a failure is logged, and a slow queue gets the message after the response. */
  send(message: T): Promise<void>
  /** Throws if the messages cannot be queued. For jobs, which run again later. */
  sendBatch(messages: T[]): Promise<void>
}

/** Queues emails. If it fails, the request still succeeds: the user can request another email. */
export type MailQueue = Sender<Mail>

/** Queues the ids of stored batches. The sweep queues those that failed. */
export type SyncQueue = Sender<string>

/** Queues the ids of users who have deleted something. The sweep queues those that failed. */
export type RemovalQueue = Sender<number>

/** The batch is in the database. */
export type SyncMessage = { batch_id: string }

/** The rows to remove are in the database. */
export type RemovalMessage = { user_id: number }

/** Cloudflare's limit for one call. */
const messagesPerCall = 100

/** The queue of mail/consumer.ts. */
export function mailQueue(queue: Queue<Mail>, waitUntil: WaitUntil, budgets: Budgets): MailQueue {
  const failureOf = ({ kind, id }: Mail) => ({ event: 'mail not queued', kind, id })
  return queueSender({ queue, waitUntil, budgets }, (mail) => mail, failureOf)
}

/** The queue of sync/consumer.ts. */
export function syncQueue(queue: Queue<SyncMessage>, waitUntil: WaitUntil, budgets: Budgets): SyncQueue {
  const failureOf = (batchId: string) => ({ event: 'sync not queued', batchId })
  return queueSender({ queue, waitUntil, budgets }, (batch_id) => ({ batch_id }), failureOf)
}

/** The queue of `removalConsumer` (jobs/removal.ts). */
export function removalQueue(
  queue: Queue<RemovalMessage>,
  waitUntil: WaitUntil,
  budgets: Budgets,
): RemovalQueue {
  const failureOf = (userId: number) => ({ event: 'removal not queued', userId: String(userId) })
  return queueSender({ queue, waitUntil, budgets }, (user_id) => ({ user_id }), failureOf)
}

/** `bodyOf` makes the body of a message, `failureOf` the log line of a message that was not queued. */
function queueSender<T, Body>(
  { queue, waitUntil, budgets }: { queue: Queue<Body>; waitUntil: WaitUntil; budgets: Budgets },
  bodyOf: (message: T) => Body,
  failureOf: (message: T) => Record<string, string>,
): Sender<T> {
  return {
    async send(message) {
      const sent = queue.send(bodyOf(message)).catch((error: unknown) => {
        const reason = error instanceof Error ? error.name : 'unknown'
        console.error(JSON.stringify({ ...failureOf(message), reason }))
      })
      waitUntil(sent)
      await Promise.race([sent, scheduler.wait(budgets.queueWaitMs)])
    },
    async sendBatch(messages) {
      const bodies = messages.map((message) => ({ body: bodyOf(message) }))
      for (let start = 0; start < bodies.length; start += messagesPerCall)
        await queue.sendBatch(bodies.slice(start, start + messagesPerCall))
    },
  }
}
