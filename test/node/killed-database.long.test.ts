import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { freePort } from '../../dev/ports.ts'
import { type Sqld, startSqld } from '../../dev/sqld/server.ts'
import { openDatabase } from '../databases/open.ts'
import { Dice } from '../dice.ts'
import { edit } from '../worker/devices/edits.ts'
import { checkDatabase } from './fixtures/check-database.ts'
import { clientOf, register, verifyByMail } from './fixtures/client.ts'
import { loseMessages } from './fixtures/lost-messages.ts'
import { newPlace, type Place, start, until } from './fixtures/stack.ts'
import { end, settle, Wire } from './fixtures/wire.ts'

let place: Place & { TURSO_DATABASE_URL: string }
let stack: ReturnType<typeof start>
let sqld: Sqld
let revive: () => Promise<void>

beforeAll(async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'purse-killed-'))
  const options = { directory, port: await freePort(), checkpointInterval: 3_600 }
  revive = async () => {
    sqld = await startSqld(options)
  }
  await revive()
  place = { ...(await newPlace()), TURSO_DATABASE_URL: sqld.url }
  stack = await start(place).ready()
  return async () => {
    await sqld.close()
    await rm(directory, { recursive: true })
  }
})

test('what is under way when the database is killed is there whole or not at all, and what got a response stays', async () => {
  const api = clientOf(place)
  const email = 'phone@example.com'
  const { user, access_token: token } = await register(place, email)
  await verifyByMail(place, email)
  const call = (method: string, path: string, body?: unknown) =>
    api(method, path, body, token).catch(() => ({ status: 0, body: undefined }))
  const { id } = (await call('POST', '/accounts', { name: 'Kept', type: 'cash', starting_balance: 0 })).body

  // Small batches are processed as they are accepted if no other is pending; large ones always go through the queue.
  const sizes = [50, 120]
  let numbers = 0
  const rows = (account_id: number) => {
    numbers += 1
    const fields = { account_id, type: 'income', amount: 1, transaction_date: '2026-11-20' }
    return Array.from({ length: sizes[numbers % 2] ?? 0 }, (_, i) => ({
      ...fields,
      client_id: `${numbers}-${i}`,
    }))
  }
  const answered = { syncs: [] as string[], imports: [] as number[], deletions: [] as number[] }
  const kinds: Record<keyof typeof answered, () => Promise<void>> = {
    async syncs() {
      const { status, body } = await call('POST', '/transactions/sync', { transactions: rows(id) })
      if (status === 200) answered.syncs.push(body.sync_id)
    },
    async imports() {
      const { status, body } = await call('POST', '/import/store', { transactions: rows(id) })
      if (status === 200) answered.imports.push(body.import.id)
    },
    async deletions() {
      const account = { name: `Gone ${numbers}`, type: 'cash', starting_balance: 0 }
      const { body } = await call('POST', '/accounts', account)
      if (!body?.id) return
      await call('POST', '/import/store', { transactions: rows(body.id) })
      if ((await call('DELETE', `/accounts/${body.id}`)).status === 204) answered.deletions.push(body.id)
    },
  }
  for (let life = 1; life <= 2; life++) {
    let isKilled = false
    const before = Object.values(answered).map(({ length }) => length)
    const workers = Object.values(kinds).map(async (work) => {
      while (!isKilled) await work()
    })
    const hasDoneAll = () => Object.values(answered).every(({ length }, kind) => length > (before[kind] ?? 0))
    const hasBegun = await until(hasDoneAll)
    await sqld.kill()
    isKilled = true
    await Promise.all(workers)
    await revive()
    expect(hasBegun).toBe(true)
  }

  const db = openDatabase({ url: sqld.url, timeoutMs: 10_000 })
  await loseMessages(db)
  for (const sync of answered.syncs) {
    const isDone = async () => (await call('GET', `/transactions/sync/${sync}`)).body?.status === 'completed'
    expect(await until(isDone)).toBe(true)
  }
  const imports = (await call('GET', '/imports')).body.map((one: { id: number }) => one.id)
  expect(answered.imports.filter((one) => !imports.includes(one))).toEqual([])
  for (const one of answered.deletions) expect((await call('GET', `/accounts/${one}`)).status).toBe(404)
  // Removal messages that met a dead database are redelivered.
  const ofDeleted = sql`
    select 1 from transactions where account_id in (select value from json_each(${JSON.stringify(answered.deletions)}))`
  expect(await until(async () => (await db.batch([db.all(ofDeleted)]))[0].length === 0, 120)).toBe(true)
  const [whole, intact] = await db.batch([
    db.all<{ rows: number }>(
      sql`
        select distinct count(*) as rows from transactions where user_id = ${user.id}
        group by substr(client_id, 1, instr(client_id, '-')) order by 1`,
    ),
    db.all<{ integrity_check: string }>(sql`pragma integrity_check`),
  ])
  expect([whole, intact]).toEqual([sizes.map((rows) => ({ rows })), [{ integrity_check: 'ok' }]])
  await checkDatabase(place)
})

