import { TooBusy } from '../failures/failures.ts'

const maxWaitMs = 2_000
const pollMs = 50
/** An amount expires this long after it was set, since a cancelled request may never run its `finally`. */
export const expiryMs = 20_000

/** Limits the amount of a resource (slots or bytes) that all requests of an isolate hold together. */
export class Limiter {
  readonly #limit: number
  readonly #held = new Map<object, { amount: number; expiresAt: number }>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Sets the amount of a holder. Returns false if the sum of all amounts would exceed the limit. */
  hold(holder: object, amount: number): boolean {
    const now = performance.now()
    let total = amount
    for (const [other, { amount, expiresAt }] of this.#held) {
      if (expiresAt <= now) this.#held.delete(other)
      else if (other !== holder) total += amount
    }
    if (total > this.#limit) return false
    this.#held.set(holder, { amount, expiresAt: now + expiryMs })
    return true
  }

  /** Like `hold`, but waits up to two seconds. Throws TooBusy. */
  async waitToHold(holder: object, amount: number): Promise<void> {
    const deadline = performance.now() + maxWaitMs
    while (!this.hold(holder, amount)) {
      if (performance.now() >= deadline) throw new TooBusy()
      // Polls, since Workers forbid awaiting a promise of another request.
      await scheduler.wait(pollMs)
    }
  }

  release(holder: object): void {
    this.#held.delete(holder)
  }

  /** Runs the work in a slot. Throws TooBusy if none is free within two seconds. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const slot = {}
    await this.waitToHold(slot, 1)
    try {
      return await work()
    } finally {
      this.release(slot)
    }
  }
}
