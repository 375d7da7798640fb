import type { Mail } from '../domain/mails.ts'
import { sendAll, sendOrLog } from './queue.ts'

/** Takes mails to be sent later. */
export type Outbox = {
  /** Never throws: a mail that cannot be queued must not fail its request. */
  post(mail: Mail): Promise<void>
  /** Throws if the mails cannot be queued: for jobs that run again later. */
  postAll(mails: Mail[]): Promise<void>
}

/** Puts mails into the queue whose consumer sends them (consumers/mail.ts). */
export function queueOutbox(queue: Queue<Mail>): Outbox {
  return {
    post: (mail) => sendOrLog(queue, mail, { event: 'mail not queued', kind: mail.kind, id: mail.id }),
    postAll: (mails) => sendAll(queue, mails),
  }
}
