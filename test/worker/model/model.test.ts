import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest'
import { muteLog } from '../muted-log.ts'
import { history, kinds, liveHistory, Tally } from './histories.ts'
import { now } from './transactions.ts'

const settings = inject('model')
const operations = Number(settings.operations ?? 10_000)
/** Kept, so that the suite says the same each time; a longer run takes one of its own, unless it is given. */
const keptSeed = 20_261_121
const newSeed = settings.operations === undefined ? keptSeed : crypto.getRandomValues(new Uint32Array(1))[0]
const seed = Number(settings.seed ?? newSeed)
/** Histories that run side by side: while the database works for one, the Worker works for another. */
const lanes = Math.min(4, operations)
/** In one of so many histories, people are so rich that figures reach their bounds. */
const oneInIsRich = 3
/** How long a shorter history that fails as well is looked for: a minute in passing, longer by whoever wants to see it. */
const shrinkingMs = settings.seed === undefined ? 60_000 : 900_000
/** Far more than a call takes, including the reads after it, even on a busy machine. */
const callMs = 400
/** From so many calls on, each kind of them must have succeeded so often, and each status have come so often. */
const enough = { calls: 10_000, successes: 5, answers: 20 }
const statuses = [200, 201, 204, 302, 401, 403, 404, 409, 422]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(now)
  // The Worker's lines for each request would be more than all else that the test does.
  muteLog(['log'])
  // All requests of a test share one context of workerd, which takes ten thousand timers: that of each lives for seconds.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test(
  'whatever users do, alone or at once, every answer, balance, page and summary is what a plain sum over the rows says',
  async () => {
    const tally = new Tally()
    let hasFailed = false
    const seeds = seedsFrom(seed)
    const lane = async () => {
      while (tally.calls < operations && !hasFailed) {
        await liveOne(seeds.next().value, tally).catch((error) => {
          hasFailed = true
          throw error
        })
      }
    }
    const lived = await Promise.allSettled(Array.from({ length: lanes }, lane))
    for (const one of lived) if (one.status === 'rejected') throw one.reason

    console.info(
      `Seed ${seed}: ${tally.calls} calls and ${tally.looks} looks in ${tally.histories} histories`,
      {
        ...Object.fromEntries(tally.statuses),
        pastBounds: tally.pastBounds,
        ...Object.fromEntries(tally.successes),
      },
    )
    expect(tally.calls).toBeGreaterThanOrEqual(operations)
    if (operations < enough.calls) return
    expect(kinds.filter((kind) => (tally.successes.get(kind) ?? 0) < enough.successes)).toEqual([])
    expect(tally.pastBounds).toBeGreaterThan(0)
    expect(statuses.filter((status) => (tally.statuses.get(status) ?? 0) < enough.answers)).toEqual([])
  },
  operations * callMs + 2 * shrinkingMs,
)

/** Runs the history of a seed; if it fails, looks for a shorter one that fails too. */
async function liveOne(seed: number, tally: Tally): Promise<void> {
  let failedAt: number | undefined
  const property = fc.asyncProperty(history, async (history) => {
    if (failedAt !== undefined && performance.now() > failedAt + shrinkingMs) return
    try {
      await liveHistory(history, seed % oneInIsRich === 0, tally)
    } catch (error) {
      failedAt ??= performance.now()
      throw error
    }
  })
  const report = await fc.check(property, { seed, numRuns: 1 })
  if (!report.failed) return
  const again = `MODEL_SEED=${seed} MODEL_OPERATIONS=1 npm run test:model`
  const { message } = report.errorInstance as Error
  throw new Error(`${message}\n\nShortened ${report.numShrinks} times. To see it again: ${again}`)
}

/** Far apart, so that runs with neighbouring seeds share no histories. */
function* seedsFrom(seed: number): Generator<number, never> {
  for (let n = seed; ; n = (n + 0x9e3779b1) % 2 ** 32) yield n
}
