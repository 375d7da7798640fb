import { LibsqlError } from '@libsql/client/http'
import { AnswerTooLarge, DatabaseUnavailable } from '../domain/failures.ts'

/** A statement violated a constraint of the schema, which rolled back everything that was run with it. */
export class ConstraintViolated extends Error {
  override readonly name = 'ConstraintViolated'
  readonly kind: 'UNIQUE' | 'NOT NULL' | 'FOREIGN KEY' | 'CHECK'
  /** `table.column` for UNIQUE (several between commas) and NOT NULL, its name for CHECK, empty for FOREIGN KEY. */
  readonly subject: string
  constructor(kind: ConstraintViolated['kind'], subject: string) {
    super(`${kind} constraint failed: ${subject}`)
    this.kind = kind
    this.subject = subject
  }
}

/** A status other than 2xx, from the database's server or from a gateway in front of it. */
export class BadStatus extends Error {
  override readonly name = 'BadStatus'
  readonly status: number
  constructor(status: number) {
    super(`The database's address answered ${status}`)
    this.status = status
  }
}

/** True if the database, or the network on the way to it, failed temporarily, other than by timing out. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof DatabaseUnavailable)) return false
  return !(error.cause instanceof DOMException && error.cause.name === 'TimeoutError')
}

/**
 * True if the server turned a call away: too many connections, or a checkpoint. Nothing of it was kept: connections
 * are counted before a request is read, and COMMIT runs only once BEGIN and everything after it succeeded.
 */
export function isTurnedAway(error: unknown): boolean {
  if (!(error instanceof DatabaseUnavailable)) return false
  const { cause } = error
  if (cause instanceof BadStatus) return cause.status === 429
  return cause instanceof LibsqlError && /^(SQLITE|TRANSACTION)_BUSY$/.test(cause.code)
}

/** True if an amount, a balance or a total would have left its bounds (the CHECKs named `…_in_bounds`). */
export function isOutOfBounds(error: unknown): boolean {
  return error instanceof ConstraintViolated && error.kind === 'CHECK' && error.subject.endsWith('_in_bounds')
}

/** True if a row with the same unique `table.column` already existed. */
export function isTaken(error: unknown, column: string): boolean {
  return (
    error instanceof ConstraintViolated &&
    error.kind === 'UNIQUE' &&
    error.subject.split(', ').includes(column)
  )
}

/**
 * The one place where driver errors become ours: ConstraintViolated, AnswerTooLarge or DatabaseUnavailable.
 * Any other is a fault of ours, and thrown as it is. Messages are parsed, since the server sends no extended codes.
 */
export async function translateDatabaseErrors<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw translate(error)
  }
}

/** Codes of faults in our request, which no retry can fix. Others are the database's: busy, full, read-only, disk. */
const ourFaults =
  /^(SQL_|ARGS_|SQLITE_(CONSTRAINT|ERROR|UNKNOWN|MISMATCH|RANGE|MISUSE|TOOBIG|SCHEMA|AUTH|INTERNAL)$)/

/** Statuses that mean the same: the request is malformed or too large. */
const ourStatuses = [400, 413]

/** How SQLite reports a violated constraint, and how Turso's next engine does: with columns as `table.(a, b)`. */
const constraint =
  /(UNIQUE|NOT NULL|FOREIGN KEY|CHECK) constraint failed(?:: (?:(\w+)\.\(([\w, ]+)\)|([\w.]+(?:, [\w.]+)*)))?/i

function translate(error: unknown): unknown {
  const violated = error instanceof LibsqlError && constraint.exec(error.message)
  if (violated) {
    const [, kind = '', table, columns = '', subject = ''] = violated
    const subjects = columns.split(', ').map((column) => `${table}.${column}`)
    return new ConstraintViolated(
      kind.toUpperCase() as ConstraintViolated['kind'],
      table ? subjects.join(', ') : subject,
    )
  }
  if (error instanceof LibsqlError && error.code === 'RESPONSE_TOO_LARGE') return new AnswerTooLarge()
  const isOurs = error instanceof LibsqlError ? ourFaults.test(error.code) : !isNetworkError(error)
  return isOurs ? error : new DatabaseUnavailable({ cause: error })
}

/** True for time-outs, lost connections (plain errors), answers that are not JSON, and a status that is not our fault. */
function isNetworkError(error: unknown): boolean {
  return (
    error instanceof DOMException ||
    (error instanceof BadStatus && !ourStatuses.includes(error.status)) ||
    error instanceof SyntaxError ||
    error?.constructor === Error
  )
}
