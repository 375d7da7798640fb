/**
 * What a piece of work has cost so far: milliseconds, requests to the database, and the rows that it read and wrote, as
 * it bills them. It is what logs and headers tell.
 */
export type Figures = {
  durationMs: number
  databaseMs: number
  roundTrips: number
  rowsRead: number
  rowsWritten: number
}

/**
 * Measures one request, queue message or cron run from its making on. The clocks of Workers stand still but for I/O
 * (a guard against timing attacks): the milliseconds are those of waiting, and computing alone counts as none.
 */
export class Meter {
  readonly #startedAt = performance.now()
  #databaseMs = 0
  #roundTrips = 0
  #rowsRead = 0
  #rowsWritten = 0

  /** Counts a request to the database, a repeated one as well. */
  countRoundTrip(): void {
    this.#roundTrips += 1
  }

  /** Counts the rows of a statement, those of its triggers, cascades and index entries included. */
  countRows(read: number, written: number): void {
    this.#rowsRead += read
    this.#rowsWritten += written
  }

  /** Adds the time until a promise settles to the database's share. */
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
      rowsRead: this.#rowsRead,
      rowsWritten: this.#rowsWritten,
    }
  }
}

function tenths(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10
}
