import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { JsonSchema, OpenApiDocument, OperationObject } from '../../src/openapi/document-types.ts'
import { documentFile } from './fixtures/document.ts'

type Parameter = { name: string; in: string; schema: JsonSchema }
type Content = Record<string, { schema: JsonSchema }>
type Operation = { id: string; operation: OperationObject; parameters: Parameter[]; body: Content }

/** Types and keywords of the languages of clients, and names that all their files import. */
const reserved = new Set(
  `abstract any array as assert async await bool boolean break byte case catch char character class const continue data
  date datetime decimal decoder default defer delegate deinit do dictionary double dynamic else encoder enum error
  event exception export extends extension external false file final finally float for foreach func function future
  get global goto if implements import in infer init inout instanceof int integer interface internal is iterable
  iterator late lazy let list lock long map mixin module namespace native new nil none nothing null number object
  open operator optional out override package pair part partial private process promise protected protocol public
  range record ref repeat required rethrow result return sealed self sequence set short signed some static stream
  strictfp string struct sub subscript super switch symbol sync synchronized task thread throw throws transient true
  try tuple type typealias typedef typeof unit unsafe unsigned uri url uuid val value var void volatile weak when where
  while with yield`.split(/\s+/),
)
/** Path parameters that are not ids of rows. */
const notIds = ['date', 'hash', 'signature', 'showSync id']

async function readDocument(): Promise<OpenApiDocument> {
  return JSON.parse(await readFile(documentFile, 'utf8'))
}

function operationsOf({ paths }: OpenApiDocument): Operation[] {
  return Object.values(paths).flatMap((methods) =>
    Object.values(methods).map((operation) => ({
      id: operation.operationId,
      operation,
      parameters: (operation.parameters ?? []) as Parameter[],
      body: (operation.requestBody as { content: Content } | undefined)?.content ?? {},
    })),
  )
}

/** Every schema of the document with its place, nested ones included. */
function schemasOf(document: OpenApiDocument): { place: string; schema: JsonSchema }[] {
  const { schemas, responses, headers } = document.components
  const within = (place: string, schema: JsonSchema): { place: string; schema: JsonSchema }[] => {
    const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = schema
    const parts = [
      ...Object.entries(properties as Record<string, JsonSchema>),
      ...Object.entries([anyOf, oneOf, allOf].flat() as JsonSchema[]),
      ...Object.entries({ items, additionalProperties }),
    ] as [string, JsonSchema][]
    const inner = parts.filter(([, part]) => typeof part === 'object' && part !== null)
    return [{ place, schema }, ...inner.flatMap(([name, part]) => within(`${place}.${name}`, part))]
  }
  const contentOf = (place: string, content: Content = {}) =>
    Object.entries(content).flatMap(([type, media]) => within(`${place} ${type}`, media.schema))
  return [
    ...Object.entries(schemas).flatMap(([name, schema]) => within(name, schema)),
    ...Object.entries(headers).flatMap(([name, header]) => within(name, header.schema as JsonSchema)),
    ...Object.entries(responses).flatMap(([name, { content }]) => contentOf(name, content)),
    ...operationsOf(document).flatMap(({ id, operation, parameters, body }) => [
      ...parameters.flatMap(({ name, schema }) => within(`${id} ${name}`, schema)),
      ...contentOf(id, body),
      ...Object.entries(operation.responses).flatMap(([status, response]) =>
        '$ref' in response ? [] : contentOf(`${id} ${status}`, response.content),
      ),
    ]),
  ]
}

