import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { muteLog } from '../fixtures/muted-log.ts'
import { lengthOf, liveHistories } from '../fixtures/random-histories.ts'
import { type History, history, liveHistory } from './history.ts'
import { Tally } from './network.ts'

const { seed, operations, isRepeat } = lengthOf({ seed: 20_261_125, operations: 500 })
/** Half a minute in the suite, longer to reproduce a failure. */
const shrinkingMs = isRepeat ? 600_000 : 30_000
/** Far more than an operation takes, even on a busy machine: only a hang takes that long. */
const operationMs = 300
/** From this many operations of another seed on, each of these must have occurred: the rarest occurs seven times, on average. */
const enough = 10_000
const awaited = [
  ...['created', 'updated', 'unchanged', 'deleted', 'duplicate', 'conflict', 'gone', 'invalid'],
  ...['404', '410', '412', '503', 'responses lost', 'begun anew', 'comparisons', 'restored', 'removals'],
  ...['dry run', "another's cursor", 'expire', 'start anew', 'go back'],
  ...['run the job', 'let time pass', 'occurrences'],
]

let logged: string[] = []
beforeEach(() => {
  // Hundreds of faults are provoked.
  logged = muteLog()
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test(
  'whatever devices do and whatever gets lost, their copies are correct, and nothing is lost or done twice',
  async () => {
    const tally = new Tally()
    await liveHistories({
      seed,
      history,
      shrinkingMs,
      // Histories move the clock.
      lanes: 1,
      isDone: () => tally.operations >= operations,
      live: (history) => liveLogged(history, tally),
    })
    vi.restoreAllMocks()
    console.info(`Seed ${seed}: ${tally.operations} operations`, Object.fromEntries(tally.counts))
    if (isRepeat && operations < enough) return
    expect(awaited.filter((what) => !tally.counts.has(what))).toEqual([])
  },
  operations * operationMs + 2 * shrinkingMs + 60_000,
)

/** Plays a history. If it fails, the error says what the Worker logged about its last failures. */
async function liveLogged(history: History, tally: Tally): Promise<void> {
  logged.length = 0
  try {
    await liveHistory(history, tally)
  } catch (error) {
    const failures = logged.filter((line) => line.includes('"status":500')).slice(-2)
    throw new Error([(error as Error).message, ...failures].join('\n'), { cause: error })
  }
}
