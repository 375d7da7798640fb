import * as z from 'zod/mini'
import { earliestDate, isCalendarDate, latestDate } from './dates.ts'
import { doc, field } from './doc.ts'
import { invalidText, moneyTexts, requiredText } from './field-errors.ts'
import { type MoneyProblem, parseMoney } from './money.ts'
import { isBlank, isLongerThan, isStorable, normaliseText, trimText } from './texts.ts'

// The field types of requests, with the contract's error texts (`:field` is replaced by the field's name). If a value has
// several spellings (12.5 or "12.50"), the OpenAPI document has one, since many languages have no union types.

/** The contract's text for a field that breaks a rule. */
export const fieldText = (predicate: string) => `The :field field ${predicate}.`

type Issue = { input?: unknown }
const requiredOr = (text: string) => (issue: Issue) => (issue.input == null ? requiredText : text)

/** A required string. */
export const string = (what = 'must be a string') => z.string({ error: requiredOr(fieldText(what)) })
/** A check of a field. If one marked `last` fails, those after it are skipped. */
export const fieldCheck = <T>(holds: (input: NoInfer<T>) => boolean, what: string, last?: 'last') =>
  z.refine<T>(holds, { error: fieldText(what), abort: last !== undefined })

/** Prepares a value before its schema validates it. */
export function preprocessed<T extends z.ZodMiniType, Input>(prepare: (input: Input) => unknown, schema: T) {
  const ready = z.transform(prepare)
  return z.pipe<typeof ready, T>(ready, schema)
}

/** Converts a parsed value, or rejects it with an error text. */
export const converted = <T extends z.ZodMiniType, Value>(
  schema: T,
  convert: (input: z.output<T>, reject: (text: string) => never) => Value,
) =>
  z.pipe(
    schema,
    z.transform((input: z.output<T>, { issues }) =>
      convert(input, (message) => {
        issues.push({ code: 'custom', input, message })
        return z.NEVER
      }),
    ),
  )

/**
 * Trims strings, and converts blank ones to null. Input types are those of typed clients; at run time an input may have any
 * type.
 */
export const trimmed = <T extends z.ZodMiniType>(schema: T) =>
  preprocessed((input: z.input<T>) => (typeof input === 'string' ? trimmedOrNull(input) : input), schema)

const trimmedOrNull = (input: string) => (isBlank(input) ? null : trimText(input))

export const unstorable = 'contains characters that cannot be stored'
export const tooLong = (max: number) => `must not be greater than ${max} characters`
/** The error of a field that has more than `max` characters. */
export const tooLongText = (max: number) => fieldText(tooLong(max))

/** A required text of up to `max` code points, normalised. */
export const text = (max = 255) => trimmed(preprocessed(toNormal, boundedString(max)))

/** A required id as a text, trimmed. It is compared as it is, so that no retry names another row. */
export const clientId = (max: number) => trimmed(boundedString(max))

const toNormal = (input: string) => (typeof input === 'string' ? normaliseText(input) : input)

const boundedString = (max: number) =>
  field(
    string().check(
      fieldCheck(isStorable, unstorable),
      fieldCheck((input) => !isLongerThan(input, max), tooLong(max)),
    ),
    doc({ maxLength: max }),
  )

/** A nullable field. A blank string, which forms send, counts as null. */
export const nullable = <T extends z.ZodMiniType>(schema: T) =>
  preprocessed(
    (input: z.input<T> | null) => (typeof input === 'string' && isBlank(input) ? null : input),
    z.nullable(schema),
  )

export const nullableText = (max = 255) => nullable(text(max))

/** A field that is rejected unless it is empty, since ignoring it would mislead the client. */
export const rejected = (text: string) =>
  preprocessed(
    (input?: null | '') => (input === '' ? undefined : (input ?? undefined)),
    z.optional(z.never({ error: text })),
  )

/** A whole number, also as text. */
export function wholeNumber(min: number, max: number) {
  const text = fieldText(`must be an integer from ${min} to ${max}`)
  return preprocessed(
    (input: string | number) => (/^\d+$/.test(String(input).trim()) ? Number(input) : input),
    z.int({ error: text }).check(z.gte(min, text), z.lte(max, text)),
  )
}

/** The number of rows of a page. */
export const pageSize = (max: number) => wholeNumber(1, max)

/** One of a fixed set of words. */
export const oneOf = <const T extends readonly [string, ...string[]]>(words: T) =>
  trimmed(z.enum(words, { error: requiredOr(invalidText) }))

/** A number or a string. A Zod union would take eight times as long to reject other types. */
const numeric = (text: string) =>
  z.custom<number | string>((input) => typeof input === 'string' || Number.isFinite(input), {
    error: requiredOr(text),
  })

const notAnInteger = fieldText('must be an integer')

