import { LibsqlError } from '@libsql/client/http'
import { DatabaseUnavailable } from '../domain/failures.ts'

/** A constraint of the schema refused a statement, and the whole batch with it. */
export class ConstraintViolated extends Error {
  override readonly name = 'ConstraintViolated'
  readonly kind: 'UNIQUE' | 'NOT NULL' | 'FOREIGN KEY' | 'CHECK' | 'other'
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

/** True where an answer did not come in time. */
export function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError'
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

/** Codes of a statement of ours that is wrong. Any other is the database's own trouble: busy, full, read-only, its disk. */
const faultsOfOurs = /^(SQL_|SQLITE_(ERROR|UNKNOWN|MISMATCH|RANGE|MISUSE|TOOBIG|SCHEMA|AUTH|INTERNAL)$)/

function translate(error: unknown): unknown {
  if (error instanceof LibsqlError && error.code.startsWith('SQLITE_CONSTRAINT')) {
    const match = /(UNIQUE|NOT NULL|FOREIGN KEY|CHECK) constraint failed(?:: ([\w., ]+))?/.exec(error.message)
    return new ConstraintViolated((match?.[1] ?? 'other') as ConstraintViolated['kind'], match?.[2] ?? '')
  }
  const isOurs = error instanceof LibsqlError ? faultsOfOurs.test(error.code) : !isOfTheWay(error)
  return isOurs ? error : new DatabaseUnavailable({ cause: error })
}

/** True for time-outs, the plain errors of a lost connection, and answers that are no JSON or none of the database. */
function isOfTheWay(error: unknown): boolean {
  return (
    error instanceof DOMException ||
    error instanceof BadStatus ||
    error instanceof SyntaxError ||
    error?.constructor === Error
  )
}
