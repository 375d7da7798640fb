/** The smallest value that a percentage of all values do not exceed (nearest rank). */
export function percentile(values: number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN
}

/** By how much the median of b exceeds that of a. */
export function shiftOf(a: number[], b: number[]): number {
  return percentile(b, 50) - percentile(a, 50)
}

const shuffles = 2_000

/** How often chance alone shifts the medians of two samples as far apart (a permutation test). */
export function chanceOfShift(a: number[], b: number[], random = Math.random): number {
  const shift = Math.abs(shiftOf(a, b))
  const all = [...a, ...b]
  let asFar = 0
  for (let nth = 0; nth < shuffles; nth++) {
    shuffle(all, random)
    if (Math.abs(shiftOf(all.slice(0, a.length), all.slice(a.length))) >= shift) asFar += 1
  }
  return asFar / shuffles
}

/** Brings a list into a random order (Fisher–Yates). */
export function shuffle<T>(list: T[], random = Math.random): void {
  for (let last = list.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    const [a, b] = [list[last] as T, list[other] as T]
    list[last] = b
    list[other] = a
  }
}
