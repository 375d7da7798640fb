// `npm run bench:turns`: how long a batch of one item that goes to the queue takes from its upload until it is done,
// while nothing else happens and while somebody else uploads batches of a thousand, eight at a time. Prints a line for
// each.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { runOne } from '../src/db/run.ts'
import { openDatabase } from '../test/databases/open.ts'
import { type Call, Connection } from './client.ts'
import { type Person, person } from './history.ts'
import { bundleWorker, startRuntime } from './runtime.ts'
import { databaseFile, scryptCost } from './scale/databases.ts'
import { withCopy, withParts } from './served.ts'

const [flooding, waiting] = [person(1), person(2)]
const floodItems = 1_000
const parallelUploads = 8
const uploads = 40
const pauseMs = 50
const pollMs = 10
const today = new Date().toISOString().slice(0, 10)

let amounts = 0
const upload = ({ token, accounts, categories }: Person, items: number): Call => ({
  method: 'POST',
  path: '/api/transactions/sync',
  status: [200, 429, 503],
  token,
  body: {
    transactions: Array.from({ length: items }, () => ({
      client_id: `turns-${++amounts}`,
      account_id: accounts[0],
      category_id: categories[0],
      type: 'expense',
      amount: amounts / 100,
      transaction_date: today,
    })),
  },
})

await withParts(async (parts, directory) => {
  const { file: worker } = bundleWorker(directory)
  await withCopy(await databaseFile(1_000), directory, async ({ url: databaseUrl }) => {
    const db = openDatabase({ url: databaseUrl, timeoutMs: 10_000 })
    await runOne(db, db.run(sql`update users set email_verified_at = 1 where id = ${waiting.id}`))
    const { api, stop } = await startRuntime({ worker, parts, databaseUrl, scryptCost })
    await waits(api)
    report('calm', await waits(api))
    let isOver = false
    const flood = Array.from({ length: parallelUploads }, async () => {
      const connection = new Connection(api)
      while (!isOver)
        if ((await connection.call(upload(flooding, floodItems))).status !== 200) await sleep(100)
      connection.close()
    })
    await sleep(2_000)
    report('in the flood', await waits(api))
    isOver = true
    await Promise.all(flood)
    await stop()
  })
})

/** Milliseconds that each of some uploads takes until it is done, in ascending order. */
async function waits(api: URL): Promise<number[]> {
  const connection = new Connection(api)
  const measured: number[] = []
  for (let nth = 0; nth < uploads; nth++) {
    const start = performance.now()
    const call = { ...upload(waiting, 1), headers: { Prefer: 'respond-async' } }
    const { sync_id } = await connection.json(call)
    const status: Call = {
      method: 'GET',
      path: `/api/transactions/sync/${sync_id}`,
      status: 200,
      token: waiting.token,
    }
    while ((await connection.json(status)).status !== 'completed') await sleep(pollMs)
    measured.push(performance.now() - start)
    await sleep(pauseMs)
  }
  connection.close()
  return measured.sort((a, b) => a - b)
}

function report(when: string, sorted: number[]): void {
  const [median, most] = [sorted[uploads >> 1] ?? 0, sorted.at(-1) ?? 0]
  console.log(`${when}: ${Math.round(median)} ms in the median, ${Math.round(most)} at most`)
}
