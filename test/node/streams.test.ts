import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { freePort } from '../../dev/ports.ts'
import { type Sqld, startSqld } from '../../dev/sqld/server.ts'
import { Meter } from '../../src/domain/meter.ts'
import { createWritten } from '../databases/create-written.ts'
import { openDatabase } from '../databases/open.ts'

let directory: string
let port: number
let server: Sqld
const background: Promise<unknown>[] = []

/** Starts the server with its default limit of connections. */
async function startServer(args: string[] = []): Promise<void> {
  server = await startSqld({ directory, port, checkpointInterval: 3_600, args })
}

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'purse-streams-'))
  port = await freePort()
  await startServer()
  await createWritten(open())
})

afterEach(async () => {
  if (vi.isFakeTimers()) await vi.runAllTimersAsync()
  vi.restoreAllMocks()
  vi.useRealTimers()
  await server.kill()
  await Promise.all(background.splice(0))
  await rm(directory, { recursive: true })
})

/** Opens the database for one run of an isolate: each token stands for another isolate. */
function open(authToken = 'owner', meter = new Meter()) {
  const waitUntil = (promise: Promise<unknown>) => void background.push(promise)
  const address = { url: `http://127.0.0.1:${port}`, authToken, timeoutMs: 120_000, keptStreams: 8 }
  return openDatabase(address, { meter, waitUntil })
}

async function write(writer: number, authToken = 'writer') {
  const meter = new Meter()
  const db = open(authToken, meter)
  await db.batch([db.run(sql`insert into written values (${writer})`), db.run(sql`select 1`)])
  return meter.read()
}

/** Stops the isolate's clock and timers, so that a kept stream stays kept however slow the machine is. Returns the clock. */
function holdTime() {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const now = performance.now()
  return vi.spyOn(performance, 'now').mockReturnValue(now)
}

const written = async () => {
  const db = open('reader')
  const [rows] = await db.batch([db.all<{ writer: number }>(sql`select writer from written order by writer`)])
  return rows.map(({ writer }) => writer)
}

/** Writes twice, so that the second stream is kept. */
async function writeAndKeep(authToken = 'writer'): Promise<void> {
  await write(1, authToken)
  await write(2, authToken)
}

test('different batches on one stream are a request each', async () => {
  holdTime()
  await writeAndKeep()
  const meter = new Meter()
  const db = open('writer', meter)
  await db.batch([db.all(sql`select 1 as a`), db.all(sql`select 2 as b`)])
  await db.batch([db.all(sql`select 3 as c`), db.all(sql`select 1 as a`), db.all(sql`select 4 as d`)])
  expect(meter.read()).toMatchObject({ roundTrips: 2, closes: 0 })
})

test('a stream that the server has ended is replaced, and the write is executed once', async () => {
  const clock = holdTime()
  await writeAndKeep()
  await sleep(11_000)
  expect(await write(3)).toMatchObject({ roundTrips: 2 })
  clock.mockRestore()
  await writeAndKeep()
  await sleep(11_000)
  // By its own clock, the isolate knows that the stream is too old.
  expect(await write(4)).toMatchObject({ roundTrips: 1 })
  expect(await written()).toEqual([1, 1, 2, 2, 3, 4])
})

test('a server that was killed and started again does not know the stream, and executes the write once', async () => {
  holdTime()
  await writeAndKeep()
  await server.kill()
  await startServer()
  expect(await write(3)).toMatchObject({ roundTrips: 2 })
  expect(await written()).toEqual([1, 2, 3])
})

test('a stream goes on where the server says', async () => {
  let requests = 0
  const other = createServer(async (incoming, response) => {
    requests += 1
    const body = Buffer.concat(await incoming.toArray())
    const forwarded = await fetch(`http://127.0.0.1:${port}${incoming.url}`, { method: 'POST', body })
    response.writeHead(forwarded.status, { 'content-type': 'application/json' }).end(await forwarded.text())
  })
  await once(other.listen(0, '127.0.0.1'), 'listening')
  await server.kill()
  await startServer([`--http-self-url=http://127.0.0.1:${(other.address() as AddressInfo).port}`])
  holdTime()
  await writeAndKeep()
  expect(requests).toBe(0)
  await write(3)
  await write(4)
  expect(requests).toBe(2)
  expect(await written()).toEqual([1, 2, 3, 4])
  await vi.runAllTimersAsync()
  await Promise.all(background.splice(0))
  expect(requests).toBe(3)
  await once(other.close(), 'close')
})

test('300 isolates share the 128 connections of a server, and each write is executed once', async () => {
  const isolates = Array.from({ length: 300 }, (_, isolate) => isolate)
  const rounds = 3
  // However slow the machine, each isolate keeps the stream of its second write.
  const now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockReturnValue(now)
  for (let round = 0; round < rounds; round++)
    await Promise.all(isolates.map((isolate) => write(isolate, `isolate-${isolate}`)))
  clock.mockRestore()
  expect(await written()).toEqual(isolates.flatMap((isolate) => Array(rounds).fill(isolate)))
})
