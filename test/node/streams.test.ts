import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'drizzle-orm'
import { expect, test, vi } from 'vitest'
import { Meter } from '../../src/domain/meter.ts'
import { defaultBudgets } from '../../src/failures/budgets.ts'
import { holdTime, serveStreams } from './fixtures/streams.ts'

const { open, write, written, writeAndKeep, restart, url, whenClosed } = serveStreams()

test('different batches on one stream are a request each', async () => {
  holdTime()
  await writeAndKeep()
  const meter = new Meter()
  const db = open('writer', meter)
  await db.batch([db.all(sql`select 1 as a`), db.all(sql`select 2 as b`)])
  await db.batch([db.all(sql`select 3 as c`), db.all(sql`select 1 as a`), db.all(sql`select 4 as d`)])
  expect(meter.read()).toMatchObject({ roundTrips: 2, closes: 0 })
})

test('a stream that is too old by the isolate’s own clock is not used', async () => {
  const clock = holdTime()
  await writeAndKeep()
  clock.mockReturnValue(performance.now() + defaultBudgets.streamMaxIdleMs)
  expect(await write(3)).toMatchObject({ roundTrips: 1 })
  expect(await written()).toEqual([1, 2, 3])
})

test('a server that was killed and started again does not know the stream, and executes the write once', async () => {
  holdTime()
  await writeAndKeep()
  await restart()
  expect(await write(3)).toMatchObject({ roundTrips: 2 })
  expect(await written()).toEqual([1, 2, 3])
})

test('a stream goes on where the server says', async () => {
  let requests = 0
  const other = createServer(async (incoming, response) => {
    requests += 1
    const body = Buffer.concat(await incoming.toArray())
    const forwarded = await fetch(`${url()}${incoming.url}`, { method: 'POST', body })
    response.writeHead(forwarded.status, { 'content-type': 'application/json' }).end(await forwarded.text())
  })
  await once(other.listen(0, '127.0.0.1'), 'listening')
  await restart([`--http-self-url=http://127.0.0.1:${(other.address() as AddressInfo).port}`])
  holdTime()
  await writeAndKeep()
  expect(requests).toBe(0)
  await write(3)
  await write(4)
  expect(requests).toBe(2)
  expect(await written()).toEqual([1, 2, 3, 4])
  await vi.runAllTimersAsync()
  await whenClosed()
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
