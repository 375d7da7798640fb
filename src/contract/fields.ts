import * as z from 'zod/mini'
import { longestAddress, normalizeAddress } from '../domain/addresses.ts'
import { earliestDate, isCalendarDate, isTimeZone, latestDate } from '../domain/dates.ts'
import { formatMoney, type MoneyProblem, maxAmount, parseMoney } from '../domain/money.ts'
import { isTooLong, longestPassword } from '../domain/passwords.ts'
import { doc, field } from './doc.ts'

/**
 * The kinds of field that clients send, with the contract's error texts, in which `:field` stands for the field's name.
 * Of the spellings that are accepted the document names one, since typed languages have no type for several.
 */
const monthText = 'The :field field must match the format YYYY-MM.'
const texts = {
  required: 'The :field field is required.',
  selected: 'The selected :field is invalid.',
}

type Issue = { input?: unknown }
const requiredOr = (text: string) => (issue: Issue) => (issue.input == null ? texts.required : text)

/** Prepares a value before its schema sees it. */
export function prepared<T extends z.ZodMiniType, Input>(prepare: (input: Input) => unknown, schema: T) {
  const ready = z.transform(prepare)
  return z.pipe(ready, schema as z.ZodMiniType) as unknown as z.ZodMiniPipe<typeof ready, T>
}

/**
 * Trims strings; an empty one is the same as null. Inputs are typed as what a client may send, here and below, since a
 * typed client is made from it; at run time they may be anything.
 */
const trimmed = <T extends z.ZodMiniType>(schema: T) =>
  prepared((input: z.input<T>) => (typeof input === 'string' ? input.trim() || null : input), schema)

const length = (input: string) => [...input].length
/** NUL ends a text in SQLite, and half a surrogate pair cannot be sent to a database at all. */
const isStorable = (input: string) => !input.includes('\0') && input.isWellFormed()

const storableString = () =>
  z
    .string({ error: requiredOr('The :field field must be a string.') })
    .check(z.refine(isStorable, 'The :field field contains characters that cannot be stored.'))

/** A required text of up to `max` code points. */
export const text = (max = 255) =>
  trimmed(
    field(
      storableString().check(
        z.refine(
          (input) => length(input) <= max,
          `The :field field must not be greater than ${max} characters.`,
        ),
      ),
      doc({ maxLength: max }),
    ),
  )

/** A field that may be null; an empty string is null as well, which is what forms send. */
export const nullable = <T extends z.ZodMiniType>(schema: T) =>
  prepared(
    (input: z.input<T> | null) => (typeof input === 'string' && input.trim() === '' ? null : input),
    z.nullable(schema),
  )

/** A text that may be null; an empty one is null. */
export const nullableText = (max = 255) => nullable(text(max))

/** An address, in lower case. */
export const email = field(
  trimmed(
    z.pipe(
      z.string({ error: requiredOr('The :field field must be a string.') }),
      z.transform((input, { issues }) => {
        const address = normalizeAddress(input)
        if (address !== null) return address
        const isLong = input.length > longestAddress
        const message = isLong
          ? `The :field field must not be greater than ${longestAddress} characters.`
          : 'The :field field must be a valid email address.'
        issues.push({ code: 'custom', input, message })
        return z.NEVER
      }),
    ),
  ),
  doc({ format: 'email', examples: ['mary@example.com'], description: 'Compared without regard to case.' }),
)

/** An address that is compared, in lower case. A malformed one stays as it is, and is answered as an unknown one. */
export const comparedEmail = trimmed(
  z.pipe(
    storableString(),
    z.transform((input) => normalizeAddress(input) ?? input),
  ),
)

/** A password that is chosen: 8 to 1,024 characters, never trimmed. */
const newPassword = field(
  z
    .string({
      error: (issue) =>
        issue.input == null || issue.input === '' ? texts.required : 'The :field field must be a string.',
    })
    .check(
      z.refine((input) => input !== '', { error: texts.required, abort: true }),
      z.refine(
        (input) => input.isWellFormed(),
        'The :field field contains characters that cannot be stored.',
      ),
      z.refine((input) => length(input) >= 8, 'The :field field must be at least 8 characters.'),
      z.refine(
        (input) => !isTooLong(input),
        `The :field field must not be greater than ${longestPassword} characters.`,
      ),
    ),
  doc({
    minLength: 8,
    maxLength: longestPassword,
    description: 'From 8 to 1,024 characters; never trimmed.',
  }),
)

/** A password that is compared. */
export const password = field(
  z
    .string({ error: requiredOr('The :field field must be a string.') })
    .check(z.refine((input) => input !== '', texts.required)),
  doc('The password.'),
)

/** A password that is chosen, and typed twice. */
export const chosenPassword = {
  password: newPassword,
  password_confirmation: field(password, doc('The same password again.')),
}

/** A field that is refused, since ignoring it would lose what it says. Empty, as forms send it, it says nothing. */
export const refused = (text: string) =>
  prepared(
    (input?: null | '') => (input === '' ? undefined : (input ?? undefined)),
    z.optional(z.never({ error: text })),
  )

/** One of a few words. */
export const oneOf = <const T extends readonly [string, ...string[]]>(words: T) =>
  trimmed(z.enum(words, { error: requiredOr(texts.selected) }))

