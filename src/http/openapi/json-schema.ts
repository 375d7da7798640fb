import * as z from 'zod'
import { textOfField } from './inputs.ts'
import { makePortable } from './portable.ts'

/** A JSON Schema of the 2020-12 draft, which OpenAPI 3.1 speaks. */
export type JsonSchema = { [keyword: string]: unknown }

/** Schemas that have a name stand under it in the document, and are referred to. */
export type SchemaCollection = { components: Record<string, JsonSchema>; add: AddSchema }
type AddSchema = (schema: z.core.$ZodType, io: 'input' | 'output', name?: string) => JsonSchema

/**
 * Collects the schemas of a document. `input` is what a client may send, `output` what it gets. Answers are left
 * open in the document, so that a client does not break where a field is added; the tests close them.
 */
export function collectSchemas(): SchemaCollection {
  const components: Record<string, JsonSchema> = {}
  const add: AddSchema = (schema, io, name) => {
    const { body, $defs } = convert(name ? withId(schema, name) : schema, io)
    makePortable(body, components)
    for (const [id, definition] of Object.entries($defs)) {
      makePortable(definition, components)
      if (io === 'input') describeFields(id, definition)
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

function describeFields(name: string, definition: JsonSchema): void {
  const properties = (definition.properties ?? {}) as Record<string, JsonSchema>
  for (const [field, schema] of Object.entries(properties)) {
    // A field that is refused (fields.ts) is none that a client may send.
    if (schema.not) delete properties[field]
    else schema.description ??= textOfField(name, field)
  }
}

/** Converts a schema below a property, where one that has a name becomes a reference too. */
function convert(schema: z.core.$ZodType, io: 'input' | 'output') {
  const converted = z.toJSONSchema(z.object({ body: schema }), {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      // A type that a field is given (contract/fields.ts) stands for the union that its code accepts.
      if (jsonSchema.type) delete jsonSchema.anyOf
      // zod drops these from what it converts.
      const { examples, default: byDefault }: JsonSchema = z.globalRegistry.get(zodSchema) ?? {}
      if (Array.isArray(examples)) jsonSchema.examples = examples
      if (byDefault !== undefined) jsonSchema.default = byDefault
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      delete jsonSchema.id
    },
  })
  const { properties, $defs = {} } = JSON.parse(
    JSON.stringify(converted).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as { properties: { body: JsonSchema }; $defs?: Record<string, JsonSchema> }
  return { body: properties.body, $defs }
}
