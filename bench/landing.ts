import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, LibsqlError } from '@libsql/client/http'
import { sql } from 'drizzle-orm'
import type { Bench } from './calls.ts'
import { type Call, Connection } from './client.ts'
import { type ImportFile, importFiles, type NewRow, newRows, toItem } from './landing-files.ts'
import type { Runtime } from './runtime.ts'

/**
 * How quickly rows land in one way. `roundTrips`, `readPerRow` and `writtenPerRow` are counted with one batch or file,
 * background work included.
 */
export type Landing = {
  way: string
  rows: number
  seconds: number
  rowsPerSecond: number
  roundTrips?: number
  /** The rows that the database reads and writes for each row that lands. */
  readPerRow?: number
  writtenPerRow?: number
}

/** How much is landed in each way. */
export type LandingSize = {
  creates: number
  batches: number
  items: number
  files: number
  fileRows: number
  raw: number
}

/** For ways that bypass the API: the file of a copy of the database, and the address of the one that is measured. */
export type RawDatabase = { file: string; url: string }

/** `settled` waits for what goes on after the last answer. */
type Way = { way: string; rows: number; land: () => Promise<void>; settled?: () => Promise<void> }
/** `counted` is the runtime whose connection to the database is counted, `runtime` the one that is timed. */
type Context = { bench: Bench; runtime: Runtime; counted: Runtime; size: LandingSize; raw: RawDatabase }

const parallelCreates = 8
const parallelBatches = 4
// Files of one user take turns.
const parallelFiles = 1
const pollMs = 10
const mostTries = 3
/** A phone uploads rows of the last month, a file contains those of the last year. */
const [uploadDays, fileDays] = [30, 365]

/** Lands rows for the owner in every way, one after another. */
export async function measureLanding(context: Context): Promise<Landing[]> {
  const { bench, size } = context
  const landings: Landing[] = []
  const counted = { ...context, runtime: context.counted, size: { ...size, batches: 1, files: 1 } }
  const work = new Map<string, Partial<Landing>>()
  for (const way of [syncBatches(counted), ...importFiles.map((file) => imported(file, counted))]) {
    work.set(way.way, await countWay(way, bench))
  }
  landings.push(await time(singleCreates(context), bench))
  landings.push(await time(syncBatches(context), bench))
  for (const file of importFiles) landings.push(await time(imported(file, context), bench))
  landings.push(await time(rawInserts(context)))
  landings.push(await time(pipelinedInserts(context)))
  return landings.map((landing) => ({ ...landing, ...work.get(landing.way) }))
}

async function countWay({ rows, land, settled }: Way, { database }: Bench) {
  await database.startCounting()
  await land()
  await settled?.()
  const { requests, rowsRead, rowsWritten } = await database.counted()
  return { roundTrips: requests, readPerRow: rowsRead / rows, writtenPerRow: rowsWritten / rows }
}

/** Times one way; throws unless all rows have landed. */
async function time({ way, rows, land, settled }: Way, bench?: Bench): Promise<Landing> {
  const before = bench && (await transactionsOf(bench))
  const start = performance.now()
  await land()
  await settled?.()
  const seconds = (performance.now() - start) / 1_000
  const landed = bench && before !== undefined ? (await transactionsOf(bench)) - before : rows
  if (landed !== rows) throw new Error(`${way}: ${landed} of ${rows} rows have landed`)
  return { way, rows, seconds, rowsPerSecond: rows / seconds }
}

function transactionsOf({ database, owner }: Bench): Promise<number> {
  return database.number(sql`select sum(transaction_count) as n from accounts where user_id = ${owner.id}`)
}

function singleCreates({ bench, runtime, size }: Context): Way {
  const calls = newRows(bench, size.creates, uploadDays).map(
    (row): Call => ({
      method: 'POST',
      path: '/api/transactions',
      status: 201,
      token: bench.owner.token,
      body: toItem(row),
    }),
  )
  return {
    way: `single creates, ${parallelCreates} at a time`,
    rows: size.creates,
    land: () => callAll(runtime, parallelCreates, calls),
  }
}

