import type { Measured } from './measure.ts'
import {
  accounts,
  balancesReport,
  categories,
  create,
  list,
  monthlyReport,
  pull,
  push,
  type RequestKind,
  remove,
  summary,
  sync,
  syncReport,
  update,
} from './requests.ts'
import { figure, table, work } from './tables.ts'

const workers = '<https://developers.cloudflare.com/workers/platform/pricing/> (cloudflare-docs@07acbb6)'
const logs = `${workers.replace('07acbb6', '0ec9be2')}, until 1 December 2026`
const turso = '<https://turso.tech/pricing>, by a catalogue of 12 June 2026 (api-evangelist/turso@8cd9891)'

/** What a million units cost in US dollars once a month's allowance is used up, and where that was published. */
const prices = {
  runs: { name: 'Workers requests', dollars: 0.3, source: workers },
  cpuMs: { name: 'Workers CPU milliseconds', dollars: 0.02, source: workers },
  logLines: { name: 'Workers Logs events', dollars: 0.6, source: logs },
  rowsRead: { name: 'Turso rows read', dollars: 0.001, source: turso },
  rowsWritten: { name: 'Turso rows written', dollars: 1, source: turso },
}

type Usage = Record<keyof typeof prices, number>
const units = Object.keys(prices) as (keyof Usage)[]

const plans = [
  { name: 'Developer', dollars: 4.99, rowsRead: 2_500_000_000, rowsWritten: 25_000_000 },
  { name: 'Scaler', dollars: 24.92, rowsRead: 100_000_000_000, rowsWritten: 100_000_000 },
  { name: 'Pro', dollars: 416.58, rowsRead: 250_000_000_000, rowsWritten: 250_000_000 },
]

/** Requests of users who look more than they write, with phones that sync what they recorded offline. */
const mix: [kind: RequestKind, share: number][] = [
  [summary, 0.25],
  [list, 0.25],
  [accounts, 0.05],
  [categories, 0.05],
  [create, 0.25],
  [update, 0.03],
  [remove, 0.02],
  [sync, 0.05],
  [syncReport, 0.05],
]
/** Not in the mix: what clients with a copy of their own send instead, and rare reads. */
const others = [pull, push, monthlyReport, balancesReport]

const mixName = '**the mix**'

export const costKinds = [...mix.map(([kind]) => kind), ...others]

/** What a million requests cost, in tables of Markdown. */
export function costTables(measured: Measured): string {
  const usages = mix.map(([{ name }, share]) => ({ share, usage: usageOf(measured, name) }))
  const meanOf = (unit: keyof Usage) => usages.reduce((sum, { share, usage }) => sum + share * usage[unit], 0)
  const mean = Object.fromEntries(units.map((unit) => [unit, meanOf(unit)])) as Usage
  const row = (name: string, share: string, usage: Usage) => {
    const { cpuMs, rowsRead, rowsWritten } = usage
    return [
      name,
      share,
      figure(cpuMs, 1),
      figure(rowsRead, 0),
      figure(rowsWritten, name === mixName ? 1 : 0),
      dollars(costOf(usage)),
    ]
  }
  const ofMix = mix.map(([{ name }, share]) =>
    row(`\`${name}\``, `${Math.round(share * 100)} %`, usageOf(measured, name)),
  )
  const ofOthers = others.map(({ name }) => row(`\`${name}\``, '–', usageOf(measured, name)))
  const ofUnits = units.map((unit) => {
    const { name, dollars: price, source } = prices[unit]
    return [name, `$${price}`, dollars(mean[unit] * price), source]
  })
  const ofPlans = plans.map(({ name, dollars, rowsRead, rowsWritten }) => {
    const requests = Math.min(rowsRead / mean.rowsRead, rowsWritten / mean.rowsWritten)
    return [name, `$${dollars}`, figure(requests / 1_000_000, 1)]
  })
  return [
    table(
      ['one request', 'share', 'CPU ms', 'rows read', 'rows written', 'a million cost'],
      [...ofMix, ...ofOthers, row(mixName, '', mean)],
    ),
    table(['a million', 'cost', 'of the mix', 'published at'], ofUnits),
    table(['Turso plan', 'a month', 'holds so many million requests of the mix'], ofPlans),
  ].join('\n\n')
}

function usageOf(measured: Measured, name: string): Usage {
  const times = measured.times.get(name)
  return {
    runs: 1,
    cpuMs: times ? times.workerMs / times.latencies.length : 0,
    logLines: 1,
    rowsRead: work('rowsRead')(measured, name) ?? 0,
    rowsWritten: work('rowsWritten')(measured, name) ?? 0,
  }
}

/** What a million times these rows cost in US dollars. */
export const dollarsOfRows = ({ rowsRead, rowsWritten }: Pick<Usage, 'rowsRead' | 'rowsWritten'>): number =>
  rowsRead * prices.rowsRead.dollars + rowsWritten * prices.rowsWritten.dollars

function costOf(usage: Usage): number {
  return units.reduce((sum, unit) => sum + usage[unit] * prices[unit].dollars, 0)
}

function dollars(amount: number): string {
  return `$${amount.toFixed(2)}`
}
