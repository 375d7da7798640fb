interface Counted {
  count: number
  steps: number
}

export interface StatsReport {
  /** Requests to the pipeline endpoint: a client's round trips. */
  readonly requests: number
  /** Statements run, without BEGIN, COMMIT and their like. */
  readonly statements: number
  /**
   * Virtual machine steps of those statements: SQLite's own measure of work, the same on every machine. The
   * triggers and cascades a statement sets off run inside it and are included (as tests show); what json_each,
   * full-text search and other virtual tables do inside themselves is not.
   */
  readonly steps: number
  readonly bySql: { sql: string; count: number; steps: number }[]
}

const DIFFERENT_TEXTS = 1_000

/** What one database did since the last reset. Steps are counted from the first reset on: asking costs time. */
export class Stats {
  requests = 0
  countsSteps = false
  #statements = 0
  #steps = 0
  readonly #bySql = new Map<string, Counted>()

  reset(): void {
    this.requests = 0
    this.countsSteps = true
    this.#statements = 0
    this.#steps = 0
    this.#bySql.clear()
  }

  countStatement(): void {
    this.#statements += 1
  }

  countSteps(sql: string, steps: number): void {
    this.#steps += steps
    const key = this.#bySql.has(sql) || this.#bySql.size < DIFFERENT_TEXTS ? sql : '(others)'
    const counted = this.#bySql.get(key) ?? { count: 0, steps: 0 }
    this.#bySql.set(key, { count: counted.count + 1, steps: counted.steps + steps })
  }

  /** The figures so far, the most expensive statement first. */
  report(): StatsReport {
    const bySql = [...this.#bySql].map(([sql, counted]) => ({ sql, ...counted }))
    bySql.sort((a, b) => b.steps - a.steps)
    return { requests: this.requests, statements: this.#statements, steps: this.#steps, bySql }
  }
}
