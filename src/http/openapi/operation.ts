import * as z from 'zod'

/** One answer of an operation. Without a schema it has no body. */
export type AnswerDescription = {
  description: string
  schema?: z.core.$ZodType
  /** `application/json` where nothing else is said; of several, each can be the answer. */
  contentTypes?: string[]
  headers?: HeaderName[]
  example?: unknown
}

/** Headers that some answers carry beside those that all do; document.ts says what they mean. */
export type HeaderName =
  | 'ETag'
  | 'Location'
  | 'Preference-Applied'
  | 'Retry-After'
  | 'X-RateLimit-Limit'
  | 'X-RateLimit-Remaining'

/** A failure beside those that follow from the route itself (failures.ts). */
export type ExtraFailure =
  | 'accountFirst'
  | 'notVerified'
  | 'duplicate'
  | 'bounds'
  | 'history'
  | 'items'
  | 'badLink'
  | 'forgedLink'
  | 'verifiedMeanwhile'

/** What a person needs to know of one route; the rest is read off the route and its validators. */
export type Operation = {
  id: string
  summary: string
  description: string
  /** Names the schema of the body in the document, and shows one that works. */
  body?: { name: string; example: unknown }
  /** Bodies that no validator of the route knows, by content type. */
  bodies?: Record<string, { name?: string; schema: z.core.$ZodType; example?: unknown; description?: string }>
  answers: Record<number, AnswerDescription>
  failures?: ExtraFailure[]
}

/** The operations of a part of the API, by `METHOD /path`. A PATCH that is missing is the PUT's alias. */
export type OperationGroup = {
  tag: string
  description: string
  operations: Record<string, Operation>
}

/** An answer of JSON. */
export function json(
  schema: z.core.$ZodType,
  description: string,
  headers: HeaderName[] = [],
): AnswerDescription {
  return { description, schema, headers }
}

/** An answer that is a list. */
export function list(schema: z.core.$ZodType, description: string): AnswerDescription {
  return { description, schema: z.array(schema) }
}

/** The answer of a deletion. */
export const deleted: AnswerDescription = { description: 'Deleted.' }
