import * as z from 'zod'
import { message } from '../shared/failure-responses.ts'
import type { AnswerObject, JsonSchema } from './document-types.ts'
import type { SchemaCollection } from './json-schema.ts'

/** One answer of an endpoint. Without a schema it has no body. */
export type AnswerDescription = {
  description: string
  schema?: z.core.$ZodType
  /** `application/json` by default. If there are several, the answer can be any of them. */
  contentTypes?: string[]
  /** Besides those that every answer carries. */
  headers?: (keyof typeof headers)[]
  example?: unknown
  /** The name under which operations share it. */
  sharedAs?: string
}

const commonHeaders = ['X-Request-Id', 'Server-Timing']

const header = (description: string, schema: JsonSchema = { type: 'string' }): JsonSchema => ({
  description,
  required: true,
  schema,
})

/** What every header means. One that is not `required` may be absent. */
export const headers = {
  'X-Request-Id': header('Identifies this request in our log.'),
  'Server-Timing': header('The time spent on the database, the round trips to it, and the total time.'),
  ETag: {
    description:
      'Identifies the content of the answer: sent back in `If-None-Match`, it makes an unchanged answer a 304.',
    schema: { type: 'string' },
  },
  Location: header('Where to go.'),
  'Preference-Applied': {
    description: 'The preference that was honoured (RFC 7240).',
    schema: { type: 'string' },
  },
  'Retry-After': header('Seconds to wait.', { type: 'integer', minimum: 0 }),
  'WWW-Authenticate': header('`Bearer`, with `error="invalid_token"` if a token was sent (RFC 6750).'),
  'X-RateLimit-Limit': header('Attempts allowed.', { type: 'integer', minimum: 1 }),
  'X-RateLimit-Remaining': header('Attempts left.', { type: 'integer', minimum: 0 }),
}

/** An answer of JSON. */
export function json(
  schema: z.core.$ZodType,
  description: string,
  headers: AnswerDescription['headers'] = [],
): AnswerDescription {
  return { description, schema, headers }
}

/** An answer that is a list. */
export function list(schema: z.core.$ZodType, description: string): AnswerDescription {
  return json(z.array(schema), description)
}

/** The answers of a GET whose answer has a tag. */
export function taggedAnswers(answer: AnswerDescription): Record<number, AnswerDescription> {
  return {
    200: { ...answer, headers: ['ETag'] },
    304: { description: 'It has not changed.', headers: ['ETag'] },
  }
}

/** The 412 of a write with `If-Match`. */
export const conflict = (schema: z.core.$ZodType, sharedAs: string): AnswerDescription => ({
  ...json(
    schema,
    'The row has a different version from the one that `If-Match` names; `current` is the row as it is now.',
  ),
  sharedAs,
})

/** The answer of a deletion. */
export const deleted: AnswerDescription = { description: 'Deleted.' }

/** The page that a link in an email opens. */
export const page: AnswerDescription = {
  description: 'The page.',
  schema: z.string(),
  contentTypes: ['text/html'],
}

/** The answer to pressing that page's button. */
export function pageOrJson(description: string): AnswerDescription {
  return { description, schema: message, contentTypes: ['application/json', 'text/html'] }
}

/** An answer as the document describes it. */
export function answerObject(answer: AnswerDescription, { add }: SchemaCollection): AnswerObject {
  const { description, schema, contentTypes = ['application/json'], example } = answer
  const names = [...commonHeaders, ...(answer.headers ?? [])]
  const contentOf = (schema: z.core.$ZodType, type: string) => ({
    schema: type.startsWith('text/') ? { type: 'string' } : add(schema, 'output'),
    ...(example !== undefined && { example }),
  })
  return {
    description,
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...(schema && {
      content: Object.fromEntries(contentTypes.map((type) => [type, contentOf(schema, type)])),
    }),
  }
}
