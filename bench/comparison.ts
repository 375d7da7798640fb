import { cpus } from 'node:os'
import { measuresProcessorTime } from './processor-time.ts'
import { percentile } from './statistics.ts'

/** What one request costs whatever the machine, on average. */
export type RequestWork = { roundTrips: number; rowsRead: number; rowsWritten: number }

/** Milliseconds: of each request until its last byte, and of processor time of all of them. */
export type RequestTimes = { latencies: number[]; databaseMs: number; workerMs: number }

/** What was measured of a version, by the name of the request; requests a second are of each round. */
export type MeasuredVersion = {
  name: string
  work: Map<string, RequestWork>
  times: Map<string, RequestTimes>
  perSecond: Map<string, number[]>
}

/** The request that shows what HTTP and workerd cost without the service. */
export const bareName = 'a route that does nothing'

type Metric = { title: string; digits: number; of: (version: MeasuredVersion) => Map<string, number> }

/** A table for each metric in Markdown: this version, the other one and their ratio, or this one alone. */
export function comparison(versions: MeasuredVersion[], clients: number): string {
  const [ours, other] = versions
  if (!ours) throw new Error('No version was measured')
  const tables = metrics(clients).map(({ title, digits, of }) => {
    const [values, others] = [of(ours), other && of(other)]
    const cells = [...values].map(([name, value]) => {
      const shown = (number: number) => number.toFixed(digits)
      const before = others?.get(name)
      return before === undefined
        ? [name, shown(value)]
        : [name, shown(before), shown(value), ratio(value, before)]
    })
    return [`### ${title}`, '', table(['request', ...heads(ours, other)], cells)].join('\n')
  })
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}`
  const notes = measuresProcessorTime
    ? 'Processor time comes from /proc; the time that a route which does nothing takes is subtracted from that of the Worker.'
    : 'Processor time was not measured: it comes from /proc, which only Linux has.'
  return `${[`Measured on ${machine}, versions in turns. ${notes}`, ...tables].join('\n\n')}\n`
}

function metrics(clients: number): Metric[] {
  const ofTimes = (value: (times: RequestTimes, version: MeasuredVersion) => number) => {
    return (version: MeasuredVersion) => mapped(version.times, (times) => value(times, version))
  }
  const ofWork = (unit: keyof RequestWork) => (version: MeasuredVersion) =>
    mapped(version.work, (work) => work[unit])
  const processor: Metric[] = [
    {
      title: 'Processor time of the database server, ms a request',
      digits: 2,
      of: ofTimes(({ databaseMs, latencies }) => databaseMs / latencies.length),
    },
    {
      title: 'Processor time of the Worker, ms a request',
      digits: 2,
      of: ofTimes((times, version) => workerMs(times) - workerMs(version.times.get(bareName))),
    },
  ]
  return [
    ...(measuresProcessorTime ? processor : []),
    {
      title: 'Latency, ms, one request at a time (median)',
      digits: 2,
      of: ofTimes(({ latencies }) => percentile(latencies, 50)),
    },
    {
      title: `Requests a second with ${clients} clients (median of the rounds)`,
      digits: 0,
      of: ({ perSecond }) => mapped(perSecond, (rounds) => percentile(rounds, 50)),
    },
    { title: 'Round trips to the database', digits: 1, of: ofWork('roundTrips') },
    { title: 'Rows read', digits: 1, of: ofWork('rowsRead') },
    { title: 'Rows written', digits: 1, of: ofWork('rowsWritten') },
  ]
}

function workerMs(times: RequestTimes | undefined): number {
  return times ? times.workerMs / times.latencies.length : 0
}

/** Applies a function to each value of a map, apart from that of the bare route. */
function mapped<T>(values: Map<string, T>, value: (one: T) => number): Map<string, number> {
  return new Map([...values].filter(([name]) => name !== bareName).map(([name, one]) => [name, value(one)]))
}

function heads(ours: MeasuredVersion, other?: MeasuredVersion): string[] {
  return other ? [other.name, ours.name, 'ratio'] : [ours.name]
}

function ratio(value: number, before: number): string {
  return before === 0 ? (value === 0 ? '1.00' : '–') : (value / before).toFixed(2)
}

function table(head: string[], rows: string[][]): string {
  const aligned = head.map((_, index) => (index === 0 ? '---' : '--:'))
  return [head, aligned, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
