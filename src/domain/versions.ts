import * as z from 'zod/mini'
import { doc, field } from './doc.ts'
import * as shown from './shown.ts'
import type { ExpectedVersions } from './types.ts'

/** The header of a GET with the tags of responses that the client has (RFC 9110, 13.1.2). */
export const ifNoneMatch = z.partial(
  z.object({ 'If-None-Match': field(z.string(), doc('The `ETag` of the last response.')) }),
)

/** A tag in an If-Match header: quoted, or bare, as an Idempotency-Key may be. */
const tag = /(?:W\/)?"[^"]*"|[^\s,]+/g
const version = /^("?)([1-9]\d*)\1$/

/**
 * The header that restricts a write to versions of its row (RFC 9110, 13.1.1). The handler gets the versions between commas
 * (`,3,4,`), or undefined for `*`; `precondition` (database/ownership.ts) compares them. Weak tags, and tags that are not
 * versions, match no row.
 */
export const ifMatch = z.object({
  'If-Match': field(
    z.optional(
      z.pipe(
        z.string(),
        z.transform((input: string) => (input.trim() === '*' ? undefined : versionsIn(input))),
      ),
    ),
    doc('The `version` that the row must have, in quotes: `"3"`. If it has another, the response is a 412.'),
  ),
  'If-None-Match': field(
    z.optional(z.string()),
    doc('`*` restricts the write to a row that does not exist: if it does, the response is a 412.'),
  ),
})

/** The versions that a write expects its row to have; no row has any of `,,`. */
export function expectedVersions(headers: Partial<z.output<typeof ifMatch>>): ExpectedVersions {
  return headers['If-None-Match']?.trim() === '*' ? ',,' : headers['If-Match']
}

function versionsIn(input: string): string {
  const versions = [...input.matchAll(tag)].flatMap(([one]) => version.exec(one)?.[2] ?? [])
  return `,${versions.join()},`
}

/** The response to a write that expected a different version of the row. */
export const versionConflict = <Row extends z.ZodMiniType>(
  name: string,
  row: Row,
  example: { message: string; current: z.output<Row> },
) =>
  shown.object(
    name,
    'The row has a different version from the one that the request expects. `current` is the row as it is now.',
    { message: z.string(), code: shown.code('version_conflict'), current: row },
    { code: 'version_conflict', ...example } as never,
  )
