import { ProtocolError } from './errors.ts'
import type { Arguments, SqlValue } from './values.ts'

/** Where a request takes its SQL from: the text itself, or the number of one stored before. */
export interface SqlSource {
  readonly sql: string | undefined
  readonly sqlId: number | undefined
}

export interface StatementRequest extends SqlSource {
  readonly args: Arguments
  readonly wantRows: boolean
}

export type Condition =
  | { type: 'ok' | 'error'; step: number }
  | { type: 'not'; cond: Condition }
  | { type: 'and' | 'or'; conds: Condition[] }
  | { type: 'is_autocommit' }

export interface BatchStep {
  readonly condition: Condition | undefined
  readonly statement: StatementRequest
}

export type StreamRequest =
  | { type: 'execute'; statement: StatementRequest }
  | { type: 'batch'; steps: BatchStep[] }
  | { type: 'sequence' | 'describe'; source: SqlSource }
  | { type: 'store_sql'; sqlId: number; sql: string }
  | { type: 'close_sql'; sqlId: number }
  | { type: 'close' | 'get_autocommit' }

export interface Pipeline {
  readonly baton: string | undefined
  readonly requests: StreamRequest[]
}

const CONDITION_DEPTH = 50
const LIST_LIMIT = 100_000

/** Reads the body of a pipeline request; anything that is not Hrana 2 JSON throws a ProtocolError. */
export function readPipeline(body: Uint8Array): Pipeline {
  const fields = object(parseJson(body), 'pipeline')
  return {
    baton: optional(fields.baton, string, 'baton'),
    requests: array(fields.requests, 'requests').map(readRequest),
  }
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (error) {
    throw malformed(error instanceof Error ? error.message : 'not JSON')
  }
}

function readRequest(value: unknown): StreamRequest {
  const fields = object(value, 'request')
  const type = string(fields.type, 'type')
  switch (type) {
    case 'execute':
      return { type, statement: readStatement(fields.stmt) }
    case 'batch':
      return { type, steps: array(object(fields.batch, 'batch').steps, 'steps').map(readStep) }
    case 'sequence':
    case 'describe':
      return { type, source: readSource(fields) }
    case 'store_sql':
      return { type, sqlId: int32(fields.sql_id, 'sql_id'), sql: string(fields.sql, 'sql') }
    case 'close_sql':
      return { type, sqlId: int32(fields.sql_id, 'sql_id') }
    case 'close':
    case 'get_autocommit':
      return { type }
    default:
      throw malformed(`unknown request type ${JSON.stringify(type)}`)
  }
}

function readStep(value: unknown, index: number): BatchStep {
  const fields = object(value, 'step')
  return {
    condition: optional(fields.condition, (cond) => readCondition(cond, index, 0), 'condition'),
    statement: readStatement(fields.stmt),
  }
}

function readCondition(value: unknown, stepIndex: number, depth: number): Condition {
  if (depth > CONDITION_DEPTH) throw malformed('recursion limit exceeded')
  const fields = object(value, 'condition')
  const type = string(fields.type, 'type')
  const nested = (inner: unknown) => readCondition(inner, stepIndex, depth + 1)
  switch (type) {
    case 'ok':
    case 'error': {
      const step = int32(fields.step, 'step')
      if (step < 0 || step >= stepIndex) {
        throw new ProtocolError('Invalid reference to step in a batch condition')
      }
      return { type, step }
    }
    case 'not':
      return { type, cond: nested(fields.cond) }
    case 'and':
    case 'or':
      return { type, conds: array(fields.conds, 'conds').map(nested) }
    case 'is_autocommit':
      return { type }
    default:
      throw malformed(`unknown condition type ${JSON.stringify(type)}`)
  }
}

function readSource(fields: Record<string, unknown>): SqlSource {
  return {
    sql: optional(fields.sql, string, 'sql'),
    sqlId: optional(fields.sql_id, int32, 'sql_id'),
  }
}

function readStatement(value: unknown): StatementRequest {
  const fields = object(value, 'stmt')
  const positional = fields.args === undefined ? [] : array(fields.args, 'args').map(readValue)
  const named = fields.named_args === undefined ? [] : array(fields.named_args, 'named_args').map(readNamed)
  return {
    ...readSource(fields),
    args: { positional, named: new Map(named) },
    wantRows: optional(fields.want_rows, boolean, 'want_rows') ?? true,
  }
}

function readNamed(value: unknown): [string, SqlValue] {
  const fields = object(value, 'named argument')
  return [string(fields.name, 'name'), readValue(fields.value)]
}

function readValue(value: unknown): SqlValue {
  const fields = object(value, 'value')
  switch (fields.type) {
    case 'null':
      return null
    case 'integer':
      return int64(fields.value)
    case 'float':
      if (typeof fields.value === 'number' && Number.isFinite(fields.value)) return fields.value
      throw malformed('a float value must be a finite number')
    case 'text':
      return string(fields.value, 'value')
    case 'blob':
      return base64(fields.base64)
    default:
      throw malformed('unknown value type')
  }
}

function int64(value: unknown): bigint {
  if (typeof value === 'string' && /^[+-]?\d{1,30}$/.test(value)) {
    const integer = BigInt(value.replace('+', ''))
    if (BigInt.asIntN(64, integer) === integer) return integer
  }
  throw malformed('an integer value must be a decimal string within 64 bits')
}

function base64(value: unknown): Uint8Array {
  const digits = string(value, 'base64').replace(/={1,2}$/, '')
  if (!/^[A-Za-z0-9+/]*$/.test(digits) || digits.length % 4 === 1) throw malformed('invalid base64')
  return Buffer.from(digits, 'base64')
}

function object(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw malformed(`${what} must be an object`)
}

function array(value: unknown, what: string): unknown[] {
  if (Array.isArray(value) && value.length <= LIST_LIMIT) return value
  throw malformed(`${what} must be an array of at most ${LIST_LIMIT}`)
}

function string(value: unknown, what: string): string {
  // A lone surrogate has no UTF-8 form; JSON can only smuggle it in by an escape.
  if (typeof value === 'string' && value.isWellFormed()) return value
  throw malformed(`${what} must be a well-formed string`)
}

function boolean(value: unknown, what: string): boolean {
  if (typeof value === 'boolean') return value
  throw malformed(`${what} must be a boolean`)
}

function int32(value: unknown, what: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= 0x7fff_ffff) return value
  throw malformed(`${what} must be a 32-bit integer`)
}

function optional<T>(value: unknown, read: (value: unknown, what: string) => T, what: string): T | undefined {
  return value === undefined || value === null ? undefined : read(value, what)
}

function malformed(why: string): ProtocolError {
  return new ProtocolError(`Cannot deserialize client message from JSON: ${why}`)
}
