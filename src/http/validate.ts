import { zValidator } from '@hono/zod-validator'
import type { Context, MiddlewareHandler } from 'hono'
import { every } from 'hono/combine'
import * as z from 'zod/mini'
import type { $ZodErrorMap, $ZodRawIssue, ParsePayload } from 'zod/v4/core'
import type { Draft } from '../domain/draft.ts'
import type { FieldErrors } from '../domain/failures.ts'
import { addError, messageFor } from '../domain/field-errors.ts'
import { isBlank } from '../domain/texts.ts'
import type { App } from './app-types.ts'
import { jsonBody, maxJsonBytes } from './json-body.ts'

type Target = 'query' | 'header' | 'param'

/** The part of a request that a validator reads. */
export type Check = {
  target: Target | 'json'
  schema: z.ZodMiniObject
  /** If false, invalid values are ignored. */
  canRefuse: boolean
}

/** What each validator reads. The OpenAPI document is built from it. */
export const checkedBy = new WeakMap<object, Check>()

/** `in` is what typed clients must send: a target may be left out if none of its fields is required. */
type Reader<T extends string, Fields, Read> = MiddlewareHandler<
  App,
  string,
  {
    in: object extends Fields ? { [Name in T]?: Fields } : { [Name in T]: Fields }
    out: { [Name in T]: Read }
  }
>

/**
 * Checks the JSON body against a schema. The handler gets a Draft: errors do not end the request here, since an unknown
 * user or a missing row takes precedence (docs/contract.md, Order of checks), and the database adds errors of its own.
 */
export function body<S extends z.ZodMiniObject>(schema: S) {
  return bodyReadBy(schema, maxJsonBytes, (input) => toDraft(schema, input))
}

/** Reads the JSON body with `read`, whose result the handler gets. Only typed clients and the document use the schema. */
export function bodyReadBy<S extends z.ZodMiniObject, Read>(
  schema: S,
  maxBytes: number,
  read: (input: unknown) => Read,
) {
  const check: MiddlewareHandler = zValidator('json', z.transform(read))
  // Parsed JSON takes up to twelve times the memory of its text, and the validator keeps it until its `next` returns.
  // `letGo` is a `next` that returns at once, so that the parsed JSON is not held while the request waits for the
  // database.
  const letGo = async () => {}
  const readAndLetGo: MiddlewareHandler<App> = async (c, next) => {
    const refusal = await check(c, letGo)
    return refusal ?? next()
  }
  const validator = every(jsonBody(maxBytes), readAndLetGo)
  checkedBy.set(validator, { target: 'json', schema, canRefuse: true })
  return validator as unknown as MiddlewareHandler<
    App,
    string,
    { in: { json: z.input<S> }; out: { json: Read } }
  >
}

/** Reads nothing: tells typed clients (`In`) and the OpenAPI document (`schema`) what a handler reads itself. */
export function declares<In extends object>(target: Check['target'], schema: z.ZodMiniObject) {
  const declaration: MiddlewareHandler<App> = (_, next) => next()
  checkedBy.set(declaration, { target, schema, canRefuse: true })
  return declaration as unknown as MiddlewareHandler<App, string, { in: { [Name in keyof In]: In[Name] } }>
}

/** Checks the query string against a schema; the handler gets a Draft. */
export function query<S extends z.ZodMiniObject>(schema: S) {
  return reader('query', schema, true, (input) => toDraft(schema, withoutEmpty(input)))
}

/** Checks the headers that a schema names; the handler gets a Draft. */
export function header<S extends z.ZodMiniObject>(schema: S) {
  return reader('header', schema, true, (input) => toDraft(schema, input))
}

/** Reads fields that are never refused: the handler gets the valid ones. */
export function hints<T extends Target, S extends z.ZodMiniObject>(target: T, schema: S) {
  return reader(target, schema, false, (input) => toDraft(schema, withoutEmpty(input)).values)
}

function reader<T extends Target, S extends z.ZodMiniObject, Read>(
  target: T,
  schema: S,
  canRefuse: boolean,
  read: (input: Strings) => Read,
) {
  const names = Object.keys(schema.shape)
  const validator: MiddlewareHandler<App> = (c, next) => {
    c.req.addValidatedData(target, read(stringsOf(c, target, names)) as object)
    return next()
  }
  checkedBy.set(validator, { target, schema, canRefuse })
  return validator as unknown as Reader<T, z.input<S>, Read>
}

