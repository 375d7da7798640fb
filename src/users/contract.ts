import * as z from 'zod/mini'
import { doc, field } from '../domain/doc.ts'
import { fieldCheck, flag, nullable, rejected, string, text, trimmed } from '../domain/fields.ts'
import * as shown from '../domain/shown.ts'
import {
  chosenPassword,
  email,
  nullablePassword,
  password,
  timeOfDay,
  timezone,
} from '../identity/user-fields.ts'

const labelOfAmounts =
  'The currency of all amounts, as an ISO 4217 code, or null. A label: nothing is computed from it, and all amounts have two decimals.'
const currencyCode = trimmed(
  string().check(
    fieldCheck((input) => /^[A-Z]{3}$/.test(input), 'must be three capital letters, such as EUR'),
  ),
)

export const profileChanges = z.partial(
  z.object({
    name: field(text(), doc('The name to show.')),
    timezone: timezone,
    reminder_time: field(
      nullable(timeOfDay),
      doc('When to send a reminder on days without a transaction; null, or an empty string, for never.'),
    ),
    due_reminders: field(
      flag,
      doc('Whether to send emails about recurring transactions, `remind_days` days before they are due.'),
    ),
    currency: field(nullable(currencyCode), doc(labelOfAmounts)),
    // Rejected, since users would believe that these had changed.
    email: field(nullable(email), doc('The current address; PUT /api/me/email changes it.')),
    password: rejected('The :field field is changed by PUT /api/me/password.'),
  }),
)
export type ProfileChanges = z.output<typeof profileChanges>

/** The error of an address other than the current one. */
export const changedElsewhere = 'The :field field is changed by PUT /api/me/email.'

export const passwordChange = z.object({
  current_password: field(password, doc('The current password.')),
  ...chosenPassword,
  keep_tokens: field(
    z.optional(flag),
    doc('If true, named tokens stay; otherwise they end with the sessions.'),
  ),
})
export type PasswordChange = z.output<typeof passwordChange>

/** Confirms a deletion: the password or, for a user without one, the address. */
export const farewell = z.object({
  password: field(z.optional(nullablePassword), doc('The password, if the user has one.')),
  email: field(z.optional(nullable(email)), doc('The address, if the user has no password.')),
})
export type Farewell = z.output<typeof farewell>

/** The password of every example, so that the examples work together. */
export const examplePassword = 'correct horse battery staple'

/** The user of every example. */
export const mary = () => ({
  id: 1,
  name: 'Mary Somerville',
  email: 'mary@example.com',
  idp_id: null,
  avatar: null,
  email_verified_at: shown.exampleTime,
  timezone: 'Europe/London',
  reminder_time: '20:00',
  reminder_last_sent_at: null,
  due_reminders: true,
  currency: 'GBP',
})

export const user = shown.object(
  'User',
  'A person who uses the service.',
  {
    id: shown.id(),
    name: z.string(),
    email: z.string(),
    idp_id: field(
      z.nullable(z.string()),
      doc("The identity provider's id for the person; null until they sign in there."),
    ),
    avatar: z.nullable(z.string()),
    email_verified_at: field(z.nullable(shown.timestamp()), doc('Null until the address is verified.')),
    timezone: field(z.string(), doc('An IANA name; months and reminders follow it.')),
    reminder_time: field(
      z.nullable(z.string().check(z.regex(/^\d\d:\d\d$/))),
      doc('HH:MM in the time zone; null is off.'),
    ),
    reminder_last_sent_at: z.nullable(shown.timestamp()),
    due_reminders: field(
      z.boolean(),
      doc('Whether emails come about recurring transactions that become due.'),
    ),
    currency: field(z.nullable(z.string()), doc(labelOfAmounts)),
  },
  mary(),
)
export type ShownUser = z.output<typeof user>

/** The id of a user in the path of a link in an email. */
export const userInLink = field(
  z.string(),
  doc({ type: 'integer', format: 'int64', minimum: 1, description: 'The user.' }),
)

export const unsubscribeLinkPath = z.object({
  user: userInLink,
  signature: field(z.string(), doc('As in the link.')),
})
