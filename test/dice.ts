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

  /** True once in `times`. */
  isOnceIn(times: number): boolean {
    return this.from(1, times) === times
  }

  /** A whole number from `low` to `high`, both included. */
  from(low: number, high: number): number {
    return low + Math.floor(this.roll() * (high - low + 1))
  }

  /** One of some; undefined if there is none. */
  of<T>(choices: Iterable<T>): T | undefined {
    const all = [...choices]
    return all[this.from(0, all.length - 1)]
  }

  /** One of a list that is not empty. */
  oneOf<T>(choices: readonly T[]): T {
    return this.of(choices) as T
  }

  /** One of some kinds, by their weights. */
  weighed<K extends string>(weights: Record<K, number>): K {
    const kinds = Object.keys(weights) as K[]
    return kinds[this.indexOf(kinds.map((kind) => weights[kind]))] as K
  }

  /** An index of `weights`, each as often as its weight says. */
  indexOf(weights: readonly number[]): number {
    let left = this.roll() * weights.reduce((sum, weight) => sum + weight, 0)
    const index = weights.findIndex((weight) => {
      left -= weight
      return left < 0
    })
    return Math.max(index, 0)
  }

  shuffled<T>(list: readonly T[]): T[] {
    const order = list.map((value) => ({ value, at: this.roll() }))
    return order.sort((a, b) => a.at - b.at).map(({ value }) => value)
  }
}

/** Picks one of its arguments, as `Dice` does. */
export function picker(seed: number) {
  const dice = new Dice(seed)
  return <T>(...choices: T[]): T => dice.oneOf(choices)
}
