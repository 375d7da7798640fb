import { type Database, runOne } from '../database/run.ts'
import { failedMails } from '../database/schema.ts'
import type { Unsubscribed } from '../identity/links.ts'
import { type Handler, retryLater } from '../queues/dispatch.ts'
import { isReminder, mailSchema } from '../queues/mails.ts'
import type { Mailer } from './resend.ts'
import { renderMail } from './texts.ts'

type MailDeps = {
  mailer: Mailer
  recordFailure: (failure: FailedMail) => Promise<void>
  /** Checked again, since an email may be in the queue for hours. */
  wantsReminders: (kind: Unsubscribed, email: string) => Promise<boolean>
  now: Date
}

/**
 * Sends the emails in the queue. A message that is invalid, or that the email service rejects permanently, is recorded and
 * not retried. A late or unwanted reminder is dropped.
 */
export function mailConsumer({ mailer, recordFailure, wantsReminders, now }: MailDeps): Handler {
  return async (message) => {
    const parsed = mailSchema.safeParse(message.body)
    if (!parsed.success) {
      console.error(JSON.stringify({ event: 'mail not understood', id: message.id }))
      await recordFailure({ id: message.id, kind: 'unknown', recipient: 'unknown', reason: 'not understood' })
      return 'done'
    }
    const mail = parsed.data
    if (mail.kind === 'reminder' && new Date(mail.notAfter) <= now) return 'done'
    if (isReminder(mail) && !(await wantsReminders(mail.kind, mail.to))) return 'done'

    const delivery = await mailer({ ...renderMail(mail), to: mail.to }, mail.id)
    if (delivery.outcome === 'sent') return 'done'
    console.error(JSON.stringify({ event: 'mail not sent', id: mail.id, kind: mail.kind, ...delivery }))
    if (delivery.outcome === 'retry') return retryLater(message)
    await recordFailure({ id: mail.id, kind: mail.kind, recipient: mail.to, reason: delivery.reason })
    return 'done'
  }
}

/** Records the emails that failed after the `max_retries` of wrangler.toml. */
export function deadMailConsumer({ recordFailure }: Pick<MailDeps, 'recordFailure'>): Handler {
  return async (message) => {
    const { data } = mailSchema.safeParse(message.body)
    await recordFailure({
      id: data?.id ?? message.id,
      kind: data?.kind ?? 'unknown',
      recipient: data?.to ?? 'unknown',
      reason: 'every attempt failed',
    })
    return 'done'
  }
}

/** An email that could not be sent, without its contents. */
export type FailedMail = { id: string; kind: string; recipient: string; reason: string }

/** Records an email that could not be sent. A repeated id is ignored. */
export async function recordFailedMail(db: Database, mail: FailedMail, now: Date): Promise<void> {
  const row = { ...mail, failedAt: now }
  await runOne(db, db.insert(failedMails).values(row).onConflictDoNothing())
}