/** What in a schema has no counterpart in a statically typed language, if anything. */
function faultOf(schema: JsonSchema, isNamed: boolean): string | undefined {
  const { type, $ref, anyOf, enum: words, format } = schema
  const choices = (anyOf ?? []) as JsonSchema[]
  const types = [type].flat().filter((one) => one !== 'null' && one !== undefined)
  if (types.length > 1) return 'is of several types'
  if ('oneOf' in schema || 'allOf' in schema) return 'is composed'
  if (choices.length > 0 && !(choices.length === 2 && choices[0]?.$ref && choices[1]?.type === 'null'))
    return 'is a choice of something else than a reference and null'
  if ('const' in schema) return 'is a constant, which becomes an enum without a name'
  if (Array.isArray(words)) {
    if (!isNamed) return 'is an enum without a name'
    if (!words.every((word) => typeof word === 'string' && word !== '')) return 'has a word that is no name'
  }
  if (type === undefined && !$ref && choices.length === 0 && Object.keys(schema).length > 0)
    return 'has no type'
  if (type === 'object' && schema.properties && !isNamed) return 'is an object without a name'
  if (types[0] === 'number' && format !== 'double') return 'is a number of no known size'
  if (/^date/.test(String(format)) && schema.pattern) return 'is a date with a pattern'
  return undefined
}

/** Everything that generators stumble over, as `place: what`. */
function faultsOf(document: OpenApiDocument): string[] {
  const names = Object.keys(document.components.schemas)
  const operations = operationsOf(document)
  const schemaFaults = schemasOf(document).flatMap(({ place, schema }) => {
    const fault = faultOf(schema, names.includes(place))
    const key = place.split(/[. ]/).at(-1) ?? ''
    const isId = /(^|_)id$/.test(key) && [schema.type].flat().includes('integer')
    return [
      ...(fault ? [`${place}: ${fault}`] : []),
      ...(isId && schema.format !== 'int64' ? [`${place}: is an id that is no int64`] : []),
    ]
  })
  const operationFaults = operations.flatMap(({ id, operation, parameters, body }) => {
    const { properties = {} } = resolve(document, body['multipart/form-data']?.schema)
    const isMixed = 'multipart/form-data' in body && Object.keys(body).some((type) => type.includes('json'))
    const repeated = parameters.filter(({ name }) => name in (properties as object))
    const badPaths = parameters.filter(
      ({ name, in: where, schema }) =>
        where === 'path' &&
        ![name, `${id} ${name}`].some((known) => notIds.includes(known)) &&
        schema.format !== 'int64',
    )
    // A 422 has an example of its own.
    const own = Object.entries(operation.responses).filter(
      ([status, one]) => status >= '400' && status !== '422' && !('$ref' in one),
    )
    return [
      ...(/^[a-z][A-Za-z0-9]*$/.test(id ?? '') ? [] : [`${id}: is no name of an operation`]),
      ...((operation.tags as string[] | undefined)?.length === 1 ? [] : [`${id}: has not one tag`]),
      ...(isMixed ? [`${id}: takes a form or JSON, and some clients send the one as the other`] : []),
      ...repeated.map(({ name }) => `${id} ${name}: is in the query and in the form`),
      ...badPaths.map(({ name }) => `${id} ${name}: is an id in a path that is no int64`),
      ...own.map(([status]) => `${id} ${status}: is a failure that is not shared`),
    ]
  })
  const ids = operations.map(({ id }) => id)
  return [
    ...schemaFaults,
    ...operationFaults,
    ...ids.filter((id, i) => ids.indexOf(id) < i).map((id) => `${id}: is the name of two operations`),
    ...names
      .filter((name) => !/^[A-Z][A-Za-z0-9]*$/.test(name) || reserved.has(name.toLowerCase()))
      .map((name) => `${name}: cannot name a class`),
  ]
}

function resolve({ components }: OpenApiDocument, schema: JsonSchema = {}): JsonSchema {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined
  return name ? (components.schemas[name] ?? {}) : schema
}

test('everything in the document has a counterpart in languages with static types', async () => {
  const document = await readDocument()
  expect(schemasOf(document).length).toBeGreaterThan(300)
  expect(faultsOf(document)).toEqual([])
})

test('the document says who answers for it, its license and its servers', async () => {
  const { info, servers, tags } = await readDocument()
  expect(info).toMatchObject({ contact: { name: 'Purse' }, license: { name: 'MIT' } })
  expect(servers).toEqual([expect.objectContaining({ url: '/' })])
  expect((tags as unknown[]).length).toBeGreaterThan(5)
})
