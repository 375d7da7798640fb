import path from 'node:path'
import { type Bench, type Case, casesOf, createHousehold, type Household } from './calls.ts'
import { MeasuredDatabase } from './database.ts'
import { measureDeletions } from './deleting.ts'
import { historyFile } from './history.ts'
import { measureLanding } from './landing.ts'
import { countCase, type Latency, type Series, timeCases } from './measure.ts'
import { astray, type CaseResult, type Scenario } from './results.ts'
import type { Parts, Runtime, RuntimeOptions } from './runtime.ts'
import { withCopy, withFile, withRuntime } from './served.ts'
import type { Size, Timed } from './sizes.ts'

/** Where a run takes place. `cache` keeps histories from run to run. */
export type Place = {
  directory: string
  cache: string
  parts: Parts
  worker: string
  say: (line: string) => void
}

/** How many cases take turns with the bare route. */
const casesInTurn = 4
/** Longer than measuring takes, so that nothing queued runs in the meantime. */
const heldBackSeconds = 7_200

/**
 * Measures everything over one history: counts and times of each case, then how quickly rows are stored and, finally, on
 * copies, what deleting the history costs.
 */
export async function runScenario(
  { history, near, far }: Timed,
  size: Size,
  place: Place,
): Promise<Scenario> {
  const { directory, parts, worker } = place
  const say = (line: string) => place.say(`${history.name}: ${line}`)
  const { file, seconds } = await historyFile(place.cache, history)
  say(seconds === null ? 'written in an earlier run' : `written in ${seconds.toFixed(1)} s`)
  const raw = path.join(directory, 'raw.db')
  const measured = await withCopy(file, directory, async (database) => {
    const household = createHousehold(history, new MeasuredDatabase(database))
    const counting = { worker, parts, databaseUrl: database.countedUrl, scryptCost: history.scryptCost }
    const direct = { ...counting, databaseUrl: database.url }
    const heldBack = { queueDelaySeconds: heldBackSeconds }
    const cases = await withRuntimes(
      { ...direct, ...heldBack },
      { ...counting, ...heldBack },
      household,
      async (bench, runtimes) => {
        say('counting')
        const counted = await countAll(bench, size.countedCalls)
        say('timing')
        return timeAll(counted, bench, runtimes, { near, far, size, say })
      },
    )
    say('landing')
    const landing = await withFile(file, raw, () =>
      withRuntimes(direct, counting, household, (bench, { direct: runtime, counting: counted }) =>
        measureLanding({
          bench,
          runtime,
          counted,
          size: size.landing,
          raw: { file: raw, url: database.url },
        }),
      ),
    )
    return { cases, landing }
  })
  // Deleting one user's history costs the same among many users.
  if (history.othersTransactions > 0) return { history, ...measured, deletions: [] }
  say('deleting')
  const { fileRows } = size.landing
  const deletions = await measureDeletions(history, { file, directory, parts, worker, fileRows })
  return { history, ...measured, deletions }
}

type Counted = Case & Pick<CaseResult, 'needsToken' | 'counts'>

async function countAll(bench: Bench, calls: number): Promise<Counted[]> {
  const routes = await contractRoutes(bench)
  const counted: Counted[] = []
  for (const one of casesOf([...routes.keys()])) {
    const counts = await countCase(one, bench, calls)
    counted.push({ ...one, needsToken: routes.get(one.route) ?? true, counts })
  }
  return counted
}

/** Every route, by the OpenAPI document, and whether it needs a token. */
async function contractRoutes({ connection }: Bench): Promise<Map<string, boolean>> {
  const contract = await connection.json({ method: 'GET', path: '/api/openapi.json', status: 200 })
  const routes = new Map<string, boolean>()
  for (const [path, operations] of Object.entries<Record<string, { security?: unknown[] }>>(contract.paths)) {
    for (const [method, { security }] of Object.entries(operations)) {
      if (!/^(get|post|put|patch|delete)$/.test(method)) continue
      const route = `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`
      routes.set(route, (security ?? contract.security ?? []).length > 0)
    }
  }
  return routes
}

/** The Worker twice: on the database itself, and through the counting proxy, where `bench.connection` leads. */
type Runtimes = { direct: Runtime; counting: Runtime }

function withRuntimes<T>(
  direct: RuntimeOptions,
  counting: RuntimeOptions,
  household: Household,
  work: (bench: Bench, runtimes: Runtimes) => Promise<T>,
): Promise<T> {
  return withRuntime(direct, household, (_, direct) =>
    withRuntime(counting, household, (bench, counting) => work(bench, { direct, counting })),
  )
}

type Timing = { near: Series; far: Series; size: Size; say: (line: string) => void }

async function timeAll(
  counted: Counted[],
  bench: Bench,
  { direct, counting }: Runtimes,
  { near, far, size, say }: Timing,
): Promise<CaseResult[]> {
  const nearBy = { barePath: '/bare', latencyMs: 0, series: near }
  const farAway = { barePath: '/select-1', latencyMs: size.latencyMs, series: far }
  const results = new Map<string, CaseResult>()
  for (const turn of turnsOf(counted)) {
    const measured = [
      await timeCases(turn, bench, direct, nearBy),
      await timeCases(turn, bench, counting, farAway),
    ]
    for (const [index, { prepare: _, ...one }] of turn.entries()) {
      const [near, far] = measured.map((latencies) => latencies[index]) as [Latency, Latency]
      results.set(one.name, { ...one, near, far })
    }
  }
  // Whatever disturbed the bare route disturbed the cases next to it: they run again. The report says if that fails too.
  const again = new Set(size.retriesDisturbed ? astray([...results.values()]).map(({ name }) => name) : [])
  for (const turn of turnsOf(counted).filter((cases) => cases.some(({ name }) => again.has(name)))) {
    say(`disturbed, once more: ${turn.map(({ name }) => name).join(', ')}`)
    const latencies = await timeCases(turn, bench, counting, farAway)
    for (const [index, { name }] of turn.entries()) {
      results.set(name, { ...(results.get(name) as CaseResult), far: latencies[index] as Latency })
    }
  }
  return counted.map(({ name }) => results.get(name) as CaseResult)
}

/** Groups cases that are far apart in the list, so that those that take turns do not ask for the same rows. */
function turnsOf(cases: Counted[]): Counted[][] {
  const turns = Math.ceil(cases.length / casesInTurn)
  return Array.from({ length: turns }, (_, turn) => cases.filter((_, index) => index % turns === turn))
}
