import { zValidator } from '@hono/zod-validator'
import type { Context, MiddlewareHandler } from 'hono'
import { every } from 'hono/combine'
import type * as z from 'zod/mini'
import type { FieldErrors } from '../domain/field-errors.ts'
import { addError, filterErrors, messageFor } from '../domain/field-errors.ts'
import { isBlank } from '../domain/texts.ts'
import { type Draft, withErrors } from '../failures/draft.ts'
import type { App } from './app-types.ts'
import { requireNoDryRun } from './dry-run.ts'
import { maxJsonBytes, parseJsonBody, receiveBody } from './request-body.ts'

type Target = 'query' | 'header' | 'param'

/** The part of a request that a validator reads. */
export type Check = {
  target: Target | 'json'
  schema: z.ZodMiniObject
  /** If false, invalid values are ignored. */
  canReject: boolean
}

/** The check of each validator. The OpenAPI document is built from it. */
export const checkByHandler = new WeakMap<object, Check>()

/** `in` is the input of typed clients: a target is optional if none of its fields is required. */
type Validated<T extends string, Fields, Output> = {
  in: object extends Fields ? { [Name in T]?: Fields } : { [Name in T]: Fields }
  out: { [Name in T]: Output }
}

/**
 * Validates the JSON body against a schema. The handler gets a Draft: errors do not end the request here, since other
 * failures take precedence (docs/contract.md, Order of checks) and the database adds errors.
 */
export function body<S extends z.ZodMiniObject>(schema: S) {
  return bodyWith(schema, maxJsonBytes, (input) => toDraft(schema, input))
}

/** The handler gets what `convert` makes of the JSON body. The schema is only for typed clients and the OpenAPI document. */
export function bodyWith<S extends z.ZodMiniObject, Output extends object>(
  schema: S,
  maxBytes: number,
  convert: (input: unknown, c: Context<App>) => Output,
) {
  const validate: MiddlewareHandler<App> = async (c, next) => {
    c.req.addValidatedData('json', await convertJson(c, convert))
    await next()
  }
  const validator: MiddlewareHandler<App, string, { in: { json: z.input<S> }; out: { json: Output } }> =
    every(receiveBody(maxBytes), validate)
  checkByHandler.set(validator, { target: 'json', schema, canReject: true })
  return validator
}

/** Not inlined into `validate`, which would hold the parsed JSON while the handler runs. */
async function convertJson<Output extends object>(
  c: Context<App>,
  convert: (input: unknown, c: Context<App>) => Output,
): Promise<Output> {
  const input = await parseJsonBody(c)
  if (isObject(input)) await requireNoDryRun(c, 'body', input.dry_run)
  return convert(input, c)
}

/** Declares input that a handler reads itself, for typed clients (`In`) and the OpenAPI document (`schema`). */
export function declareInput<In extends object>(target: Check['target'], schema: z.ZodMiniObject) {
  const declaration: MiddlewareHandler<App, string, { in: { [Name in keyof In]: In[Name] } }> = (_, next) =>
    next()
  checkByHandler.set(declaration, { target, schema, canReject: true })
  return declaration
}

/** Validates the query string against a schema; the handler gets a Draft. */
export function query<S extends z.ZodMiniObject>(schema: S) {
  return validator('query', schema, true, (input) => toDraft(schema, withoutEmpty(input)))
}

/** As `query`, for figures and files: a filter that the schema does not have is an error. */
export function queryOfFigures<S extends z.ZodMiniObject>(schema: S) {
  return validator('query', schema, true, (input) => {
    const present = withoutEmpty(input)
    return withErrors(toDraft(schema, present), filterErrors(schema.shape, present))
  })
}

/** Validates the headers of a schema; the handler gets a Draft. */
export function header<S extends z.ZodMiniObject>(schema: S) {
  return validator('header', schema, true, (input) => toDraft(schema, input))
}

/** Validates optional fields and ignores invalid ones; the handler gets the valid values. */
export function lenientFields<T extends Target, S extends z.ZodMiniObject>(target: T, schema: S) {
  return validator(target, schema, false, (input) => toDraft(schema, withoutEmpty(input)).values)
}

function validator<T extends Target, S extends z.ZodMiniObject, Output extends object>(
  target: T,
  schema: S,
  canReject: boolean,
  convert: (input: Strings) => Output,
) {
  type Input = Validated<T, z.input<S>, Output>
  const middleware: MiddlewareHandler<App, string, Input> = zValidator<
    S,
    T,
    App,
    string,
    z.input<S>,
    Output,
    Input
  >(target, schema, undefined, {
    validationFunction: (_, value) => ({ success: true, data: convert(value) }),
  })
  checkByHandler.set(middleware, { target, schema, canReject })
  return middleware
}

type Strings = Record<string, string | string[]>

/** An empty parameter counts as absent; of a repeated one, the last wins. */
function withoutEmpty(input: Strings): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(input)
      .map(([name, value]) => [name, Array.isArray(value) ? value.at(-1) : value] as const)
      .filter(([, value]) => value === undefined || !isBlank(value)),
  )
}

type FieldCheck = {
  name: string
  schema: z.ZodMiniType
  /** Its errors by text. Cached, since a body may have the same error a thousand times. */
  errors: Map<string, string[]>
  errorsIfAbsent: string[] | undefined
}
const checksBySchema = new WeakMap<z.ZodMiniObject, FieldCheck[]>()

function checksOf(schema: z.ZodMiniObject): FieldCheck[] {
  let checks = checksBySchema.get(schema)
  if (!checks) {
    const issuesIfEmpty = schema.safeParse({}).error?.issues ?? []
    checks = Object.entries(schema.shape).map(([name, field]) => {
      const absent = issuesIfEmpty.find(({ path }) => path[0] === name)
      const errorsIfAbsent = absent && [messageFor(name, absent.message)]
      return { name, schema: field as z.ZodMiniType, errors: new Map(), errorsIfAbsent }
    })
    checksBySchema.set(schema, checks)
  }
  return checks
}

/**
 * Validates an object against a schema, and keeps the valid values beside the errors. Field by field, so that absent fields
 * cost little: bodies are validated before tokens. Stops once `maxInvalid` fields have errors.
 */
export function toDraft<S extends z.ZodMiniObject>(
  schema: S,
  input: unknown,
  maxInvalid = Number.POSITIVE_INFINITY,
): Draft<z.output<S>> {
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
  let invalid = 0
  for (const check of checksOf(schema)) {
    const { name, errorsIfAbsent } = check
    const parsed = name in input ? check.schema.safeParse(input[name]) : undefined
    if (parsed?.success) values[name] = parsed.data
    else if (parsed) addIssues(errors, check, parsed.error.issues)
    else if (errorsIfAbsent) errors[name] = errorsIfAbsent
    else continue
    if (!parsed?.success) invalid += 1
    if (invalid >= maxInvalid) break
  }
  return { complete: invalid === 0, values, errors } as Draft<z.output<S>>
}

function addIssues(errors: FieldErrors, check: FieldCheck, issues: z.core.$ZodIssue[]): void {
  const [first, ...others] = issues
  if (first && others.length === 0 && first.path.length === 0)
    errors[check.name] = errorOf(check, first.message)
  else for (const { path, message } of issues) addError(errors, [check.name, ...path].join('.'), message)
}

function errorOf({ name, errors }: FieldCheck, text: string): string[] {
  let error = errors.get(text)
  if (!error) {
    error = [messageFor(name, text)]
    errors.set(text, error)
  }
  return error
}

/** True for a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
