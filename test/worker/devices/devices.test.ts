import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest'
import { muteLog } from '../muted-log.ts'
import { history, liveHistory } from './history.ts'
import { Tally } from './network.ts'

const settings = inject('devices')
const operations = Number(settings.operations ?? 10_000)
/** Kept, so that the suite says the same each time; a longer run takes one of its own, unless it is given. */
const keptSeed = 20_261_122
const newSeed = settings.operations === undefined ? keptSeed : crypto.getRandomValues(new Uint32Array(1))[0]
const seed = Number(settings.seed ?? newSeed)
/** How long a shorter history that fails as well is looked for. */
const shrinkingMs = settings.seed === undefined ? 30_000 : 600_000
/** Far more than an operation takes, also on a machine that does ten things at once: only a hang takes so long. */
const operationMs = 300
/** Histories that are lived side by side: while the database works for one, the Worker works for another. */
const lanes = Math.min(2, operations)
/** From so many operations on, each of these must have come: the rarest comes seven times, on average. */
const enough = 10_000
const awaited = [
  ...['created', 'updated', 'unchanged', 'deleted', 'duplicate', 'conflict', 'gone', 'invalid'],
  ...['404', '410', '412', '503', 'answers lost', 'begun anew', 'comparisons', 'restored', 'removals'],
  ...['dry run', "another's cursor", 'expire', 'start anew', 'go back'],
]

let logged: string[] = []
beforeEach(() => {
  // Faults are provoked by the hundred.
  logged = muteLog()
  // All requests of a test share one context of workerd, which takes ten thousand timers: that of each lives for seconds.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal)
})
afterEach(() => {
  vi.restoreAllMocks()
})

test(
  'whatever devices do and whatever gets lost, their copies are the truth, and nothing is lost or twice',
  async () => {
    const tally = new Tally()
    const seeds = seedsFrom(seed)
    let hasFailed = false
    const lane = async () => {
      while (tally.operations < operations && !hasFailed) {
        await liveOne(seeds.next().value, tally).catch((error) => {
          hasFailed = true
          throw error
        })
        logged.length = 0
      }
    }
    const lived = await Promise.allSettled(Array.from({ length: lanes }, lane))
    for (const one of lived) if (one.status === 'rejected') throw one.reason
    vi.restoreAllMocks()
    console.info(`Seed ${seed}: ${tally.operations} operations`, Object.fromEntries(tally.counts))
    if (operations < enough) return
    expect(awaited.filter((what) => !tally.counts.has(what))).toEqual([])
  },
  operations * operationMs + 2 * shrinkingMs + 60_000,
)

/** Lives the history of a seed; if it fails, looks for a shorter one that fails too. */
async function liveOne(seed: number, tally: Tally): Promise<void> {
  let failedAt: number | undefined
  const property = fc.asyncProperty(history, async (one) => {
    if (failedAt !== undefined && performance.now() > failedAt + shrinkingMs) return
    try {
      await liveHistory(one, tally)
    } catch (error) {
      failedAt ??= performance.now()
      throw error
    }
  })
  const report = await fc.check(property, { seed, numRuns: 1 })
  if (!report.failed) return
  const failures = logged.filter((line) => line.includes('"status":500')).slice(-2)
  const again = `DEVICES_SEED=${seed} DEVICES_OPERATIONS=1 npm run test:devices`
  const { message } = report.errorInstance as Error
  throw new Error(
    `${message}\n${failures.join('\n')}\n\nShortened ${report.numShrinks} times. To see it again: ${again}`,
  )
}

/** Far apart, so that runs with neighbouring seeds share no histories. */
function* seedsFrom(seed: number): Generator<number, never> {
  for (let n = seed; ; n = (n + 0x9e3779b1) % 2 ** 32) yield n
}
