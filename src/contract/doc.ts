import { globalRegistry, type ZodMiniType } from 'zod/mini'
import { clone } from 'zod/v4/core'

/** `false` in a deployed Worker (wrangler.toml, `define`), and not defined anywhere else. */
declare const DOCUMENTED: false | undefined

/** Keywords of JSON Schema. */
type Keywords = { [keyword: string]: unknown }

/**
 * What the OpenAPI document says about a field: a sentence, or keywords of JSON Schema. The document is made when the
 * Worker is built, so the bundle does not need these texts: there this function is empty, and esbuild drops its
 * arguments.
 */
export function doc(said: string | Keywords): Keywords | undefined {
  if (typeof DOCUMENTED === 'undefined') return typeof said === 'string' ? { description: said } : said
}

/** A field with what the document says about it: `field(text(), doc('Shown to the user.'))`. */
export function field<S extends ZodMiniType>(schema: S, said: Keywords | undefined): S {
  if (!said) return schema
  const described = clone(schema)
  globalRegistry.add(described, said)
  return described as S
}

/** A limit as descriptions write it: 1000 is "1,000". */
export const grouped = (limit: number) => limit.toLocaleString('en')
