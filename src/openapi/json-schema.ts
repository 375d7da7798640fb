import * as z from 'zod'
import type { JsonSchema } from './document-types.ts'
import { makePortable } from './portable.ts'

/** The named schemas of a document, and a function that adds a schema and returns it, or a reference to it. */
export type SchemaCollection = { components: Record<string, JsonSchema>; add: AddSchema }
type AddSchema = (schema: z.core.$ZodType, io: 'input' | 'output', name?: string) => JsonSchema

/**
 * Collects the schemas of a document: `input` for requests, `output` for responses. Objects in responses may have additional
 * properties, so that new fields do not break clients.
 */
export function collectSchemas(): SchemaCollection {
  const components: Record<string, JsonSchema> = {}
  const add: AddSchema = (schema, io, name) => {
    const { body, $defs } = convert(name ? withId(schema, name) : schema, io)
    makePortable(body, components)
    for (const [id, definition] of Object.entries($defs)) {
      makePortable(definition, components)
      if (io === 'input') requireDescriptions(id, definition)
      const known = components[id]
      if (known && JSON.stringify(known) !== JSON.stringify(definition)) {
        throw new Error(`Two schemas are called ${id}`)
      }
      components[id] = definition
    }
    return body
  }
  return { components, add }
}

function withId(schema: z.core.$ZodType, id: string): z.core.$ZodType {
  if (z.globalRegistry.get(schema)?.id === id) return schema
  const copy = z.core.clone(schema)
  z.globalRegistry.add(copy, { ...z.globalRegistry.get(schema), id })
  return copy
}

function requireDescriptions(name: string, definition: JsonSchema): void {
  const properties = (definition.properties ?? {}) as Record<string, JsonSchema>
  for (const [field, schema] of Object.entries(properties)) {
    // Rejected fields (`rejected` in domain/fields.ts) are not in the document.
    if (schema.not) delete properties[field]
    else if (!schema.description) throw new Error(`${name}.${field} is not described in its contract.ts`)
  }
}

const derivedKeywords = ['anyOf', 'enum', 'additionalProperties', 'propertyNames'] as const

/** Converts a schema as a property of another, since a named schema at the top does not become a reference. */
function convert(schema: z.core.$ZodType, io: 'input' | 'output') {
  const converted = z.toJSONSchema(z.object({ body: schema }), {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      const metadata: JsonSchema = z.globalRegistry.get(zodSchema) ?? {}
      // The type in the metadata of a field replaces the derived one.
      if (metadata.type) for (const keyword of derivedKeywords) delete jsonSchema[keyword]
      // zod does not convert these.
      if (Array.isArray(metadata.examples)) jsonSchema.examples = metadata.examples
      if (metadata.default !== undefined) jsonSchema.default = metadata.default as typeof jsonSchema.default
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      delete jsonSchema.id
    },
  })
  const { properties, $defs = {} } = JSON.parse(
    JSON.stringify(converted).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as { properties: { body: JsonSchema }; $defs?: Record<string, JsonSchema> }
  return { body: properties.body, $defs }
}
