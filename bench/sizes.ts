import type { History } from './history.ts'
import type { LandingSize } from './landing.ts'
import { enoughForP99, type Series } from './measure.ts'

/** A history, and the calls that are timed over it: `far` is with latency of the database, `near` without. */
export type Timed = { history: History; near: Series; far: Series }

/** How much a run measures. With `retriesDisturbed`, what the machine disturbed is timed once more. */
export type Size = {
  histories: Timed[]
  latencyMs: number
  /** How many calls of each case are counted. */
  countedCalls: number
  retriesDisturbed: boolean
  landing: LandingSize
}

const ofOne = (ownTransactions: number): History => ({
  name: `${ownTransactions.toLocaleString('en')} transactions`,
  // Enough for every call that needs somebody with no data yet.
  users: 8_000,
  ownTransactions,
  othersTransactions: 0,
  scryptCost: '16384,8,5',
})
const tenThousandUsers = { ...ofOne(100), name: '10,000 users', users: 10_000, othersTransactions: 100 }

// The 99th percentile only at the largest history, where it is most likely to be bad: all would take too long.
const many: Series = { calls: enoughForP99, least: 10, seconds: 4, warmUps: 2 }
const some: Series = { ...many, calls: 50, seconds: 1 }
const far: Series = { ...many, calls: 20, seconds: 2.5 }
const fewFar: Series = { ...far, calls: 12 }

export const full: Size = {
  histories: [
    { history: ofOne(1_000), near: some, far },
    { history: ofOne(100_000), near: some, far: fewFar },
    { history: ofOne(1_000_000), near: many, far },
    { history: tenThousandUsers, near: some, far: fewFar },
  ],
  latencyMs: 30,
  countedCalls: 3,
  retriesDisturbed: true,
  landing: { creates: 500, batches: 20, items: 1_000, files: 4, fileRows: 10_000, raw: 20_000 },
}

const one: Series = { calls: 1, least: 1, seconds: 1, warmUps: 0 }

export const quick: Size = {
  histories: [{ history: { ...ofOne(1_000), users: 300, scryptCost: '1024,8,1' }, near: one, far: one }],
  latencyMs: 5,
  countedCalls: 1,
  retriesDisturbed: false,
  // More than a hundred items, so that batches go through the queue, as those of the full run do.
  landing: { creates: 10, batches: 2, items: 120, files: 1, fileRows: 100, raw: 100 },
}
