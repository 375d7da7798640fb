import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { muteLog } from '../muted-log.ts'
import { withoutTimeouts } from '../no-timeouts.ts'
import { liveHistories, runOf } from '../random-histories.ts'
import { history, kinds, liveHistory, Tally } from './histories.ts'
import { now } from './transactions.ts'

const { seed, operations, lanes, isRepeat } = runOf('model', { seed: 20_261_121, operations: 10_000 })
/** In one of this many histories, people are so rich that figures reach their bounds. */
const oneInIsRich = 3
/** A minute in the suite, longer to reproduce a failure. */
const shrinkingMs = isRepeat ? 900_000 : 60_000
/** Far more than a call takes, including the reads after it, even on a busy machine. */
const callMs = 400
/** From this many calls on, each kind of call must have succeeded, and each status have come, at least this often. */
const enough = { calls: 10_000, successes: 5, answers: 20 }
const statuses = [200, 201, 204, 302, 401, 403, 404, 409, 422]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(now)
  // Logging a line for each request would take longer than the rest of the test.
  muteLog(['log'])
  withoutTimeouts()
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test(
  'whatever users do, alone or at once, every answer, balance, page and summary is what a plain sum over the rows says',
  async () => {
    const tally = new Tally()
    await liveHistories({
      name: 'model',
      seed,
      history,
      shrinkingMs,
      lanes,
      isDone: () => tally.calls >= operations,
      live: (history, seed) => liveHistory(history, seed % oneInIsRich === 0, tally),
    })
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
