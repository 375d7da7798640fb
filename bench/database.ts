import type { StatsReport } from '../dev/libsql/server.ts'
import { type Database, openDatabase } from '../src/db/client.ts'

/** The database as the benchmark sees it from behind: its server's counts and latency, and SQL past the API. */
export class MeasuredDatabase {
  readonly #url: string
  readonly db: Database

  constructor(url: string) {
    this.#url = url
    this.db = openDatabase({ url, timeoutMs: 60_000 })
  }

  /** Counts from nothing; without `work` neither steps nor rows, which takes time. */
  async startCounting({ work }: { work: boolean }): Promise<void> {
    await this.#ask('DELETE', work ? 'stats' : 'stats?work=no')
  }

  async counted(): Promise<StatsReport> {
    return (await this.#ask('GET', 'stats')).json() as Promise<StatsReport>
  }

  /** Every request to the database takes so much longer from now on. */
  async setLatency(ms: number): Promise<void> {
    await this.#ask('POST', 'latency', JSON.stringify({ ms }))
  }

  async #ask(method: string, path: string, body?: string): Promise<Response> {
    const response = await fetch(`${this.#url}${path}`, { method, ...(body !== undefined && { body }) })
    if (!response.ok) throw new Error(`The database answered ${response.status}: ${await response.text()}`)
    return response
  }
}