test('copies are correct, and nothing is lost or done twice, however often the database is killed', async () => {
  const wire = new Wire(place)
  const people = [await settle(wire, 'ada', 3), await settle(wire, 'bob', 2)]
  const devices = people.flat()
  let isOver = false
  let alive = Promise.withResolvers<void>()
  const lives = devices.map(async (device, nth) => {
    const dice = new Dice(nth + 1)
    while (!isOver) {
      for (let left = dice.from(1, 9); left > 0; left--) edit(device, dice)
      const lost = wire.tally.counts.get('503')
      await device.sync(dice)
      // A device that gets no response waits until the database is back.
      if (wire.tally.counts.get('503') !== lost) await alive.promise
    }
  })
  const responses = (status: string) => wire.tally.counts.get(status) ?? 0
  const reach = async (status: string, count: number) =>
    expect(await until(() => responses(status) >= count)).toBe(true)
  try {
    for (let life = 1; life <= 3; life++) {
      await reach('200', responses('200') + 2 * devices.length)
      alive = Promise.withResolvers()
      const lost = responses('503')
      await sqld.kill()
      await reach('503', lost + devices.length)
      await revive()
      alive.resolve()
    }
  } finally {
    isOver = true
    alive.resolve()
  }
  await Promise.all(lives)
  for (const own of people) await end(own)
  await checkDatabase(place)
})

test('a Worker that is killed ends its stack, leaves no transaction open, and what got a response stays', async () => {
  const api = clientOf(place)
  const { access_token: token } = await register(place, 'killed@example.com')
  const account = { name: 'Kept', type: 'cash', starting_balance: 0 }
  const answered: number[] = []
  let isKilled = false
  const writers = Array.from({ length: 8 }, async () => {
    while (!isKilled) {
      const { status, body } = await api('POST', '/accounts', account, token).catch(() => ({
        status: 0,
        body: {},
      }))
      if (status === 201) answered.push(body.id)
    }
  })
  expect(await until(() => answered.length >= 40)).toBe(true)
  stack.killWrangler()
  expect(await stack.exit()).toBe(1)
  expect(stack.output).toMatch(/\nerror: the Worker's wrangler dev ended with SIGKILL.*\n$/)
  expect(await stack.nothingLeft()).toBe(true)
  isKilled = true
  await Promise.all(writers)
  const db = openDatabase({ url: sqld.url, timeoutMs: 10_000 })
  const [, rows] = await db.batch([
    db.run(sql`update users set name = 'Kept' where email = 'killed@example.com'`),
    db.all<{ id: number }>(sql`select id from accounts where name = 'Kept'`),
  ])
  expect(answered.filter((id) => !rows.some((row) => row.id === id))).toEqual([])
})