type Strings = Record<string, string | string[]>

/** What the client has sent. Only the named headers are read, since clients send many more. */
function stringsOf({ req }: Context<App>, target: Target, names: string[]): Strings {
  if (target === 'query') return req.queries()
  if (target === 'param') return req.param()
  const given: Strings = {}
  for (const name of names) {
    const value = req.header(name)
    if (value !== undefined) given[name] = value
  }
  return given
}

/** An empty parameter counts as absent; of a repeated one, the last wins. */
function withoutEmpty(input: Strings): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(input)
      .map(([name, value]) => [name, Array.isArray(value) ? value.at(-1) : value] as const)
      .filter(([, value]) => value === undefined || !isBlank(value)),
  )
}

type Issue = { path: PropertyKey[]; text: string }

/** The parsed value, and its issues as paths and texts: having zod make its errors would cost ten times as much. */
function parse(schema: z.ZodMiniType, input: unknown): { value: unknown; issues: Issue[] } {
  const { value, issues } = schema._zod.run({ value: input, issues: [] }, { async: false }) as ParsePayload
  return { value, issues: issues.map((issue) => ({ path: issue.path ?? [], text: textOf(issue) })) }
}

/**
 * The text of the schema or check that found an issue. Whatever can refuse a request's input has a text of its own, so
 * clients never see the fallback, `Invalid input`.
 */
function textOf(issue: $ZodRawIssue): string {
  const stated = issue.inst?._zod.def.error as $ZodErrorMap | undefined
  const text = issue.message ?? stated?.(issue)
  return typeof text === 'string' ? text : 'Invalid input'
}

type FieldCheck = {
  name: string
  schema: z.ZodMiniType
  /** Its few errors, by text. Each is made once, since a body may have the same error a thousand times. */
  errors: Map<string, string[]>
  errorsIfAbsent: string[] | undefined
}
const checksBySchema = new WeakMap<z.ZodMiniObject, FieldCheck[]>()

function checksOf(schema: z.ZodMiniObject): FieldCheck[] {
  let checks = checksBySchema.get(schema)
  if (!checks) {
    const issuesIfEmpty = parse(schema, {}).issues
    checks = Object.entries(schema.shape).map(([name, field]) => {
      const absent = issuesIfEmpty.find(({ path }) => path[0] === name)
      const errorsIfAbsent = absent && [messageFor(name, absent.text)]
      return { name, schema: field as z.ZodMiniType, errors: new Map(), errorsIfAbsent }
    })
    checksBySchema.set(schema, checks)
  }
  return checks
}

/**
 * Parses an object against a schema, keeping the valid values alongside the errors. It goes field by field, so that
 * absent fields cost next to nothing: bodies are checked before tokens, so anyone, even without a token, can send bodies
 * that lack every field.
 */
export function toDraft<S extends z.ZodMiniObject>(schema: S, input: unknown): Draft<z.output<S>> {
  if (!isObject(input)) {
    const { errors } = toDraft(schema, {})
    return {
      complete: false,
      values: {},
      errors: { ...errors, body: ['The request body must be a JSON object.'] },
    }
  }
  const values: Record<string, unknown> = {}
  const errors: FieldErrors = {}
  let complete = true
  for (const check of checksOf(schema)) {
    const { name, errorsIfAbsent } = check
    if (name in input) {
      const { value, issues } = parse(check.schema, input[name])
      if (issues.length === 0) values[name] = value
      else {
        addIssues(errors, check, issues)
        complete = false
      }
    } else if (errorsIfAbsent) {
      errors[name] = errorsIfAbsent
      complete = false
    }
  }
  return { complete, values, errors } as Draft<z.output<S>>
}

function addIssues(errors: FieldErrors, check: FieldCheck, issues: Issue[]): void {
  const [first, ...others] = issues
  if (first && others.length === 0 && first.path.length === 0) errors[check.name] = errorOf(check, first.text)
  else for (const { path, text } of issues) addError(errors, [check.name, ...path].join('.'), text)
}

function errorOf({ name, errors }: FieldCheck, text: string): string[] {
  let error = errors.get(text)
  if (!error) {
    error = [messageFor(name, text)]
    errors.set(text, error)
  }
  return error
}

/** True for what JSON calls an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
