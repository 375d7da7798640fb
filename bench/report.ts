import type { Landing } from './landing.ts'
import { enoughForP99, type Latency } from './measure.ts'
import {
  type CaseResult,
  disturbed,
  extremes,
  figure,
  misses,
  type Results,
  rowsAt,
  type Scenario,
} from './results.ts'

/** What the README says about a run, a line each: what history costs, what latency costs, how quickly rows land. */
export function headlines(results: Results): string {
  const { small, large } = extremes(results)
  const rows = ({ cases }: Scenario) => figure(rowsAt(cases, 'GET /api/summary') ?? 0)
  const create = large.cases.find(({ name }) => name === 'POST /api/transactions')
  const speedOf = (begins: string) =>
    large.landing.find(({ way }) => way.startsWith(begins))?.rowsPerSecond ?? 0
  const landing = speedOf('sync') / speedOf('raw libSQL')
  return [
    `- The dashboard reads **${rows(small)}** rows of a user with ${small.history.name}, and **${rows(large)}** of one with ${large.history.name}.`,
    `- With ${results.latencyMs} ms added to each round trip to the database, recording a transaction takes **${figure(create?.far.ratio ?? 0)}** times as long as a bare \`select 1\`.`,
    `- Uploaded in batches, transactions land **${figure(landing)}** times as fast as raw inserts by libSQL's client do, when the user already has ${large.history.name}.`,
  ].join('\n')
}

/** Everything that was measured, in Markdown. */
export function fullReport(results: Results): string {
  const { commit, machine, bundle, startup, latencyMs, scenarios } = results
  const parts = [
    '# What every endpoint costs',
    `\`npm run bench\` at ${commit}, on ${machine}. Minified Worker: ${bundle}. CPU of starting it: ${startup}.`,
    `Rows read and written are what libSQL's server reports with each answer, those of triggers, cascades and index entries included, and what Turso bills; trips and bytes are counted on the wire. They are the same on every machine.`,
    `Times are milliseconds until the last byte, one call at a time. Cases take turns, four of them with one call of a bare Hono route in the same runtime; with ${latencyMs} ms injected that route does one bare \`select 1\`. × are ratios to it: of medians, and of the tails. A tail is the 99th percentile where there were ${enoughForP99} calls or more, and else the slowest of so many calls, which is named beside it: with ${latencyMs} ms, with hashing, and at all histories but the largest, more calls would take too long. What a request leaves to the queue runs after the measurement.`,
    disturbance(results),
    headlines(results),
    '![Rows against history](rows.svg)\n\n![Latency beside a bare select](latency.svg)\n\n![Rows per second](landing.svg)',
    '## Goals',
    misses(results)
      .map(({ goal, missed }) =>
        [`- ${goal}: ${missed.length === 0 ? 'met' : 'missed by'}`, ...missed].join('\n  - '),
      )
      .join('\n'),
    '## How quickly rows land',
    `Through the whole HTTP path, background work included, on the server of \`npm run dev\` with its settings; the raw inserts have a write-ahead log and \`synchronous = NORMAL\`. What is uploaded is of the last month, what is imported of the last year. Round trips and rows are those of one batch or file.`,
    landingTable(results),
    '## What deleting a history costs',
    'Each on a copy of its own, without latency. Of ten transactions of these histories, eight are of one account and six of one category. With the answer it is gone for its owner; a queue removes the rows in parts, the last of them after so many seconds. Rows of a category stay.',
    deletionsTable(results),
    ...scenarios.flatMap(({ history, cases }) => [`## ${history.name}`, casesTable(cases, latencyMs)]),
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

/** The ratios that were measured while the machine was disturbed. */
function disturbance(results: Results): string {
  const lines = disturbed(results)
  return lines.length === 0
    ? ''
    : `**The machine was disturbed:**\n\n${lines.map((line) => `- ${line}`).join('\n')}`
}

function casesTable(cases: CaseResult[], latencyMs: number): string {
  const time = ({ median, tail, ratio, tailRatio, calls }: Latency) => [
    figure(median),
    figure(ratio),
    `${figure(tail)}${calls < enoughForP99 ? ` of ${calls}` : ''}`,
    figure(tailRatio),
  ]
  return table(
    [
      'endpoint',
      'trips',
      'statements',
      'rows read',
      'rows written',
      'bytes asked',
      'bytes answered',
      'to and from the database',
      'median',
      '×',
      'p99, or slowest of',
      '×',
      `median at ${latencyMs} ms`,
      '×',
      'slowest of',
      '×',
    ],
    cases.map(({ name, counts, near, far }) => [
      `\`${name}\``,
      counts.roundTrips,
      counts.statements,
      figure(counts.rowsRead),
      figure(counts.rowsWritten),
      figure(counts.requestBytes),
      figure(counts.responseBytes),
      `${figure(counts.databaseRequestBytes)} / ${figure(counts.databaseResponseBytes)}`,
      ...time(near),
      ...time(far),
    ]),
  )
}

/** Rows per second in each way, by history; round trips and rows are those of one batch or file at the first history. */
function landingTable({ scenarios }: Results): string {
  const ways = scenarios[0]?.landing ?? []
  const speed = (way: string, landing: Landing[]) =>
    figure(Math.round(landing.find((one) => one.way === way)?.rowsPerSecond ?? 0))
  return table(
    [
      'rows per second',
      'round trips',
      'read a row',
      'written a row',
      ...scenarios.map(({ history }) => history.name),
    ],
    ways.map(({ way, roundTrips, readPerRow, writtenPerRow }) => [
      way,
      roundTrips ?? '',
      readPerRow === undefined ? '' : figure(readPerRow),
      writtenPerRow === undefined ? '' : figure(writtenPerRow),
      ...scenarios.map(({ landing }) => speed(way, landing)),
    ]),
  )
}

/** What became of each deletion, and what it cost. */
function deletionsTable({ scenarios }: Results): string {
  return table(
    [
      'deleting',
      'history',
      'rows',
      'answer',
      'after seconds',
      'removed after seconds',
      'µs a row',
      'in the database',
    ],
    scenarios.flatMap(({ history, deletions }) =>
      deletions.map(({ what, rows, status, answeredAfter, seconds, done }) => [
        what,
        history.name,
        figure(rows),
        status,
        figure(answeredAfter),
        figure(seconds),
        figure((seconds * 1e6) / rows),
        done ? 'done' : 'not done',
      ]),
    ),
  )
}

function table(head: string[], rows: (string | number)[][]): string {
  const aligned = head.map((_, index) => (index === 0 ? '---' : '--:'))
  return [head, aligned, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
