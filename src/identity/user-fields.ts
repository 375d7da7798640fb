import * as z from 'zod/mini'
import { fallbackTimezone, isTimeZone } from '../domain/dates.ts'
import { doc, field, formatNumber } from '../domain/doc.ts'
import { requiredText } from '../domain/field-errors.ts'
import {
  converted,
  fieldCheck,
  fieldText,
  preprocessed,
  string,
  tooLong,
  trimmed,
  unstorable,
} from '../domain/fields.ts'
import { isLongerThan, isStorable } from '../domain/texts.ts'
import { longestAddress, normalizeAddress } from './addresses.ts'
import { longestPassword, shortestPassword } from './password-length.ts'

// The types of a user's fields in requests (fields.ts has those of all resources).

/** An email address, lowercased. */
export const email = field(
  trimmed(
    converted(string(), (input, reject) => {
      const what = input.length > longestAddress ? tooLong(longestAddress) : 'must be a valid email address'
      return normalizeAddress(input) ?? reject(fieldText(what))
    }),
  ),
  doc({ format: 'email', examples: ['mary@example.com'], description: 'Compared without regard to case.' }),
)

/** An email address to look up, lowercased. A malformed one is unchanged and matches no user. */
export const comparedEmail = trimmed(
  converted(string().check(fieldCheck(isStorable, unstorable)), (input) => normalizeAddress(input) ?? input),
)

/** A password to check against the user's. */
export const password = field(
  string().check(fieldCheck((input) => input !== '', 'is required')),
  doc('The password.'),
)

/** An optional password. Only an empty text counts as null, since a password may consist of blanks. */
export const nullablePassword = preprocessed(
  (input: string | null) => (input === '' ? null : input),
  z.nullable(password),
)

/** A new password, never trimmed, and its confirmation. */
export const chosenPassword = {
  password: field(
    z
      .string({
        error: ({ input }) => (input == null || input === '' ? requiredText : fieldText('must be a string')),
      })
      .check(
        fieldCheck((input) => input !== '', 'is required', 'last'),
        fieldCheck((input) => input.isWellFormed(), unstorable),
        fieldCheck(
          (input) => isLongerThan(input, shortestPassword - 1),
          `must be at least ${shortestPassword} characters`,
        ),
        fieldCheck((input) => !isLongerThan(input, longestPassword), tooLong(longestPassword)),
      ),
    doc({
      minLength: shortestPassword,
      maxLength: longestPassword,
      description: `From ${shortestPassword} to ${formatNumber(longestPassword)} characters; never trimmed.`,
    }),
  ),
  password_confirmation: field(password, doc('The same password again.')),
}

/** The name of a time zone. */
export const timezone = field(
  trimmed(string('must be a valid timezone').check(fieldCheck(isTimeZone, 'must be a valid timezone'))),
  doc({ examples: ['Europe/London'], description: 'An IANA name; months and reminders follow it.' }),
)

/** The time zone that a browser reports for a new user. One that is unknown here counts as UTC. */
export const reportedTimezone = field(
  trimmed(
    converted(string('must be a valid timezone'), (name) => (isTimeZone(name) ? name : fallbackTimezone)),
  ),
  doc({
    examples: ['Europe/London'],
    description: 'An IANA name; months and reminders follow it. UTC if absent or unknown.',
  }),
)

const timeText = fieldText('must match the format HH:MM')

/** A time of day, `HH:MM`. */
export const timeOfDay = field(
  trimmed(z.string({ error: timeText }).check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, timeText))),
  doc({ examples: ['20:00'] }),
)
