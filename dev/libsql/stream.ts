import type { Connection, Description, StatementResult } from './connection.ts'
import type { LocalDatabase } from './database.ts'
import { ClientGone, ProtocolError, StatementError } from './errors.ts'
import type { BatchStep, Condition, SqlSource, StatementRequest, StreamRequest } from './hrana.ts'
import type { Role } from './refusals.ts'
import { parseSequence, parseStatement, type Statement } from './statements.ts'
import { type Arguments, bind } from './values.ts'
import type { Writer } from './write-queue.ts'

interface WireError {
  readonly message: string
  readonly code: string
}

export type StreamResponse =
  | { type: 'execute'; result: StatementResult }
  | { type: 'batch'; result: BatchResult }
  | { type: 'describe'; result: Description }
  | { type: 'get_autocommit'; is_autocommit: boolean }
  | { type: 'sequence' | 'store_sql' | 'close_sql' | 'close' }

export type StreamResult = { type: 'ok'; response: StreamResponse } | { type: 'error'; error: WireError }

interface BatchResult {
  readonly step_results: (StatementResult | null)[]
  readonly step_errors: (WireError | null)[]
}

// What a Turso server allows one answer to hold.
const ANSWER_LIMIT_BYTES = 10_000_000
const STORED_TEXTS = 50
const STORED_TEXT_BYTES = 5_000
const NO_ARGUMENTS: Arguments = { positional: [], named: new Map() }

/** What a baton stands for: a connection of its own, whatever transaction is open on it, and stored SQL. */
export class Stream implements Writer {
  readonly database: LocalDatabase
  closed = false
  readonly #storedSql = new Map<number, string>()
  #connection: Connection | undefined
  #timedOut = false
  #spoilt = false
  #room = { bytes: ANSWER_LIMIT_BYTES }

  constructor(database: LocalDatabase) {
    this.database = database
  }

