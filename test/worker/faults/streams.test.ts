import { sql } from 'drizzle-orm'
import { expect, test, vi } from 'vitest'
import { Meter } from '../../../src/domain/meter.ts'
import { openDatabase } from '../../databases/open.ts'
import { createWorld, type World } from '../fixtures/world.ts'
import { createHousehold } from '../laws/every-route.ts'
import { createFaultyWorld } from './faulty-world.ts'

const closesOf = async (world: World) => (await world.databaseWork()).closes

/** Opens a database as a run of the Worker does. */
function open(url: string, meter = new Meter()) {
  const waitUntil = (promise: Promise<unknown>) => void promise
  return openDatabase({ url, timeoutMs: 8_000, keptStreams: 8 }, { meter, waitUntil })
}

test('requests that follow each other, refused ones included, share a stream, which is closed once idle', async () => {
  const world = createWorld()
  const { person, expense } = await createHousehold(world)
  await world.resetDatabaseWork()
  const statuses = []
  for (let nth = 0; nth < 3; nth++) {
    statuses.push((await person.post('/api/transactions', expense())).status)
    statuses.push((await person.post('/api/transactions', { ...expense(), account_id: 77 })).status)
    statuses.push((await person.get('/api/summary')).status)
  }
  expect(statuses).toEqual([201, 422, 200, 409, 422, 200, 409, 422, 200])
  expect(await world.databaseWork()).toMatchObject({ requests: 9, opened: 0, closes: 0 })
  await vi.waitUntil(async () => (await closesOf(world)) === 1, { timeout: 60_000 })
})

test('more requests at once than streams are kept close their own', async () => {
  const world = createWorld({ KEPT_STREAMS: '3' })
  const { person } = await createHousehold(world)
  await world.resetDatabaseWork()
  await Promise.all(Array.from({ length: 9 }, () => person.get('/api/me')))
  await vi.waitUntil(async () => (await closesOf(world)) === 3, { timeout: 60_000 })
  expect((await world.databaseWork()).requests).toBe(9)
})

test('KEPT_STREAMS = 0 keeps none', async () => {
  const world = createWorld({ KEPT_STREAMS: '0' })
  const { person } = await createHousehold(world)
  await world.resetDatabaseWork()
  for (let nth = 0; nth < 3; nth++) await person.get('/api/me')
  expect(await world.databaseWork()).toMatchObject({ requests: 3, opened: 3, closes: 0 })
})

test('a server with too many connections has all streams closed, and none is kept for a minute', async () => {
  const world = createFaultyWorld()
  const { person } = await createHousehold(world)
  const readMe = () => person.get('/api/me')
  await Promise.all([readMe(), readMe(), readMe()])
  await world.resetDatabaseWork()
  await world.whileBroken({ gets: 'status', status: 429, only: 1 }, readMe)
  await vi.waitUntil(async () => (await closesOf(world)) === 3, { timeout: 60_000 })
  await readMe()
  await readMe()
  expect(await world.databaseWork()).toMatchObject({ requests: 3, opened: 3, closes: 3 })
})

test('a response that is too large closes its stream, and its transaction, before the next attempt', async () => {
  const world = createWorld()
  const meter = new Meter()
  const db = open(world.databaseUrl, meter)
  await db.batch([db.run(sql`create table written (writer integer)`)])
  const tooMuch = db.all(sql`
    select hex(zeroblob(2000000)) as a from json_each(json_array(1, 2, 3, 4, 5))`)
  const response = db.batch([db.run(sql`insert into written values (1)`), tooMuch])
  await expect(response).rejects.toMatchObject({ name: 'ResponseTooLarge' })
  expect(meter.read()).toMatchObject({ roundTrips: 4, closes: 3 })
  expect(await db.batch([db.all(sql`select * from written`)])).toEqual([[]])
})

test('a response cut at any byte loses its stream, and its request is executed once', async () => {
  const world = createFaultyWorld()
  const db = open(`${world.databaseUrl}faulty/`)
  const write = (writer: number) =>
    db.batch([
      db.run(sql`insert into written values (${writer})`),
      db.all(sql`select count(*) as n from written where writer = ${writer}`),
    ])
  await db.batch([db.run(sql`create table written (writer integer)`)])
  await write(0)
  await world.resetDatabaseWork()
  await write(0)
  const { responseBytes } = await world.databaseWork()
  expect(responseBytes).toBeGreaterThan(0)
  // Every byte of its start and of its end, and every eighth between them.
  const edge = 16
  const cuts = [...Array(responseBytes).keys()].filter(
    (nth) => nth < edge || nth >= responseBytes - edge || nth % 8 === 0,
  )
  for (const bytes of cuts) {
    const fault = { gets: 'half', bytes } as const
    const { result } = await world.whileBroken(fault, () => write(bytes + 1).catch((error) => error))
    expect([bytes, result]).toMatchObject([bytes, { name: 'DatabaseUnavailable' }])
  }
  const [rows] = await db.batch([
    db.all(sql`select writer, count(*) as n from written group by writer having n <> iif(writer = 0, 2, 1)`),
  ])
  const [[{ n }]] = (await db.batch([db.all(sql`select count(*) as n from written`)])) as [[{ n: number }]]
  expect([rows, n]).toEqual([[], cuts.length + 2])
})
