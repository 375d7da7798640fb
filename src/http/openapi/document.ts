import type { RouterRoute } from 'hono/types'
import type * as z from 'zod'
import { publicRoutes } from '../authenticate.ts'
import { checkedBy } from '../validate.ts'
import type { AnswerObject, OpenApiDocument, OperationObject } from './document-types.ts'
import { failuresOf } from './failures.ts'
import { introduction } from './introduction.ts'
import { collectSchemas, type JsonSchema, type SchemaCollection } from './json-schema.ts'
import type { AnswerDescription, HeaderName, Operation, OperationGroup } from './operation.ts'
import { accountOperations } from './operations/accounts.ts'
import { categoryOperations } from './operations/categories.ts'
import { dashboardOperations } from './operations/dashboard.ts'
import { emailOperations } from './operations/email.ts'
import { importOperations } from './operations/imports.ts'
import { profileOperations } from './operations/profile.ts'
import { serviceOperations } from './operations/service.ts'
import { signInOperations } from './operations/sign-in.ts'
import { syncOperations } from './operations/sync.ts'
import { transactionOperations } from './operations/transactions.ts'

const groups: OperationGroup[] = [
  signInOperations,
  emailOperations,
  profileOperations,
  accountOperations,
  categoryOperations,
  transactionOperations,
  syncOperations,
  importOperations,
  dashboardOperations,
  serviceOperations,
]

/** Headers of every answer. */
const commonHeaders = ['X-Request-Id', 'Server-Timing'] as const
const headers: Record<HeaderName | (typeof commonHeaders)[number], JsonSchema> = {
  'X-Request-Id': {
    description: 'Names this request in our log.',
    required: true,
    schema: { type: 'string' },
  },
  'Server-Timing': {
    description: "The database's share of the time, the round trips to it, and the whole.",
    required: true,
    schema: { type: 'string' },
  },
  Location: { description: 'Where to go.', required: true, schema: { type: 'string' } },
  'Preference-Applied': {
    description: 'The preference that was kept to (RFC 7240).',
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'Seconds to wait.', required: true, schema: { type: 'integer', minimum: 0 } },
  'X-RateLimit-Limit': {
    description: 'Attempts allowed.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'X-RateLimit-Remaining': {
    description: 'Attempts left.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
}

/**
 * Makes the OpenAPI document of the routes that Hono has registered: paths, parameters, bodies and failures come from
 * the routes and the very schemas that validate requests, the rest from the operations. Throws where a route is
 * not described, or what is described is no route.
 */
export function openApiDocument(routes: RouterRoute[]): OpenApiDocument {
  const collection = collectSchemas()
  const described = describedOperations()
  const paths: OpenApiDocument['paths'] = {}
  for (const route of registered(routes)) {
    const entry = described.get(route.name)
    if (!entry) throw new Error(`${route.name} is not described in src/http/openapi/operations`)
    described.delete(route.name)
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] ??= {}
    paths[path][route.method.toLowerCase()] = describe(route, entry, collection)
  }
  // A PATCH is described wherever there is a PUT; all that remains must be a route.
  const [unknown] = [...described.keys()].filter((name) => !name.startsWith('PATCH '))
  if (unknown) throw new Error(`${unknown} is described and is no route`)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Purse',
      version: '1.0.0',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'Where this document comes from.' }],
    security: [{ token: [] }],
    tags: groups.map(({ tag, description }) => ({ name: tag, description })),
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'The `access_token` of registering or signing in.',
        },
      },
      headers,
      schemas: Object.fromEntries(Object.entries(collection.components).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
}

type Route = {
  name: string
  method: string
  path: string
  checked: Partial<Record<'json' | 'query', z.ZodObject>>
}

/** The routes of the API, each with what its validators check. */
function registered(routes: RouterRoute[]): Route[] {
  const found = new Map<string, Route>()
  for (const { method, path, handler } of routes) {
    if (method === 'ALL' || !path.startsWith('/api/')) continue
    const name = `${method} ${path}`
    const route = found.get(name) ?? { name, method, path, checked: {} }
    const check = checkedBy.get(handler)
    if (check) route.checked[check.target] = check.schema
    found.set(name, route)
  }
  return [...found.values()]
}

