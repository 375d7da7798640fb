import * as z from 'zod/mini'
import { doc, field } from './doc.ts'
import * as shown from './shown.ts'

export const health = /* @__PURE__ */ shown.object(
  'Health',
  'The service and its database answer.',
  () => ({ status: z.string(), database: z.string() }),
  () => ({ status: 'ok', database: 'ok' }),
)

export const knownDocument = z.partial(
  z.object({ 'If-None-Match': field(z.string(), doc('The `ETag` of the last answer.')) }),
)
