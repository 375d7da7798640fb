// `npm run bench:cpu`: the processor time of the Worker itself for what phones do most, as a multiple of a bare fetch to
// the database; prints the table and, with `-- --write`, puts it into docs/scale.md.
import { type Case, casesOf, createHousehold, syncBatch, tidy } from './calls.ts'
import { type Call, Connection } from './client.ts'
import { MeasuredDatabase } from './database.ts'
import { writeSection } from './document.ts'
import { bundleWorker } from './runtime.ts'
import { databaseFile, scryptCost, users } from './scale/databases.ts'
import { workerdCpuMs } from './scale/usage.ts'
import { withCopy, withParts, withRuntime } from './served.ts'
import { percentile } from './statistics.ts'

const ownTransactions = 1_000
const rounds = 9
const callsPerRound = 40
/** Rounds before measuring begins: V8 goes on compiling what is used often for about a thousand calls of each. */
const warmUps = 25

const routes = [
  'GET /api/summary',
  'GET /api/transactions',
  'POST /api/transactions',
  'PUT /api/transactions/:id',
]
const cases: Pick<Case, 'name' | 'prepare'>[] = [
  ...casesOf(routes).filter(({ name, route }) => name === route),
  { name: 'POST /api/transactions/sync, 20 items', prepare: syncBatch(20) },
]

/** What every call costs in workerd's HTTP server, which is subtracted, and the yardstick. */
const bareCases = { nothing: '/bare', fetch: '/fetch' }

const times = await withParts(async (parts, directory) => {
  const { file: worker } = bundleWorker(directory)
  const history = { name: 'cpu', users, ownTransactions, othersTransactions: 0, scryptCost }
  return withCopy(await databaseFile(ownTransactions), directory, (database) =>
    withRuntime(
      { worker, parts, databaseUrl: database.countedUrl, scryptCost },
      createHousehold(history, new MeasuredDatabase(database)),
      async (bench, runtime) => {
        const times: Record<string, number[]> = {}
        const bare = new Connection(runtime.bare)
        // In turns, so that whatever disturbs the machine disturbs all alike.
        for (let round = -warmUps; round < rounds; round++) {
          const note = (name: string, ms: number) => {
            if (round >= 0) times[name] = [...(times[name] ?? []), ms]
          }
          for (const [name, path] of Object.entries(bareCases))
            note(name, await cpuMsOf(bare, Array(callsPerRound).fill({ method: 'GET', path, status: 200 })))
          for (const { name, prepare } of cases) {
            const calls: Call[] = []
            while (calls.length < callsPerRound) calls.push(await prepare(bench))
            note(name, await cpuMsOf(bench.connection, calls))
          }
          await tidy(bench)
        }
        bare.close()
        return times
      },
    ),
  )
})

/** CPU milliseconds of each call. None leaves work behind. */
async function cpuMsOf(connection: Connection, calls: Call[]) {
  const before = workerdCpuMs()
  for (const call of calls) await connection.call(call)
  return (workerdCpuMs() - before) / calls.length
}

const medianOf = (name: string) => percentile(times[name] ?? [], 50)
const ownMs = (name: string) => medianOf(name) - medianOf('nothing')
const row = (label: string, name: string) => {
  const ms = ownMs(name)
  const fetch = ownMs('fetch')
  return `| ${label} | ${ms.toFixed(2)} | × ${(ms / fetch).toFixed(1)} | ${(ms - fetch).toFixed(2)} |`
}
const text = [
  '| one call | CPU ms | of a bare fetch | on top of it, ms |',
  '| --- | --: | --: | --: |',
  row('a bare `fetch` to the database, and its JSON', 'fetch'),
  ...cases.map(({ name }) => row(`\`${name}\``, name)),
].join('\n')
console.log(text)
if (process.argv.includes('--write')) writeSection('docs/scale.md', 'cpu', text)
