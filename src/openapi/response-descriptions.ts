import * as z from 'zod'
import { message } from '../failures/failure-responses.ts'
import type { JsonSchema, ResponseObject } from './document-types.ts'
import type { SchemaCollection } from './json-schema.ts'

/** A response of an endpoint. Without a schema it has no body. */
export type ResponseDescription = {
  description: string
  schema?: z.core.$ZodType
  /** `application/json` by default. If there are several, the response has one of them. */
  contentTypes?: string[]
  /** Examples of the texts that the response may have instead, by content type. */
  texts?: Record<string, string>
  /** In addition to `commonHeaders`. */
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

/** The headers of responses. One that is not `required` may be absent. */
export const headers = {
  'X-Request-Id': header('Identifies this request in our log.'),
  'Server-Timing': header('The time spent on the database, the round trips to it, and the total time.'),
  'Content-Disposition': header('The name of the file.'),
  ETag: {
    description:
      'Identifies the content of the response: sent back in `If-None-Match`, it makes an unchanged response a 304.',
    schema: { type: 'string' },
  },
  Location: header('Where to go.'),
  'Preference-Applied': {
    description: 'The preference that was honoured (RFC 7240).',
    schema: { type: 'string' },
  },
  'Retry-After': header('Seconds to wait.', { type: 'integer', minimum: 0 }),
  'WWW-Authenticate': {
    description:
      'Of a 401, and of a 403 for a named token: `Bearer`, with `error="invalid_token"` or `"insufficient_scope"` if a token was sent (RFC 6750).',
    schema: { type: 'string' },
  },
  'X-RateLimit-Limit': header('Attempts allowed.', { type: 'integer', minimum: 1 }),
  'X-RateLimit-Remaining': header('Attempts left.', { type: 'integer', minimum: 0 }),
}

/** A response with JSON. */
export function json(
  schema: z.core.$ZodType,
  description: string,
  headers: ResponseDescription['headers'] = [],
): ResponseDescription {
  return { description, schema, headers }
}

/** A response with a list. */
export function list(schema: z.core.$ZodType, description: string): ResponseDescription {
  return json(z.array(schema), description)
}

/** The responses of a GET with an ETag. */
export function etagResponses(response: ResponseDescription): Record<number, ResponseDescription> {
  return {
    200: { ...response, headers: ['ETag'] },
    304: { description: 'It has not changed.', headers: ['ETag'] },
  }
}

/** The 412 of a write with `If-Match`. */
export const conflict = (schema: z.core.$ZodType, sharedAs: string): ResponseDescription => ({
  ...json(
    schema,
    'The row has a different version from the one that `If-Match` names; `current` is the row as it is now.',
  ),
  sharedAs,
})

/** The response to a deletion. */
export const deleted: ResponseDescription = { description: 'Deleted.' }

/** The page of a link in an email. */
export const page: ResponseDescription = {
  description: 'The page.',
  schema: z.string(),
  contentTypes: ['text/html'],
}

/** The response to the button of that page. */
export function pageOrJson(description: string): ResponseDescription {
  return { description, schema: message, contentTypes: ['application/json', 'text/html'] }
}

/** A response in the document. */
export function responseObject(response: ResponseDescription, { add }: SchemaCollection): ResponseObject {
  const { description, schema, contentTypes = ['application/json'], texts = {}, example } = response
  const names = [...commonHeaders, ...(response.headers ?? [])]
  const contentOf = (schema: z.core.$ZodType, type: string) => ({
    schema: type.startsWith('text/') ? { type: 'string' } : add(schema, 'output'),
    ...(example !== undefined && { example }),
  })
  return {
    description,
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...(schema && {
      content: {
        ...Object.fromEntries(contentTypes.map((type) => [type, contentOf(schema, type)])),
        ...Object.fromEntries(
          Object.entries(texts).map(([type, example]) => [type, { schema: { type: 'string' }, example }]),
        ),
      },
    }),
  }
}
