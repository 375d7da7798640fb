import * as fc from 'fast-check'
import type { JsonSchema, OpenApiDocument } from '../../../src/openapi/document-types.ts'
import { fromSchema, nearly } from './from-schema.ts'
import {
  anyOf,
  badAuthorizations,
  contentTypes,
  garbageBodies,
  hostileHeaders,
  hostileQueries,
  hostileSegments,
  hostileValue,
} from './hostile.ts'
import { entriesOf, Known, type Lookup, writeJson, writeText } from './written.ts'

/** One operation of the document, as far as a request needs it. */
export type Operation = {
  id: string
  method: string
  path: string
  isPublic: boolean
  parameters: { name: string; in: 'path' | 'query' | 'header'; schema: JsonSchema }[]
  bodies: Record<string, { schema: JsonSchema }>
}

/** A request as drawn; ids and secrets are filled in when it is sent. */
export type Draft = {
  operation: Operation
  method: string
  path: Record<string, unknown>
  query: Record<string, unknown> | string
  headers: Record<string, unknown>
  /** Undefined stands for the valid token. */
  authorization: string | undefined
  body: { type: string; value: unknown; isRaw: boolean } | undefined
}

/** Every operation of the document. */
export function operationsOf({ paths }: OpenApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId, parameters, requestBody, security }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      path,
      isPublic: security !== undefined,
      parameters: (parameters ?? []) as Operation['parameters'],
      bodies: (requestBody as { content: Operation['bodies'] } | undefined)?.content ?? {},
      // What fast-check shows of a request that fails.
      [fc.toStringMethod]: () => operationId,
    })),
  )
}

/** What a path's parameters refer to, by operation where the name alone does not say. */
const named: Record<string, string> = {
  '/api/imports/layouts/{id}': 'layout',
  '/api/accounts/{id}': 'account',
  '/api/categories/{id}': 'category',
  '/api/transactions/{id}': 'transaction',
  '/api/balance-checks/{id}': 'balance_check',
  '/api/recurring/{id}': 'recurring',
  '/api/recurring/{id}/occurrences/{date}': 'recurring',
  '/api/recurring/{id}/occurrences/{date}/record': 'recurring',
  '/api/transactions/sync/{id}': 'sync',
  '/api/imports/{id}': 'import',
  '/api/tokens/{id}': 'session',
}
/** Dates of the monthly rules that start on the first of a month. */
const occurrence = fc.constantFrom('2026-11-01', '2026-12-01', '2027-01-01', '2027-02-01')

/** The operations that only links and redirects lead to, whose parameters belong together. */
const links = [
  ...['verifyEmail', 'showDisown', 'disown', 'showApproval', 'approveChange', 'showChange', 'changeAddress'],
  ...['showRestore', 'restoreAddress', 'showUnsubscribe', 'unsubscribe', 'completeProviderSignIn'],
]

const methods = 'GET HEAD OPTIONS POST PUT PATCH DELETE TRACE PROPFIND PURGE SEARCH'
  .split(' ')
  .filter(canBeSent)

/** Draws requests to any operation of the document: valid ones, nearly valid ones, and garbage. */
export function requestsTo(document: OpenApiDocument): fc.Arbitrary<Draft> {
  const { schemas } = document.components
  return fc.oneof(
    ...operationsOf(document).map((operation) =>
      fc.oneof(
        { weight: 6, arbitrary: goodRequest(operation, schemas) },
        { weight: 10, arbitrary: nearlyGoodRequest(operation, schemas) },
        { weight: 5, arbitrary: garbageRequest(operation, schemas) },
      ),
    ),
  )
}

type Schemas = OpenApiDocument['components']['schemas']

function goodRequest(operation: Operation, schemas: Schemas): fc.Arbitrary<Draft> {
  return fc.record({
    operation: fc.constant(operation),
    method: fc.constant(operation.method),
    path: parametersOf(operation, 'path', schemas),
    query: parametersOf(operation, 'query', schemas),
    headers: parametersOf(operation, 'header', schemas),
    authorization: fc.constant(undefined),
    body: bodyOf(operation, schemas),
  })
}

