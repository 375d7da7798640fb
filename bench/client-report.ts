import { type Action, actions, type Cost } from './device.ts'
import { figure, machine, table } from './tables.ts'

type Costs = Map<Action, Cost>

/** What was measured with a history of so many transactions: near, far, and near on a slower processor. */
export type DeviceResults = { transactions: number; near: Costs; far: Costs; slow: Costs | undefined }

/** All results in Markdown. */
export function clientReport(results: DeviceResults[], commit: string): string {
  return `${[
    '# What a client costs',
    `\`npm run bench:client\` at ${commit}, on ${machine()}: the example app in Chromium, at another origin than the API’s, with all processes on one machine. Far is 100 ms more for each response, preflights included; slower is Chromium’s throttling by four. A task is measured in its processor time; the heap is what is left after a collection. A search stays on screen while rows are added, and another tab shows the second one.`,
    clientTable(results),
  ].join('\n\n')}\n`
}

/** Also in docs/scale.md. */
export function clientTable(results: DeviceResults[]): string {
  return table(
    [
      'what a person does',
      'transactions',
      'requests',
      'preflights',
      'KB',
      'KB compressed',
      'ms near',
      'times that, far',
      'longest task ms',
      'of a slower processor',
      'heap MB',
    ],
    actions.flatMap((action) =>
      results.map(({ transactions, near, far, slow }) => {
        const [cost, distant] = [near.get(action), far.get(action)]
        return [
          action,
          figure(transactions, 0),
          figure(cost?.requests, 0),
          figure(cost?.preflights, 0),
          figure(cost && cost.bytes / 1_000, 0),
          figure(cost && cost.compressedBytes / 1_000, 0),
          figure(cost?.ms, 0),
          figure(cost && distant && distant.ms / cost.ms, 1),
          figure(cost?.longestTaskMs, 0),
          figure(slow?.get(action)?.longestTaskMs, 0),
          figure(cost && cost.heapBytes / 1_000_000, 0),
        ]
      }),
    ),
  )
}
