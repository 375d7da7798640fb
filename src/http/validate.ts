import { zValidator } from '@hono/zod-validator'
import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { every } from 'hono/combine'
import { HTTPException } from 'hono/http-exception'
import * as z from 'zod/mini'
import { _safeParse, type $ZodIssue } from 'zod/v4/core'
import { addError, type Draft } from '../domain/draft.ts'
import type { App } from './app-types.ts'

/** Largest JSON body of an ordinary endpoint, in bytes. */
const maxBodyBytes = 512 * 1024

/** What each validator checks, and where: the OpenAPI document is made from it. */
export const checkedBy = new WeakMap<object, { target: 'json' | 'query'; schema: z.ZodMiniObject }>()

/**
 * Checks the JSON body against a schema. The handler gets a Draft: errors do not end the request here, since the
 * bearer and the row come before them (decisions.md, order of checks), and the database adds errors of its own.
 * An empty body counts as `{}`; malformed JSON is 400, another content type 415, too large a body 413.
 */
export function body<S extends z.ZodMiniObject>(schema: S) {
  const validator = every(
    jsonBody(maxBodyBytes),
    zValidator(
      'json',
      z.transform((input) => toDraft(schema, input)),
    ),
  )
  checkedBy.set(validator, { target: 'json', schema })
  return validator as unknown as MiddlewareHandler<
    App,
    string,
    { in: { json: z.input<S> }; out: { json: Draft<z.output<S>> } }
  >
}

/** Demands a body of JSON up to a size: 413 and 415 where it is not. What is malformed, zValidator finds. */
export function jsonBody(maxSize: number): MiddlewareHandler<App> {
  const limit = bodyLimit({ maxSize, onError: () => refuse(413, 'The request body is too large.') })
  // A path that spells a pattern out, such as /api/accounts/:id, meets its handlers twice: the body is read by then.
  return every((c, next) => (c.req.raw.bodyUsed ? next() : limit(c, next)), demandJson)
}

/**
 * Checks the query string against a schema; the handler gets a Draft. An empty parameter
 * counts as absent, and of a repeated one the last counts.
 */
export function query<S extends z.ZodMiniObject>(schema: S) {
  const present = (input: unknown) =>
    Object.fromEntries(
      Object.entries(input as Record<string, string | string[]>)
        .map(([name, value]) => [name, Array.isArray(value) ? value.at(-1) : value] as const)
        .filter(([, value]) => value?.trim() !== ''),
    )
  const validator = zValidator(
    'query',
    z.transform((input) => toDraft(schema, present(input))),
  )
  checkedBy.set(validator, { target: 'query', schema })
  return validator as unknown as MiddlewareHandler<
    App,
    string,
    { in: { query: { [K in keyof z.input<S>]: string } }; out: { query: Draft<z.output<S>> } }
  >
}

/** Zod's own error writes all issues out as JSON, ten times the work of finding them. */
const safeParse = _safeParse(
  class {
    readonly issues: $ZodIssue[]
    constructor(issues: $ZodIssue[]) {
      this.issues = issues
    }
  } as unknown as Parameters<typeof _safeParse>[0],
)

/** Parses an object against a schema and keeps what is right beside what is wrong. */
export function toDraft<S extends z.ZodMiniObject>(schema: S, input: unknown): Draft<z.output<S>> {
  if (!isObject(input)) {
    const { errors } = toDraft(schema, {})
    return {
      complete: false,
      values: {},
      errors: { ...errors, body: ['The request body must be a JSON object.'] },
    }
  }
  const result = safeParse(schema, input)
  if (result.success) return { complete: true, values: result.data, errors: {} }
  const errors = {}
  for (const issue of result.error.issues) addError(errors, issue.path.join('.'), issue.message)
  const wrong = new Set(result.error.issues.map((issue) => issue.path[0]))
  // Field by field: making a schema of those that are right would cost many times as much as checking them.
  const right = Object.entries(schema.shape).filter(([name]) => name in input && !wrong.has(name))
  const values = Object.fromEntries(right.map(([name, field]) => [name, z.parse(field, input[name])]))
  return { complete: false, values: values as Partial<z.output<S>>, errors }
}

/** True for what JSON calls an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True for the content type of JSON, whatever its suffix and charset. */
export function isJson(contentType: string): boolean {
  return /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType)
}

const demandJson: MiddlewareHandler<App> = async (c, next) => {
  const saysJson = isJson(c.req.header('Content-Type') ?? '')
  if (!saysJson && (await c.req.arrayBuffer()).byteLength > 0) {
    refuse(415, 'The request body must be JSON, sent with Content-Type: application/json.')
  }
  // Hono keeps promises in its cache, whatever the type says.
  if (saysJson && (await c.req.text()).trim() === '') {
    c.req.bodyCache.text = Promise.resolve('{}') as unknown as string
  }
  // All has arrived: from here on it is the client who waits.
  c.var.deadline()
  await next()
}

function refuse(status: 413 | 415, message: string): never {
  throw new HTTPException(status, { message })
}
