/** Makes the same choices for the same seed, wherever it runs (mulberry32). */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** A number from 0 to 1, without 1. */
  roll(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** True with a probability from 0 to 1. */
  happens(chance: number): boolean {
    return this.roll() < chance
  }

  /** A whole number from `low` to `high`, both included. */
  from(low: number, high: number): number {
    return low + Math.floor(this.roll() * (high - low + 1))
  }

  /** One of a list that is not empty. */
  of<T>(choices: readonly T[]): T {
    return choices[this.from(0, choices.length - 1)] as T
  }

  /** An index of `weights`, each as often as its weight says. */
  weighed(weights: readonly number[]): number {
    let left = this.roll() * weights.reduce((sum, weight) => sum + weight, 0)
    const index = weights.findIndex((weight) => {
      left -= weight
      return left < 0
    })
    return Math.max(index, 0)
  }
}
