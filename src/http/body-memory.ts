import { TooBusy } from '../domain/failures.ts'
import { turnMs, waitForTurn } from './turns.ts'

/** The share of an isolate's 128 MB that all large bodies and lists together may take, in bytes. */
const memoryBytes = 56 * 1024 * 1024

const shares = new Set<BodyMemory>()

/**
 * A request's share of the isolate's memory: for a large body some as it arrives, more while it is read. A share expires
 * `turnMs` after memory was last asked for.
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

  /** Reserves the memory that is needed now. Throws TooBusy if more than `most` would be reserved in all. */
  hold(bytes: number, most = memoryBytes): void {
    if (bytes > 0 && !this.#take(bytes, most)) throw new TooBusy()
  }

  /** Reserves the memory that reading the body needs, once it is its turn. Throws TooBusy if that takes too long. */
  async holdToRead(bytes: number, most = memoryBytes): Promise<void> {
    await waitForTurn(() => {
      this.#isRead = this.#isItsTurn() && this.#take(bytes, most)
      return this.#isRead
    })
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
    this.#until = now + turnMs
    shares.add(this)
    return true
  }
}
