import { clients, type Measured } from './measure.ts'
import { create, list, summary } from './requests.ts'
import type { Storing } from './storing.ts'
import { databaseMs, figure, latencyMs, machine, perSecond, table, work, workerMs } from './tables.ts'

/** What was measured with a history of so many transactions. */
export type History = { transactions: number; measured: Measured; storing: Storing[] }

/** All results in Markdown: of the shortest and of the longest history. */
export function report([short, long]: [History, History], commit: string): string {
  return `${[
    '# What requests cost',
    `\`npm run bench\` at ${commit}, on ${machine()}.`,
    headlines([short, long]),
    '## Requests',
    'Round trips and rows are what libSQL’s server reports, those of triggers and index entries included, and what Turso bills. Latency is the median until the last byte, one request at a time on workerd’s own socket, with the database on the same machine: with a distant one, add its distance for each round trip. Processor time is of one request; that of the Worker is less that of a route which does nothing.',
    requestTable(short, long),
    `## Requests a second with ${clients} clients`,
    'Worker, database and clients share the machine.',
    throughputTable(short, long),
    '## Storing many rows',
    'Of one request or transaction, the median, in turns. The plain INSERTs go to the same server, with the same triggers, without any check.',
    storingTable(short, long),
  ].join('\n\n')}\n`
}

/** What the README says: what history costs, what recording costs, and how quickly rows are stored. */
export function headlines([short, long]: [History, History]): string {
  const rowsRead = ({ measured }: History, name: string) => figure(work('rowsRead')(measured, name), 0)
  const [ofShort, ofLong] = [short, long].map(({ transactions }) => `${figure(transactions, 0)} transactions`)
  const { measured, storing } = long
  const ms = (begins: string) => figure(storing.find(({ way }) => way.startsWith(begins))?.ms, 0)
  return [
    `- The dashboard reads **${rowsRead(short, summary.name)}** rows of a user with ${ofShort}, and **${rowsRead(long, summary.name)}** of one with ${ofLong}.`,
    `- Recording a transaction takes **${figure(work('roundTrips')(measured, create.name), 0)}** round trip, writes **${figure(work('rowsWritten')(measured, create.name), 0)}** rows, and takes **${figure(databaseMs(measured, create.name), 1)}** ms of the database server's processor time and **${figure(workerMs(measured, create.name), 1)}** ms of the Worker's.`,
    `- A batch of a thousand transactions is stored in **${ms('`POST /api/transactions/sync`')}** ms by a user with ${ofLong}; one plain INSERT of a thousand rows takes **${ms('one plain INSERT of all')}** ms, and a thousand INSERTs in one transaction **${ms('a plain INSERT for each')}** ms.`,
  ].join('\n')
}

function requestTable(short: History, long: History): string {
  const both = (title: string) =>
    [short, long].map(({ transactions }) => `${title}, ${figure(transactions, 0)}`)
  const names = [...long.measured.work.keys()]
  return table(
    [
      'request',
      'round trips',
      'rows written',
      ...both('rows read'),
      ...both('latency ms'),
      ...both('database ms'),
      ...both('Worker ms'),
    ],
    names.map((name) => {
      const pair = (metric: typeof latencyMs, digits: number) =>
        [short, long].map(({ measured }) => figure(metric(measured, name), digits))
      return [
        `\`${name}\``,
        figure(work('roundTrips')(long.measured, name), 0),
        figure(work('rowsWritten')(long.measured, name), 0),
        ...pair(work('rowsRead'), 0),
        ...pair(latencyMs, 1),
        ...pair(databaseMs, 1),
        ...pair(workerMs, 1),
      ]
    }),
  )
}

/** Also in docs/scale.md. */
export function throughputTable(...histories: History[]): string {
  return table(
    ['request', ...histories.map(({ transactions }) => `${figure(transactions, 0)} transactions`)],
    [summary, list, create].map(({ name }) => [
      `\`${name}\``,
      ...histories.map(({ measured }) => figure(perSecond(measured, name), 0)),
    ]),
  )
}

function storingTable(...histories: History[]): string {
  return table(
    ['', 'rows', ...histories.map(({ transactions }) => `ms, ${figure(transactions, 0)} transactions`)],
    (histories[0]?.storing ?? []).map(({ way, rows }, nth) => [
      way,
      figure(rows, 0),
      ...histories.map(({ storing }) => figure(storing[nth]?.ms, 1)),
    ]),
  )
}
