// `npm run bench`: what requests cost a user with 1,000 and one with 1,000,000 transactions: round trips, rows, latency,
// processor time, requests a second, and how quickly rows are stored. Writes bench/results/results.md and the tables of
// README.md and docs/scale.md. `-- --quick --output=<folder>` only shows that it works, and writes to the folder alone.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { projectDirectory } from '../dev/project.ts'
import { costKinds, costTables } from './cost.ts'
import { writeSection } from './document.ts'
import { extendHistory } from './history.ts'
import { countWork, fullSize, measure, nothingMeasured, quickSize } from './measure.ts'
import { type History, headlines, report, throughputTable } from './report.ts'
import { create, list, registerHousehold, summary } from './requests.ts'
import {
  bundleVersion,
  commitOf,
  inDirectory,
  say,
  startCountedService,
  startService,
  type Version,
} from './service.ts'
import { measureStoring } from './storing.ts'

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, output: { type: 'string' } },
})
const size = options.quick ? quickSize : fullSize
const uploaded = options.quick ? 100 : 1_000
const [shortHistory, longHistory] = [uploaded, options.quick ? 200 : 1_000_000]
const output = options.output ?? path.join(import.meta.dirname, 'results')
const kindsAtOnce = [summary, list, create]

await inDirectory(async (directory) => {
  const version = bundleVersion(projectDirectory, directory)
  const short = await measureHistory(shortHistory, { ...version, state: path.join(directory, 'short') })
  const long = await measureHistory(longHistory, { ...version, state: path.join(directory, 'long') })
  const text = report([short, long], commitOf(projectDirectory))
  console.log(text)
  mkdirSync(output, { recursive: true })
  writeFileSync(path.join(output, 'results.md'), text)
  if (options.output) return
  writeSection('README.md', 'bench', headlines([short, long]))
  writeSection('docs/scale.md', 'cost', costTables(short.measured))
  writeSection('docs/scale.md', 'requests a second', throughputTable(short, long))
})

async function measureHistory(transactions: number, version: Version): Promise<History> {
  say(`${transactions} transactions`)
  const measured = nothingMeasured()
  const counted = await startCountedService(version)
  const household = await registerHousehold(counted, uploaded)
  await extendHistory(counted, uploaded, transactions)
  say('counting')
  for (const kind of costKinds)
    measured.work.set(kind.name, await countWork(kind, { service: counted, household, calls: size.counted }))
  await counted.stop()
  const running = { service: await startService(version), household, measured }
  say('measuring')
  await measure([running], { kinds: costKinds, kindsAtOnce, size })
  say('storing')
  const storing = await measureStoring(running, size.rounds)
  await running.service.stop()
  return { transactions, measured, storing }
}
