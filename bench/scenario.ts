import { copyFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { type Bench, type Case, casesOf, createHousehold, type Household } from './calls.ts'
import { Connection } from './client.ts'
import { MeasuredDatabase } from './database.ts'
import { type History, historyFile } from './history.ts'
import { measureLanding } from './landing.ts'
import { countCase, type Latency, timeCases } from './measure.ts'
import type { CaseResult, Scenario } from './results.ts'
import { type Parts, type Runtime, type RuntimeOptions, startRuntime } from './runtime.ts'
import type { Size } from './sizes.ts'

/** Where a run takes place: its own directory, the one that keeps histories from run to run, the bundled Worker. */
export type Place = {
  directory: string
  cache: string
  parts: Parts
  worker: string
  say: (line: string) => void
}

/** So many series at once where the database is far away, and the machine idle. */
const farLanes = 4
/** A case that keeps the machine busy for so long in each call is timed by itself. */
const heavyMs = 20
/** Longer than counting takes: what is queued must not run meanwhile. */
const heldBackSeconds = 3_600

/** Measures everything over one history: counts on the database as it is, then times, then how rows land. */
export async function runScenario(history: History, size: Size, place: Place): Promise<Scenario> {
  const { directory, parts, worker, say } = place
  const { file, seconds } = await historyFile(place.cache, history)
  say(
    `${history.name}: ${seconds === null ? 'written in an earlier run' : `written in ${seconds.toFixed(1)} s`}`,
  )
  const database = history.name.replace(/\W/g, '-')
  const [served, raw] = [path.join(directory, 'libsql', `${database}.db`), path.join(directory, 'raw.db')]
  for (const copy of [served, raw]) copyFileSync(file, copy)
  const url = `${parts.libsql}/${database}/`
  const options = { worker, parts, database, scryptCost: history.scryptCost }
  const household = createHousehold(history, new MeasuredDatabase(url))
  try {
    const heldBack = { ...options, queueDelaySeconds: heldBackSeconds }
    say(`${history.name}: counting`)
    const counted = await withRuntime(heldBack, household, countAll)
    return await withRuntime(options, household, async (bench, runtime) => {
      say(`${history.name}: timing`)
      const cases = await timeAll(counted, bench, runtime, size)
      say(`${history.name}: landing`)
      return {
        history,
        cases,
        landing: await measureLanding({ bench, runtime, size: size.landing, raw: { file: raw, url } }),
      }
    })
  } finally {
    for (const copy of [served, raw])
      for (const suffix of ['', '-wal', '-shm']) rmSync(copy + suffix, { force: true })
  }
}

async function withRuntime<T>(
  options: RuntimeOptions,
  household: Household,
  work: (bench: Bench, runtime: Runtime) => Promise<T>,
): Promise<T> {
  const runtime = await startRuntime(options)
  const connection = new Connection(runtime.api)
  try {
    return await work({ ...household, connection }, runtime)
  } finally {
    connection.close()
    await runtime.stop()
  }
}

type Counted = Case & Pick<CaseResult, 'needsToken' | 'counts'>

async function countAll(bench: Bench): Promise<Counted[]> {
  const routes = await contractRoutes(bench)
  const counted: Counted[] = []
  for (const one of casesOf([...routes.keys()])) {
    const counts = await countCase(one, bench)
    counted.push({ ...one, needsToken: routes.get(one.route) ?? true, counts })
  }
  return counted
}

/** Every route of the contract, which the tests hold to be all of the app's, and whether it needs a token. */
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

async function timeAll(
  counted: Counted[],
  bench: Bench,
  runtime: Runtime,
  size: Size,
): Promise<CaseResult[]> {
  const nearBy = { barePath: '/bare', latencyMs: 0, series: size.near }
  const farAway = { barePath: '/select-1', latencyMs: size.latencyMs, series: size.far }
  const near = new Map<string, Latency>()
  for (const one of counted) set(near, [one], await timeCases([one], bench, runtime, nearBy))
  const far = new Map<string, Latency>()
  for (const lanes of lanesOf(counted, near)) set(far, lanes, await timeCases(lanes, bench, runtime, farAway))
  return counted.map(({ name, route, needsToken, counts }) => {
    return { name, route, needsToken, counts, near: get(near, name), far: get(far, name) }
  })
}

/** Heavy cases one by one, the others several at a time. */
function lanesOf(cases: Counted[], near: Map<string, Latency>): Counted[][] {
  const isHeavy = ({ name }: Counted) => get(near, name).median > heavyMs
  const light = cases.filter((one) => !isHeavy(one))
  const lanes = cases.filter(isHeavy).map((one) => [one])
  for (let at = 0; at < light.length; at += farLanes) lanes.push(light.slice(at, at + farLanes))
  return lanes
}

function set(latencies: Map<string, Latency>, cases: Case[], measured: Latency[]): void {
  for (const [index, one] of cases.entries()) latencies.set(one.name, measured[index] as Latency)
}

function get(latencies: Map<string, Latency>, name: string): Latency {
  const latency = latencies.get(name)
  if (!latency) throw new Error(`${name} was not timed`)
  return latency
}
