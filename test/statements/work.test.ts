import { describe, expect, test } from 'vitest'
import { readStatement } from '../../statements/index.ts'
import { type Shape, shapes } from './hostile/shapes.ts'

/** Each file is four times as large as the one before, until one takes long enough to read. */
const [smallest, largest, growth] = [20_000, 1_280_000, 4]
/** More than `maxTimes` the noise, so that quadratic work would have shown by then. */
const tellingMs = 40
/** Less is noise. */
const noiseMs = 4
/** Four times the bytes may cost about four times as much; if the work were quadratic, it would be sixteen times. */
const maxTimes = 9
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

describe('reading a file costs no more than its size is worth:', () => {
  test('there are sixty shapes and more', () => {
    expect(new Set(shapes.map(({ name }) => name)).size).toBeGreaterThan(60)
  })

  test.each(shapes)('$name', (shape) => {
    // What takes long at once is compared with a quarter of it, so each shape is measured twice at least.
    let size = costOf(shape, smallest) < tellingMs ? smallest : smallest / growth
    let cost = costOf(shape, size)
    for (size *= growth; size <= largest && (size <= smallest || cost < tellingMs); size *= growth) {
      const most = () => maxTimes * Math.max(cost, noiseMs)
      let more = costOf(shape, size)
      // Compilation and garbage collection count as well, so the lowest of several measurements is the truest. The machine
      // may have become slower since the quarter was measured.
      for (let tries = 1; more > most() && tries < maxTries; tries += 1) {
        cost = costOf(shape, size / growth)
        more = Math.min(more, costOf(shape, size))
      }
      expect(more, `milliseconds for ${size} bytes, ${cost} for a quarter of them`).toBeLessThanOrEqual(
        most(),
      )
      cost = more
    }
  })
})
