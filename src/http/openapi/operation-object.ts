import type * as z from 'zod/mini'
import * as shown from '../../contract/shown.ts'
import { publicRoutes } from '../authenticate.ts'
import type { Check } from '../validate.ts'
import type { AnswerObject, JsonSchema, OperationObject } from './document-types.ts'
import { failuresOf } from './failures.ts'
import { commonHeaders } from './headers.ts'
import type { SchemaCollection } from './json-schema.ts'
import type { AnswerDescription, Operation } from './operation.ts'

/** A route of the API, with the schemas that its validators check. */
export type Route = {
  name: string
  method: string
  path: string
  checks: Check[]
}

/** One route as the document has it: what its operation says, what its validators check, and every way it can fail. */
export function operationObject(
  { name, method, path, checks }: Route,
  { tag, operation }: { tag: string; operation: Operation },
  collection: SchemaCollection,
): OperationObject {
  const isPublic = publicRoutes.includes(name)
  const json = checks.find(({ target }) => target === 'json')?.schema
  const failures = failuresOf({
    isPublic,
    hasJsonBody: json !== undefined,
    takesFiles: takesFiles(operation),
    canRefuseQuery: checks.some(({ target, canRefuse }) => target === 'query' && canRefuse),
    namesRow: !isPublic && path.includes('/:id'),
    extra: operation.failures ?? [],
  })
  const responses: OperationObject['responses'] = {}
  for (const [status, answer] of Object.entries(operation.answers))
    responses[status] = answerObject(answer, collection)
  for (const failure of failures) {
    if (responses[failure.status]) throw new Error(`${name} answers ${failure.status} in two ways`)
    responses[failure.status] = { $ref: `#/components/responses/${failure.name}` }
  }
  const requestBody = bodyOf(operation, json, collection, method)
  const parameters = parametersOf(path, checks, collection)
  return {
    operationId: operation.id,
    tags: [tag],
    summary: operation.summary,
    description: operation.description,
    ...(isPublic && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses,
  }
}

function takesFiles({ bodies = {} }: Operation): boolean {
  return 'multipart/form-data' in bodies
}

function bodyOf(
  operation: Operation,
  json: z.ZodMiniObject | undefined,
  { add }: SchemaCollection,
  method: string,
): JsonSchema | undefined {
  const bodies = { ...operation.bodies }
  if (json) {
    if (!operation.body) throw new Error(`The body of ${operation.id} has no name and no example`)
    bodies['application/json'] = { schema: json, ...operation.body }
  }
  if (Object.keys(bodies).length === 0) return undefined
  const content = Object.entries(bodies).map(([type, { schema, name, example, description }]) => [
    type,
    {
      schema: { ...add(schema, 'input', name), ...(description && { description }) },
      ...(example !== undefined && { example }),
    },
  ])
  return { required: method === 'POST', content: Object.fromEntries(content) }
}

/** What the validators read of path, query and headers. An `:id` that none of them reads is the id of a row. */
function parametersOf(path: string, checks: Check[], { add }: SchemaCollection): JsonSchema[] {
  const read = checks
    .filter(({ target }) => target !== 'json')
    .flatMap(({ target, canRefuse, schema }) =>
      Object.entries(schema.shape).map(([name, field]) => {
        const { description, ...rest } = add(field, 'input')
        if (!description) throw new Error(`${name} of ${path} is not described in src/contract`)
        const isRequired = target === 'param' || (canRefuse && field._zod.optin === undefined)
        const place = target === 'param' ? 'path' : target
        return { name, in: place, ...(isRequired && { required: true }), description, schema: rest }
      }),
    )
  const isRow = path.includes('/:id') && !checks.some(({ target }) => target === 'param')
  const row = { name: 'id', in: 'path', required: true, schema: add(shown.id(), 'output') }
  return isRow ? [row, ...read] : read
}

/** An answer as the document has it. */
export function answerObject(answer: AnswerDescription, { add }: SchemaCollection): AnswerObject {
  const names: string[] = [...commonHeaders, ...(answer.headers ?? [])]
  return {
    description: answer.description,
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...(answer.schema && {
      content: Object.fromEntries(
        (answer.contentTypes ?? ['application/json']).map((type) => {
          const isText = type.startsWith('text/')
          const schema = isText ? { type: 'string' } : add(answer.schema as z.core.$ZodType, 'output')
          return [type, { schema, ...(answer.example !== undefined && { example: answer.example }) }]
        }),
      ),
    }),
  }
}
