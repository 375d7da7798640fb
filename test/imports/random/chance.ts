/** Numbers that a seed determines (mulberry32), so that each file can be made again. */
export class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }

  /** True this often, from 0 to 1. */
  is(share: number): boolean {
    return this.next() < share
  }

  /** A whole number from `least` to `most`. */
  from(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  pick<T>(list: readonly [T, ...T[]] | readonly T[]): T {
    return list[this.from(0, list.length - 1)] as T
  }

  shuffled<T>(list: readonly T[]): T[] {
    const order = list.map((value) => ({ value, at: this.next() }))
    return order.sort((a, b) => a.at - b.at).map(({ value }) => value)
  }
}
