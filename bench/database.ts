import type { SQL } from 'drizzle-orm'
import { type Database, openDatabase } from '../test/databases/open.ts'
import type { Work } from '../test/databases/work.ts'
import type { ServedDatabase } from './runtime.ts'

/** The benchmark's own access to the database: its counts, its latency, and SQL that bypasses both. */
export class MeasuredDatabase {
  readonly #countedUrl: string
  readonly db: Database

  constructor({ url, countedUrl }: ServedDatabase) {
    this.#countedUrl = countedUrl
    this.db = openDatabase({ url, timeoutMs: 60_000 })
  }

  /** Starts counting from zero. */
  async startCounting(): Promise<void> {
    await this.#ask('DELETE', 'stats')
  }

  async counted(): Promise<Work> {
    return (await this.#ask('GET', 'stats')).json() as Promise<Work>
  }

  /** Delays every counted request from now on. */
  async setLatency(ms: number): Promise<void> {
    await this.#ask('POST', 'latency', JSON.stringify({ ms }))
  }

  /** The one number that a query selects as `n`. */
  async number(query: SQL): Promise<number> {
    const [[row]] = await this.db.batch([this.db.all<{ n: number }>(query)])
    return row?.n ?? 0
  }

  async #ask(method: string, path: string, body?: string): Promise<Response> {
    const response = await fetch(`${this.#countedUrl}${path}`, {
      method,
      ...(body !== undefined && { body }),
    })
    if (!response.ok) throw new Error(`The database answered ${response.status}: ${await response.text()}`)
    return response
  }
}
