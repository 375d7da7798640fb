import { TooBusy } from '../domain/failures.ts'

/** What large bodies may take together of the 128 MB that an isolate has for all it serves, in bytes. */
const memoryBytes = 56 * 1024 * 1024
/** Whoever would wait for longer is refused. */
const longestWaitMs = 2_000
const lookEveryMs = 25
/** For so long memory is promised after it was last asked for: longer than a request waits for anything. */
export const promisedMs = 12_000

const promises = new Set<BodyMemory>()

/**
 * A large body's share of the isolate's memory: a little while it arrives, more while it is read. Shares are promised for
 * a time, since a request whose client has gone may never be resumed, and so never give its share back.
 */
export class BodyMemory {
  readonly #userId: number | undefined
  #isRead = false
  #bytes = 0
  #until = 0

  /** Bodies of one user are read in turns, where it is said whose they are. */
  constructor(userId?: number) {
    this.#userId = userId
  }

  /**
   * Takes room for a body that has arrived as far as this, where no more than `most` is taken together. Throws TooBusy
   * where others have taken it.
   */
  holdArrived(bytes: number, most = memoryBytes): void {
    if (!this.#take(bytes, most)) throw new TooBusy()
  }

  /** Takes the memory that reading the body needs, once it is its turn. Throws TooBusy where that takes too long. */
  async holdToRead(bytes: number, most = memoryBytes): Promise<void> {
    const deadline = performance.now() + longestWaitMs
    while (!this.#isItsTurn() || !this.#take(bytes, most)) {
      if (performance.now() >= deadline) throw new TooBusy()
      await scheduler.wait(lookEveryMs)
    }
    this.#isRead = true
  }

  release(): void {
    promises.delete(this)
  }

  #isItsTurn(): boolean {
    const now = performance.now()
    const isInTheWay = (other: BodyMemory) =>
      other !== this && other.#userId === this.#userId && other.#isRead && other.#until >= now
    return this.#userId === undefined || ![...promises].some(isInTheWay)
  }

  #take(bytes: number, most: number): boolean {
    const now = performance.now()
    let taken = bytes
    for (const other of promises) {
      if (other.#until < now) promises.delete(other)
      else if (other !== this) taken += other.#bytes
    }
    if (taken > most) return false
    this.#bytes = bytes
    this.#until = now + promisedMs
    promises.add(this)
    return true
  }
}
