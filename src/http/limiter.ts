import type { Budgets } from '../failures/budgets.ts'
import { TooBusy } from '../failures/failures.ts'

const pollMs = 50

/** Limits the amount of a resource (slots or bytes) that all requests of an isolate hold together. */
export class Limiter {
  readonly #limit: number
  readonly #held = new Map<object, { amount: number; expiresAt: number }>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Sets the amount of a holder. Returns false if the sum of all amounts would exceed the limit. */
  hold(holder: object, amount: number, { slotLeaseMs }: Budgets): boolean {
    const now = performance.now()
    let total = amount
    for (const [other, { amount, expiresAt }] of this.#held) {
      if (expiresAt <= now) this.#held.delete(other)
      else if (other !== holder) total += amount
    }
    if (total > this.#limit) return false
    this.#held.set(holder, { amount, expiresAt: now + slotLeaseMs })
    return true
  }

  /** Like `hold`, but waits for others to release theirs. Throws TooBusy. */
  async waitToHold(holder: object, amount: number, budgets: Budgets): Promise<void> {
    const deadline = performance.now() + budgets.slotWaitMs
    while (!this.hold(holder, amount, budgets)) {
      if (performance.now() >= deadline) throw new TooBusy()
      // Polls, since Workers forbid awaiting a promise of another request.
      await scheduler.wait(pollMs)
    }
  }

  release(holder: object): void {
    this.#held.delete(holder)
  }

  /** Runs the work in a slot. Throws TooBusy if none is free in time. */
  async run<T>(budgets: Budgets, work: () => Promise<T>): Promise<T> {
    const slot = {}
    await this.waitToHold(slot, 1, budgets)
    try {
      return await work()
    } finally {
      this.release(slot)
    }
  }
}
