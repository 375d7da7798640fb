import type * as z from 'zod'
import type { FieldErrors } from '../shared/failures.ts'
import type { FailureName } from './failures.ts'
import type { AnswerDescription } from './response-descriptions.ts'

/** What a person needs to know about a route; the rest is derived from the route and its validators. */
export type Endpoint = {
  id: string
  summary: string
  description: string
  /** The name of the body's schema in the document, and an example that works. */
  body?: { name: string; example: unknown }
  /** Bodies that no validator of the route reads, by content type. */
  bodies?: Record<string, { name?: string; schema: z.core.$ZodType; example?: unknown; description?: string }>
  answers: Record<number, AnswerDescription>
  /** The body of a typical 422, with `message` if it is not the usual one. */
  invalid?: { message?: string; errors: FieldErrors; invalid_items?: number[]; questions?: unknown }
  /** In addition to those that follow from the route itself (operation-object.ts). */
  failures?: FailureName[]
}

/** The endpoints of a part of the API, by `METHOD /path`. A PUT describes its alias, the PATCH, as well. */
export type EndpointGroup = {
  tag: string
  description: string
  endpoints: Record<string, Endpoint>
}
