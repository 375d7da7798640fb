import Database from 'libsql'
import { taggedQuery, untag } from './byte-text.ts'
import { ProtocolError, StatementError, statementErrorFrom } from './errors.ts'
import type { Statement } from './statements.ts'
import { type SqlValue, toWire, type WireValue } from './values.ts'

export interface StatementResult {
  readonly cols: { name: string; decltype: string | null }[]
  readonly rows: WireValue[][]
  readonly affected_row_count: number
  readonly last_insert_rowid: string | null
}

export interface RunOptions {
  readonly wantRows: boolean
  readonly asBytes: boolean
  /** What the answer may still hold; the rows read are taken off. */
  readonly room: { bytes: number }
}

export interface Description {
  readonly params: { name: string | null }[]
  readonly cols: { name: string; decltype: string | null }[]
  readonly is_explain: boolean
  readonly is_readonly: boolean
}

// The heap limit keeps a text from outgrowing what a JavaScript string can hold, which would end the process.
const SET_UP = `PRAGMA journal_mode = WAL;
  PRAGMA busy_timeout = 0;
  PRAGMA foreign_keys = ON;
  PRAGMA hard_heap_limit = 512000000`

/** One connection of the native engine to one database file, set up as on a Turso server. */
export class Connection {
  readonly #native: Database.Database
  #latestSql = ''

  constructor(path: string, durable: boolean) {
    try {
      this.#native = new Database(path)
      this.#native.defaultSafeIntegers(true)
      this.#native.exec(`PRAGMA synchronous = ${durable ? 'NORMAL' : 'OFF'}; ${SET_UP}`)
    } catch (error) {
      throw statementErrorFrom(error, SET_UP)
    }
  }

  get inTransaction(): boolean {
    return this.#native.inTransaction
  }

  /**
   * BEGIN, COMMIT, ROLLBACK and savepoints. They go through `exec`, which finalises its statement at
   * once: a prepared COMMIT or BEGIN that failed as busy would linger half-run until collected, and
   * block the next COMMIT with "SQL statements in progress".
   */
  control(sql: string): StatementResult {
    try {
      this.#native.exec(sql)
    } catch (error) {
      throw statementErrorFrom(error, sql)
    }
    return { cols: [], rows: [], affected_row_count: 0, last_insert_rowid: null }
  }

  /**
   * Turns a deferred transaction into a writing one, or fails as busy if others have written since its
   * first read. The pragma takes the write lock and then finds nothing to do.
   */
  takeWriteLock(): void {
    this.control('PRAGMA incremental_vacuum(1)')
  }

  /** Runs a statement to its end. With `asBytes`, its results may hold text that is not UTF-8. */
  run(statement: Statement, values: SqlValue[], options: RunOptions): StatementResult {
    this.#latestSql = ''
    try {
      const prepared = this.#prepare(statement.sql)
      const columns = prepared.columns()
      if (columns.length === 0) prepared.run(values)
      const rows = columns.length > 0 ? this.#read(statement, prepared, values, options) : []
      const [changes, lastRowid] = this.#effects(statement)
      return {
        cols: columns.map(({ name, type }) => ({ name, decltype: type })),
        rows,
        affected_row_count: changes,
        last_insert_rowid: lastRowid,
      }
    } catch (error) {
      throw statementErrorFrom(error, statement.sql)
    }
  }

  #read(
    statement: Statement,
    prepared: Database.Statement,
    values: SqlValue[],
    options: RunOptions,
  ): WireValue[][] {
    const names = options.asBytes ? prepared.columns().map(({ column, name }) => column ?? name) : []
    const query = options.asBytes ? taggedQuery(statement, names) : undefined
    if (query === undefined) {
      const rows = readRows(prepared.raw(true), values, options, toWire)
      // An EXPLAIN that has given all its rows still counts as running.
      if (statement.role.explains) reset(prepared, values)
      return rows
    }
    const tagged = this.#prepare(query).raw(true)
    return readRows(tagged, values, options, (value) => toWire(untag(value)))
  }

  /** What a statement would want and give, without running it. */
  describe(statement: Statement): Description {
    try {
      const prepared = this.#native.prepare(statement.sql)
      return {
        params: statement.parameters.map((name) => ({ name: name ?? null })),
        cols: prepared.columns().map(({ name, type }) => ({ name, decltype: type })),
        is_explain: statement.role.explains,
        is_readonly: this.#latest(statement.sql, 'ro') === 1,
      }
    } catch (error) {
      throw statementErrorFrom(error, statement.sql)
    }
  }

  /** The virtual machine steps of the latest `run`: none if it did not get so far. */
  get latestSteps(): number {
    return this.#latest(this.#latestSql, 'nstep')
  }

  /** The rows written since the connection was opened, by statements, their triggers and cascades. */
  get rowsWritten(): number {
    const row = this.#native.prepare('SELECT total_changes()').raw(true).get([])
    return Number((row as [bigint])[0])
  }

  /** Moves what the write-ahead log holds into the database file; false if a reader prevents it. */
  checkpoint(): boolean {
    const row = this.#native.prepare('PRAGMA wal_checkpoint(TRUNCATE)').raw(true).get([])
    return (row as bigint[])[0] === 0n
  }

  close(): void {
    this.#native.close()
  }

  #prepare(sql: string): Database.Statement {
    const prepared = this.#native.prepare(sql)
    this.#latestSql = sql
    return prepared
  }

  #effects({ role }: Statement): [number, string | null] {
    if (!role.changesRows) return [0, null]
    const row = this.#native.prepare('SELECT changes(), last_insert_rowid()').raw(true).get([])
    const [changes, lastRowid] = row as [bigint, bigint]
    return [Number(changes), role.inserts ? String(lastRowid) : null]
  }

  // Finished statements stay listed until they are garbage collected; the newest comes first.
  #latest(sql: string, column: 'nstep' | 'ro'): number {
    const query = this.#native.prepare(`SELECT ${column} FROM sqlite_stmt WHERE sql = ? LIMIT 1`).raw(true)
    return Number((query.get([sql]) as [bigint] | undefined)?.[0] ?? 0)
  }
}

function readRows(
  prepared: Database.Statement,
  values: SqlValue[],
  { wantRows, room }: RunOptions,
  toWireValue: (value: SqlValue) => WireValue,
): WireValue[][] {
  const rows: WireValue[][] = []
  try {
    for (const row of prepared.iterate(values) as Iterable<SqlValue[]>) {
      for (const value of row) room.bytes -= sizeOf(value)
      if (room.bytes < 0) throw new StatementError('RESPONSE_TOO_LARGE', 'Response is too large')
      if (wantRows) rows.push(row.map(toWireValue))
    }
  } catch (error) {
    if (error instanceof StatementError || error instanceof ProtocolError) reset(prepared, values)
    throw error
  }
  return rows
}

// A statement left in the middle would stay open until it is collected; the binding's `get` resets it.
function reset(prepared: Database.Statement, values: SqlValue[]): void {
  try {
    prepared.get(values)
  } catch {
    // It ended by an error of its own.
  }
}

function sizeOf(value: SqlValue): number {
  if (value === null) return 15
  if (typeof value === 'string') return value.length + 26
  if (typeof value === 'object') return value.byteLength
  return 40
}