function readId(input: number | string, reject: (text: string) => never): number {
  const value = typeof input === 'number' ? input : /^[+-]?\d+$/.test(input) ? Number(input) : Number.NaN
  if (Number.isSafeInteger(value) && value > 0) return value
  return reject(Number.isInteger(value) ? invalidText : notAnInteger)
}

/** An id, as a number or a numeric string. The database checks its owner. */
export const id = field(
  trimmed(converted(numeric(notAnInteger), readId)),
  doc({ type: 'integer', format: 'int64', minimum: 1, examples: [1] }),
)

/** The most characters of a client id in a body. */
export const longestClientId = 64
/** The most characters of an Idempotency-Key, which becomes the client id of an account or a category. */
export const longestKey = 255

const isReference = (input: number | string): input is `#${string}` =>
  typeof input === 'string' && input.startsWith('#')

/** An id, or `#` and a client id, for a row that the same upload creates. */
export const idOrReference = field(
  trimmed(
    converted(numeric(notAnInteger), (input, reject): number | `#${string}` => {
      if (!isReference(input)) return readId(input, reject)
      return isStorable(input) && !isLongerThan(input, longestKey + 1) ? input : reject(invalidText)
    }),
  ),
  doc({ type: 'string', pattern: '^(#.+|[1-9]\\d*)$', examples: ['#a1'] }),
)

const moneyLike = (texts: Record<MoneyProblem, string>) =>
  converted(numeric(texts['not a number']), (input, reject) => {
    const amount = parseMoney(input)
    return typeof amount === 'number' ? amount : reject(texts[amount])
  })

/** An amount of money, as a number or a numeric string with at most two decimals. */
export const money = field(
  trimmed(moneyLike(moneyTexts)),
  doc({ type: 'string', pattern: '^-?\\d+(\\.\\d{1,2})?$', examples: ['1250.00'] }),
)

const positive = 'must be greater than 0'

/** An amount greater than zero. */
export const positiveMoney = field(
  trimmed(
    moneyLike({ ...moneyTexts, 'too small': fieldText(positive) }).check(
      fieldCheck((amount) => amount > 0, positive),
    ),
  ),
  doc({ type: 'string', pattern: '^\\d+(\\.\\d{1,2})?$', examples: ['12.50'] }),
)

/** A calendar date from 1900 to 2100. */
export const date = field(
  trimmed(
    string('must be a valid date').check(
      fieldCheck((input) => /^\d{4}-\d{2}-\d{2}$/.test(input), 'must match the format YYYY-MM-DD', 'last'),
      fieldCheck(isCalendarDate, 'must be a valid date', 'last'),
      fieldCheck((input) => input >= earliestDate, `must be a date after or equal to ${earliestDate}`),
      fieldCheck((input) => input <= latestDate, `must be a date before or equal to ${latestDate}`),
    ),
  ),
  doc({ format: 'date', examples: ['2026-11-20'] }),
)

const timestampText = fieldText('must be a timestamp with a time zone, such as 2026-11-20T10:00:00Z')

/** An instant, as an RFC 3339 timestamp. */
export const timestamp = field(
  trimmed(converted(z.iso.datetime({ offset: true, error: timestampText }), (input) => new Date(input))),
  doc({ type: 'string', format: 'date-time', examples: ['2027-05-20T10:00:00Z'] }),
)

const monthText = fieldText('must match the format YYYY-MM')

/** A calendar month, `YYYY-MM`. */
export const month = field(
  trimmed(
    z.string({ error: monthText }).check(z.refine((input) => isCalendarDate(`${input}-01`), monthText)),
  ),
  doc({ pattern: '^\\d{4}-(0[1-9]|1[0-2])$', examples: ['2026-11'] }),
)

const [on, off] = [[true, 1, '1'] as const, [false, 0, '0', ''] as const]
type Flag = (typeof on | typeof off)[number]

/** A boolean, in any of its spellings. */
export const flag = field(
  z.pipe(
    z.custom<Flag>((input) => [...on, ...off].includes(input as Flag), fieldText('must be true or false')),
    z.transform((input: Flag) => (on as readonly Flag[]).includes(input)),
  ),
  doc({ type: 'boolean', examples: [false] }),
)

/** A flag that may come as text, as everything does in a form and a query. */
export const flagFromText = preprocessed(
  (input: boolean | 'true' | 'false') => (input === 'true' ? true : input === 'false' ? false : input),
  flag,
)

/** A list of one to `max` items, with the texts of a batch. */
export const listOf = <Item extends z.ZodMiniType>(item: Item, max: number) =>
  z
    .array(item, { error: requiredOr(fieldText('must be an array')) })
    .check(
      z.minLength(1, { error: requiredText }),
      z.maxLength(max, { error: fieldText(`must not have more than ${max} items`) }),
    )
