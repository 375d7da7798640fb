import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sqld, startSqld } from '../../dev/sqld/server.ts'
import { Meter } from '../../src/domain/meter.ts'
import { DatabaseUnavailable } from '../../src/failures/failures.ts'
import { createWritten } from '../databases/create-written.ts'
import { openDatabase } from '../databases/open.ts'

let directory: string
let server: Sqld

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'purse-busy-'))
  server = await startSqld({ directory, checkpointInterval: 3_600 })
  await createWritten(open())
})

afterAll(async () => {
  await server.kill()
  await rm(directory, { recursive: true })
})

const open = (meter = new Meter(), timeoutMs = 60_000) =>
  openDatabase({ url: server.url, timeoutMs }, { meter })

/** Takes the file's write lock behind the server's back. Like a checkpoint, that makes BEGIN fail with SQLITE_BUSY. */
function lockFile(): () => void {
  const file = new DatabaseSync(join(directory, 'dbs', 'default', 'data'))
  file.exec('begin immediate')
  return () => {
    file.exec('rollback')
    file.close()
  }
}

async function rowsOf(writer: number): Promise<number | undefined> {
  const [[row]] = await open().batch([
    open().all<{ n: number }>(sql`select count(*) as n from written where writer = ${writer}`),
  ])
  return row?.n
}

function write(writer: number, db: ReturnType<typeof open>) {
  return db.batch([
    db.run(sql`insert into written values (${writer})`),
    db.run(sql`select count(*) from written`),
  ])
}

/** Calls a function at the second round trip. */
class RetryMeter extends Meter {
  readonly #onRetry: () => void
  constructor(onRetry: () => void) {
    super()
    this.#onRetry = onRetry
  }

  override countRoundTrip(): void {
    super.countRoundTrip()
    if (this.read().roundTrips === 2) this.#onRetry()
  }
}

test('writers that a busy server refuses try again, and each writes once', async () => {
  const unlock = lockFile()
  const retried = Promise.withResolvers<void>()
  const meters = Array.from({ length: 20 }, () => new RetryMeter(retried.resolve))
  const writes = Promise.all(meters.map((meter, writer) => write(writer, open(meter))))
  await retried.promise
  unlock()
  await writes
  for (const writer of meters.keys()) expect(await rowsOf(writer)).toBe(1)
})

test('a writer that is refused until its time is up is told to try again, and has written nothing', async () => {
  const unlock = lockFile()
  const meter = new Meter()
  await expect(write(100, open(meter, 1_500))).rejects.toBeInstanceOf(DatabaseUnavailable)
  unlock()
  expect(meter.read().roundTrips).toBeGreaterThan(1)
  expect(await rowsOf(100)).toBe(0)
})

test('readers do not wait for a writer', async () => {
  const unlock = lockFile()
  const meter = new Meter()
  await open(meter).batch([open().all(sql`select * from written`)])
  expect(meter.read().roundTrips).toBe(1)
  unlock()
})

test('a response that is too large is requested twice more, and is then our fault', async () => {
  const meter = new Meter()
  const db = open(meter)
  const tooMuch = db.all(sql`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 11) select printf('%.*c', 1000000, 'x') from n`)
  const response = db.batch([db.run(sql`insert into written values (101)`), tooMuch])
  await expect(response).rejects.toMatchObject({ name: 'ResponseTooLarge' })
  expect(meter.read().roundTrips).toBe(3)
  expect(await rowsOf(101)).toBe(0)
})

test('a parameter that is too large is our fault, and nothing is kept', async () => {
  const db = open()
  const batch = db.batch([
    db.run(sql`insert into written values (102)`),
    db.run(sql`select length(${'x'.repeat(5_000_001)})`),
  ])
  await expect(batch).rejects.toMatchObject({ code: 'ARGS_INVALID' })
  expect(await rowsOf(102)).toBe(0)
})
