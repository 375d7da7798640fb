import type { RouterRoute } from 'hono/types'
import { accountEndpoints } from './accounts/document.ts'
import { signInEndpoints } from './auth/document.ts'
import { emailEndpoints } from './auth/email-document.ts'
import { balanceCheckEndpoints } from './balance-checks/document.ts'
import { categoryEndpoints } from './categories/document.ts'
import { exportEndpoints } from './export/document.ts'
import { checkByHandler } from './http/validate.ts'
import { importEndpoints } from './imports/document.ts'
import { matchEndpoints } from './matches/document.ts'
import type { OpenApiDocument } from './openapi/document-types.ts'
import type { Endpoint, EndpointGroup } from './openapi/endpoint.ts'
import { type FailureName, failures, ownFailures } from './openapi/failures.ts'
import { introduction } from './openapi/introduction.ts'
import { collectSchemas, type SchemaCollection } from './openapi/json-schema.ts'
import { operationObject, type Route } from './openapi/operation-object.ts'
import { headers, responseObject } from './openapi/response-descriptions.ts'
import { recurringEndpoints } from './recurring/document.ts'
import { reportEndpoints } from './reports/document.ts'
import { serviceEndpoints } from './service/document.ts'
import { dashboardEndpoints } from './summary/document.ts'
import { syncEndpoints } from './sync/document.ts'
import { transactionEndpoints } from './transactions/document.ts'
import { changeEndpoints } from './upload/document.ts'
import { profileEndpoints } from './users/document.ts'

const groups: EndpointGroup[] = [
  signInEndpoints,
  emailEndpoints,
  profileEndpoints,
  accountEndpoints,
  categoryEndpoints,
  transactionEndpoints,
  syncEndpoints,
  changeEndpoints,
  importEndpoints,
  matchEndpoints,
  dashboardEndpoints,
  reportEndpoints,
  recurringEndpoints,
  balanceCheckEndpoints,
  exportEndpoints,
  serviceEndpoints,
]

/**
 * Makes the OpenAPI document of the registered routes: paths, parameters, bodies and failures come from the routes and the
 * schemas of their validators, descriptions from each folder's document.ts. Throws if a route has no description, or a
 * description no route. `version` is that of package.json.
 */
export function openApiDocument(routes: RouterRoute[], version = 'unreleased'): OpenApiDocument {
  const collection = collectSchemas()
  const paths = pathsOf(routes, collection)
  const ofEndpoints = groups.flatMap(({ endpoints }) =>
    Object.values(endpoints).flatMap(({ responses }) => Object.values(responses)),
  )
  const shared = [
    ...Object.entries(failures).filter(([name]) => !ownFailures.includes(name as FailureName)),
    ...ofEndpoints.flatMap((one) => (one.sharedAs ? [[one.sharedAs, one] as const] : [])),
  ]
  const responses = Object.fromEntries(
    shared.map(([name, failure]) => [name, responseObject(failure, collection)]),
  )
  return {
    openapi: '3.1.1',
    info: {
      title: 'Purse',
      version,
      description: introduction,
      contact: { name: 'Purse' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The origin of this document.' }],
    security: [{ token: [] }],
    tags: groups.map(({ tag, description }) => ({ name: tag, description })),
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'The `access_token` of registering, signing in or making a token for a script.',
        },
      },
      headers,
      responses,
      schemas: Object.fromEntries(Object.entries(collection.components).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
}

function pathsOf(routes: RouterRoute[], collection: SchemaCollection) {
  const described = describedEndpoints()
  const paths: OpenApiDocument['paths'] = {}
  for (const route of registered(routes)) {
    const entry = described.get(route.name)
    if (!entry) throw new Error(`${route.name} is not described in any document.ts`)
    described.delete(route.name)
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] ??= {}
    paths[path][route.method.toLowerCase()] = operationObject(route, entry, collection)
  }
  // Each PUT is also described as a PATCH, which may have no route.
  const [unknown] = [...described.keys()].filter((name) => !name.startsWith('PATCH '))
  if (unknown) throw new Error(`${unknown} is described, but is not a route`)
  return paths
}

/** The routes of the API, with the checks of their validators. */
function registered(routes: RouterRoute[]): Route[] {
  const found = new Map<string, Route>()
  for (const { method, path, handler } of routes) {
    if (method === 'ALL' || !/^\/api(\/|$)/.test(path)) continue
    const name = `${method} ${path}`
    const route = found.get(name) ?? { name, method, path, checks: [] }
    const check = checkByHandler.get(handler)
    if (check) route.checks.push(check)
    found.set(name, route)
  }
  return [...found.values()]
}

/** Every endpoint with its tag, by `METHOD /path`; each PUT also as a PATCH, its alias. */
function describedEndpoints() {
  const found = new Map<string, { tag: string; endpoint: Endpoint }>()
  for (const { tag, endpoints } of groups) {
    for (const [name, endpoint] of Object.entries(endpoints)) {
      found.set(name, { tag, endpoint })
      if (name.startsWith('PUT ')) {
        const { id, summary } = endpoint
        const alias = { ...endpoint, id: id.replace('update', 'patch'), summary: `${summary} (same as PUT)` }
        found.set(name.replace('PUT', 'PATCH'), { tag, endpoint: alias })
      }
    }
  }
  return found
}
