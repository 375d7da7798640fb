/** The cost of a request, queue message or cron run, for the log. Rows read and written are those that Turso bills. */
export type Metrics = {
  durationMs: number
  databaseMs: number
  roundTrips: number
  /** Requests that only closed a stream. */
  closes: number
  rowsRead: number
  rowsWritten: number
}

/**
 * Measures one request, queue message or cron run from its construction. A Worker's clock only advances during I/O, so the
 * milliseconds do not include computing.
 */
export class Meter {
  readonly #startedAt = performance.now()
  readonly #counted = { databaseMs: 0, roundTrips: 0, closes: 0, rowsRead: 0, rowsWritten: 0 }

  /** Counts a request to the database, retries included. */
  countRoundTrip(): void {
    this.#counted.roundTrips += 1
  }

  /** Counts a request that only closes a stream. */
  countClose(): void {
    this.#counted.closes += 1
  }

  /** Counts the rows of a statement, including those of its triggers, cascades and indexes. */
  countRows(read: number, written: number): void {
    this.#counted.rowsRead += read
    this.#counted.rowsWritten += written
  }

  /** Adds the time until a promise settles to that of the database. */
  async timeDatabase<T>(results: Promise<T>): Promise<T> {
    const startedAt = performance.now()
    try {
      return await results
    } finally {
      this.#counted.databaseMs += performance.now() - startedAt
    }
  }

  read(): Metrics {
    const { databaseMs, ...counts } = this.#counted
    return {
      durationMs: tenths(performance.now() - this.#startedAt),
      databaseMs: tenths(databaseMs),
      ...counts,
    }
  }
}

function tenths(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10
}
