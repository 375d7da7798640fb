// `npm run bench:compare -- [folder]`: what the main requests cost in this checkout and in another one, a folder with its
// node_modules (a `git worktree`), in turns within one run; without a folder, in this checkout alone. Prints the tables
// and writes them into bench/results. `-- --quick` only shows that it works.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { projectDirectory } from '../dev/project.ts'
import { comparison } from './comparison.ts'
import { countWork, fullSize, measure, nothingMeasured, quickSize, type Running } from './measure.ts'
import { accounts, create, list, registerHousehold, summary, sync, update, uploads } from './requests.ts'
import { bundleVersion, commitOf, inDirectory, say, startCountedService, startService } from './service.ts'

const { values: options, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const size = options.quick ? quickSize : fullSize
const historyLength = 1_000
const kinds = [summary, list, accounts, create, update, sync, ...uploads]
const kindsAtOnce = [summary, list, create]
const checkouts = [projectDirectory, ...positionals.slice(0, 1).map((folder) => path.resolve(folder))]

await inDirectory(async (directory) => {
  const versions: Running[] = []
  for (const [nth, checkout] of checkouts.entries())
    versions.push(await prepare(checkout, path.join(directory, `${nth}`)))
  say('measuring')
  await measure(versions, { kinds, kindsAtOnce, size })
  for (const { service } of versions) await service.stop()
  const text = comparison(
    versions.map(({ measured }, nth) => ({ name: commitOf(checkouts[nth] ?? ''), measured })),
  )
  console.log(text)
  if (options.quick) return
  const results = path.join(import.meta.dirname, 'results')
  mkdirSync(results, { recursive: true })
  writeFileSync(path.join(results, 'compare.md'), text)
})

/** Counts what each kind costs through a proxy, and starts the version again without it. */
async function prepare(checkout: string, state: string): Promise<Running> {
  say(`bundling ${checkout}`)
  const version = bundleVersion(checkout, state)
  const service = await startCountedService(version)
  const household = await registerHousehold(service, historyLength)
  const measured = nothingMeasured()
  for (const kind of kinds)
    measured.work.set(kind.name, await countWork(kind, { service, household, calls: size.counted }))
  await service.stop()
  return { service: await startService(version), household, measured }
}
