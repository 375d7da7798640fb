import { LibsqlError } from '@libsql/client/http'
import { DatabaseUnavailable, ResponseTooLarge } from '../failures/failures.ts'

/** A statement violated a constraint of the schema. Its whole batch was rolled back. */
export class ConstraintViolated extends Error {
  override readonly name = 'ConstraintViolated'
  /** The columns as `table.column` for UNIQUE and NOT NULL, the constraint's name for CHECK, none for FOREIGN KEY. */
  readonly subjects: string[]
  constructor(message: string, subjects: string[]) {
    super(message)
    this.subjects = subjects
  }
}

/** The database's server, or a gateway in front of it, responded with a status other than 2xx. */
export class BadStatus extends Error {
  override readonly name = 'BadStatus'
  readonly status: number
  constructor(status: number) {
    super(`The database's server responded with status ${status}`)
    this.status = status
  }
}

/** True if the database or the network failed temporarily, other than by timing out. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof DatabaseUnavailable)) return false
  return !(error.cause instanceof DOMException && error.cause.name === 'TimeoutError')
}

/** True if the server was busy (too many connections, or a checkpoint) and has executed nothing. */
export function isBusy(error: unknown): boolean {
  if (!(error instanceof DatabaseUnavailable)) return false
  const { cause } = error
  if (cause instanceof BadStatus) return cause.status === 429
  return cause instanceof LibsqlError && /^(SQLITE|TRANSACTION)_BUSY$/.test(cause.code)
}

/** True if an amount, balance or total would be out of bounds (the CHECKs named `…_in_bounds`). */
export function isOutOfBounds(error: unknown): boolean {
  return error instanceof ConstraintViolated && error.subjects.some((name) => name.endsWith('_in_bounds'))
}

/** True if a row with the same unique `table.column` already exists. */
export function isTaken(error: unknown, column: string): boolean {
  return error instanceof ConstraintViolated && error.subjects.includes(column)
}

/**
 * Translates the driver's errors into ConstraintViolated, ResponseTooLarge or DatabaseUnavailable; bugs are rethrown. Reads
 * messages, since the server sends a constraint's name nowhere else.
 */
export async function translateDatabaseErrors<T>(results: Promise<T>): Promise<T> {
  try {
    return await results
  } catch (error) {
    if (!(error instanceof LibsqlError)) throw isNetworkError(error) ? unavailable(error) : error
    const violated = / constraint failed(?:: (.+))?$/.exec(error.message)
    if (violated) throw new ConstraintViolated(error.message, violated[1]?.split(', ') ?? [])
    if (error.code === 'RESPONSE_TOO_LARGE') throw new ResponseTooLarge()
    throw requestErrors.test(error.code) ? error : unavailable(error)
  }
}

const unavailable = (cause: unknown) => new DatabaseUnavailable({ cause })

/** Codes of bugs in our request. All others come from the state of the database: busy, full, read-only, disk. */
const requestErrors =
  /^(SQL_|ARGS_|SQLITE_(CONSTRAINT|ERROR|UNKNOWN|MISMATCH|RANGE|MISUSE|TOOBIG|SCHEMA|AUTH|INTERNAL)$)/

/** Statuses of a malformed or too large request, also bugs. */
const requestStatuses = [400, 413]

/** True for time-outs, lost connections (plain errors), responses that are not JSON, and other statuses. */
function isNetworkError(error: unknown): boolean {
  return (
    error instanceof DOMException ||
    (error instanceof BadStatus && !requestStatuses.includes(error.status)) ||
    error instanceof SyntaxError ||
    error?.constructor === Error
  )
}
