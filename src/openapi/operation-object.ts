import * as z from 'zod/mini'
import * as shown from '../domain/shown.ts'
import { ifMatch } from '../domain/versions.ts'
import { publicRoutes, scopeOf } from '../http/authenticate.ts'
import type { Check } from '../http/validate.ts'
import type { JsonSchema, OperationObject } from './document-types.ts'
import type { Endpoint } from './endpoint.ts'
import { type FailureName, failures, ownFailures } from './failures.ts'
import type { SchemaCollection } from './json-schema.ts'
import { responseObject } from './response-descriptions.ts'

/** A route of the API, with the schemas that its validators check. */
export type Route = {
  name: string
  method: string
  path: string
  checks: Check[]
}

/** A route in the document: its description, the input of its validators, and its failures. */
export function operationObject(
  { name, method, path, checks }: Route,
  { tag, endpoint }: { tag: string; endpoint: Endpoint },
  collection: SchemaCollection,
): OperationObject {
  const json = checks.find(({ target }) => target === 'json')?.schema
  const responses: OperationObject['responses'] = {}
  for (const [status, response] of Object.entries(endpoint.responses))
    responses[status] = response.sharedAs
      ? { $ref: `#/components/responses/${response.sharedAs}` }
      : responseObject(response, collection)
  for (const failure of failuresOf({ name, method, path, checks }, endpoint)) {
    const { status } = failures[failure]
    if (responses[status]) throw new Error(`${name} has two responses with status ${status}`)
    responses[status] = ownFailures.includes(failure)
      ? responseObject({ ...failures[failure], example: invalidExample(endpoint) }, collection)
      : { $ref: `#/components/responses/${failure}` }
  }
  const requestBody = bodyOf(endpoint, json, collection, method)
  const parameters = parametersOf(path, checks, collection)
  return {
    operationId: endpoint.id,
    tags: [tag],
    summary: endpoint.summary,
    description: endpoint.description,
    ...(publicRoutes.includes(name) && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses,
  }
}

/** The failures of a route: those that follow from the route, and those of its description. */
function failuresOf(
  { name, path, checks }: Route,
  { bodies = {}, failures: own = [] }: Endpoint,
): FailureName[] {
  const isPublic = publicRoutes.includes(name)
  const takesJson = checks.some(({ target }) => target === 'json')
  // An import accepts files of any content type.
  const takesBody = takesJson || 'multipart/form-data' in bodies
  const canReject = takesBody || checks.some(({ target, canReject }) => target === 'query' && canReject)
  const names: (FailureName | false)[] = [
    takesBody && 'Malformed',
    takesBody && 'TooLarge',
    takesBody && (takesJson ? 'NotJson' : 'Compressed'),
    !isPublic && 'Unauthenticated',
    canReject && !own.some((name) => /^Invalid./.test(name)) && 'Invalid',
    'Limited',
    'Unexpected',
    'Unavailable',
  ]
  const ofRow: FailureName[] = !isPublic && path.includes('/:id') ? ['Forbidden', 'NotFound'] : []
  const all = [...names.filter((one) => one !== false), ...ofRow, ...own]
  const writes = scopeOf(name) !== 'read'
  if (writes && !all.some((one) => failures[one].status === 422)) all.push('NoDryRun')
  if (writes && !isPublic && !checks.some(({ schema }) => schema === ifMatch))
    all.push('PreconditionUnsupported')
  // The description of any other 403 covers it, too.
  const isScoped = !isPublic && writes && !all.some((one) => failures[one].status === 403)
  return isScoped ? [...all, 'InsufficientScope'] : all
}

function invalidExample({ id, invalid }: Endpoint) {
  if (!invalid) throw new Error(`The 422 of ${id} has no example`)
  return { message: 'The given data was invalid.', ...invalid }
}

function bodyOf(
  endpoint: Endpoint,
  json: z.ZodMiniObject | undefined,
  { add }: SchemaCollection,
  method: string,
): JsonSchema | undefined {
  const bodies = { ...endpoint.bodies }
  if (json) {
    if (!endpoint.body) throw new Error(`The body of ${endpoint.id} has no name and no example`)
    bodies['application/json'] = { schema: json, ...endpoint.body }
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

const isOptional = (field: z.core.$ZodType) => z.safeParse(field, undefined).success

/**
 * The parameters of path, query and headers that the validators read. In a path without a validator, `:id` is a row's id and
 * `:date` a day.
 */
function parametersOf(path: string, checks: Check[], { add }: SchemaCollection): JsonSchema[] {
  const read = checks
    .filter(({ target }) => target !== 'json')
    .flatMap(({ target, canReject, schema }) =>
      Object.entries(schema.shape).map(([name, field]) => {
        const { description, ...rest } = add(field, 'input')
        if (!description) throw new Error(`${name} of ${path} is not described in its contract.ts`)
        const isRequired = target === 'param' || (canReject && !isOptional(field))
        const place = target === 'param' ? 'path' : target
        return { name, in: place, ...(isRequired && { required: true }), description, schema: rest }
      }),
    )
  if (checks.some(({ target }) => target === 'param')) return read
  const places = Object.entries({ id: shown.id(), date: shown.calendarDate() })
    .filter(([name]) => path.includes(`/:${name}`))
    .map(([name, field]) => ({ name, in: 'path', required: true, schema: add(field, 'output') }))
  return [...places, ...read]
}
