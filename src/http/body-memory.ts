import { TooBusy } from '../domain/failures.ts'

/** The share of an isolate's 128 MB that all large bodies together may take, in bytes. */
const memoryBytes = 56 * 1024 * 1024
/** A request that would have to wait longer is refused. */
const longestWaitMs = 2_000
const lookEveryMs = 25
/** How long memory stays reserved after it was last asked for: longer than any request waits for anything. */
export const reservedMs = 12_000

const shares = new Set<BodyMemory>()

/**
 * A large body's share of the isolate's memory: some of it as the body arrives, more while it is read. Shares expire,
 * since a request whose client has gone may never be resumed to give its share back.
 */
export class BodyMemory {
  readonly #sender: number | string | undefined
  #isRead = false
  #bytes = 0
  #until = 0

  /** `sender` is a user's id, or what identifies a token. If given, bodies of one sender are read one at a time. */
  constructor(sender?: number | string) {
    this.#sender = sender
  }

  /**
   * Reserves memory for the part of a body that has arrived. Throws TooBusy if more than `most` would be reserved in
   * all.
   */
  holdArrived(bytes: number, most = memoryBytes): void {
    if (!this.#take(bytes, most)) throw new TooBusy()
  }

  /** Reserves the memory that reading the body needs, once it is its turn. Throws TooBusy if that takes too long. */
  async holdToRead(bytes: number, most = memoryBytes): Promise<void> {
    const deadline = performance.now() + longestWaitMs
    while (!this.#isItsTurn() || !this.#take(bytes, most)) {
      if (performance.now() >= deadline) throw new TooBusy()
      await scheduler.wait(lookEveryMs)
    }
    this.#isRead = true
  }

  release(): void {
    shares.delete(this)
  }

  #isItsTurn(): boolean {
    const now = performance.now()
    const isInTheWay = (other: BodyMemory) =>
      other !== this && other.#sender === this.#sender && other.#isRead && other.#until >= now
    return this.#sender === undefined || ![...shares].some(isInTheWay)
  }

  #take(bytes: number, most: number): boolean {
    const now = performance.now()
    let taken = bytes
    for (const other of shares) {
      if (other.#until < now) shares.delete(other)
      else if (other !== this) taken += other.#bytes
    }
    if (taken > most) return false
    this.#bytes = bytes
    this.#until = now + reservedMs
    shares.add(this)
    return true
  }
}

/** Does one piece of work at a time for each sender. Throws TooBusy if its turn does not come soon. */
export async function inTurn<T>(sender: string, work: () => Promise<T>): Promise<T> {
  const turn = new BodyMemory(sender)
  try {
    await turn.holdToRead(0)
    return await work()
  } finally {
    turn.release()
  }
}
