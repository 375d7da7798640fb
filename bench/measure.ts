import { rowsOf } from '../test/databases/work.ts'
import { type Bench, type Case, tidy } from './calls.ts'
import { type Call, Connection } from './client.ts'
import type { Runtime } from './runtime.ts'
import { percentile } from './statistics.ts'

/** What a call costs, whatever the machine. */
export type Counts = {
  roundTrips: number
  statements: number
  rowsRead: number
  rowsWritten: number
  requestBytes: number
  responseBytes: number
  databaseRequestBytes: number
  databaseResponseBytes: number
}

/** Milliseconds of a series of calls: the 99th percentile, or the slowest if there were fewer than `enoughForP99`. */
export type Times = { median: number; tail: number }

/** The calls of a case, and as many of the bare route in the same rounds. */
export type Latency = Times & { calls: number; bare: Times; ratio: number; tailRatio: number }

/**
 * How long a series is: a number of calls, fewer if they would exceed the seconds, but never fewer than `least`. The
 * `warmUps` before it are not timed.
 */
export type Series = { calls: number; least: number; seconds: number; warmUps: number }

/** With fewer calls, the 99th percentile would be one of the slowest five. */
export const enoughForP99 = 500

/** Calls are prepared in lots of this size, since there may not be time for all. */
const preparedAtOnce = 20

/** Counts what a call costs: of several calls, the middle one by rows, since random ids may cost a row more or less. */
export async function countCase(one: Case, bench: Bench, calls: number): Promise<Counts> {
  const counts: Counts[] = []
  for (let i = 0; i < calls; i++) {
    const call = await one.prepare(bench)
    await bench.database.startCounting()
    const { requestBytes, responseBytes } = await bench.connection.call(call)
    const counted = await bench.database.counted()
    counts.push({
      roundTrips: counted.requests,
      statements: counted.statements,
      rowsRead: counted.rowsRead,
      rowsWritten: counted.rowsWritten,
      requestBytes,
      responseBytes,
      databaseRequestBytes: counted.requestBytes,
      databaseResponseBytes: counted.responseBytes,
    })
    await tidy(bench)
  }
  counts.sort((a, b) => rowsOf(a) - rowsOf(b))
  return counts[Math.floor(calls / 2)] as Counts
}

/**
 * Times cases in rounds, one call at a time: the bare route, then each case. So whatever disturbs the machine disturbs
 * all alike, and none of them disturbs another.
 */
export async function timeCases(
  cases: Case[],
  bench: Bench,
  { api, bare: bareApi }: Runtime,
  { barePath, latencyMs, series }: { barePath: string; latencyMs: number; series: Series },
): Promise<Latency[]> {
  const bare = { method: 'GET', path: barePath, status: 200 }
  const [connection, bareConnection] = [new Connection(api), new Connection(bareApi)]
  const runs = cases.map((one) => ({ one, calls: [] as Call[], times: [] as number[], spent: 0 }))
  const bareTimes: number[] = []
  const ready = Math.min(preparedAtOnce, series.warmUps + series.calls)
  try {
    for (let round = -series.warmUps; round < series.calls; round++) {
      const going = runs.filter(
        ({ times, spent }) => times.length < series.least || spent < series.seconds * 1_000,
      )
      if (going.length === 0) break
      if (going.some(({ calls }) => calls.length === 0)) {
        await bench.database.setLatency(0)
        for (const { one, calls } of going) while (calls.length < ready) calls.push(await one.prepare(bench))
        await bench.database.setLatency(latencyMs)
      }
      const { ms } = await bareConnection.call(bare)
      if (round >= 0) bareTimes.push(ms)
      for (const run of going) {
        const { ms } = await connection.call(run.calls.shift() as Call)
        if (round < 0) continue
        run.times.push(ms)
        run.spent += ms
      }
    }
  } finally {
    connection.close()
    bareConnection.close()
    await bench.database.setLatency(0)
    await tidy(bench)
  }
  return runs.map(({ times }) => latencyOf(times, bareTimes.slice(0, times.length)))
}

function latencyOf(times: number[], bareTimes: number[]): Latency {
  const [own, bare] = [timesOf(times), timesOf(bareTimes)]
  return {
    calls: times.length,
    ...own,
    bare,
    ratio: own.median / bare.median,
    tailRatio: own.tail / bare.tail,
  }
}

function timesOf(times: number[]): Times {
  return { median: percentile(times, 50), tail: percentile(times, times.length < enoughForP99 ? 100 : 99) }
}
