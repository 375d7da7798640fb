import { TooBusy } from '../domain/failures.ts'
import { turnMs, waitForTurn } from './turns.ts'

/** The share of an isolate's 128 MB that all large bodies and lists together may take, in bytes. */
const memoryBytes = 56 * 1024 * 1024

const shares = new Set<BodyMemory>()

/**
 * A request's share of the isolate's memory. That of a large body grows as the body arrives, and again when it is read.
 * A share expires `turnMs` after it was last set.
 */
export class BodyMemory {
  readonly #sender: number | string | undefined
  #hasTurn = false
  #bytes = 0
  #until = 0

  /** The bodies of one `sender`, a user's id or a token's key, take turns from `holdToRead` to `release`. */
  constructor(sender?: number | string) {
    this.#sender = sender
  }

  /** Makes the share `bytes` in all, unless that is 0. Throws TooBusy if all shares together would exceed `most`. */
  hold(bytes: number, most = memoryBytes): void {
    if (bytes > 0 && !this.#take(bytes, most)) throw new TooBusy()
  }

  /** Like `hold`, but waits for the body's turn and for room. Throws TooBusy if that takes too long. */
  async holdToRead(bytes: number, most = memoryBytes): Promise<void> {
    await waitForTurn(() => {
      this.#hasTurn = this.#isItsTurn() && this.#take(bytes, most)
      return this.#hasTurn
    })
  }

  release(): void {
    shares.delete(this)
  }

  #isItsTurn(): boolean {
    const now = performance.now()
    const isInTheWay = (other: BodyMemory) =>
      other !== this && other.#sender === this.#sender && other.#hasTurn && other.#until >= now
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
