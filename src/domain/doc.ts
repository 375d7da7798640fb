import { globalRegistry, type ZodMiniType } from 'zod/mini'
import { clone } from 'zod/v4/core'

/** Keywords of JSON Schema. */
type Keywords = { [keyword: string]: unknown }

/** Metadata of a field for the OpenAPI document: a description, or keywords of JSON Schema. */
export function doc(metadata: string | Keywords): Keywords {
  return typeof metadata === 'string' ? { description: metadata } : metadata
}

/** Adds metadata to a field: `field(text(), doc('Shown to the user.'))`. */
export function field<S extends ZodMiniType>(schema: S, metadata: Keywords): S {
  const described = clone(schema)
  globalRegistry.add(described, metadata)
  return described
}

/** A limit in a description: 1000 is "1,000". */
export const formatNumber = (limit: number) => limit.toLocaleString('en')
