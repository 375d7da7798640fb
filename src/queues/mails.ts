import * as z from 'zod/mini'

/** `id` is the email's idempotency key. */
const envelope = {
  id: z.string().check(z.minLength(1), z.maxLength(256)),
  to: z.string().check(z.minLength(3)),
  name: z.string(),
}

/** An occurrence of a recurring transaction. */
const dueOccurrence = z.object({
  day: z.iso.date(),
  title: z.nullable(z.string()),
  amount: z.string(),
  isAbout: z.boolean(),
  /** The names of accounts. */
  from: z.nullable(z.string()),
  to: z.nullable(z.string()),
})

/** An email in the queue. mail/texts.ts has the texts. */
export const mailSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('verify_address'),
    ...envelope,
    url: z.url(),
    // Older messages in the queue do not have these two.
    disownUrl: z.optional(z.url()),
    registeredAt: z.optional(z.iso.datetime()),
  }),
  z.object({ kind: z.literal('reset_password'), ...envelope, url: z.url() }),
  z.object({
    kind: z.literal('reminder'),
    ...envelope,
    frontendUrl: z.url(),
    unsubscribeUrl: z.url(),
    /** After this the reminder is not sent. */
    notAfter: z.iso.datetime(),
  }),
  z.object({
    kind: z.literal('due'),
    ...envelope,
    frontendUrl: z.url(),
    unsubscribeUrl: z.url(),
    /** The user's day when the email was queued. */
    today: z.iso.date(),
    /** By day, at least one. */
    occurrences: z.tuple([dueOccurrence], dueOccurrence),
    /** How many are not listed. */
    more: z.int(),
  }),
  z.object({ kind: z.literal('password_removed'), ...envelope, frontendUrl: z.url() }),
  z.object({ kind: z.literal('approve_address'), ...envelope, newAddress: z.string(), url: z.url() }),
  z.object({ kind: z.literal('change_address'), ...envelope, url: z.url() }),
  // A former address that was never verified is not reserved.
  z.object({ kind: z.literal('address_changed'), ...envelope, restoreUrl: z.optional(z.url()) }),
  z.object({
    kind: z.literal('token_made'),
    ...envelope,
    tokenName: z.string(),
    canWrite: z.boolean(),
    expiresAt: z.iso.datetime(),
  }),
  z.object({ kind: z.literal('farewell'), ...envelope }),
])

export type Mail = z.infer<typeof mailSchema>

/** An email that the user may turn off. */
export type Reminder = Extract<Mail, { unsubscribeUrl: string }>
export const isReminder = (mail: Mail): mail is Reminder => 'unsubscribeUrl' in mail

/** A rendered email. */
export type RenderedMail = { subject: string; text: string; html: string; headers?: Record<string, string> }
