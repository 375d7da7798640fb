import type { History } from './history.ts'
import type { LandingSize } from './landing.ts'
import type { Series } from './measure.ts'

/** How much a run measures. */
export type Size = {
  histories: History[]
  near: Series
  far: Series
  latencyMs: number
  landing: LandingSize
}

// Enough for every call that wants somebody who has not done anything yet.
const ofOne = (ownTransactions: number): History => ({
  name: `${ownTransactions.toLocaleString('en')} transactions`,
  users: 1_500,
  ownTransactions,
  othersTransactions: 0,
  scryptCost: '16384,8,5',
})

export const full: Size = {
  histories: [
    ofOne(1_000),
    ofOne(100_000),
    ofOne(1_000_000),
    { ...ofOne(100), name: '10,000 users', users: 10_000, othersTransactions: 100 },
  ],
  near: { calls: 100, least: 10, seconds: 2 },
  far: { calls: 20, least: 5, seconds: 2 },
  latencyMs: 30,
  landing: { creates: 500, batches: 20, items: 1_000, files: 4, fileRows: 10_000, raw: 20_000 },
}

export const quick: Size = {
  histories: [{ ...ofOne(1_000), users: 100, scryptCost: '1024,8,1' }],
  near: { calls: 2, least: 2, seconds: 1 },
  far: { calls: 2, least: 2, seconds: 1 },
  latencyMs: 5,
  landing: { creates: 10, batches: 2, items: 50, files: 1, fileRows: 100, raw: 100 },
}
