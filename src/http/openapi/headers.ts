import type { JsonSchema } from './document-types.ts'
import type { HeaderName } from './operation.ts'

/** Headers of every answer. */
export const commonHeaders = ['X-Request-Id', 'Server-Timing'] as const

/** What every header means. One that is not `required` may be absent. */
export const headers: Record<HeaderName | (typeof commonHeaders)[number], JsonSchema> = {
  'X-Request-Id': {
    description: 'Names this request in our log.',
    required: true,
    schema: { type: 'string' },
  },
  'Server-Timing': {
    description: "The database's share of the time, the round trips to it, and the whole.",
    required: true,
    schema: { type: 'string' },
  },
  ETag: { description: 'Names this state of it.', required: true, schema: { type: 'string' } },
  Location: { description: 'Where to go.', required: true, schema: { type: 'string' } },
  'Preference-Applied': {
    description: 'The preference that was kept to (RFC 7240).',
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'Seconds to wait.', required: true, schema: { type: 'integer', minimum: 0 } },
  'X-RateLimit-Limit': {
    description: 'Attempts allowed.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'X-RateLimit-Remaining': {
    description: 'Attempts left.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
}
