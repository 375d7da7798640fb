// `npm run bench:cost`: what a million requests cost, from counts of libSQL's server, the CPU time of workerd
// and the list prices in prices.ts; prints the tables and writes them into docs/scale.md.
import { casesOf, createHousehold, emptyPull, syncBatch, uploadOfNew } from '../calls.ts'
import { MeasuredDatabase } from '../database.ts'
import { writeSection } from '../document.ts'
import { bundleWorker, type Parts } from '../runtime.ts'
import { withCopy, withParts, withRuntime } from '../served.ts'
import { databaseFile, scryptCost, users } from './databases.ts'
import { dollarsPerMillionOf, prices, tursoPlans, type Usage, units } from './prices.ts'
import { type MixedCall, measureUsage } from './usage.ts'

const ownTransactions = 1_000
const batchItems = 20

const caseOf = (route: string) => (casesOf([route])[0] as { prepare: MixedCall['prepare'] }).prepare

/** A million requests of people who look more than they write, with phones that sync what they recorded offline. */
const mix: MixedCall[] = [
  { name: 'GET /api/summary', share: 0.25, prepare: caseOf('GET /api/summary') },
  { name: 'GET /api/transactions', share: 0.25, prepare: caseOf('GET /api/transactions') },
  { name: 'GET /api/accounts', share: 0.05, prepare: caseOf('GET /api/accounts') },
  { name: 'GET /api/categories', share: 0.05, prepare: caseOf('GET /api/categories') },
  { name: 'POST /api/transactions', share: 0.25, prepare: caseOf('POST /api/transactions') },
  { name: 'PUT /api/transactions/:id', share: 0.03, prepare: caseOf('PUT /api/transactions/:id') },
  { name: 'DELETE /api/transactions/:id', share: 0.02, prepare: caseOf('DELETE /api/transactions/:id') },
  { name: `POST /api/transactions/sync, ${batchItems} items`, share: 0.05, prepare: syncBatch(batchItems) },
  { name: 'GET /api/transactions/sync/:id', share: 0.05, prepare: caseOf('GET /api/transactions/sync/:id') },
]
/** Not in the mix: what clients with a copy of their own ask instead, and what is rare and expensive for its hashing. */
const beside: MixedCall[] = [
  { name: 'GET /api/changes, nothing new', share: 0, prepare: emptyPull },
  { name: `POST /api/changes, ${batchItems} new`, share: 0, prepare: uploadOfNew(batchItems) },
  { name: 'POST /api/register', share: 0, prepare: caseOf('POST /api/register'), messages: 1 },
  { name: 'POST /api/login', share: 0, prepare: caseOf('POST /api/login') },
]

const measured = await withParts(measureAll)
const text = [usageTable(measured), planTable(measured), priceTable()].join('\n\n')
console.log(text)
writeSection('docs/scale.md', 'cost', text)

type Measured = { call: MixedCall; usage: Usage }

async function measureAll(parts: Parts, directory: string): Promise<Measured[]> {
  const { file: worker } = bundleWorker(directory)
  const history = { name: 'cost', users, ownTransactions, othersTransactions: 0, scryptCost }
  return withCopy(await databaseFile(ownTransactions), directory, (database) =>
    withRuntime(
      { worker, parts, databaseUrl: database.countedUrl, scryptCost },
      createHousehold(history, new MeasuredDatabase(database)),
      async (bench) => {
        const measured: Measured[] = []
        for (const call of [...mix, ...beside])
          measured.push({ call, usage: await measureUsage(call, bench) })
        return measured
      },
    ),
  )
}

/** What one request of the mix uses. */
function averageOf(measured: Measured[]): Usage {
  const entries = units.map((unit) => [
    unit,
    measured.reduce((sum, { call, usage }) => sum + call.share * usage[unit], 0),
  ])
  return Object.fromEntries(entries) as Usage
}

function usageTable(measured: Measured[]): string {
  const mixed = averageOf(measured)
  const row = (name: string, share: string, usage: Usage) =>
    `| ${[name, share, ...units.map((unit) => figure(usage[unit])), dollars(dollarsPerMillionOf(usage))].join(' | ')} |`
  return [
    '| one request | share | Worker runs | CPU ms | queue operations | log lines | rows read | rows written | a million cost |',
    '| --- | --: | --: | --: | --: | --: | --: | --: | --: |',
    ...measured.map(({ call, usage }) =>
      row(`\`${call.name}\``, call.share === 0 ? '–' : `${Math.round(call.share * 100)} %`, usage),
    ),
    row('**the mix**', '', mixed),
    `| **a million of it** | | ${units.map((unit) => dollars(mixed[unit] * prices[unit].dollars)).join(' | ')} | |`,
  ].join('\n')
}

function planTable(measured: Measured[]): string {
  const { rowsRead, rowsWritten } = averageOf(measured)
  const millions = (plan: (typeof tursoPlans)[number]) =>
    Math.min(plan.rowsRead / rowsRead, plan.rowsWritten / rowsWritten) / 1_000_000
  return [
    '| Turso plan | a month | holds so many million requests of the mix |',
    '| --- | --: | --: |',
    ...tursoPlans.map((plan) => `| ${plan.name} | $${plan.dollars} | ${millions(plan).toFixed(1)} |`),
  ].join('\n')
}

function priceTable(): string {
  return [
    '| a million | cost | published at | read |',
    '| --- | --: | --- | --- |',
    ...units.map((unit) => {
      const { name, dollars, source, read } = prices[unit]
      return `| ${name} | $${dollars} | <${source}> | ${read} |`
    }),
  ].join('\n')
}

function dollars(amount: number): string {
  return `$${amount.toFixed(2)}`
}

function figure(number: number): string {
  return number.toLocaleString('en', { maximumFractionDigits: number < 100 ? 1 : 0 })
}
