import { Validator } from '@cfworker/json-schema'
import type { AnswerObject, OpenApiDocument, OperationObject } from '../src/http/openapi/document-types.ts'
import type { JsonSchema } from '../src/http/openapi/json-schema.ts'

/** What a client has asked and got. */
export type Exchange = {
  method: string
  /** With its query, if any. */
  path: string
  status: number
  headers: Headers
  text: string
}

/** Answers that no operation describes, since no operation was called: unknown paths and methods, preflights. */
const beyondOperations: Record<number, { allows: string | undefined }> = {
  404: { allows: undefined },
  405: { allows: 'Allow' },
}

/**
 * Holds answers against the OpenAPI document: path, method, status, headers, content type and every field must be
 * described. Answers the faults it finds, none for a good answer.
 */
export function contractChecker(document: OpenApiDocument) {
  const validators = new Map<unknown, Validator>()
  const components = closed(document.components) as JsonSchema
  const paths = Object.entries(document.paths).map(([path, operations]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`),
    // A path without parameters comes before one that would match it too.
    parameters: path.split('{').length,
    operations,
  }))
  paths.sort((a, b) => a.parameters - b.parameters)

  function operationOf(method: string, path: string): OperationObject | undefined {
    const [pathname = ''] = path.split('?')
    const found = paths.filter(({ pattern }) => pattern.test(pathname))
    const of = (name: string) => found.find(({ operations }) => name in operations)?.operations[name]
    return of(method.toLowerCase()) ?? (method === 'HEAD' ? of('get') : undefined)
  }

  function faultsOfBody(answer: AnswerObject, { headers, text }: Exchange): string[] {
    const type = headers.get('Content-Type')?.split(';')[0] ?? ''
    if (!answer.content) return text === '' ? [] : ['there is a body, and none is described']
    const media = answer.content[type]
    if (!media) return [`the content type "${type}" is not described`]
    if (!type.includes('json')) return []
    let validator = validators.get(media)
    if (!validator) {
      const schema = { ...(closed(media.schema) as JsonSchema), components }
      validator = new Validator(schema, '2020-12', false)
      validators.set(media, validator)
    }
    return validator
      .validate(JSON.parse(text))
      .errors.map((error) => `${error.instanceLocation} ${error.error}`)
  }

  return (exchange: Exchange): string[] => {
    const { method, path, status, headers } = exchange
    // The reference page is for people, and no part of the contract.
    if (!path.startsWith('/api')) return []
    const operation = operationOf(method, path)
    const answer = operation?.responses[status]
    if (answer) {
      const absent = Object.keys(answer.headers).filter(
        (name) => document.components.headers[name]?.required && !headers.has(name),
      )
      const body = method === 'HEAD' || status === 304 ? [] : faultsOfBody(answer, exchange)
      return [...absent.map((name) => `the header ${name} is missing`), ...body]
    }
    const beyond = operation ? undefined : beyondOperations[status]
    const isPreflight = method === 'OPTIONS' && status === 204
    if (isPreflight || (beyond && (!beyond.allows || headers.has(beyond.allows)))) return []
    return [`${status} is not described`]
  }
}

/** A copy in which objects have the described properties and no others. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const copy: JsonSchema = {}
  for (const [key, member] of Object.entries(value)) copy[key] = closed(member)
  const isClosable = copy.type === 'object' && 'properties' in copy && !('additionalProperties' in copy)
  if (isClosable) copy.additionalProperties = false
  return copy
}
