// `npm run bench:writes`: how many single creates a second one database takes, and how many several do. Read the ratios:
// the databases share a machine and wait for no disk, so the machine is the bottleneck. If commits are durable, and so
// take their time, a database's single writer is: that is measured with transactions that hold the write lock for some
// milliseconds. Prints the table and writes it into docs/scale.md.
import { cpus } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Call, Connection } from '../client.ts'
import { writeSection } from '../document.ts'
import { person } from '../history.ts'
import { bundleWorker, serveDatabase, startRuntime } from '../runtime.ts'
import { withParts } from '../served.ts'
import { databaseFile, scryptCost, users } from './databases.ts'

const mostDatabases = 4
const counts = [1, 2, mostDatabases]
/** Clients in total, however many databases there are: they share the machine with what they measure. */
const clients = 8
const seconds = 3
const commitMs = 5
const rounds = 3
const today = new Date().toISOString().slice(0, 10)

/** A way to create a transaction of a user. */
type Way = {
  name: string
  origins: URL[]
  create: (connection: Connection, user: number) => Promise<unknown>
}

await withParts(async (parts, directory) => {
  const file = await databaseFile(1_000)
  const databases = []
  for (let number = 0; number < mostDatabases; number++)
    databases.push(await serveDatabase(path.join(directory, `writes${number}`), file))
  const { file: worker } = bundleWorker(directory)
  const runtimes = []
  for (const { url: databaseUrl } of databases)
    runtimes.push(await startRuntime({ worker, parts, databaseUrl, scryptCost }))
  const servers = databases.map(({ url }) => new URL(url))
  const text = table(
    await measureWays([
      { name: 'at the server', origins: servers, create: insert },
      { name: `commits of ${commitMs} ms`, origins: servers, create: insertSlowly },
      { name: 'through the Worker', origins: runtimes.map(({ api }) => api), create: request },
    ]),
  )
  console.log(text)
  writeSection('docs/scale.md', 'writes', text)
  for (const { stop } of [...runtimes, ...databases]) await stop()
})

/** One statement, and so one transaction, with all that the triggers add. */
function insert(connection: Connection, user: number): Promise<unknown> {
  return connection.call(pipeline([execute(insertOf(user)), { type: 'close' }]))
}

/** A transaction that holds the write lock for as long as a durable commit would. */
async function insertSlowly(connection: Connection, user: number): Promise<void> {
  const begun = [execute('begin immediate'), execute(insertOf(user))]
  const { baton } = await connection.json(pipeline(begun))
  await sleep(commitMs)
  await connection.call(pipeline([execute('commit'), { type: 'close' }], baton))
}

function pipeline(requests: unknown[], baton?: string): Call {
  const body = { requests, ...(baton && { baton }) }
  return { method: 'POST', path: '/v2/pipeline', status: 200, body }
}

function execute(sql: string) {
  return { type: 'execute', stmt: { sql } }
}

function insertOf(user: number): string {
  const { accounts, categories } = person(user)
  return `insert into transactions (user_id, account_id, category_id, type, amount, transaction_date, created_at, updated_at)
          values (${user}, ${accounts[0]}, ${categories[0]}, 'expense', 350, '${today}', 0, 0)`
}

function request(connection: Connection, user: number): Promise<unknown> {
  const { token, accounts, categories } = person(user)
  const expense = { account_id: accounts[0], category_id: categories[0], type: 'expense', amount: 3.5 }
  const body = { ...expense, transaction_date: today, force: true }
  return connection.call({ method: 'POST', path: '/api/transactions', status: 201, token, body })
}

/** Transactions a second in each round, by way and number of databases. */
async function measureWays(ways: Way[]): Promise<Map<string, number[]>> {
  const measured = new Map<string, number[]>()
  for (const way of ways) await perSecond(way, mostDatabases)
  for (let round = 0; round < rounds; round++) {
    for (const way of ways) {
      for (const count of counts) {
        const key = `${way.name} ${count}`
        measured.set(key, [...(measured.get(key) ?? []), await perSecond(way, count)])
      }
    }
  }
  return measured
}

async function perSecond({ origins, create }: Way, count: number): Promise<number> {
  const start = performance.now()
  const end = start + seconds * 1_000
  const made = await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      const database = client % count
      const connection = new Connection(origins[database] as URL)
      let calls = 0
      for (; performance.now() < end; calls++) await create(connection, 1 + ((client * 150 + calls) % users))
      connection.close()
      return calls
    }),
  )
  return made.reduce((sum, calls) => sum + calls, 0) / ((performance.now() - start) / 1_000)
}

function table(measured: Map<string, number[]>): string {
  const middle = (key: string) =>
    (measured.get(key) ?? []).toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0
  const names = [...new Set([...measured.keys()].map((key) => key.replace(/ \d+$/, '')))]
  const cells = (name: string, count: number) => {
    const [value, one] = [middle(`${name} ${count}`), middle(`${name} 1`)]
    return [Math.round(value).toLocaleString('en'), `× ${(value / one).toFixed(2)}`]
  }
  return [
    `${clients} clients, ${seconds} seconds, the middle of ${rounds} rounds; ${cpus().length} × ${cpus()[0]?.model.trim()}.`,
    '',
    `| databases at once | ${names.flatMap((name) => [`${name}, a second`, '']).join(' | ')} |`,
    `| --: ${names.map(() => '| --: | --: ').join('')}|`,
    ...counts.map((count) => `| ${[count, ...names.flatMap((name) => cells(name, count))].join(' | ')} |`),
  ].join('\n')
}
