// `npm run bench:compare -- [folder]`: what the main requests cost in this checkout and in another one, a folder with its
// node_modules (a `git worktree`), in turns within one run; without a folder, in this checkout alone. Prints the table
// and writes it into bench/results. `-- --quick` only shows that it works.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { projectDirectory } from '../dev/project.ts'
import { bareName, comparison, type MeasuredVersion } from './comparison.ts'
import { Connection } from './connection.ts'
import {
  accounts,
  create,
  type Household,
  list,
  type RequestKind,
  registerHousehold,
  summary,
  sync,
  update,
} from './requests.ts'
import { bundleVersion, type Service, startCountedService, startService, type Version } from './service.ts'

const { values: options, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const size = options.quick
  ? { counted: 2, warmUps: 16, rounds: 2, calls: 16, seconds: 0.3 }
  : { counted: 10, warmUps: 1_000, rounds: 6, calls: 100, seconds: 3 }

const historyLength = 1_000
const clients = 16
const kinds = [summary, list, accounts, create, update, sync]
const kindsAtOnce = [summary, list, create]
const bare: RequestKind = { name: bareName, make: () => ({ method: 'GET', path: '/bare', status: 200 }) }

const directory = mkdtempSync(path.join(tmpdir(), 'purse-bench-'))
try {
  const checkouts = [projectDirectory, ...positionals.slice(0, 1).map((folder) => path.resolve(folder))]
  const versions: Running[] = []
  for (const [nth, checkout] of checkouts.entries()) versions.push(await prepare(checkout, `${nth}`))
  for (const version of versions) await warmUp(version)
  for (let round = 0; round < size.rounds; round++) {
    say(`round ${round + 1} of ${size.rounds}`)
    // The order alternates, so that a machine that slows down favours neither.
    const turns = round % 2 === 0 ? versions : versions.toReversed()
    for (const kind of [bare, ...kinds]) for (const version of turns) await measureOneAtATime(version, kind)
    for (const kind of kindsAtOnce) for (const version of turns) await measureAtOnce(version, kind)
  }
  for (const { service } of versions) await service.stop()
  const text = comparison(
    versions.map(({ measured }) => measured),
    clients,
  )
  console.log(text)
  const results = options.quick ? directory : path.join(import.meta.dirname, 'results')
  mkdirSync(results, { recursive: true })
  writeFileSync(path.join(results, 'compare.md'), text)
} finally {
  rmSync(directory, { recursive: true, force: true })
}

type Running = { service: Service; household: Household; measured: MeasuredVersion }

/** Counts what each kind costs through the proxy, and starts the version again without it. */
async function prepare(checkout: string, name: string): Promise<Running> {
  say(`bundling ${checkout}`)
  const version = bundleVersion(checkout, path.join(directory, name))
  const measured = { name: commitOf(checkout), work: new Map(), times: new Map(), perSecond: new Map() }
  const household = await count(version, measured)
  return { service: await startService(version), household, measured }
}

async function count(version: Version, { work }: MeasuredVersion): Promise<Household> {
  const service = await startCountedService(version)
  const household = await registerHousehold(service, historyLength)
  const connection = new Connection(service.api)
  for (const kind of kinds) {
    await service.startCounting()
    for (let nth = 0; nth < size.counted; nth++) await connection.send(requestOf(kind, household))
    const { requests, rowsRead, rowsWritten } = await service.counted()
    const each = (sum: number) => sum / size.counted
    work.set(kind.name, {
      roundTrips: each(requests),
      rowsRead: each(rowsRead),
      rowsWritten: each(rowsWritten),
    })
  }
  await connection.close()
  await service.stop()
  return household
}

/** V8 goes on compiling for about a thousand requests. */
async function warmUp({ service, household }: Running): Promise<void> {
  for (const kind of kinds) {
    let left = size.warmUps
    await sendAtOnce(service, () => (left-- > 0 ? requestOf(kind, household) : undefined))
  }
}

/** Latency and the processor time of both processes, one request at a time. */
async function measureOneAtATime(
  { service, household, measured }: Running,
  kind: RequestKind,
): Promise<void> {
  const connection = new Connection(kind === bare ? service.bare : service.api)
  const requests = Array.from({ length: size.calls }, () => requestOf(kind, household))
  const times = measured.times.get(kind.name) ?? { latencies: [], databaseMs: 0, workerMs: 0 }
  const [databaseMs, workerMs] = [service.databaseMs(), service.workerMs()]
  for (const request of requests) times.latencies.push((await connection.send(request)).ms)
  times.databaseMs += service.databaseMs() - databaseMs
  times.workerMs += service.workerMs() - workerMs
  measured.times.set(kind.name, times)
  await connection.close()
}

async function measureAtOnce({ service, household, measured }: Running, kind: RequestKind): Promise<void> {
  const start = performance.now()
  const end = start + size.seconds * 1_000
  const sent = await sendAtOnce(service, () =>
    performance.now() < end ? requestOf(kind, household) : undefined,
  )
  const perSecond = sent / ((performance.now() - start) / 1_000)
  measured.perSecond.set(kind.name, [...(measured.perSecond.get(kind.name) ?? []), perSecond])
}

/** Sends requests from all clients until there is none left, and returns how many. */
async function sendAtOnce(service: Service, next: () => ReturnType<RequestKind['make']> | undefined) {
  let sent = 0
  const client = async () => {
    const connection = new Connection(service.api)
    for (let request = next(); request; request = next()) {
      await connection.send(request)
      sent += 1
    }
    await connection.close()
  }
  await Promise.all(Array.from({ length: clients }, client))
  return sent
}

function requestOf({ make }: RequestKind, household: Household) {
  return { ...make(household), token: household.token }
}

/** The commit of a checkout, or the name of its folder if git does not know. */
function commitOf(checkout: string): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: checkout, encoding: 'utf8' }).trim()
  try {
    const isChanged = git('status', '--porcelain', 'src', 'migrations') !== ''
    return `${git('rev-parse', '--short', 'HEAD')}${isChanged ? ' with changes' : ''}`
  } catch {
    return path.basename(checkout)
  }
}

/** Reports progress. */
function say(line: string): void {
  console.error(`${(performance.now() / 1_000).toFixed(0).padStart(4)} s  ${line}`)
}
