/**
 * What a piece of work has cost so far: milliseconds, requests to the database, and the rows that the database read and
 * wrote, as it bills them. Logged with each request, queue message and cron run.
 */
export type Figures = {
  durationMs: number
  databaseMs: number
  roundTrips: number
  /** Requests that only closed a stream. */
  closes: number
  rowsRead: number
  rowsWritten: number
}

/**
 * Measures one request, queue message or cron run, from the moment the meter is made. A Worker's clock only advances
 * during I/O (a defence against timing attacks), so the milliseconds are time spent waiting, without any computing.
 */
export class Meter {
  readonly #startedAt = performance.now()
  #databaseMs = 0
  #roundTrips = 0
  #closes = 0
  #rowsRead = 0
  #rowsWritten = 0

  /** Counts a request to the database, retries included. */
  countRoundTrip(): void {
    this.#roundTrips += 1
  }

  /** Counts a request that only closes a stream. */
  countClose(): void {
    this.#closes += 1
  }

  /** Counts the rows of a statement, including those of its triggers, cascades and indexes. */
  countRows(read: number, written: number): void {
    this.#rowsRead += read
    this.#rowsWritten += written
  }

  /** Adds to the database's share the time until a promise settles. */
  async timeDatabase<T>(answer: Promise<T>): Promise<T> {
    const startedAt = performance.now()
    try {
      return await answer
    } finally {
      this.#databaseMs += performance.now() - startedAt
    }
  }

  read(): Figures {
    return {
      durationMs: tenths(performance.now() - this.#startedAt),
      databaseMs: tenths(this.#databaseMs),
      roundTrips: this.#roundTrips,
      closes: this.#closes,
      rowsRead: this.#rowsRead,
      rowsWritten: this.#rowsWritten,
    }
  }
}

function tenths(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10
}
