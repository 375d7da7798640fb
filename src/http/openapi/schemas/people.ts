import * as z from 'zod'
import { at, id, named, timestamp } from './kinds.ts'

/** Users, sessions and what signing in answers. */

const mary = {
  id: 1,
  name: 'Mary Somerville',
  email: 'mary@example.com',
  idp_id: null,
  avatar: null,
  email_verified_at: at,
  timezone: 'Europe/London',
  reminder_time: '20:00',
  reminder_last_sent_at: null,
}

export const user = named(
  'User',
  z.object({
    id,
    name: z.string(),
    email: z.string(),
    idp_id: z.string().nullable().describe('Identifier from the identity provider; null for password users.'),
    avatar: z.string().nullable(),
    email_verified_at: timestamp.nullable().describe('Null until the address is verified.'),
    timezone: z.string().describe('IANA name; months and reminders follow it.'),
    reminder_time: z
      .string()
      .regex(/^\d\d:\d\d$/)
      .nullable()
      .describe('HH:MM in the time zone; null is off.'),
    reminder_last_sent_at: timestamp.nullable(),
  }),
  'A person who uses the service.',
  mary,
)

export const signIn = named(
  'SignIn',
  z.object({
    access_token: z.string().describe('Bearer token, `<id>|<secret>`. It is shown this once.'),
    token_type: z.string().meta({ examples: ['Bearer'] }),
    user,
    email_verified: z.boolean(),
    email_verified_at: timestamp.nullable(),
  }),
  'A token, and whose it is.',
  {
    access_token: '1|4bQ0mX9sVv2kTn7cYd3fGh8jLp5rWz6aSe1uIo0ABCDEF',
    token_type: 'Bearer',
    user: mary,
    email_verified: true,
    email_verified_at: at,
  },
)

export const session = named(
  'Session',
  z.object({
    id,
    user_agent: z.string().nullable(),
    created_at: timestamp,
    last_used_at: timestamp.describe('Noted at most once a day.'),
    is_current: z.boolean().describe('True for the token of this very request.'),
  }),
  'A token that is signed in somewhere; its secret is never shown again.',
  { id: 1, user_agent: 'Purse/2.1 (Android 16)', created_at: at, last_used_at: at, is_current: true },
)

export const verificationStatus = named(
  'VerificationStatus',
  z.object({ email_verified: z.boolean(), email: z.string() }),
  'Whether the address is verified.',
  { email_verified: false, email: mary.email },
)

export const verificationSent = named(
  'VerificationSent',
  z.object({
    message: z.string(),
    email_verified: z.boolean(),
    verification_sent_at: timestamp.optional().describe('Absent where the address is verified already.'),
  }),
  'What became of the request for another verification mail.',
  { message: 'Verification email queued.', email_verified: false, verification_sent_at: at },
)

export const availability = named(
  'Availability',
  z.object({ available: z.boolean() }),
  'True for any well-formed address: the answer never reveals whether it is registered.',
  { available: true },
)

export const authorisation = named(
  'Authorisation',
  z.object({ url: z.string() }),
  "The identity provider's page to send the person to.",
  { url: 'https://accounts.google.com/o/oauth2/v2/auth?response_type=code' },
)
