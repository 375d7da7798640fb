import * as z from 'zod/mini'
import { doc, field } from '../domain/doc.ts'
import { invalidText } from '../domain/field-errors.ts'
import { converted, listOf, nullable, oneOf, preprocessed, text, timestamp } from '../domain/fields.ts'
import * as shown from '../domain/shown.ts'
import { tokenAbilities } from '../domain/types.ts'
import { chosenPassword, comparedEmail, email, password, reportedTimezone } from '../identity/user-fields.ts'
import { mary, user } from '../users/contract.ts'

export const registration = z.object({
  name: field(text(), doc('The name to show.')),
  email: email,
  ...chosenPassword,
  timezone: z.optional(nullable(reportedTimezone)),
})
export type Registration = z.output<typeof registration>

export const credentials = z.object({
  email: field(comparedEmail, doc('Compared without regard to case.')),
  password: password,
})
export type Credentials = z.output<typeof credentials>

export const signIn = shown.object(
  'SignIn',
  'A token and its user.',
  {
    access_token: field(z.string(), doc('Bearer token, `<id>|<secret>`. It is shown only once.')),
    token_type: field(z.string(), doc({ examples: ['Bearer'] })),
    user,
    email_verified: z.boolean(),
    email_verified_at: z.nullable(shown.timestamp()),
  },
  {
    access_token: '1|4bQ0mX9sVv2kTn7cYd3fGh8jLp5rWz6aSe1uIo0ABCDEF',
    token_type: 'Bearer',
    user: mary(),
    email_verified: true,
    email_verified_at: shown.exampleTime,
  },
)
export type ShownSignIn = z.output<typeof signIn>

export const newToken = z.object({
  name: field(text(), doc('For people, such as the script that uses the token.')),
  abilities: field(
    converted(
      preprocessed(
        // The length of a text would be checked too.
        (input: string[]) => (typeof input === 'string' ? {} : input) as string[],
        listOf(oneOf(tokenAbilities), tokenAbilities.length),
      ),
      (abilities, reject) => (abilities.includes('read') ? abilities : reject(invalidText)),
    ),
    doc({ description: '`read`, or `read` and `write`.', examples: [['read']] }),
  ),
  expires_at: field(
    z.optional(nullable(timestamp)),
    doc('When the token ends; by default, and at the latest, when a session would end by its age.'),
  ),
})
export type NewToken = z.output<typeof newToken>

/** The fields of a token, without those that are secret. */
const sessionFields = {
  id: shown.id(),
  name: field(z.nullable(z.string()), doc('The name of a named token; null for a session.')),
  abilities: field(
    z.nullable(z.array(z.enum(tokenAbilities))),
    doc('What a named token may do; null for a session, which may do everything.'),
  ),
  expires_at: field(z.nullable(shown.timestamp()), doc('The end of a named token; null for a session.')),
  user_agent: z.nullable(z.string()),
  created_at: shown.timestamp(),
  last_used_at: field(shown.timestamp(), doc('Updated at most once a day.')),
  is_current: field(z.boolean(), doc('True for the token of this request.')),
}

export const session = shown.object(
  'Session',
  'A token, of a signed-in device or of a script; its secret is never shown again.',
  sessionFields,
  {
    id: 1,
    name: null,
    abilities: null,
    expires_at: null,
    user_agent: 'Purse/2.1 (Android 16)',
    created_at: shown.exampleTime,
    last_used_at: shown.exampleTime,
    is_current: true,
  },
)
export type ShownSession = z.output<typeof session>

export const namedToken = shown.object(
  'NamedToken',
  'A new token for a script.',
  { ...sessionFields, access_token: field(z.string(), doc('The token. It is shown only once.')) },
  {
    id: 2,
    name: 'Monthly report',
    abilities: ['read'],
    expires_at: '2027-05-20T10:00:00.000Z',
    user_agent: null,
    created_at: shown.exampleTime,
    last_used_at: shown.exampleTime,
    is_current: false,
    access_token: '2|purse_4bQ0mX9sVv2kTn7cYd3fGh8jLp5rWz6aSe1uIo0ABCDEF',
  },
)
export type ShownNamedToken = z.output<typeof namedToken>

export const addressCheck = z.object({ email: field(z.string(), doc('The address.')) })

export const availability = shown.object(
  'Availability',
  'True for any well-formed address: it never reveals whether the address is registered.',
  { available: z.boolean() },
  { available: true },
)

export const signInHints = z.partial(
  z.object({
    login_hint: field(z.string(), doc('The address that the person is likely to use.')),
    timezone: reportedTimezone,
  }),
)
export type SignInHints = z.output<typeof signInHints>

export const authorisation = shown.object(
  'Authorisation',
  "The identity provider's page to send the person to.",
  { url: z.string() },
  { url: 'https://accounts.google.com/o/oauth2/v2/auth?response_type=code' },
)

/** The query of the identity provider's callback. */
export const callback = z.partial(
  z.object({
    code: field(z.string(), doc("The provider's code.")),
    state: field(z.string(), doc('The state of the authorisation URL.')),
    error: field(z.string(), doc('The error of the provider.')),
    iss: field(z.string(), doc('The provider itself (RFC 9207).')),
  }),
)
export type Callback = z.output<typeof callback>
