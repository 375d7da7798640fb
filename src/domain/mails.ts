import * as z from 'zod/mini'

/** What every mail has. `id` is its idempotency key: whoever sends it twice has sent it once. */
const envelope = {
  id: z.string().check(z.minLength(1), z.maxLength(256)),
  to: z.string().check(z.minLength(3)),
  name: z.string(),
}

/** A mail to be sent, as it travels through the queue: what it says, not how it looks. */
export const mailSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('verify_address'),
    ...envelope,
    url: z.url(),
    // Both are absent in messages that were queued before there was such a link.
    disownUrl: z.optional(z.url()),
    registeredAt: z.optional(z.iso.datetime()),
  }),
  z.object({ kind: z.literal('reset_password'), ...envelope, url: z.url() }),
  z.object({
    kind: z.literal('reminder'),
    ...envelope,
    frontendUrl: z.url(),
    unsubscribeUrl: z.url(),
    /** ISO 8601; a reminder that would be later than this is not sent at all. */
    notAfter: z.iso.datetime(),
  }),
  z.object({ kind: z.literal('password_removed'), ...envelope, frontendUrl: z.url() }),
  z.object({ kind: z.literal('farewell'), ...envelope }),
])

export type Mail = z.infer<typeof mailSchema>

/** A mail as it is read: what a mail gateway sends. */
export type RenderedMail = { subject: string; text: string; html: string; headers?: Record<string, string> }
