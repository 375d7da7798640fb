import { describe, expect, test } from 'vitest'
import { judgeLogins } from '../../bench/login-verdict.ts'
import { percentile, rankSumP, shiftOf, smallestShiftFound } from '../../bench/statistics.ts'

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Logins of about that many milliseconds each, one in ten of which takes up to three times as long. */
function logins(count: number, ms: number, seed: number): number[] {
  const random = seeded(seed)
  return Array.from({ length: count }, () => ms + 4 * random() + (random() < 0.1 ? 2 * ms * random() : 0))
}

test('a percentile is the value that this percentage does not exceed', () => {
  const values = Array.from({ length: 500 }, (_, index) => 500 - index)
  expect([50, 99, 100].map((percent) => percentile(values, percent))).toEqual([250, 495, 500])
})

describe('the rank sum test', () => {
  test('gives the probabilities of its table', () => {
    // U = 25 of 25 pairs and U = 12.5: z = 2.611 and 0.
    expect(rankSumP([1, 2, 3, 4, 5], [6, 7, 8, 9, 10])).toBeCloseTo(0.00902, 5)
    expect(rankSumP([6, 7, 8, 9, 10], [1, 2, 3, 4, 5])).toBeCloseTo(0.00902, 5)
    expect(rankSumP([1, 2, 3], [1, 2, 3])).toBeCloseTo(1, 5)
  })

  test('finds one in a hundred pairs of equal samples to differ at 0.01, not many more', () => {
    const found = Array.from({ length: 2_000 }, (_, run) =>
      rankSumP(logins(60, 120, 2 * run), logins(60, 120, 2 * run + 1)),
    ).filter((p) => p < 0.01)
    expect(found.length).toBeGreaterThan(2)
    expect(found.length).toBeLessThan(40)
  })
})

test('the shift is what was added, however long a few calls took', () => {
  expect(shiftOf(logins(60, 120, 1), logins(60, 96, 2))).toBeCloseTo(-24, -1)
})

test('the smallest shift that counts as detectable is found by nine runs out of ten', () => {
  const smallest = smallestShiftFound(logins(60, 120, 1), 0.001, seeded(3))
  const found = (shift: number) =>
    Array.from({ length: 100 }, (_, run) =>
      rankSumP(logins(60, 120, 100 + 2 * run), logins(60, 120 + shift, 101 + 2 * run)),
    ).filter((p) => p < 0.001).length
  expect(found(smallest)).toBeGreaterThanOrEqual(80)
  expect(found(smallest / 3)).toBeLessThan(50)
})

describe('the verdict on the time of logins', () => {
  const sample = (kind: string, ms: number, seed: number) => ({ kind, times: logins(60, ms, seed) })
  const known = sample('a wrong password', 120, 1)
  const again = sample('a wrong password again', 120, 4)

  test('is not a leak if the kinds take equally long', () => {
    const { failures, smallestLeak } = judgeLogins(known, [sample('an unknown address', 120, 2)], again)
    expect(failures).toEqual([])
    expect(smallestLeak).toBeLessThan(6)
  })

  test.each([0.8, 1.1])('is a leak where an unknown address takes %f of the time', (part) => {
    const { failures } = judgeLogins(known, [sample('an unknown address', 120 * part, 2)], again)
    expect(failures).toEqual([expect.stringMatching(/^LEAK: an unknown address takes/)])
  })

  test('is left open if the machine is too noisy, or differs from itself', () => {
    const noisy = (seed: number) => {
      const random = seeded(seed)
      return { kind: 'noisy', times: Array.from({ length: 60 }, () => 120 + 300 * random()) }
    }
    expect(judgeLogins(noisy(1), [noisy(2)], noisy(3)).failures).toEqual([
      expect.stringMatching(/^The machine is too noisy/),
    ])
    const slower = sample('a wrong password again', 150, 4)
    expect(judgeLogins(known, [sample('an unknown address', 120, 2)], slower).failures).toEqual([
      expect.stringMatching(/differs from itself/),
    ])
  })
})
