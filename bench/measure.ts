import { type Bench, type Case, tidy } from './calls.ts'
import { Connection } from './client.ts'
import type { Runtime } from './runtime.ts'

/** What one call costs, whatever machine it runs on. */
export type Counts = {
  roundTrips: number
  statements: number
  steps: number
  rowsWritten: number
  requestBytes: number
  responseBytes: number
  databaseRequestBytes: number
  databaseResponseBytes: number
}

/** Milliseconds of a series of calls, and of the calls of a bare route that were made in turn with them. */
export type Latency = { calls: number; median: number; p99: number; bareMedian: number; ratio: number }

/** How long a series may be: so many calls, fewer where they take longer than that, but `least` of them. */
export type Series = { calls: number; least: number; seconds: number }

const countedCalls = 3

/** Counts what a call of the case costs: of three the one in the middle, since random ids may cost a step more or less. */
export async function countCase(one: Case, bench: Bench): Promise<Counts> {
  const counts: Counts[] = []
  for (let i = 0; i < countedCalls; i++) {
    const call = await one.prepare(bench)
    await bench.database.startCounting({ work: true })
    const { requestBytes, responseBytes } = await bench.connection.call(call)
    const counted = await bench.database.counted()
    counts.push({
      roundTrips: counted.requests,
      statements: counted.statements,
      steps: counted.steps,
      rowsWritten: counted.rowsWritten,
      requestBytes,
      responseBytes,
      databaseRequestBytes: counted.requestBytes,
      databaseResponseBytes: counted.responseBytes,
    })
    await bench.database.startCounting({ work: false })
    await tidy(bench)
  }
  counts.sort((a, b) => a.steps - b.steps)
  return counts[Math.floor(countedCalls / 2)] as Counts
}

/**
 * Times the cases, all at once, each in turn with a bare route on connections of its own: a database that is far away
 * leaves the machine idle, so that several series side by side do not disturb each other.
 */
export async function timeCases(
  cases: Case[],
  bench: Bench,
  runtime: Runtime,
  { barePath, latencyMs, series }: { barePath: string; latencyMs: number; series: Series },
): Promise<Latency[]> {
  const prepared = []
  for (const one of cases) {
    const calls = []
    for (let i = 0; i < series.calls; i++) calls.push(await one.prepare(bench))
    prepared.push(calls)
  }
  await bench.database.setLatency(latencyMs)
  try {
    return await Promise.all(
      prepared.map(async (calls) => {
        const [connection, bareConnection] = [new Connection(runtime.api), new Connection(runtime.bare)]
        const [times, bareTimes]: [number[], number[]] = [[], []]
        const bare = { method: 'GET', path: barePath, status: 200 }
        // The first call of each opens the connection, which is not what is measured.
        await bareConnection.call(bare)
        await connection.call({ method: 'GET', path: '/api/openapi.json', status: 200 })
        const end = performance.now() + series.seconds * 1_000
        for (const call of calls) {
          if (times.length >= series.least && performance.now() > end) break
          bareTimes.push((await bareConnection.call(bare)).ms)
          times.push((await connection.call(call)).ms)
        }
        connection.close()
        bareConnection.close()
        return latencyOf(times, bareTimes)
      }),
    )
  } finally {
    await bench.database.setLatency(0)
    await tidy(bench)
  }
}

function latencyOf(times: number[], bareTimes: number[]): Latency {
  const [median, bareMedian] = [percentile(times, 50), percentile(bareTimes, 50)]
  return { calls: times.length, median, p99: percentile(times, 99), bareMedian, ratio: median / bareMedian }
}

/** The smallest time that so many per cent do not exceed (nearest rank). */
export function percentile(times: number[], percent: number): number {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN
}
