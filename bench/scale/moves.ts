// `npm run bench:moves`: how long a user gets 503s while they are moved to another database. Prints the table and writes
// it into docs/scale.md.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { migrateDatabase } from '../../dev/migrate.ts'
import { Directory } from '../../scale/directory.ts'
import { allotIds } from '../../scale/ids.ts'
import { moveUser } from '../../scale/move.ts'
import { findDifferences } from '../../src/db/check.ts'
import { openDatabase } from '../../test/databases/open.ts'
import { writeSection } from '../document.ts'
import { serveDatabase } from '../runtime.ts'
import { databaseFile } from './databases.ts'

const sizes = [1_000, 10_000, 100_000]
const timeoutMs = 120_000

const directory = mkdtempSync(path.join(tmpdir(), 'purse-moves-'))
try {
  const rows: string[] = []
  for (const size of sizes)
    rows.push(`| ${size.toLocaleString('en')} | ${(await secondsOfMove(size)).toFixed(2)} |`)
  const text = ['| transactions of the user | seconds away |', '| --: | --: |', ...rows].join('\n')
  console.log(text)
  writeSection('docs/scale.md', 'moves', text)
} finally {
  rmSync(directory, { recursive: true, force: true })
}

async function secondsOfMove(ownTransactions: number): Promise<number> {
  const serve = (name: string, file?: string) =>
    serveDatabase(path.join(directory, `${name}${ownTransactions}`), file)
  const served = [
    await serve('from', await databaseFile(ownTransactions)),
    await serve('to'),
    await serve('directory'),
  ]
  for (const { url } of served.slice(1)) await migrateDatabase(url)
  const [from, to, homes] = served.map(({ url }) => openDatabase({ url, timeoutMs }))
  if (!from || !to || !homes) throw new Error('Three databases take part')
  await allotIds(to, 1)
  const homesDirectory = new Directory(homes)
  await homesDirectory.create()

  const start = performance.now()
  await moveUser(1, {
    directory: homesDirectory,
    secret: 'a secret of the benchmark',
    from: { number: 0, db: from },
    to: { number: 1, db: to },
    graceMs: 0,
  })
  const seconds = (performance.now() - start) / 1_000
  const differences = [...(await findDifferences(from)), ...(await findDifferences(to))]
  if (differences.length > 0) throw new Error(`The move left ${differences.length} figures wrong`)
  for (const { stop } of served) await stop()
  return seconds
}
