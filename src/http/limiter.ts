import { TooBusy } from '../shared/failures.ts'

const longestWaitMs = 2_000
const pollMs = 50
/** What is held expires this long after it was last set: a cancelled request may never run its `finally`. */
export const expiryMs = 20_000

/** Limits how much all requests of an isolate hold at once of something, such as slots or bytes. */
export class Limiter {
  readonly #limit: number
  readonly #held = new Map<object, { amount: number; expiresAt: number }>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Sets the amount that a holder holds. Returns false if all amounts together would exceed the limit. */
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

  /** Like `hold`, but waits up to two seconds, and then throws TooBusy. */
  async waitToHold(holder: object, amount: number): Promise<void> {
    const deadline = performance.now() + longestWaitMs
    while (!this.hold(holder, amount)) {
      if (performance.now() >= deadline) throw new TooBusy()
      // Workers forbid waiting for a promise of another request, so each request polls.
      await scheduler.wait(pollMs)
    }
  }

  release(holder: object): void {
    this.#held.delete(holder)
  }

  /** Does the work in a slot of its own. Throws TooBusy if none is free within two seconds. */
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
