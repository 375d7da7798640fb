import type { Mail } from '../domain/mails.ts'

/** Where mails are handed over to be sent later. */
export type Outbox = {
  /** Never throws: a mail that cannot even be queued must not fail the request that caused it. */
  post(mail: Mail): Promise<void>
  /** Throws when the mails could not be queued: for jobs that come back later. */
  postAll(mails: Mail[]): Promise<void>
}

/** What Cloudflare takes in one call. */
const messagesPerCall = 100

/** Hands mails to the queue whose consumer sends them (consumers/mail.ts). */
export function queueOutbox(queue: Queue<Mail>): Outbox {
  return {
    async post(mail) {
      try {
        await queue.send(mail)
      } catch (error) {
        const reason = error instanceof Error ? error.name : 'unknown'
        console.error(JSON.stringify({ event: 'mail not queued', kind: mail.kind, id: mail.id, reason }))
      }
    },
    async postAll(mails) {
      for (let start = 0; start < mails.length; start += messagesPerCall) {
        await queue.sendBatch(mails.slice(start, start + messagesPerCall).map((body) => ({ body })))
      }
    },
  }
}
