import type { Context } from 'hono'
import type { FieldErrors } from '../domain/failures.ts'

const name = 'Idempotency-Key'
/** A string as structured fields write it (RFC 9651), with whatever parameters behind it. */
const quoted = /^"((?:[^"\\]|\\["\\])*)"/

/**
 * The client's key for a request that creates something: sent again with it, the request creates nothing more
 * (draft-ietf-httpapi-idempotency-key-header). In quotes, as the draft has it, or bare; null where there is none.
 */
export function readIdempotencyKey(c: Context, maxLength = 255): { key: string | null; errors: FieldErrors } {
  const header = c.req.header(name)?.trim() ?? ''
  const key = quoted.exec(header)?.[1]?.replace(/\\(.)/g, '$1') ?? header
  if (key.length <= maxLength) return { key: key || null, errors: {} }
  const message = `The ${name} must not be greater than ${maxLength} characters.`
  return { key: null, errors: { [name]: [message] } }
}
