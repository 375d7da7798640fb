/** Whoever may hold a database's write lock: a stream. */
export interface Writer {
  /** Called when the writer has held the lock for too long while others wait: it must roll back and release. */
  loseLock(): void
}

interface Waiting {
  readonly writer: Writer
  readonly grant: () => void
}

/**
 * The write lock of one database, given out in the order of asking.
 *
 * The native engine is synchronous: waiting inside it would stop the very transaction waited for. So
 * nobody enters a write before this queue lets them, and SQLite itself never finds the database busy.
 */
export class WriteQueue {
  readonly #patienceMs: number
  #holder: Writer | undefined
  #heldSince = 0
  readonly #waiting: Waiting[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs
  }

  isHeldBy(writer: Writer): boolean {
    return this.#holder === writer
  }

  /** Resolves once the writer holds the lock, and must be followed by `release`; `undefined`: it does already. */
  acquire(writer: Writer): Promise<void> | undefined {
    if (this.#holder === undefined) {
      this.#give(writer)
      return undefined
    }
    return new Promise((grant) => {
      this.#waiting.push({ writer, grant })
      this.#watch()
    })
  }

  /** Hands the lock on to the next in line, if the writer holds it. */
  release(writer: Writer): void {
    if (this.#holder !== writer) return
    this.#holder = undefined
    const next = this.#waiting.shift()
    if (next) {
      this.#give(next.writer)
      next.grant()
    }
    this.#watch()
  }

  #give(writer: Writer): void {
    this.#holder = writer
    this.#heldSince = performance.now()
  }

  // A holder is only hurried while somebody waits.
  #watch(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#holder === undefined || this.#waiting.length === 0) return
    const leftMs = this.#heldSince + this.#patienceMs - performance.now()
    this.#timer = setTimeout(() => this.#holder?.loseLock(), Math.max(0, leftMs))
    this.#timer.unref()
  }
}
