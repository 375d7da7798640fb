import * as z from 'zod/mini'
import { type doc, field } from './doc.ts'
import { longestKey, preprocessed } from './fields.ts'

/** A quoted string as in structured fields (RFC 9651); parameters may follow it. */
const quoted = /^"((?:[^"\\]|\\["\\])*)"/

/**
 * The header that makes a POST idempotent (draft-ietf-httpapi-idempotency-key-header). The key may be quoted, as in the
 * draft, or bare. It is trimmed; an empty one counts as absent. The runtime replaces bytes that are not UTF-8 by U+FFFD,
 * so different keys could become equal.
 */
export const idempotencyKeyHeader = (description: ReturnType<typeof doc>) =>
  z.object({
    'Idempotency-Key': field(
      z.optional(
        preprocessed(
          (input: string) =>
            (quoted.exec(input.trim())?.[1]?.replace(/\\(.)/g, '$1') ?? input).trim() || undefined,
          z.optional(
            z.string().check(
              z.maxLength(
                longestKey,
                `The Idempotency-Key must not be greater than ${longestKey} characters.`,
              ),
              z.refine((key) => !key.includes('\ufffd'), 'The Idempotency-Key must be UTF-8.'),
            ),
          ),
        ),
      ),
      description,
    ),
  })