/** An id, as a number or a numeric string. Whose it is, the database says. */
export const id = field(
  trimmed(
    z.pipe(
      z.union([z.number(), z.string()], { error: requiredOr('The :field field must be an integer.') }),
      z.transform((input, { issues }) => {
        const value =
          typeof input === 'number' ? input : /^[+-]?\d+$/.test(input) ? Number(input) : Number.NaN
        if (Number.isSafeInteger(value) && value > 0) return value
        const message = Number.isInteger(value) ? texts.selected : 'The :field field must be an integer.'
        issues.push({ code: 'custom', input, message })
        return z.NEVER
      }),
    ),
  ),
  doc({ type: 'integer', format: 'int64', minimum: 1, examples: [1] }),
)

const moneyTexts: Record<MoneyProblem, string> = {
  'not a number': 'The :field field must be a number.',
  'too many decimals': 'The :field field must have 0-2 decimal places.',
  'too large': `The :field field must not be greater than ${formatMoney(maxAmount)}.`,
  'too small': `The :field field must be at least -${formatMoney(maxAmount)}.`,
}
const notPositive = 'The :field field must be greater than 0.'

const moneyLike = (problems: Record<MoneyProblem, string>) =>
  z.pipe(
    z.union([z.number(), z.string()], { error: requiredOr(moneyTexts['not a number']) }),
    z.transform((input, { issues }) => {
      const amount = parseMoney(input)
      if (typeof amount === 'number') return amount
      issues.push({ code: 'custom', input, message: problems[amount] })
      return z.NEVER
    }),
  )

/** An amount of money, as a number or a numeric string with at most two decimals. */
export const money = field(
  trimmed(moneyLike(moneyTexts)),
  doc({ type: 'string', pattern: '^-?\\d+(\\.\\d{1,2})?$', examples: ['1250.00'] }),
)

/** An amount greater than nothing. */
export const positiveMoney = field(
  trimmed(
    moneyLike({ ...moneyTexts, 'too small': notPositive }).check(
      z.refine((amount) => amount > 0, notPositive),
    ),
  ),
  doc({ type: 'string', pattern: '^\\d+(\\.\\d{1,2})?$', examples: ['12.50'] }),
)

/** A calendar date from 1900 to 2100. */
export const date = field(
  trimmed(
    z.string({ error: requiredOr('The :field field must be a valid date.') }).check(
      z.regex(/^\d{4}-\d{2}-\d{2}$/, {
        error: 'The :field field must match the format YYYY-MM-DD.',
        abort: true,
      }),
      z.refine(isCalendarDate, { error: 'The :field field must be a valid date.', abort: true }),
      z.refine(
        (input) => input >= earliestDate,
        `The :field field must be a date after or equal to ${earliestDate}.`,
      ),
      z.refine(
        (input) => input <= latestDate,
        `The :field field must be a date before or equal to ${latestDate}.`,
      ),
    ),
  ),
  doc({ format: 'date', examples: ['2026-11-20'] }),
)

/** A calendar month, `YYYY-MM`. */
export const month = field(
  trimmed(
    z.string({ error: monthText }).check(z.refine((input) => isCalendarDate(`${input}-01`), monthText)),
  ),
  doc({ pattern: '^\\d{4}-(0[1-9]|1[0-2])$', examples: ['2026-11'] }),
)

/** A yes or no in one of the spellings that clients use. */
export const flag = field(
  z.pipe(
    z.union([z.boolean(), z.literal([0, 1, '0', '1', ''])], {
      error: 'The :field field must be true or false.',
    }),
    z.transform((input) => input === true || input === 1 || input === '1'),
  ),
  doc({ type: 'boolean', examples: [false] }),
)

/** The name of a time zone. */
export const timezone = field(
  trimmed(
    z
      .string({ error: requiredOr('The :field field must be a valid timezone.') })
      .check(z.refine(isTimeZone, 'The :field field must be a valid timezone.')),
  ),
  doc({ examples: ['Europe/London'], description: 'An IANA name; months and reminders follow it.' }),
)

/** A time of day, `HH:MM`. */
export const timeOfDay = field(
  trimmed(
    z
      .string({ error: 'The :field field must match the format HH:MM.' })
      .check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'The :field field must match the format HH:MM.')),
  ),
  doc({ examples: ['20:00'] }),
)

/** A string as structured fields write it (RFC 9651), with or without parameters after it. */
const quoted = /^"((?:[^"\\]|\\["\\])*)"/

/**
 * The header that makes a POST safe to repeat (draft-ietf-httpapi-idempotency-key-header). The key may be quoted, as the
 * draft has it, or bare; an empty one counts as absent.
 */
export const keyed = (said: ReturnType<typeof doc>, maxLength = 255) =>
  z.object({
    'Idempotency-Key': field(
      z.optional(
        prepared(
          (input: string) =>
            (quoted.exec(input.trim())?.[1]?.replace(/\\(.)/g, '$1') ?? input.trim()) || undefined,
          z.optional(
            z
              .string()
              .check(
                z.maxLength(
                  maxLength,
                  `The Idempotency-Key must not be greater than ${maxLength} characters.`,
                ),
              ),
          ),
        ),
      ),
      said,
    ),
  })