/** A valid request except for one part. */
function nearlyGoodRequest(operation: Operation, schemas: Schemas): fc.Arbitrary<Draft> {
  const good = goodRequest(operation, schemas)
  const ids = Object.values(named).map((what) => `foreign ${what}`)
  const wrong: fc.Arbitrary<(draft: Draft) => Draft>[] = [
    hostileQueries.map((query) => (draft) => ({ ...draft, query })),
    hostileHeaders.map((headers) => (draft) => ({ ...draft, headers: { ...draft.headers, ...headers } })),
  ]
  if (operation.path.includes('{')) {
    const segment = fc.oneof(
      hostileSegments,
      anyOf(named[operation.path] ? `foreign ${named[operation.path]}` : 'foreign account', ...ids),
    )
    wrong.push(segment.map((one) => (draft) => ({ ...draft, path: mapOf(draft.path, () => one) })))
  }
  if (operation.parameters.some((parameter) => parameter.in === 'query')) {
    const values = fc.array(hostileValue, { minLength: 1, maxLength: 7 })
    wrong.push(values.map((some) => (draft) => ({ ...draft, query: queryOf(operation, some) })))
  }
  const base = fc.tuple(good, fc.oneof(...wrong)).map(([draft, spoil]) => spoil(draft))
  if (Object.keys(operation.bodies).length === 0) return base
  const body = fc
    .tuple(good, nearly(bodyOf(operation, schemas).map((one) => one?.value)))
    .map(([draft, value]) => ({ ...draft, body: draft.body && { ...draft.body, value } }))
  return fc.oneof({ weight: 1, arbitrary: base }, { weight: 4, arbitrary: body })
}

/** What a malicious client, or something that is no client of ours, might send to one of our paths. */
function garbageRequest(operation: Operation, schemas: Schemas): fc.Arbitrary<Draft> {
  const body = fc.record({ type: contentTypes, value: garbageBodies, isRaw: fc.constant(true) })
  return fc
    .record({
      good: goodRequest(operation, schemas),
      method: fc.oneof({ weight: 2, arbitrary: fc.constant(operation.method) }, fc.constantFrom(...methods)),
      headers: fc.oneof(fc.constant({}), hostileHeaders),
      authorization: fc.oneof(fc.constant(undefined), badAuthorizations),
      body: fc.option(body, { nil: undefined }),
    })
    .map(({ good, ...garbage }) => ({ ...good, ...garbage }))
}

function parametersOf(
  operation: Operation,
  where: string,
  schemas: Schemas,
): fc.Arbitrary<Record<string, unknown>> {
  const isLink = links.includes(operation.id)
  const values = operation.parameters
    .filter((parameter) => parameter.in === where && !(isLink && parameter.name === 'error'))
    .map(({ name, schema }) => {
      if (isLink) return [name, fc.constant(new Known(`${operation.id} ${name}`, 0))] as const
      if (where === 'path' && name === 'date') return [name, occurrence] as const
      const what = where === 'path' ? named[operation.path] : undefined
      return [name, what ? anyOf(what) : fromSchema(schema, schemas, name)] as const
    })
  const requiredKeys = isLink || where === 'path' ? values.map(([name]) => name) : []
  const recordOf = (some: typeof values) =>
    fc.record(Object.fromEntries(some), { requiredKeys, noNullPrototype: true })
  // An import has a dozen options, which are hardly ever valid together.
  return values.length > 6 ? fc.subarray(values, { maxLength: 4 }).chain(recordOf) : recordOf(values)
}

function bodyOf(operation: Operation, schemas: Schemas): fc.Arbitrary<Draft['body']> {
  const { id, bodies } = operation
  const kinds = Object.entries({ ...bodies, ...jsonImport(bodies) }).map(([type, { schema }]) => {
    const isFile = schema.format === 'binary'
    let value = fromSchema(schema, schemas, isFile ? 'file' : '')
    if (type === 'multipart/form-data') value = withOptions(value, operation, schemas)
    // A new user has an address that is new, and so does one who changes it.
    if (['register', 'updateEmail', 'patchEmail'].includes(id))
      value = value.map((fields) => ({ ...(fields as object), email: new Known('new email', 0) }))
    return value.map((one) => ({ type, value: one, isRaw: isFile }))
  })
  return kinds.length === 0 ? fc.constant(undefined) : fc.oneof(...kinds)
}

