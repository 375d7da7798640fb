import { rowsOf } from '../test/databases/work.ts'
import type { Deletion } from './deleting.ts'
import type { History } from './history.ts'
import type { Landing } from './landing.ts'
import type { Counts, Latency } from './measure.ts'
import { reasonOf } from './reasons.ts'
import { percentile } from './statistics.ts'

/** One case over one history: `far` is with injected latency of the database, `near` without. */
export type CaseResult = {
  name: string
  route: string
  needsToken: boolean
  counts: Counts
  near: Latency
  far: Latency
}

export type Scenario = { history: History; cases: CaseResult[]; landing: Landing[]; deletions: Deletion[] }

/** The result of one run. */
export type Results = {
  commit: string
  machine: string
  /** The size of the minified Worker, in wrangler's words. */
  bundle: string
  /** CPU of starting the Worker on this machine, as wrangler samples it. */
  startup: string
  latencyMs: number
  scenarios: Scenario[]
}

/** Targets; those missed are explained in reasons.ts. */
export const goals = { roundTrips: 1, growth: 1.1, farRatio: 1.25, rowsPerSecond: 20_000 }

/** The machine was disturbed if the bare route took this many times as long as in a quiet moment. */
const disturbance = 1.15

/** The routes that clients call all day, which the charts show. */
export const mainCases = [
  'GET /api/me',
  'GET /api/summary',
  'GET /api/accounts',
  'POST /api/accounts',
  'GET /api/categories',
  'GET /api/transactions',
  'GET /api/transactions/:id',
  'POST /api/transactions',
  'PUT /api/transactions/:id',
  'DELETE /api/transactions/:id',
  'POST /api/transactions/sync',
  'GET /api/transactions/sync/:id',
  'POST /api/import/store',
]

/** The smallest and the largest history of one user, between which the database's work should not grow. */
export function extremes({ scenarios }: Results): { small: Scenario; large: Scenario } {
  const ofOne = scenarios.filter(({ history }) => history.othersTransactions === 0)
  ofOne.sort((a, b) => a.history.ownTransactions - b.history.ownTransactions)
  const [small, large] = [ofOne[0], ofOne.at(-1)]
  if (!small || !large) throw new Error('No history of one user was measured')
  return { small, large }
}

/** The ratio of the database's work at the largest history to that at the smallest; 1 if there is none. */
export function growthOf(name: string, results: Results): number {
  const { small, large } = extremes(results)
  const [before, after] = [small, large].map(({ cases }) => rowsAt(cases, name))
  return before && after ? after / before : 1
}

/** The rows that the database read and wrote for a case. */
export function rowsAt(cases: CaseResult[], name: string): number | undefined {
  const found = cases.find((one) => one.name === name)
  return found && rowsOf(found.counts)
}

export function isList({ name, route }: CaseResult): boolean {
  return name !== route
}

/** The cases next to which the bare `select 1` took longer than in quiet moments of the run. */
export function astray(cases: CaseResult[]): CaseResult[] {
  const quiet = percentile(
    cases.map(({ far }) => far.bare.median),
    10,
  )
  return cases.filter(({ far }) => far.bare.median > disturbance * quiet)
}

/** A line for each ratio that cannot be trusted, since the machine was disturbed. */
export function disturbed({ scenarios, latencyMs }: Results): string[] {
  const cases = scenarios.flatMap(({ history, cases }) =>
    cases.map((one) => ({ ...one, name: `${one.name} at ${history.name}` })),
  )
  return astray(cases).map(
    ({ name, far }) =>
      `beside ${name} the bare \`select 1\` at ${latencyMs} ms took ${figure(far.bare.median)} ms`,
  )
}

/** Every goal with the cases that miss it, by their worst figure over all histories. */
export function misses(results: Results): { goal: string; missed: string[] }[] {
  const { latencyMs, scenarios } = results
  const cases = scenarios.flatMap((scenario) => scenario.cases)
  const landings = scenarios.flatMap(({ landing }) => landing).filter(({ way }) => /^(sync|import)/.test(way))
  const withToken = cases.filter(({ needsToken }) => needsToken)
  const trips = withToken.map(({ name, counts }): Named => [name, counts.roundTrips])
  const growths = extremes(results).large.cases.map(({ name }): Named => [name, growthOf(name, results)])
  const ratios = cases.map(({ name, far }): Named => [name, far.ratio])
  const speeds = landings.map(({ way, rowsPerSecond }): Named => [way, -rowsPerSecond])
  return [
    {
      goal: `${goals.roundTrips} round trip for every endpoint with a token`,
      missed: above(goals.roundTrips, trips),
    },
    {
      goal: `database work at the largest history at most ${goals.growth} of that at the smallest`,
      missed: above(goals.growth, growths),
    },
    {
      goal: `latency with ${latencyMs} ms injected at most ${goals.farRatio} of that of a bare \`select 1\``,
      missed: above(goals.farRatio, ratios),
    },
    {
      goal: `sync and import at least ${goals.rowsPerSecond.toLocaleString('en')} rows per second`,
      missed: above(-goals.rowsPerSecond, speeds),
    },
  ]
}

type Named = [name: string, value: number]

/** What exceeds a limit: the largest value for each name, and the reason. */
function above(limit: number, values: Named[]): string[] {
  const worst = new Map<string, number>()
  for (const [name, value] of values) worst.set(name, Math.max(value, worst.get(name) ?? value))
  return [...worst]
    .filter(([, value]) => value > limit)
    .map(([name, value]) => `${name}: ${figure(Math.abs(value))}, ${reasonOf(name)}`)
}

/** A number for people: three significant digits, or six from a thousand on, with separators. */
export function figure(number: number): string {
  return Number(number.toPrecision(number >= 1_000 ? 6 : 3)).toLocaleString('en', {
    maximumFractionDigits: 2,
  })
}