/** Uploads batches, and waits until the queue's consumer has completed them. */
function syncBatches({ bench, runtime, size }: Context): Way {
  const calls = Array.from(
    { length: size.batches },
    (): Call => ({
      method: 'POST',
      path: '/api/transactions/sync',
      status: 200,
      token: bench.owner.token,
      body: { transactions: newRows(bench, size.items, uploadDays).map(toItem) },
    }),
  )
  const unfinished = sql`
    select count(*) as n from sync_batches where completed_at is null and user_id = ${bench.owner.id}`
  return {
    way: `sync, ${size.items} items a batch`,
    rows: size.batches * size.items,
    land: () => callAll(runtime, parallelBatches, calls),
    async settled() {
      while ((await bench.database.number(unfinished)) > 0) await sleep(pollMs)
    },
  }
}

function imported({ format, path, type, text }: ImportFile, { bench, runtime, size }: Context): Way {
  const account = bench.owner.accounts[0] ?? 0
  const calls = Array.from(
    { length: size.files },
    (): Call => ({
      method: 'POST',
      path: type === 'application/json' ? path : `${path}?account_id=${account}`,
      status: 200,
      token: bench.owner.token,
      file: { type, text: text(newRows(bench, size.fileRows, fileDays), account) },
    }),
  )
  return {
    way: `import, ${format} of ${size.fileRows} rows`,
    rows: size.files * size.fileRows,
    land: () => callAll(runtime, parallelFiles, calls),
  }
}

/** The database may take the lock away from a writer that keeps others waiting; its client then sends the same again. */
async function callUntilDone(connection: Connection, call: Call): Promise<void> {
  for (let tries = 1; tries < mostTries; tries++)
    if ((await connection.call({ ...call, status: [call.status, 503].flat() })).status !== 503) return
  await connection.call(call)
}

async function callAll(runtime: Runtime, parallel: number, calls: Call[]): Promise<void> {
  const left = [...calls]
  const worker = async () => {
    const connection = new Connection(runtime.api)
    for (let next = left.shift(); next; next = left.shift()) await callUntilDone(connection, next)
    connection.close()
  }
  await Promise.all(Array.from({ length: parallel }, worker))
}

const insert = `insert into transactions (user_id, account_id, category_id, type, amount, description, transaction_date,
                                          client_id, created_at, updated_at) values (?, ?, ?, ?, ?, ?, ?, ?, 0, 0)`
const values = (row: NewRow) => {
  const { type } = toItem(row)
  return [
    1,
    row.accountId,
    row.categoryId,
    type,
    Math.abs(row.amount),
    row.description,
    row.date,
    row.clientId,
  ]
}

/** The engine alone: one transaction and one prepared statement on the same table, triggers included. */
function rawInserts({ bench, size, raw }: Context): Way {
  const rows = newRows(bench, size.raw, uploadDays).map(values)
  return {
    way: 'raw SQLite inserts, one transaction in this process',
    rows: size.raw,
    async land() {
      const db = new DatabaseSync(raw.file)
      db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN')
      const statement = db.prepare(insert)
      for (const row of rows) statement.run(...row)
      db.exec('COMMIT')
      db.close()
    },
  }
}

/** False if the database was busy, with a checkpoint for example, and did nothing. */
async function landed(batch: Promise<unknown>): Promise<boolean> {
  try {
    await batch
    return true
  } catch (error) {
    if (error instanceof LibsqlError && error.code === 'SQLITE_BUSY') return false
    throw error
  }
}

/** The same over the wire: a batch of inserts for each transaction. */
function pipelinedInserts({ bench, size, raw }: Context): Way {
  const rows = newRows(bench, size.raw, uploadDays).map(values)
  return {
    way: `raw libSQL inserts by its client, ${size.items} in a batch`,
    rows: size.raw,
    async land() {
      const client = createClient({ url: raw.url })
      for (let at = 0; at < rows.length; at += size.items) {
        const batch = rows.slice(at, at + size.items).map((args) => ({ sql: insert, args }))
        while (!(await landed(client.batch(batch, 'write')))) await sleep(pollMs)
      }
      client.close()
    },
  }
}
