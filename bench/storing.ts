import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@libsql/client/http'
import { Connection } from './connection.ts'
import { onceFree } from './history.ts'
import type { Running } from './measure.ts'
import { newItems } from './requests.ts'
import { percentile } from './statistics.ts'

/** A way of storing rows at once, and how many milliseconds it takes, the median of the rounds. */
export type Storing = { way: string; rows: number; ms: number }

type Item = ReturnType<typeof newItems>[number]
type Way = { way: string; rows: number; store(items: Item[]): Promise<unknown> }

const batchRows = 1_000
const pollMs = 10

/** Stores rows through the service and by plain inserts, in turns, each round as many as the way takes. */
export async function measureStoring({ service, household }: Running, rounds: number): Promise<Storing[]> {
  const { token } = household
  const connection = new Connection(service.api)
  const database = createClient({ url: service.database.url, authToken: service.database.authToken })
  const post = (path: string, status: number, body: unknown) =>
    connection.json({ method: 'POST', path, status, body, token })
  const ways: Way[] = [
    {
      way: '`POST /api/transactions`',
      rows: 1,
      store: ([item]) => post('/api/transactions', 201, item),
    },
    {
      way: 'one plain INSERT',
      rows: 1,
      store: (items) => onceFree(() => database.execute(insertOf(items))),
    },
    {
      way: '`POST /api/transactions/sync`, until the batch is completed',
      rows: batchRows,
      async store(transactions) {
        const { sync_id } = await post('/api/transactions/sync', 200, { transactions })
        const report = { method: 'GET', path: `/api/transactions/sync/${sync_id}`, status: 200 } as const
        while ((await connection.json({ ...report, token })).status !== 'completed') await sleep(pollMs)
      },
    },
    {
      way: '`POST /api/import/store`',
      rows: batchRows,
      store: (transactions) => post('/api/import/store', 200, { transactions }),
    },
    {
      way: 'one plain INSERT of all rows',
      rows: batchRows,
      store: (items) => onceFree(() => database.execute(insertOf(items))),
    },
    {
      way: 'a plain INSERT for each row, in one batch of libSQL’s client',
      rows: batchRows,
      store: (items) =>
        onceFree(() =>
          database.batch(
            items.map((item) => insertOf([item])),
            'write',
          ),
        ),
    },
  ]
  const times = ways.map(() => [] as number[])
  for (let round = 0; round < rounds; round++)
    for (const [nth, { rows, store }] of ways.entries()) {
      const items = newItems(household, rows)
      const start = performance.now()
      await store(items)
      times[nth]?.push(performance.now() - start)
    }
  database.close()
  await connection.close()
  return ways.map(({ way, rows }, nth) => ({ way, rows, ms: percentile(times[nth] ?? [], 50) }))
}

/** The rows as one document, as the service sends them too; the triggers are the same. */
function insertOf(items: Item[]) {
  return {
    sql: `
      insert into transactions (user_id, account_id, category_id, type, amount, description, transaction_date,
                                client_id, created_at, updated_at)
      select (select user_id from accounts where id = value ->> 'account_id'), value ->> 'account_id',
             value ->> 'category_id', value ->> 'type', cast(round(value ->> 'amount' * 100) as integer),
             value ->> 'description', value ->> 'transaction_date', value ->> 'client_id', 0, 0
        from json_each(?)`,
    args: [JSON.stringify(items)],
  }
}
