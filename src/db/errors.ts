import { LibsqlError } from '@libsql/client/http'
import { AnswerTooLarge, DatabaseUnavailable } from '../domain/failures.ts'

/** A constraint of the schema refused a statement, and the whole batch with it. */
export class ConstraintViolated extends Error {
  override readonly name = 'ConstraintViolated'
  readonly kind: 'UNIQUE' | 'NOT NULL' | 'FOREIGN KEY' | 'CHECK'
  /** `table.column` of a UNIQUE or NOT NULL, the name of a CHECK. */
  readonly subject: string
  constructor(kind: ConstraintViolated['kind'], subject: string) {
    super(`${kind} constraint failed: ${subject}`)
    this.kind = kind
    this.subject = subject
  }
}

/** Something answered, but not the database: a gateway, or a server that takes no requests. */
export class BadStatus extends Error {
  override readonly name = 'BadStatus'
  readonly status: number
  constructor(status: number) {
    super(`The database answered ${status}`)
    this.status = status
  }
}

/** True where the database, or the way to it, failed for now, and not by taking too long. */
export function isLost(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && !isTimeout(error.cause)
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError'
}

/**
 * True where the server had no place for a batch and said so: too many connections, or a checkpoint. Nothing of it was
 * kept: connections are counted before a request is read, and COMMIT runs only after a BEGIN and all else succeeded.
 */
export function isTurnedAway(error: unknown): boolean {
  if (!(error instanceof DatabaseUnavailable)) return false
  const { cause } = error
  if (cause instanceof BadStatus) return cause.status === 429
  return cause instanceof LibsqlError && /^(SQLITE|TRANSACTION)_BUSY$/.test(cause.code)
}

/** True when a balance or a total would have left its bounds (the CHECKs named `…_in_bounds`). */
export function isOutOfBounds(error: unknown): boolean {
  return error instanceof ConstraintViolated && error.kind === 'CHECK' && error.subject.endsWith('_in_bounds')
}

/** True when a row with this unique `table.column` was there already. */
export function isTaken(error: unknown, column: string): boolean {
  return (
    error instanceof ConstraintViolated &&
    error.kind === 'UNIQUE' &&
    error.subject.split(', ').includes(column)
  )
}

/**
 * The one place where driver errors become errors of ours. The server sends no extended codes, so its message is
 * parsed; the driver's own error is dropped where it carries SQL, since its parameters are people's data.
 */
export async function translateDatabaseErrors<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw translate(error)
  }
}

/**
 * Codes of what is wrong with a request of ours, which sending it again does not mend. Any other is the database's own
 * trouble: busy, full, read-only, its disk.
 */
const faultsOfOurs =
  /^(SQL_|ARGS_|SQLITE_(CONSTRAINT|ERROR|UNKNOWN|MISMATCH|RANGE|MISUSE|TOOBIG|SCHEMA|AUTH|INTERNAL)$)/

/** Statuses that mean the same: a request that is malformed, or too large. */
const statusesOfOurs = [400, 413]

/** What SQLite says of a constraint, and what Turso's next engine does, which calls columns `table.(a, b)`. */
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
  const isOurs = error instanceof LibsqlError ? faultsOfOurs.test(error.code) : !isOfTheWay(error)
  return isOurs ? error : new DatabaseUnavailable({ cause: error })
}

/** True for time-outs, the plain errors of a lost connection, and answers that are no JSON or none of the database. */
function isOfTheWay(error: unknown): boolean {
  return (
    error instanceof DOMException ||
    (error instanceof BadStatus && !statusesOfOurs.includes(error.status)) ||
    error instanceof SyntaxError ||
    error?.constructor === Error
  )
}
