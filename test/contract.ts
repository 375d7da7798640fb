import { Validator } from '@cfworker/json-schema'
import type {
  JsonSchema,
  OpenApiDocument,
  OperationObject,
  ResponseObject,
  ResponseReference,
} from '../src/openapi/document-types.ts'

/** A request of a client, and its response. */
export type Exchange = {
  method: string
  /** With its query, if any. */
  path: string
  status: number
  headers: Headers
  text: string
}

/** Responses that no endpoint describes, since none was called: unknown paths and methods. Each says why in JSON. */
const beyondOperations: Record<number, { needs: string[] }> = {
  404: { needs: [] },
  405: { needs: ['Allow'] },
  429: { needs: ['Retry-After'] },
}

/** Headers of HTTP itself, of browser security and of CORS, which belong to no endpoint. */
const headersOfTransport =
  /^(content-.*|date|connection|keep-alive|transfer-encoding|server|vary|allow|cache-control|strict-transport-security|cross-origin-.*|origin-agent-cluster|referrer-policy|x-(content-type|dns|download|frame|permitted|xss)-.*|access-control-.*|timing-allow-origin|cf-.*|etag|report-to|nel)$/

/**
 * Checks responses against the OpenAPI document: path, method, status, headers, content type and every field must be
 * described. Returns the faults it finds, none for a good answer.
 */
export function contractChecker(document: OpenApiDocument) {
  const validators = new Map<unknown, (value: unknown) => string[]>()
  const components = closed(document.components) as OpenApiDocument['components']
  const paths = Object.entries(document.paths).map(([path, operations]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`),
    // A path without parameters comes before one with parameters that would match too.
    parameters: path.split('{').length,
    operations,
  }))
  paths.sort((a, b) => a.parameters - b.parameters)

  function operationOf(method: string, path: string): OperationObject | undefined {
    const [pathname = ''] = path.split('?')
    const found = paths.find(({ pattern }) => pattern.test(pathname))
    const of = (name: string) => found?.operations[name]
    return of(method.toLowerCase()) ?? (method === 'HEAD' ? of('get') : undefined)
  }

  function faultsOfHeaders(
    { headers: described }: Pick<ResponseObject, 'headers'>,
    { headers }: Exchange,
  ): string[] {
    const names = new Set(Object.keys(described).map((name) => name.toLowerCase()))
    const strange = [...headers.keys()].filter((name) => !names.has(name) && !headersOfTransport.test(name))
    const wrong = Object.keys(described).flatMap((name) => {
      const { required, schema } = document.components.headers[name] ?? {}
      const value = headers.get(name)
      if (value === null) return required ? [`the header ${name} is missing`] : []
      const isInteger = (schema as JsonSchema | undefined)?.type === 'integer'
      return isInteger && !/^\d+$/.test(value) ? [`the header ${name} is no number`] : []
    })
    return [...strange.map((name) => `the header ${name} is not described`), ...wrong]
  }

  function faultsOfBody(response: ResponseObject, { headers, text }: Exchange): string[] {
    const type = headers.get('Content-Type')?.split(';')[0] ?? ''
    if (!response.content) return text === '' ? [] : ['there is a body, and none is described']
    const media = response.content[type]
    if (!media) return [`the content type "${type}" is not described`]
    if (!type.includes('json')) return text === '' ? ['the text is empty'] : []
    const validate = validators.get(media) ?? validatorOf(media.schema)
    validators.set(media, validate)
    return validate(JSON.parse(text))
  }

  function validatorOf(described: JsonSchema): (value: unknown) => string[] {
    const validator = new Validator({ ...(closed(described) as JsonSchema), components }, '2020-12')
    return (value) =>
      validator.validate(value).errors.map((error) => `${error.instanceLocation} ${error.error}`)
  }

  return (exchange: Exchange): string[] => {
    const { method, path, status, headers } = exchange
    // The reference page is for people, and not part of the contract.
    if (!path.startsWith('/api')) return []
    const operation = operationOf(method, path)
    const described = operation?.responses[status]
    if (described) {
      const response = resolveResponse(document, described)
      const body = method === 'HEAD' || status === 304 ? [] : faultsOfBody(response, exchange)
      return [...faultsOfHeaders(response, exchange), ...body]
    }
    if (method === 'OPTIONS' && status === 204) return exchange.text === '' ? [] : ['a preflight has a body']
    const beyond = operation ? undefined : beyondOperations[status]
    if (!beyond) return [`${status} is not described`]
    const absent = beyond.needs.filter((name) => !headers.has(name))
    const isMessage = method === 'HEAD' || /^\{"message":"[^"]+"\}$/.test(exchange.text)
    return [
      ...absent.map((name) => `the header ${name} is missing`),
      ...(isMessage ? [] : ['it says no message']),
    ]
  }
}

/** The response itself, wherever it is in the document. */
export function resolveResponse(
  { components }: Pick<OpenApiDocument, 'components'>,
  response: ResponseReference,
): ResponseObject {
  if (!('$ref' in response)) return response
  const found = components.responses[response.$ref.split('/').at(-1) ?? '']
  if (!found) throw new Error(`${response.$ref} is not in the document`)
  return found
}

/** A copy in which objects have the described properties and no others. */
export function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const copy: JsonSchema = {}
  for (const [key, member] of Object.entries(value)) copy[key] = closed(member)
  if ('properties' in copy && !('additionalProperties' in copy)) copy.additionalProperties = false
  return copy
}
