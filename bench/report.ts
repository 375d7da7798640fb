import type { Landing } from './landing.ts'
import {
  type CaseResult,
  extremes,
  figure,
  growthOf,
  isList,
  mainCases,
  misses,
  type Results,
} from './results.ts'

/** The table for the README: what clients call all day, and how quickly rows land. */
export function shortReport(results: Results): string {
  const { small, large } = extremes(results)
  const row = ({ name, counts, near, far }: CaseResult) => {
    const before = small.cases.find((one) => one.name === name)?.counts.steps ?? 0
    return [
      `\`${name}\``,
      counts.roundTrips,
      `${figure(before)} → ${figure(counts.steps)}`,
      figure(counts.responseBytes),
      `${figure(near.ratio)}`,
      `${figure(far.ratio)}`,
    ]
  }
  const shown = mainCases.flatMap((name) => large.cases.filter((one) => one.name === name))
  const others = large.cases.filter((one) => one.needsToken && !isList(one) && !mainCases.includes(one.name))
  const worst = (of: (one: CaseResult) => number) => figure(Math.max(...others.map(of)))
  const rest = [
    `the other ${others.length} with a token, at most`,
    worst(({ counts }) => counts.roundTrips),
    `growth ${worst(({ name }) => growthOf(name, results))}`,
    worst(({ counts }) => counts.responseBytes),
    worst(({ near }) => near.ratio),
    worst(({ far }) => far.ratio),
  ]
  return `${table(
    [
      'endpoint',
      'round trips',
      `steps, ${small.history.name} → ${large.history.name.replace(' transactions', '')}`,
      'bytes answered',
      '× bare route',
      `× bare \`select 1\` at ${results.latencyMs} ms`,
    ],
    [...shown.map(row), rest],
  )}

${landingTable(results)}`
}

/** Everything that was measured, in Markdown. */
export function fullReport(results: Results): string {
  const { commit, machine, bundle, startup, latencyMs, scenarios } = results
  const parts = [
    '# What every endpoint costs',
    `\`npm run bench\` at ${commit}, on ${machine}. Minified Worker: ${bundle}. CPU of starting it: ${startup}.`,
    `Trips, steps (of SQLite's virtual machine, triggers included), rows written and bytes are counted by the local libSQL server and on the wire: they are the same on every machine. Rows read are not reported by the engine's binding for Node. Times are milliseconds until the last byte, median and 99th percentile; × is the ratio of medians to a bare Hono route, with ${latencyMs} ms injected to a route that does one bare \`select 1\`, called in turn in the same runtime. What is uploaded is of the last month, what is imported of the last year.`,
    '![Steps against history](steps.svg)\n\n![Latency beside a bare select](latency.svg)\n\n![Rows per second](landing.svg)',
    '## Goals',
    misses(results)
      .map(({ goal, missed }) =>
        [`- ${goal}: ${missed.length === 0 ? 'met' : 'missed by'}`, ...missed].join('\n  - '),
      )
      .join('\n'),
    '## How quickly rows land',
    landingTable(results),
    ...scenarios.flatMap(({ history, cases }) => [`## ${history.name}`, casesTable(cases, latencyMs)]),
  ]
  return `${parts.join('\n\n')}\n`
}

function casesTable(cases: CaseResult[], latencyMs: number): string {
  const time = ({ median, p99, ratio }: CaseResult['near']) => [figure(median), figure(p99), figure(ratio)]
  return table(
    [
      'endpoint',
      'trips',
      'statements',
      'steps',
      'rows written',
      'bytes asked',
      'bytes answered',
      'to and from the database',
      'median',
      'p99',
      '×',
      `median at ${latencyMs} ms`,
      'p99',
      '×',
    ],
    cases.map(({ name, counts, near, far }) => [
      `\`${name}\``,
      counts.roundTrips,
      counts.statements,
      figure(counts.steps),
      counts.rowsWritten,
      figure(counts.requestBytes),
      figure(counts.responseBytes),
      `${figure(counts.databaseRequestBytes)} / ${figure(counts.databaseResponseBytes)}`,
      ...time(near),
      ...time(far),
    ]),
  )
}

/** Rows per second on each way, by history; trips and steps of one batch or file at the first of them. */
function landingTable({ scenarios }: Results): string {
  const ways = scenarios[0]?.landing ?? []
  const speed = (way: string, landing: Landing[]) =>
    figure(Math.round(landing.find((one) => one.way === way)?.rowsPerSecond ?? 0))
  return table(
    ['rows per second', 'round trips', 'steps a row', ...scenarios.map(({ history }) => history.name)],
    ways.map(({ way, roundTrips, stepsPerRow }) => [
      way,
      roundTrips ?? '',
      stepsPerRow === undefined ? '' : figure(stepsPerRow),
      ...scenarios.map(({ landing }) => speed(way, landing)),
    ]),
  )
}

function table(head: string[], rows: (string | number)[][]): string {
  const aligned = head.map((_, index) => (index === 0 ? '---' : '--:'))
  return [head, aligned, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
