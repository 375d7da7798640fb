import * as z from 'zod/mini'
import { doc, field } from '../domain/doc.ts'
import { text } from '../domain/fields.ts'
import * as shown from '../domain/shown.ts'
import { chosenPassword, email, nullablePassword } from '../identity/user-fields.ts'
import { userInLink } from '../users/contract.ts'

/** Emails and their links. The parts of a link are not converted, since their exact text is signed. */

/** The links about an address. */
export const addressLinkPath = z.object({
  id: userInLink,
  hash: field(z.string(), doc('A hash of the address.')),
})
export const addressLinkQuery = z.partial(
  z.object({
    expires: field(z.string(), doc('When the link expires, in Unix time.')),
    signature: field(z.string(), doc('The signature of the path and expiry.')),
  }),
)

export const addressChange = z.object({
  email: email,
  current_password: field(z.optional(nullablePassword), doc('The password, if the user has one.')),
})
export type AddressChange = z.output<typeof addressChange>

export const forgottenPassword = z.object({ email: email })

export const passwordReset = z.object({
  token: field(text(), doc('The token from the reset email.')),
  email: email,
  ...chosenPassword,
})
export type PasswordReset = z.output<typeof passwordReset>

export const verificationStatus = shown.object(
  'VerificationStatus',
  'Whether the address is verified.',
  { email_verified: z.boolean(), email: z.string() },
  { email_verified: false, email: 'mary@example.com' },
)
export type ShownVerificationStatus = z.output<typeof verificationStatus>

export const verificationSent = shown.object(
  'VerificationSent',
  'The outcome of a request for another verification email.',
  {
    message: z.string(),
    email_verified: z.boolean(),
    verification_sent_at: field(
      z.optional(shown.timestamp()),
      doc('Absent if the address is already verified.'),
    ),
  },
  {
    message: 'Verification email queued.',
    email_verified: false,
    verification_sent_at: shown.exampleTime,
  },
)
export type ShownVerificationSent = z.output<typeof verificationSent>
