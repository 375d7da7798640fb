import type * as z from 'zod'
import type { FieldErrors } from '../domain/field-errors.ts'
import type { FailureName } from './failures.ts'
import type { ResponseDescription } from './response-descriptions.ts'

/** The description of a route. Everything else is derived from the route and its validators. */
export type Endpoint = {
  id: string
  summary: string
  description: string
  /** The name of the body's schema in the document, and an example that works. */
  body?: { name: string; example: unknown }
  /** Bodies without a validator, by content type. */
  bodies?: Record<string, { name?: string; schema: z.core.$ZodType; example?: unknown; description?: string }>
  responses: Record<number, ResponseDescription>
  /** The body of a typical 422, with `message` if it is not the usual one. */
  invalid?: {
    message?: string
    errors: FieldErrors
    invalid_items?: number[]
    questions?: unknown
    code?: string
    reconciled_through?: string
  }
  /** In addition to those that follow from the route itself (operation-object.ts). */
  failures?: FailureName[]
}

/** The endpoints of a tag, by `METHOD /path`. A PUT also describes the PATCH, its alias. */
export type EndpointGroup = {
  tag: string
  description: string
  endpoints: Record<string, Endpoint>
}
