import { StatementError } from './errors.ts'
import type { Statement } from './statements.ts'

/** A value as SQLite and the native binding know it. */
export type SqlValue = null | bigint | number | string | Uint8Array

/** A value as Hrana writes it in JSON. */
export type WireValue =
  | { type: 'null' }
  | { type: 'integer'; value: string }
  | { type: 'float'; value: number }
  | { type: 'text'; value: string }
  | { type: 'blob'; base64: string }

export interface Arguments {
  readonly positional: readonly SqlValue[]
  readonly named: ReadonlyMap<string, SqlValue>
}

/** A value for the wire. Infinity becomes a float of null, which is what a Turso server sends. */
export function toWire(value: SqlValue): WireValue {
  if (value === null) return { type: 'null' }
  if (typeof value === 'bigint') return { type: 'integer', value: String(value) }
  if (typeof value === 'number') return { type: 'float', value }
  if (typeof value === 'string') return { type: 'text', value }
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return { type: 'blob', base64: bytes.toString('base64').replace(/=+$/, '') }
}

/** The values in the order of the statement's parameters; none may be missing or left over. */
export function bind(statement: Statement, { positional, named }: Arguments): SqlValue[] {
  const { parameters, role } = statement
  const given = positional.length + named.size
  if (positional.length > 0 && named.size > 0) {
    throw new StatementError(
      'ARGS_BOTH_POSITIONAL_AND_NAMED',
      'Specifying both positional and named arguments is not supported',
    )
  }
  if (given > parameters.length) {
    throw argumentsDoNotMatch(`too many parameters, expected ${parameters.length} found ${given}`)
  }
  return parameters.map((name, index) => {
    const value = valueFor(name, index, positional, named)
    if (value === undefined && !role.explains) {
      throw argumentsDoNotMatch(`value for parameter ${name ?? index + 1} not found`)
    }
    return value ?? null
  })
}

function valueFor(
  name: string | undefined,
  index: number,
  positional: readonly SqlValue[],
  named: ReadonlyMap<string, SqlValue>,
): SqlValue | undefined {
  if (name === undefined || name.startsWith('?')) return positional[index]
  return named.has(name) ? named.get(name) : named.get(name.slice(1))
}

function argumentsDoNotMatch(why: string): StatementError {
  return new StatementError('ARGS_INVALID', `Arguments do not match SQL parameters: ${why}`)
}
