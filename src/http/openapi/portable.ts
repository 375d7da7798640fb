import type { JsonSchema } from './document-types.ts'
import { enumOf } from './enums.ts'

type Components = Record<string, JsonSchema>

/**
 * Rewrites a schema, in place, as generators of every language understand it: an enum becomes a reference to its
 * component, which is added to `components`; a nullable type becomes `[type, "null"]`; a date keeps its format alone.
 */
export function makePortable(schema: JsonSchema, components: Components): void {
  for (const part of partsOf(schema)) makePortable(part, components)
  mergeNull(schema)
  if (schema.enum) nameEnum(schema, components)
  // Typed languages read these into dates, which no pattern fits any more.
  if (schema.format === 'date' || schema.format === 'date-time') delete schema.pattern
  // Keys of JSON are strings anyway, and few generators know the keyword.
  delete schema.propertyNames
}

/** The schemas directly inside a schema. */
export function partsOf(schema: JsonSchema): JsonSchema[] {
  const { properties = {}, anyOf = [], items, additionalProperties } = schema
  const parts = [...Object.values(properties as Components), ...(anyOf as JsonSchema[]), items]
  return [...parts, additionalProperties].filter(
    (part): part is JsonSchema => typeof part === 'object' && part !== null,
  )
}

/** `anyOf` a plain type and null is one type that may be null. A reference has no shorter form. */
function mergeNull(schema: JsonSchema): void {
  const [first, second, ...others] = (schema.anyOf ?? []) as JsonSchema[]
  if (second?.type !== 'null' || typeof first?.type !== 'string' || others.length > 0) return
  delete schema.anyOf
  Object.assign(schema, { ...first, ...schema, type: [first.type, 'null'] })
}

function nameEnum(schema: JsonSchema, components: Components): void {
  const { name, component } = enumOf(schema.enum)
  components[name] = component
  delete schema.type
  delete schema.enum
  schema.$ref = `#/components/schemas/${name}`
}
