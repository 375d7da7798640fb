import * as z from 'zod'
import type { JsonSchema } from './document-types.ts'
import { makePortable } from './portable.ts'

/** Schemas that have a name are listed under it in the document, and referred to. */
export type SchemaCollection = { components: Record<string, JsonSchema>; add: AddSchema }
type AddSchema = (schema: z.core.$ZodType, io: 'input' | 'output', name?: string) => JsonSchema

/**
 * Collects the schemas of a document. `input` is what a client may send, `output` what it gets. Answers are left
 * open in the document, so that a client does not break when a field is added; the tests close them.
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
    // Clients are not told about fields that are refused (contract/fields.ts).
    if (schema.not) delete properties[field]
    else if (!schema.description) throw new Error(`${name}.${field} is not described in src/contract`)
  }
}

const ofCode = ['anyOf', 'enum', 'additionalProperties', 'propertyNames'] as const

/** Converts a schema as a property of another: at the top, one that has a name would not become a reference. */
function convert(schema: z.core.$ZodType, io: 'input' | 'output') {
  const converted = z.toJSONSchema(z.object({ body: schema }), {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      const said: JsonSchema = z.globalRegistry.get(zodSchema) ?? {}
      // A type that the contract gives a field (src/contract) stands for whatever its code accepts.
      if (said.type) for (const keyword of ofCode) delete jsonSchema[keyword]
      // zod drops these when it converts.
      if (Array.isArray(said.examples)) jsonSchema.examples = said.examples
      if (said.default !== undefined) jsonSchema.default = said.default as typeof jsonSchema.default
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      delete jsonSchema.id
    },
  })
  const { properties, $defs = {} } = JSON.parse(
    JSON.stringify(converted).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as { properties: { body: JsonSchema }; $defs?: Record<string, JsonSchema> }
  return { body: properties.body, $defs }
}
