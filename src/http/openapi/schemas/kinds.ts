import * as z from 'zod'

/** The kinds of value that answers are made of (api.md §2). */

export const id = z.int().min(1).meta({ format: 'int64' })
export const timestamp = z.iso.datetime().meta({ examples: ['2026-11-20T10:00:00.000Z'] })
export const calendarDate = z.iso.date().meta({ examples: ['2026-11-20'] })
/** Amounts travel as text with two decimals, in both directions of the zero. */
export const amount = z
  .string()
  .regex(/^-?\d+\.\d{2}$/)
  .meta({ examples: ['12.50'] })
/** Balances and totals travel as numbers, in whole units of the currency. */
export const total = z.number().meta({ format: 'double', examples: [1234.5] })

/**
 * A part of the document that has a name of its own, with an example that fits it. Every object of an answer has one,
 * since generators make up names for those that have none; what stands inside others alone needs no example.
 */
export function named<S extends z.ZodType>(
  name: string,
  schema: S,
  description: string,
  example?: z.output<S>,
) {
  return schema.meta({ id: name, description, ...(example !== undefined && { examples: [example] }) })
}

/** The moment of every example. */
export const at = '2026-11-20T10:00:00.000Z'

export const count = z.int().min(0)

/** Texts by field. */
export const fieldErrors = z.record(z.string(), z.array(z.string()))
