import type { Mail } from '../domain/mails.ts'
import { sendAll, sendOrLog } from './queue.ts'

/** Where mails are handed over to be sent later. */
export type Outbox = {
  /** Never throws: a mail that cannot even be queued must not fail the request that caused it. */
  post(mail: Mail): Promise<void>
  /** Throws when the mails could not be queued: for jobs that come back later. */
  postAll(mails: Mail[]): Promise<void>
}

/** Hands mails to the queue whose consumer sends them (consumers/mail.ts). */
export function queueOutbox(queue: Queue<Mail>): Outbox {
  return {
    post: (mail) => sendOrLog(queue, mail, { event: 'mail not queued', kind: mail.kind, id: mail.id }),
    postAll: (mails) => sendAll(queue, mails),
  }
}
