import * as z from 'zod/mini'
import { doc, field } from './doc.ts'
import * as shown from './shown.ts'

/** The service itself. */

export const health = /* @__PURE__ */ shown.object(
  'Health',
  'The service and its database answer.',
  () => ({ status: z.string(), database: z.string() }),
  () => ({ status: 'ok', database: 'ok' }),
)

/** Which state of the document a client has. */
export const knownDocument = z.partial(
  z.object({ 'If-None-Match': field(z.string(), doc('The `ETag` of the last answer.')) }),
)