  /** Answers the requests of a pipeline one by one. A ProtocolError ends the pipeline and the stream. */
  async answer(requests: readonly StreamRequest[]): Promise<StreamResult[]> {
    this.#room = { bytes: ANSWER_LIMIT_BYTES }
    const results: StreamResult[] = []
    for (const request of requests) {
      try {
        results.push({ type: 'ok', response: await this.#respond(request) })
      } catch (error) {
        results.push({ type: 'error', error: wireError(error) })
      }
    }
    return results
  }

  /** Rolls back what is open and gives the connection back. */
  close(): void {
    this.closed = true
    this.#rollBack()
    if (this.#spoilt) this.#connection?.close()
    else if (this.#connection) this.database.checkIn(this.#connection)
    this.#connection = undefined
  }

  loseLock(): void {
    this.#timedOut = true
    this.#rollBack()
  }

  #rollBack(): void {
    try {
      if (this.#connection?.inTransaction) this.#connection.control('ROLLBACK')
    } catch {
      this.#spoilt = true
    }
    this.database.writers.release(this)
  }

  async #respond(request: StreamRequest): Promise<StreamResponse> {
    if (this.closed) throw new ProtocolError('Stream for this baton was closed')
    switch (request.type) {
      case 'execute': {
        const { args, wantRows } = request.statement
        const statement = parseStatement(this.#sqlOf(request.statement))
        this.#checkPatience()
        return { type: 'execute', result: await this.#execute(statement, args, wantRows) }
      }
      case 'batch':
        return { type: 'batch', result: await this.#batch(request.steps) }
      case 'sequence':
        await this.#sequence(parseSequence(this.#sqlOf(request.source)))
        return { type: 'sequence' }
      case 'describe': {
        const statement = parseStatement(this.#sqlOf(request.source))
        this.#spoilt ||= statement.role.altersConnection
        return { type: 'describe', result: this.#connect().describe(statement) }
      }
      case 'get_autocommit':
        return { type: 'get_autocommit', is_autocommit: this.#isAutocommit() }
      case 'store_sql':
        this.#store(request.sqlId, request.sql)
        return { type: 'store_sql' }
      case 'close_sql':
        this.#storedSql.delete(request.sqlId)
        return { type: 'close_sql' }
      case 'close':
        this.close()
        return { type: 'close' }
    }
  }

  async #batch(steps: BatchStep[]): Promise<BatchResult> {
    // All texts are read before any runs: one refused statement refuses the batch.
    const statements = steps.map(({ statement }) => parseStatement(this.#sqlOf(statement)))
    const step_results: (StatementResult | null)[] = []
    const step_errors: (WireError | null)[] = []
    let timeOut: StatementError | undefined
    for (const [index, { condition, statement }] of steps.entries()) {
      step_results[index] = null
      step_errors[index] = null
      try {
        timeOut ??= this.#takeTimeOut()
        if (timeOut) throw timeOut
        if (condition && !this.#holds(condition, step_results)) continue
        const parsed = statements[index] as Statement
        step_results[index] = await this.#execute(parsed, statement.args, statement.wantRows)
      } catch (error) {
        step_errors[index] = wireError(error)
      }
    }
    return { step_results, step_errors }
  }

  async #sequence(statements: Statement[]): Promise<void> {
    for (const statement of statements) {
      this.#checkPatience()
      await this.#execute(statement, NO_ARGUMENTS, false)
    }
  }

  async #execute(statement: Statement, args: Arguments, wantRows: boolean): Promise<StatementResult> {
    const { sql, role } = statement
    if (role.locks) await this.#takeLock(role)
    try {
      const connection = this.#connect(statement.asksConnection)
      if (role.kind === 'control') return connection.control(sql)
      this.#spoilt ||= role.altersConnection
      const values = bind(statement, args)
      const asBytes = this.database.meetsBytes(statement, values)
      const options = { wantRows, asBytes, room: this.#room }
      return this.#counted(sql, connection, () => connection.run(statement, values, options))
    } finally {
      // A commit ends a transaction, but so do some errors and ON CONFLICT ROLLBACK.
      if (this.#isAutocommit()) this.database.writers.release(this)
    }
  }

  async #takeLock({ kind }: Role): Promise<void> {
    const { writers } = this.database
    if (writers.isHeldBy(this)) return
    await writers.acquire(this)
    if (this.closed) {
      // The client has gone while it waited.
      writers.release(this)
      throw new ClientGone()
    }
    if (kind === 'control' || !this.#connection?.inTransaction) return
    try {
      this.#connection.takeWriteLock()
    } catch (error) {
      writers.release(this)
      throw error
    }
  }

  #counted(sql: string, connection: Connection, run: () => StatementResult): StatementResult {
    const { stats } = this.database
    stats.countStatement()
    if (!stats.countsWork) return run()
    const before = connection.rowsWritten
    try {
      return run()
    } finally {
      stats.countWork(sql, { steps: connection.latestSteps, rowsWritten: connection.rowsWritten - before })
    }
  }

  #connect(fresh = false): Connection {
    this.#connection ??= this.database.checkOut(fresh)
    return this.#connection
  }

  #isAutocommit(): boolean {
    return !this.#connection?.inTransaction
  }

  // As on a Turso server, a step that was skipped counts as one that failed.
  #holds(condition: Condition, results: readonly (StatementResult | null)[]): boolean {
    switch (condition.type) {
      case 'ok':
        return results[condition.step] !== null
      case 'error':
        return results[condition.step] === null
      case 'not':
        return !this.#holds(condition.cond, results)
      case 'and':
        return condition.conds.every((cond) => this.#holds(cond, results))
      case 'or':
        return condition.conds.some((cond) => this.#holds(cond, results))
      case 'is_autocommit':
        return this.#isAutocommit()
    }
  }

  #checkPatience(): void {
    const timeOut = this.#takeTimeOut()
    if (timeOut) throw timeOut
  }

  #takeTimeOut(): StatementError | undefined {
    if (!this.#timedOut) return undefined
    this.#timedOut = false
    return new StatementError('TRANSACTION_TIMEOUT', 'Transaction timed out')
  }

  #sqlOf({ sql, sqlId }: SqlSource | StatementRequest): string {
    if (sqlId === undefined) {
      if (sql === undefined) throw new ProtocolError('Either `sql` or `sql_id` are required')
      return sql
    }
    if (sql !== undefined) throw new ProtocolError('Either `sql` or `sql_id` are required, but not both')
    const stored = this.#storedSql.get(sqlId)
    if (stored === undefined) throw new ProtocolError(`SQL text ${sqlId} not found`)
    return stored
  }

  #store(sqlId: number, sql: string): void {
    const count = this.#storedSql.size
    const bytes = Buffer.byteLength(sql)
    if (this.#storedSql.has(sqlId)) throw new ProtocolError(`SQL text ${sqlId} already exists`)
    if (count >= STORED_TEXTS) {
      throw new StatementError(
        'SQL_STORE_TOO_MANY',
        `The server already stores ${count} SQL texts, it cannot store more`,
      )
    }
    if (bytes > STORED_TEXT_BYTES) {
      throw new StatementError(
        'SQL_STORE_TOO_LARGE',
        `The statement is too large to be stored: ${(bytes / 1_000).toFixed(1)} KB/5.0 KB`,
      )
    }
    this.#storedSql.set(sqlId, sql)
  }
}

function wireError(error: unknown): WireError {
  if (error instanceof StatementError) return { message: error.message, code: error.code }
  throw error
}
