import * as z from 'zod/mini'
import { doc, field } from './doc.ts'

/** The field types of responses. */

export const id = () => field(z.int().check(z.gte(1)), doc({ format: 'int64' }))

export const timestamp = () => field(z.iso.datetime(), doc({ examples: ['2026-11-20T10:00:00.000Z'] }))

export const calendarDate = () => field(z.iso.date(), doc({ examples: ['2026-11-20'] }))

/** An amount: text with two decimals, negative or not. */
export const amount = () => field(z.string().check(z.regex(/^-?\d+\.\d{2}$/)), doc({ examples: ['12.50'] }))

/** A balance or a total: a number of currency units, with the cents as decimals. */
export const total = () => field(z.number(), doc({ format: 'double', examples: [1234.5] }))

/** The version of a row, incremented by each change. Clients send it as If-Match. */
export const version = () =>
  field(
    z.int().check(z.gte(1)),
    doc('1 at first, raised by one with each accepted change. `If-Match` takes it, in quotes.'),
  )

/** Identifies a failure to programs. */
export const code = (name: string) => field(z.string(), doc({ examples: [name] }))

export const count = () => z.int().check(z.gte(0))

export const fieldErrors = () => z.record(z.string(), z.array(z.string()))

/** The time in every example. */
export const exampleTime = '2026-11-20T10:00:00.000Z'

/** An object in responses, with its name in the document and an example, unless it only occurs inside others. */
export function object<Shape extends z.core.$ZodShape>(
  name: string,
  description: string,
  fields: Shape,
  example?: NoInfer<z.output<z.ZodMiniObject<Shape>>>,
): z.ZodMiniObject<Shape> {
  const schema: z.ZodMiniObject<Shape> = z.object(fields)
  z.globalRegistry.add(schema, { id: name, description, ...(example && { examples: [example] }) })
  return schema
}