/** Every operation with its tag, by `METHOD /path`; a PUT has its alias. */
function describedOperations() {
  const found = new Map<string, { tag: string; operation: Operation }>()
  for (const { tag, operations } of groups) {
    for (const [name, operation] of Object.entries(operations)) {
      found.set(name, { tag, operation })
      if (name.startsWith('PUT ')) {
        const { id, summary } = operation
        const alias = { ...operation, id: id.replace('update', 'patch'), summary: `${summary} (same as PUT)` }
        found.set(name.replace('PUT', 'PATCH'), { tag, operation: alias })
      }
    }
  }
  return found
}

function describe(
  { name, method, path, checked }: Route,
  { tag, operation }: { tag: string; operation: Operation },
  collection: SchemaCollection,
): OperationObject {
  const isPublic = publicRoutes.includes(name)
  const failures = failuresOf({
    isPublic,
    hasJsonBody: checked.json !== undefined || (operation.bodies !== undefined && !takesFiles(operation)),
    takesFiles: takesFiles(operation),
    hasQuery: checked.query !== undefined,
    namesRow: !isPublic && path.includes('/:id'),
    extra: operation.failures ?? [],
  })
  const answers = Object.entries(operation.answers).map(([status, answer]) => ({ status, answer }))
  for (const failure of failures) {
    if (answers.some(({ status }) => status === String(failure.status))) {
      throw new Error(`${name} answers ${failure.status} in two ways`)
    }
    answers.push({ status: String(failure.status), answer: failure })
  }
  const requestBody = bodyOf(operation, checked, collection, method)
  const parameters = parametersOf(path, operation, checked, collection)
  return {
    operationId: operation.id,
    tags: [tag],
    summary: operation.summary,
    ...(operation.description && { description: operation.description }),
    ...(isPublic && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: Object.fromEntries(
      answers.map(({ status, answer }) => [status, answerObject(answer, collection)]),
    ),
  }
}

function takesFiles({ bodies = {} }: Operation): boolean {
  return 'multipart/form-data' in bodies
}

function bodyOf(
  operation: Operation,
  checked: Route['checked'],
  { add }: SchemaCollection,
  method: string,
): JsonSchema | undefined {
  const bodies = { ...operation.bodies }
  if (checked.json && operation.body) {
    bodies['application/json'] = { schema: checked.json, ...operation.body }
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

/** What stands in the path, what the validator of the query checks, and what the operation adds. */
function parametersOf(
  path: string,
  { parameters = {} }: Operation,
  checked: Route['checked'],
  { add }: SchemaCollection,
): JsonSchema[] {
  const inPath = [...path.matchAll(/:(\w+)/g)]
    .map(([, name = '']) => name)
    .filter((name) => !(name in parameters))
    .map((name) => ({ name, in: 'path', required: true, schema: { type: 'integer', minimum: 1 } }))
  const inQuery = Object.entries(checked.query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    schema: add(schema as z.ZodType, 'input'),
  }))
  const others = Object.entries(parameters).map(([name, { schema, ...rest }]) => ({
    name,
    ...rest,
    schema: add(schema, 'input'),
  }))
  return [...inPath, ...inQuery, ...others]
}

function answerObject(answer: AnswerDescription, { add }: SchemaCollection): AnswerObject {
  const names: string[] = [...commonHeaders, ...(answer.headers ?? [])]
  return {
    description: answer.description,
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...(answer.schema && {
      content: Object.fromEntries(
        (answer.contentTypes ?? ['application/json']).map((type) => {
          const isText = type.startsWith('text/')
          const schema = isText ? { type: 'string' } : add(answer.schema as z.ZodType, 'output')
          return [type, { schema, ...(answer.example !== undefined && { example: answer.example }) }]
        }),
      ),
    }),
  }
}
