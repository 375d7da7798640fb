import { describe, expect, test } from 'vitest'
import { readStatement } from '../../../statements/index.ts'
import { type Shape, shapes } from './shapes.ts'

/** Each file is four times as large as the one before, until one takes long enough to read. */
const [smallest, largest, growth] = [5_000, 1_280_000, 4]
/** Less is noise. */
const noiseMs = 2
/** Four times the bytes may cost about four times as much; if the work were quadratic, it would be sixteen times. */
const maxTimes = 9
/** More than `maxTimes` the noise, so that quadratic work would have shown by then. */
const tellingMs = 20
const maxTries = 5

/** The CPU time of this thread to read a file with both readers, in milliseconds; other processes do not count. */
function costOf({ file, answers = {} }: Shape, size: number): number {
  const made = file(size)
  const bytes = typeof made === 'string' ? new TextEncoder().encode(made) : made
  const before = process.threadCpuUsage()
  for (const kind of ['bank', 'own'] as const) readStatement(bytes, { kind, today: '2026-01-31', answers })
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

/** Tests what one shape in so many costs. */
export function testWork(oneIn: number): void {
  describe('reading a file costs no more than its size is worth:', () => {
    test('there are sixty shapes and more', () => {
      expect(new Set(shapes.map(({ name }) => name)).size).toBeGreaterThan(60)
    })

    test.each(shapes.filter((_, nth) => nth % oneIn === 0))('$name', (shape) => {
      let [size, quarter, cost] = [smallest, costOf(shape, smallest / growth), costOf(shape, smallest)]
      while (cost < tellingMs && size < largest) {
        size *= growth
        ;[quarter, cost] = [cost, costOf(shape, size)]
      }
      // Compilation and garbage collection count as well, so the lowest of several measurements is the truest. The machine may
      // have become slower since the quarter was measured.
      const most = () => maxTimes * Math.max(quarter, noiseMs)
      for (let tries = 1; cost > most() && tries < maxTries; tries += 1) {
        quarter = costOf(shape, size / growth)
        cost = Math.min(cost, costOf(shape, size))
      }
      expect(cost, `milliseconds for ${size} bytes, ${quarter} for a quarter of them`).toBeLessThanOrEqual(
        most(),
      )
    })
  })
}
