import { bare, clients, type Measured } from './measure.ts'
import { measuresProcessorTime } from './processor-time.ts'
import {
  databaseMs,
  figure,
  latencyMs,
  type Metric,
  machine,
  perSecond,
  table,
  work,
  workerMs,
} from './tables.ts'

/** A version that was measured, by its commit. */
export type MeasuredVersion = { name: string; measured: Measured }

const processorTime: [title: string, metric: Metric, digits: number][] = [
  ['database server, ms of processor time', databaseMs, 2],
  ['Worker, ms of processor time', workerMs, 2],
]
const metrics: typeof processorTime = [
  ...(measuresProcessorTime ? processorTime : []),
  ['latency, ms, one request at a time', latencyMs, 2],
  [`requests a second, ${clients} clients`, perSecond, 0],
  ['round trips to the database', work('roundTrips'), 0],
  ['rows read', work('rowsRead'), 0],
  ['rows written', work('rowsWritten'), 0],
]
const note = measuresProcessorTime
  ? 'Processor time comes from /proc; that of the Worker is less that of a route which does nothing.'
  : 'No processor time: it comes from /proc, which only Linux has.'

/** A table in Markdown: for each metric and request the other version, this one and their ratio, or this one alone. */
export function comparison([ours, other]: MeasuredVersion[]): string {
  if (!ours) throw new Error('No version was measured')
  const rows = metrics.flatMap(([title, metric, digits]) =>
    [...ours.measured.times.keys()].flatMap((name) => {
      const value = metric(ours.measured, name)
      if (value === undefined || name === bare.name) return []
      const cells = [title, `\`${name}\``, figure(value, digits)]
      if (!other) return [cells]
      const before = metric(other.measured, name)
      return [cells.toSpliced(2, 0, figure(before, digits)).concat(ratio(value, before))]
    }),
  )
  const versions = other ? [other.name, ours.name, 'ratio'] : [ours.name]
  return `Measured on ${machine()}, versions in turns; times are medians. ${note}\n\n${table(['of one request', '', ...versions], rows)}\n`
}

function ratio(value: number, before: number | undefined): string {
  if (before === value) return '1.00'
  return before ? figure(value / before, 2) : '–'
}
