// `npm run bench`: what every endpoint costs, at histories of 1,000 to 1,000,000 transactions and at 10,000 users, and
// how quickly rows land. Counts come from libSQL's own server and are the same on every machine; as for times, read
// the ratios. A run on a disturbed machine says so, leaves the README alone and exits with 1. `-- --quick` only shows that
// all of it works, apart from measuring the Worker's start, and leaves the results of the last full run alone.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { projectDirectory } from '../dev/project.ts'
import { landingChart, latencyChart, rowsChart } from './charts.ts'
import { writeSection } from './document.ts'
import { fullReport, headlines } from './report.ts'
import { disturbed, misses, type Results, type Scenario } from './results.ts'
import { bundleWorker, startupCost } from './runtime.ts'
import { runScenario } from './scenario.ts'
import { withParts } from './served.ts'
import { full, quick } from './sizes.ts'

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, output: { type: 'string' } },
})
const cache = path.join(projectDirectory, '.local/bench')
const output =
  options.output ?? (options.quick ? path.join(cache, 'quick') : path.join(import.meta.dirname, 'results'))
const size = options.quick ? quick : full

await withParts(async (parts, directory) => {
  const { file, size: bundle } = bundleWorker(directory)
  const startup = options.quick ? 'not measured' : startupCost(directory)
  const scenarios: Scenario[] = []
  for (const one of size.histories) {
    scenarios.push(await runScenario(one, size, { directory, cache, parts, worker: file, say }))
  }
  write({ commit: commit(), machine: machine(), bundle, startup, latencyMs: size.latencyMs, scenarios })
})

function write(results: Results): void {
  mkdirSync(output, { recursive: true })
  const files = {
    'results.json': `${JSON.stringify(results, rounded, 1)}\n`,
    'results.md': fullReport(results),
    'rows.svg': rowsChart(results),
    'latency.svg': latencyChart(results),
    'landing.svg': landingChart(results),
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(output, name), text)
  console.log(`${headlines(results)}\n`)
  console.log(`All figures: ${path.relative(projectDirectory, output)}/results.md`)
  if (options.quick) return
  const astray = disturbed(results)
  for (const line of astray) console.log(`DISTURBED: ${line}`)
  if (astray.length > 0) process.exitCode = 1
  else if (!options.output) writeSection('README.md', 'bench', headlines(results))
  for (const { goal, missed } of misses(results)) {
    console.log(`${missed.length === 0 ? 'met' : 'MISSED'}: ${goal}`)
    for (const one of missed) console.log(`  ${one}`)
  }
}

/** Reports progress. */
function say(line: string): void {
  console.error(`${(performance.now() / 1_000).toFixed(0).padStart(4)} s  ${line}`)
}

/** Drops digits beyond a clock's precision. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(7)) : value
}

function commit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: projectDirectory, encoding: 'utf8' }).trim()
  try {
    const changed = git('status', '--porcelain', 'src', 'migrations', 'dev', 'bench/*.ts') !== ''
    return `${git('rev-parse', '--short', 'HEAD')}${changed ? ' with changes' : ''}`
  } catch {
    return 'an unknown commit'
  }
}

function machine(): string {
  return `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown CPU'}`
}
