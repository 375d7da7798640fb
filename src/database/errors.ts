import { LibsqlError } from '@libsql/client/http'
import { AnswerTooLarge, DatabaseUnavailable } from '../shared/failures.ts'

/** A statement violated a constraint of the schema, which rolled back everything that was run with it. */
export class ConstraintViolated extends Error {
  override readonly name = 'ConstraintViolated'
  /** The columns as `table.column` for UNIQUE and NOT NULL, the constraint's name for CHECK, none for FOREIGN KEY. */
  readonly subjects: string[]
  constructor(message: string, subjects: string[]) {
    super(message)
    this.subjects = subjects
  }
}

/** A status other than 2xx, from the database's server or from a gateway in front of it. */
export class BadStatus extends Error {
  override readonly name = 'BadStatus'
  readonly status: number
  constructor(status: number) {
    super(`The database's server responded with status ${status}`)
    this.status = status
  }
}

/** True if the database, or the network on the way to it, failed temporarily, other than by timing out. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof DatabaseUnavailable)) return false
  return !(error.cause instanceof DOMException && error.cause.name === 'TimeoutError')
}

/**
 * True if the server turned a call away: too many connections, or a checkpoint. It executed nothing: connections are
 * counted before a request is read, and COMMIT runs only once BEGIN and everything after it succeeded.
 */
export function isTurnedAway(error: unknown): boolean {
  if (!(error instanceof DatabaseUnavailable)) return false
  const { cause } = error
  if (cause instanceof BadStatus) return cause.status === 429
  return cause instanceof LibsqlError && /^(SQLITE|TRANSACTION)_BUSY$/.test(cause.code)
}

/** True if an amount, a balance or a total would have left its bounds (the CHECKs named `…_in_bounds`). */
export function isOutOfBounds(error: unknown): boolean {
  return error instanceof ConstraintViolated && error.subjects.some((name) => name.endsWith('_in_bounds'))
}

/** True if a row with the same unique `table.column` already existed. */
export function isTaken(error: unknown, column: string): boolean {
  return error instanceof ConstraintViolated && error.subjects.includes(column)
}

/**
 * The one place where driver errors become ours: ConstraintViolated, AnswerTooLarge or DatabaseUnavailable. Any other is
 * a fault of ours, and thrown as it is. The server sends a constraint's name in the message only.
 */
export async function translateDatabaseErrors<T>(results: Promise<T>): Promise<T> {
  try {
    return await results
  } catch (error) {
    if (!(error instanceof LibsqlError)) throw isNetworkError(error) ? unavailable(error) : error
    const violated = / constraint failed(?:: (.+))?$/.exec(error.message)
    if (violated) throw new ConstraintViolated(error.message, violated[1]?.split(', ') ?? [])
    if (error.code === 'RESPONSE_TOO_LARGE') throw new AnswerTooLarge()
    throw ourFaults.test(error.code) ? error : unavailable(error)
  }
}

const unavailable = (cause: unknown) => new DatabaseUnavailable({ cause })

/** Codes of faults in our request, which no retry can fix. Others are the database's: busy, full, read-only, disk. */
const ourFaults =
  /^(SQL_|ARGS_|SQLITE_(CONSTRAINT|ERROR|UNKNOWN|MISMATCH|RANGE|MISUSE|TOOBIG|SCHEMA|AUTH|INTERNAL)$)/

/** Statuses that mean the same: the request is malformed or too large. */
const ourStatuses = [400, 413]

/** True for time-outs, lost connections (plain errors), responses that are not JSON, and a status that is not our fault. */
function isNetworkError(error: unknown): boolean {
  return (
    error instanceof DOMException ||
    (error instanceof BadStatus && !ourStatuses.includes(error.status)) ||
    error instanceof SyntaxError ||
    error?.constructor === Error
  )
}
