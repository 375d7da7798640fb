import type { Work } from '../test/databases/work.ts'
import { type ApiRequest, Connection } from './connection.ts'
import type { Household, RequestKind } from './requests.ts'
import type { CountedService, Service } from './service.ts'
import { percentile } from './statistics.ts'

/** What one request costs whatever the machine, the median of several. */
export type RequestWork = { roundTrips: number; rowsRead: number; rowsWritten: number }

/** Milliseconds: of each request until its last byte, and of processor time of all of them. */
export type RequestTimes = { latencies: number[]; databaseMs: number; workerMs: number }

/** What was measured of a version, by the name of the request; requests a second are of each round. */
export type Measured = {
  work: Map<string, RequestWork>
  times: Map<string, RequestTimes>
  perSecond: Map<string, number[]>
}

/** How much is measured. */
export type Size = { counted: number; warmUpSeconds: number; rounds: number; calls: number; seconds: number }

export const fullSize: Size = { counted: 10, warmUpSeconds: 4, rounds: 6, calls: 100, seconds: 3 }
export const quickSize: Size = { counted: 2, warmUpSeconds: 0.05, rounds: 1, calls: 3, seconds: 0.1 }

/** How many clients send requests at once, where any do. */
export const clients = 16

/** What HTTP and workerd cost without the service: part of the Worker's processor time of every request. */
export const bare: RequestKind = {
  name: 'a route that does nothing',
  make: () => ({ method: 'GET', path: '/', status: 200 }),
}

export const nothingMeasured = (): Measured => ({ work: new Map(), times: new Map(), perSecond: new Map() })

/** Counts what a kind of request costs the database. The median, since a checkpoint makes a write be sent again. */
export async function countWork(
  kind: RequestKind,
  { service, household, calls }: { service: CountedService; household: Household; calls: number },
): Promise<RequestWork> {
  const connection = new Connection(service.api)
  const requests = await requestsOf(kind, household, connection, calls)
  const counted: Work[] = []
  for (const request of requests) {
    await service.startCounting()
    await connection.send(request)
    counted.push(await service.counted())
  }
  await connection.close()
  const median = (unit: keyof Work) =>
    percentile(
      counted.map((work) => work[unit]),
      50,
    )
  return {
    roundTrips: median('requests'),
    rowsRead: median('rowsRead'),
    rowsWritten: median('rowsWritten'),
  }
}

/** A running version and what was measured of it. */
export type Running = { service: Service; household: Household; measured: Measured }

/**
 * Measures kinds of requests in rounds: each one at a time, then those of `kindsAtOnce` from all clients at once. Versions
 * take turns, in an order that alternates, so that a machine that slows down favours neither.
 */
export async function measure(
  versions: Running[],
  { kinds, kindsAtOnce, size }: { kinds: RequestKind[]; kindsAtOnce: RequestKind[]; size: Size },
): Promise<void> {
  // V8 goes on compiling for about a thousand requests. One client, since a user's parallel writes are limited.
  for (const version of versions)
    for (const kind of kinds) await sendAtOnce(version, kind, 1, size.warmUpSeconds)
  for (let round = 0; round < size.rounds; round++) {
    const turns = round % 2 === 0 ? versions : versions.toReversed()
    for (const kind of [bare, ...kinds])
      for (const version of turns) await measureOneAtATime(version, kind, size)
    for (const kind of kindsAtOnce)
      for (const version of turns) {
        const { perSecond } = version.measured
        const measured = await sendAtOnce(version, kind, clients, size.seconds)
        perSecond.set(kind.name, [...(perSecond.get(kind.name) ?? []), measured])
      }
  }
}

/** Latency and the processor time of both processes, one request at a time. */
async function measureOneAtATime(
  { service, household, measured }: Running,
  kind: RequestKind,
  { calls }: Size,
): Promise<void> {
  const connection = new Connection(kind === bare ? service.bare : service.api)
  const requests = await requestsOf(kind, household, connection, calls)
  const times = measured.times.get(kind.name) ?? { latencies: [], databaseMs: 0, workerMs: 0 }
  const [databaseMs, workerMs] = [service.databaseMs(), service.workerMs()]
  for (const request of requests) times.latencies.push((await connection.send(request)).ms)
  times.databaseMs += service.databaseMs() - databaseMs
  times.workerMs += service.workerMs() - workerMs
  measured.times.set(kind.name, times)
  await connection.close()
}

/** Sends requests from several clients at once, and returns how many were answered a second. */
async function sendAtOnce(
  { service, household }: Running,
  kind: RequestKind,
  clients: number,
  seconds: number,
): Promise<number> {
  const start = performance.now()
  let sent = 0
  const client = async () => {
    const connection = new Connection(service.api)
    for (; performance.now() < start + seconds * 1_000; sent++)
      await connection.send(await requestOf(kind, household, connection))
    await connection.close()
  }
  await Promise.all(Array.from({ length: clients }, client))
  return sent / ((performance.now() - start) / 1_000)
}

async function requestsOf(kind: RequestKind, household: Household, connection: Connection, count: number) {
  const requests: ApiRequest[] = []
  while (requests.length < count) requests.push(await requestOf(kind, household, connection))
  return requests
}

async function requestOf(kind: RequestKind, household: Household, connection: Connection) {
  return { token: household.token, ...(await kind.make(household, connection)) }
}
