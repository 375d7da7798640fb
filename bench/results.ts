import type { History } from './history.ts'
import type { Landing } from './landing.ts'
import type { Counts, Latency } from './measure.ts'

/** One case over one history: near is without, far with injected latency of the database. */
export type CaseResult = {
  name: string
  route: string
  needsToken: boolean
  counts: Counts
  near: Latency
  far: Latency
}

export type Scenario = { history: History; cases: CaseResult[]; landing: Landing[] }

/** All that one run of the benchmark found out. */
export type Results = {
  commit: string
  machine: string
  /** Of the minified Worker, as wrangler tells it. */
  bundle: string
  /** CPU of starting the Worker on this machine, as wrangler samples it. */
  startup: string
  latencyMs: number
  scenarios: Scenario[]
}

/** What is aimed at. */
export const goals = { roundTrips: 1, growth: 1.1, farRatio: 1.25, rowsPerSecond: 20_000 }

/** Why some cannot meet them. */
export const reasons: Record<string, string> = {
  'POST /api/register': 'hashing a password is slow by design',
  'POST /api/login': 'hashing a password is slow by design, and the stored hash must be read first',
  'POST /api/reset-password': 'hashing a password is slow by design, and the link is looked at first',
  'DELETE /api/me': 'the stored hash comes to the Worker to be compared, and hashing is slow by design',
  'GET /api/auth/idp/callback': 'the provider is asked for who it is, and the state is spent first',
  'GET /api/email/verify/:id/:hash': 'the link is checked against the address that is stored, then written',
  'GET /api/transactions?page=(last)': 'an offset walks over the index entries of all pages before',
  'GET /api/transactions?account_id=': 'the total counts the entries of two indexes of the account',
  'GET /api/transactions?category_id=': 'the total counts the index entries of the category',
  'GET /api/transactions?category_id=none': 'the total goes through the history',
  'GET /api/transactions?type=income':
    'the total adds up what is kept for each month and category: ten years against one',
  'GET /api/transactions?from=&to= (a month)':
    'the total counts the index entries of the month, which has a hundred times as many rows',
  'GET /api/transactions?q=': 'a text is looked for in all rows',
}

/** The routes that stand in the short table, since clients call them all day. */
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

/** The smallest and the largest history of one user: what may not differ. */
export function extremes({ scenarios }: Results): { small: Scenario; large: Scenario } {
  const ofOne = scenarios.filter(({ history }) => history.othersTransactions === 0)
  ofOne.sort((a, b) => a.history.ownTransactions - b.history.ownTransactions)
  const [small, large] = [ofOne[0], ofOne.at(-1)]
  if (!small || !large) throw new Error('No history of one user was measured')
  return { small, large }
}

/** How much more the database works for a case at the largest history than at the smallest; 1 where it never works. */
export function growthOf(name: string, results: Results): number {
  const { small, large } = extremes(results)
  const [before, after] = [small, large].map(
    ({ cases }) => cases.find((one) => one.name === name)?.counts.steps,
  )
  return before && after ? after / before : 1
}

export function isList({ name, route }: CaseResult): boolean {
  return name !== route
}

/** Every goal with what misses it, each by the worst figure among the histories. */
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

/** What exceeds a limit: for each name the largest value, and why. */
function above(limit: number, values: Named[]): string[] {
  const worst = new Map<string, number>()
  for (const [name, value] of values) worst.set(name, Math.max(value, worst.get(name) ?? value))
  return [...worst]
    .filter(([, value]) => value > limit)
    .map(([name, value]) =>
      [`${name}: ${figure(Math.abs(value))}`, reasons[name]].filter(Boolean).join(', since '),
    )
}

/** A number as people read it: three digits that matter, thousands apart. */
export function figure(number: number): string {
  return Number(number.toPrecision(number >= 1_000 ? 6 : 3)).toLocaleString('en', {
    maximumFractionDigits: 2,
  })
}
