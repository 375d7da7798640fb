import { cpus } from 'node:os'
import { bare, type Measured, type RequestWork } from './measure.ts'
import { percentile } from './statistics.ts'

/** A figure of a request by its name; undefined if it was not measured. */
export type Metric = (measured: Measured, name: string) => number | undefined

/** The median. */
export const latencyMs: Metric = ({ times }, name) => {
  const latencies = times.get(name)?.latencies
  return latencies && percentile(latencies, 50)
}

/** Processor time of the database server for each request. */
export const databaseMs: Metric = ({ times }, name) => {
  const found = times.get(name)
  return found && found.databaseMs / found.latencies.length
}

/** Processor time of the Worker for each request, less that of a route which does nothing. */
export const workerMs: Metric = ({ times }, name) => {
  const [found, least] = [times.get(name), times.get(bare.name)]
  if (!found || !least) return undefined
  return Math.max(0, found.workerMs / found.latencies.length - least.workerMs / least.latencies.length)
}

/** Requests a second from all clients, the median of the rounds. */
export const perSecond: Metric = ({ perSecond }, name) => {
  const rounds = perSecond.get(name)
  return rounds && percentile(rounds, 50)
}

export const work =
  (unit: keyof RequestWork): Metric =>
  ({ work }, name) =>
    work.get(name)?.[unit]

/** A table in Markdown, the first column to the left. */
export function table(head: string[], rows: string[][]): string {
  const aligned = head.map((_, index) => (index === 0 ? '---' : '--:'))
  return [head, aligned, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** A number for people, with that many digits after the point. */
export function figure(number: number | undefined, digits: number): string {
  if (number === undefined) return '–'
  return number.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

export function machine(): string {
  return `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}`
}
