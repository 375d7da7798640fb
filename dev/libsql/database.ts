import { existsSync, rmSync } from 'node:fs'
import { carriesBytes, markerOf, writeMarker } from './byte-text.ts'
import { Connection } from './connection.ts'
import type { Statement } from './statements.ts'
import { Stats } from './stats.ts'
import type { SqlValue } from './values.ts'
import { WriteQueue } from './write-queue.ts'

const IDLE_CONNECTIONS = 4

export interface LocalDatabaseOptions {
  readonly name: string
  readonly path: string
  readonly durable: boolean
  readonly transactionMs: number
  readonly latencyMs: number
}

/** One database: its file, its idle connections, the line of its writers and what was counted on it. */
export class LocalDatabase {
  readonly name: string
  readonly path: string
  readonly writers: WriteQueue
  readonly stats = new Stats()
  latencyMs: number
  readonly #durable: boolean
  #idle: Connection[] = []
  // Those to the file of today, should it have been deleted and made again.
  #current = new WeakSet<Connection>()
  #hasMetBytes: boolean | undefined

  constructor(options: LocalDatabaseOptions) {
    this.name = options.name
    this.path = options.path
    this.#durable = options.durable
    this.writers = new WriteQueue(options.transactionMs)
    this.latencyMs = options.latencyMs
  }

  /** A connection nobody else uses; a fresh one if nobody must have used it before either. */
  checkOut(fresh = false): Connection {
    const idle = fresh ? undefined : this.#idle.pop()
    if (idle) return idle
    const connection = new Connection(this.path, this.#durable)
    this.#current.add(connection)
    return connection
  }

  /** Takes a connection back; it must be outside of any transaction and as it was when opened. */
  checkIn(connection: Connection): void {
    const isWanted = this.#idle.length < IDLE_CONNECTIONS && this.#current.has(connection)
    if (isWanted) this.#idle.push(connection)
    else connection.close()
  }

  /** True if text of arbitrary bytes may be among the results: because of this statement or an earlier one. */
  meetsBytes(statement: Statement, values: readonly SqlValue[]): boolean {
    this.#hasMetBytes ??= existsSync(markerOf(this.path))
    if (!this.#hasMetBytes && (statement.mentionsBytes || carriesBytes(values))) {
      this.#hasMetBytes = true
      writeMarker(this.path)
    }
    return this.#hasMetBytes
  }

  /** Forgets what belonged to a file that is gone; a log left over from it would spoil the next one. */
  startAnew(): void {
    this.closeIdle()
    this.#current = new WeakSet()
    this.#hasMetBytes = undefined
    for (const leftOver of [`${this.path}-wal`, `${this.path}-shm`, markerOf(this.path)]) {
      if (existsSync(leftOver)) rmSync(leftOver)
    }
  }

  closeIdle(): void {
    for (const connection of this.#idle.splice(0)) connection.close()
  }
}
