import type { Mail } from '../domain/mails.ts'
import { queueSender, type Sender } from './queue.ts'

/** Takes mails. One that cannot be queued must not fail its request: it can be asked for again. */
export type Outbox = Sender<Mail>

/** Puts mails into the queue whose consumer sends them (consumers/mail.ts). */
export function queueOutbox(queue: Queue<Mail>): Outbox {
  const failureOf = ({ kind, id }: Mail) => ({ event: 'mail not queued', kind, id })
  return queueSender(queue, (mail) => mail, failureOf)
}