/** What an import takes in place of a file, which the document describes only in prose. */
function jsonImport(bodies: Operation['bodies']): Operation['bodies'] {
  if (!('multipart/form-data' in bodies)) return {}
  const items = { $ref: '#/components/schemas/NewTransaction' }
  const properties = { transactions: { type: 'array', minItems: 1, items }, account_id: {}, dry_run: flag }
  return { 'application/json': { schema: { type: 'object', properties, required: ['transactions'] } } }
}
const flag = { type: 'boolean' }

/** A form may carry what the document has as parameters of the query. */
function withOptions(
  form: fc.Arbitrary<unknown>,
  operation: Operation,
  schemas: Schemas,
): fc.Arbitrary<unknown> {
  return fc
    .tuple(parametersOf(operation, 'query', schemas), form)
    .map(([options, fields]) => ({ ...options, ...(fields as object) }))
}

function queryOf({ parameters }: Operation, values: unknown[]): Record<string, unknown> {
  const names = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
  return Object.fromEntries(names.slice(0, values.length).map((name, i) => [name, values[i]]))
}

function mapOf(record: Record<string, unknown>, map: (value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}

function canBeSent(method: string): boolean {
  try {
    return new Request('http://purse.test/', { method }).method === method
  } catch {
    return false
  }
}

/** A request as it goes over the wire. */
export type Written = {
  method: string
  path: string
  headers: Record<string, string>
  rawBody: Uint8Array | string | undefined
}

/** Writes a draft as a request, with everything that is known by now; `token` is the valid one. */
export function write(draft: Draft, token: string, lookup: Lookup): Written {
  const { operation, method, authorization } = draft
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => writeText(draft.path[name], lookup))
  const query =
    typeof draft.query === 'string'
      ? draft.query
      : Object.entries(draft.query)
          .map(([name, value]) => `${name}=${encodeURIComponent(writeText(value, lookup).toWellFormed())}`)
          .join('&')
  const url = new URL(`http://purse.test${path}${query && '?'}${query}`)
  const headers = Object.fromEntries(
    Object.entries(draft.headers).map(([name, value]) => [name, ascii(writeText(value, lookup))]),
  )
  if (authorization !== undefined) headers.Authorization = authorization
  else if (!operation.isPublic) headers.Authorization = `Bearer ${token}`
  const { rawBody, type } = method === 'GET' || method === 'HEAD' ? {} : writeBody(draft.body, lookup)
  if (type) headers['Content-Type'] = type
  // As a client writes it: without the fragment, and with dots resolved.
  return { method, path: `${url.pathname}${url.search}`, headers, rawBody }
}

function writeBody(body: Draft['body'], lookup: Lookup): { rawBody?: Uint8Array | string; type?: string } {
  if (!body) return {}
  const { type, value, isRaw } = body
  if (isRaw && value instanceof Uint8Array) return { rawBody: value, type }
  if (isRaw) return { rawBody: writeText(value, lookup), type }
  if (type !== 'multipart/form-data') return { rawBody: writeJson(value, lookup), type }
  return { rawBody: writeForm(entriesOf(value) ?? [], lookup), type: `${type}; boundary=${boundary}` }
}

const boundary = 'purse-fuzz'

/** Writes a form by hand, since a library would refuse or escape the names that matter here. */
function writeForm(fields: [name: string, value: unknown][], lookup: Lookup): string {
  const parts = fields.map(([name, value]) => {
    const isFile = name === 'file' ? '; filename="statement.csv"' : ''
    const disposition = `Content-Disposition: form-data; name="${name}"${isFile}`
    return `--${boundary}\r\n${disposition}\r\n\r\n${writeText(value, lookup)}\r\n`
  })
  return `${parts.join('')}--${boundary}--\r\n`
}

/** What clients can send in a header without encoding it. */
function ascii(text: string): string {
  return text.replace(/[^\t\x20-\x7e]/g, '?')
}
