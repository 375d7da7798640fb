/** A statement failed: reported inside a 200 answer, as `{ message, code }` of that one request or step. */
export class StatementError extends Error {
  override name = 'StatementError'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** The client broke the protocol: the whole request is answered with this status and the stream is closed. */
export class ProtocolError extends Error {
  override name = 'ProtocolError'
  readonly status: number

  constructor(message: string, status = 400) {
    super(message)
    this.status = status
  }
}

/** The baton names a stream that was closed because it lay idle for too long. */
export class StreamExpired extends Error {
  override name = 'StreamExpired'
  readonly code = 'STREAM_EXPIRED'

  constructor() {
    super('The stream has expired due to inactivity')
  }
}

/** The client went away while its request was waiting; nobody is left to answer. */
export class ClientGone extends Error {
  override name = 'ClientGone'
}

/** Another server, in this or another process, already serves the directory. */
export class DirectoryInUse extends Error {
  override name = 'DirectoryInUse'
  readonly directory: string

  constructor(directory: string) {
    super(`Another libSQL server is already using the directory ${directory}`)
    this.directory = directory
  }
}

// The names a Turso server uses. It sends primary codes only, and calls the generic SQLITE_ERROR "unknown".
const CODE_NAMES: Record<number, string> = {
  2: 'SQLITE_INTERNAL',
  3: 'SQLITE_PERM',
  4: 'SQLITE_ABORT',
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  7: 'SQLITE_NOMEM',
  8: 'SQLITE_READONLY',
  9: 'SQLITE_INTERRUPT',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  12: 'SQLITE_NOTFOUND',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  15: 'SQLITE_PROTOCOL',
  17: 'SQLITE_SCHEMA',
  18: 'SQLITE_TOOBIG',
  19: 'SQLITE_CONSTRAINT',
  20: 'SQLITE_MISMATCH',
  21: 'SQLITE_MISUSE',
  22: 'SQLITE_NOLFS',
  23: 'SQLITE_AUTH',
  25: 'SQLITE_RANGE',
  26: 'SQLITE_NOTADB',
}

const SYNTAX_ERROR = /syntax error$|^unrecognized token|^incomplete input$/
const HAS_OFFSET =
  /^(?:no such column: |no such function: |ambiguous column name: |wrong number of arguments to function |misuse of aggregate(?: function)?:? |misuse of window function )(?:\w+\.)*(\w+)/

/** What a Turso server would report for an error of the native engine while it ran `sql`. */
export function statementErrorFrom(error: unknown, sql: string): StatementError {
  if (error instanceof ProtocolError) throw error
  if (error instanceof StatementError) return error
  const { message, rawCode } = error as { message?: unknown; rawCode?: unknown }
  const text = typeof message === 'string' ? message : String(error)
  const primary = typeof rawCode === 'number' ? rawCode & 0xff : 1
  if (primary !== 1)
    return new StatementError(CODE_NAMES[primary] ?? 'SQLITE_UNKNOWN', `SQLite error: ${text}`)
  if (SYNTAX_ERROR.test(text)) {
    return new StatementError('SQL_PARSE_ERROR', `SQL string could not be parsed: ${text}`)
  }
  // The engine knows where in the text such an error is, but the binding does not say: find the name.
  const name = HAS_OFFSET.exec(text)?.[1]
  if (name !== undefined) {
    const offset = Math.max(0, sql.toLowerCase().indexOf(name.toLowerCase()))
    return new StatementError('SQL_INPUT_ERROR', `SQL input error: ${text} (at offset ${offset})`)
  }
  return new StatementError('SQLITE_UNKNOWN', `SQLite error: ${text}`)
}
