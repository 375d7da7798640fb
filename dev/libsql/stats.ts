/** What running a statement cost. */
export interface Work {
  readonly steps: number
  readonly rowsWritten: number
}

interface Counted extends Work {
  readonly count: number
}

export interface StatsReport {
  /** Requests to the pipeline endpoint: a client's round trips. */
  readonly requests: number
  /** The bytes of those requests' bodies, and of their answers'. */
  readonly requestBytes: number
  readonly responseBytes: number
  /** Statements run, without BEGIN, COMMIT and their like. */
  readonly statements: number
  /**
   * Virtual machine steps of those statements: SQLite's own measure of work, the same on every machine. The
   * triggers and cascades a statement sets off run inside it and are included (as tests show); what json_each,
   * full-text search and other virtual tables do inside themselves is not.
   */
  readonly steps: number
  /** Rows inserted, updated and deleted, those of triggers and cascades included; index entries are not counted. */
  readonly rowsWritten: number
  readonly bySql: ({ sql: string } & Counted)[]
}

const DIFFERENT_TEXTS = 1_000
const NOTHING: Counted = { count: 0, steps: 0, rowsWritten: 0 }

/** What one database did since the last reset. Work is counted from the first reset on: asking costs time. */
export class Stats {
  countsWork = false
  #requests = 0
  #requestBytes = 0
  #responseBytes = 0
  #statements = 0
  #total = NOTHING
  readonly #bySql = new Map<string, Counted>()

  /** Starts from nothing; without `work` the statements are counted, but not what they cost. */
  reset({ work }: { work: boolean }): void {
    this.countsWork = work
    this.#requests = 0
    this.#requestBytes = 0
    this.#responseBytes = 0
    this.#statements = 0
    this.#total = NOTHING
    this.#bySql.clear()
  }

  countRequest(bytes: number): void {
    this.#requests += 1
    this.#requestBytes += bytes
  }

  countResponse(bytes: number): void {
    this.#responseBytes += bytes
  }

  countStatement(): void {
    this.#statements += 1
  }

  countWork(sql: string, work: Work): void {
    this.#total = sum(this.#total, work)
    const key = this.#bySql.has(sql) || this.#bySql.size < DIFFERENT_TEXTS ? sql : '(others)'
    this.#bySql.set(key, sum(this.#bySql.get(key) ?? NOTHING, work))
  }

  /** The figures so far, the most expensive statement first. */
  report(): StatsReport {
    const bySql = [...this.#bySql].map(([sql, counted]) => ({ sql, ...counted }))
    bySql.sort((a, b) => b.steps - a.steps)
    return {
      requests: this.#requests,
      requestBytes: this.#requestBytes,
      responseBytes: this.#responseBytes,
      statements: this.#statements,
      steps: this.#total.steps,
      rowsWritten: this.#total.rowsWritten,
      bySql,
    }
  }
}

function sum(counted: Counted, { steps, rowsWritten }: Work): Counted {
  return {
    count: counted.count + 1,
    steps: counted.steps + steps,
    rowsWritten: counted.rowsWritten + rowsWritten,
  }
}
