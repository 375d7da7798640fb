import { Resend } from 'resend'
import type { RenderedMail } from '../shared/mails.ts'

/** How to reach the email service. */
export type MailerSettings = { apiKey: string; baseUrl: string; from: string }

/** The outcome of sending an email: `retry` may succeed later, `refused` never will. */
export type Delivery = { outcome: 'sent' } | { outcome: 'retry' | 'refused'; reason: string }

/** Sends an email under an idempotency key, at most once for each key. Never throws. */
export type Mailer = (mail: RenderedMail & { to: string }, idempotencyKey: string) => Promise<Delivery>

const timeoutMs = 10_000

/** Statuses that mean the email itself is wrong; others may be temporary (resend.com/docs/api-reference/errors). */
const refusals: (number | null)[] = [400, 422]
/** A wrong API key may be answered like a wrong email (github.com/resend/resend-node/pull/617), but can be mended. */
const wrongKey = /api key/i

/** Sends through Resend's SDK, which returns most errors instead of throwing them. */
export function resendMailer({ apiKey, baseUrl, from }: MailerSettings): Mailer {
  const resend = new Resend(apiKey, { baseUrl })
  return async (mail, idempotencyKey) => {
    try {
      const options = { idempotencyKey, signal: AbortSignal.timeout(timeoutMs) }
      const { data, error } = await resend.emails.send({ from, ...mail }, options)
      if (data?.id) return { outcome: 'sent' }
      // The idempotency key was used for another wording of this email, so the email has been sent.
      if (error?.name === 'invalid_idempotent_request') return { outcome: 'sent' }
      const isRefused = refusals.includes(error?.statusCode ?? null) && !wrongKey.test(error?.message ?? '')
      return { outcome: isRefused ? 'refused' : 'retry', reason: error?.name ?? 'no id in the answer' }
    } catch (error) {
      return { outcome: 'retry', reason: error instanceof Error ? error.name : 'unknown' }
    }
  }
}
