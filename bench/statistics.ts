/** The smallest value that a percentage of all values do not exceed (nearest rank). */
export function percentile(values: number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN
}

/**
 * The two-sided p of the rank sum test (Mann–Whitney's U, normal approximation): how often chance alone makes two
 * samples differ as much. It compares ranks, not means, so that a few very slow calls hide nothing.
 */
export function rankSumP(a: number[], b: number[]): number {
  return Math.min(1, 2 * upperTail(Math.abs(rankSumZ(a, b))))
}

/** By how much b exceeds a: the median of all differences (Hodges–Lehmann). */
export function shiftOf(a: number[], b: number[]): number {
  return percentile(
    b.flatMap((y) => a.map((x) => y - x)),
    50,
  )
}

/**
 * The smallest shift that nine of ten repetitions would find at that p, by planting shifts in samples drawn from this
 * one.
 */
export function smallestShiftFound(sample: number[], p: number, random = Math.random): number {
  const draw = () => sample.map(() => sample[Math.floor(random() * sample.length)] as number)
  const shifts = Array.from({ length: 200 }, () => leastShift(draw(), draw(), p))
  return percentile(shifts, 90)
}

/** What must be added to b until the test finds it larger than a. */
function leastShift(a: number[], b: number[], p: number): number {
  const isFound = (shift: number) => {
    const shifted = b.map((value) => value + shift)
    return rankSumZ(a, shifted) > 0 && rankSumP(a, shifted) < p
  }
  let [low, high] = [0, 2 * (Math.max(...a, ...b) - Math.min(...a, ...b))]
  for (let step = 0; step < 16; step++) {
    const middle = (low + high) / 2
    if (isFound(middle)) high = middle
    else low = middle
  }
  return high
}

/** By how many standard deviations b's ranks exceed those of chance. */
function rankSumZ(a: number[], b: number[]): number {
  const pairs = a.length * b.length
  const u = rankSum(a, b) - (b.length * (b.length + 1)) / 2
  return (u - pairs / 2) / Math.sqrt((pairs * (a.length + b.length + 1)) / 12)
}

/** The sum of b's ranks among both; equal values share the mean of their ranks. */
function rankSum(a: number[], b: number[]): number {
  const all = [...a.map((value) => ({ value, ofB: 0 })), ...b.map((value) => ({ value, ofB: 1 }))]
  all.sort((x, y) => x.value - y.value)
  let sum = 0
  for (let first = 0; first < all.length; ) {
    let next = first + 1
    while (all[next]?.value === all[first]?.value) next += 1
    const meanRank = (first + 1 + next) / 2
    for (const { ofB } of all.slice(first, next)) sum += ofB * meanRank
    first = next
  }
  return sum
}

/** The upper tail of the normal distribution (Abramowitz and Stegun 26.2.17). */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z)
  const series = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429]
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)
  return density * series.reduce((sum, c, i) => sum + c * t ** (i + 1), 0)
}
