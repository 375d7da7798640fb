import { globalRegistry, type ZodMiniType } from 'zod/mini'
import { clone } from 'zod/v4/core'

/** Keywords of JSON Schema. */
type Keywords = { [keyword: string]: unknown }

/** What the OpenAPI document says about a field: a sentence, or keywords of JSON Schema. */
export function doc(said: string | Keywords): Keywords {
  return typeof said === 'string' ? { description: said } : said
}

/** A field with what the document says about it: `field(text(), doc('Shown to the user.'))`. */
export function field<S extends ZodMiniType>(schema: S, said: Keywords): S {
  const described = clone(schema)
  globalRegistry.add(described, said)
  return described
}

/** A limit as descriptions write it: 1000 is "1,000". */
export const grouped = (limit: number) => limit.toLocaleString('en')
