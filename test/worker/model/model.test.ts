import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { muteLog } from '../fixtures/muted-log.ts'
import { lengthOf, liveHistories } from '../fixtures/random-histories.ts'
import { history, operations as kinds, playHistory, Tally } from './histories.ts'
import { now } from './transactions.ts'

const { seed, operations, isRepeat } = lengthOf({ seed: 20_261_121, operations: 500 })
/** Histories that run side by side: few, since those that are under way at the last call are lived to their end. */
const lanes = operations > 1 ? 2 : 1
/** In one of this many histories, amounts are so large that figures reach their bounds. */
const oneInIsRich = 3
/** A minute in the suite, longer to reproduce a failure. */
const shrinkingMs = isRepeat ? 900_000 : 60_000
/** Far more than a call takes, including the reads after it, even on a busy machine. */
const callMs = 400
/** From this many calls on, each operation must have succeeded, and each status have come, at least this often. */
const enough = { calls: 500, successes: 1, responses: 3 }
const statuses = [200, 201, 204, 403, 404, 409, 422]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(now)
  // Logging a line for each request would take longer than the rest of the test.
  muteLog(['log'])
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test(
  'after any accounts, transactions, transfers and batches, alone or concurrent, every response, balance and page equals plain sums',
  async () => {
    const tally = new Tally()
    await liveHistories({
      seed,
      history,
      shrinkingMs,
      lanes,
      isDone: () => tally.calls >= operations,
      live: (history, seed) => playHistory(history, seed % oneInIsRich === 0, tally),
    })
    const { calls, histories, pastBounds, reconciled, statuses: counts, successes } = tally
    console.info(`Seed ${seed}: ${calls} calls in ${histories} histories`, {
      ...Object.fromEntries(counts),
      pastBounds,
      reconciled,
      ...Object.fromEntries(successes),
    })
    if (operations < enough.calls) return
    expect(kinds.filter(({ name }) => (successes.get(name) ?? 0) < enough.successes)).toEqual([])
    expect(pastBounds).toBeGreaterThan(0)
    expect(reconciled).toBeGreaterThan(0)
    expect(statuses.filter((status) => (counts.get(status) ?? 0) < enough.responses)).toEqual([])
  },
  operations * callMs + 2 * shrinkingMs,
)
