import { Resend } from 'resend'
import type { MailerSettings } from '../config.ts'
import type { Budgets } from '../failures/budgets.ts'
import type { RenderedMail } from '../queues/mails.ts'

/** The outcome of sending an email: `retry` is a temporary failure, `refused` a permanent one. */
export type Delivery = { outcome: 'sent' } | { outcome: 'retry' | 'refused'; reason: string }

/** Sends an email under an idempotency key, at most once for each key. Never throws. */
export type Mailer = (mail: RenderedMail & { to: string }, idempotencyKey: string) => Promise<Delivery>

/** Statuses for an invalid email; others may be temporary (resend.com/docs/api-reference/errors). */
const refusals: (number | null)[] = [400, 422]
/** An invalid API key may have the same status (github.com/resend/resend-node/pull/617), but is temporary. */
const wrongKey = /api key/i

/** Sends through Resend's SDK, which returns most errors instead of throwing them. */
export function resendMailer({ apiKey, baseUrl, from }: MailerSettings, { mailMs }: Budgets): Mailer {
  const resend = new Resend(apiKey, { baseUrl })
  return async (mail, idempotencyKey) => {
    try {
      const options = { idempotencyKey, signal: AbortSignal.timeout(mailMs) }
      const { data, error } = await resend.emails.send({ from, ...mail }, options)
      if (data?.id) return { outcome: 'sent' }
      // The email was sent with the same idempotency key and another text.
      if (error?.name === 'invalid_idempotent_request') return { outcome: 'sent' }
      const isRefused = refusals.includes(error?.statusCode ?? null) && !wrongKey.test(error?.message ?? '')
      return { outcome: isRefused ? 'refused' : 'retry', reason: error?.name ?? 'no id in the response' }
    } catch (error) {
      return { outcome: 'retry', reason: error instanceof Error ? error.name : 'unknown' }
    }
  }
}
