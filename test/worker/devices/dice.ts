import { picker } from '../fixtures/picker.ts'

/** Makes the choices of a step, the same ones each time for the same number. */
export class Dice {
  readonly #pick: ReturnType<typeof picker>

  constructor(salt: number) {
    this.#pick = picker(salt)
    this.#pick(0)
  }

  /** One of some; undefined if there is none. */
  of<T>(choices: Iterable<T>): T | undefined {
    return this.#pick(...choices)
  }

  /** A number from `low` to `high`. */
  from(low: number, high: number): number {
    return low + (this.#pick(...Array.from({ length: high - low + 1 }, (_, i) => i)) ?? 0)
  }

  /** True once in `times`. */
  isOnceIn(times: number): boolean {
    return this.from(1, times) === times
  }

  /** One of some kinds, by their weights. */
  weighed<K extends string>(weights: Record<K, number>): K {
    const kinds = Object.keys(weights) as K[]
    return this.of(kinds.flatMap((kind) => Array<K>(weights[kind]).fill(kind))) as K
  }
}
