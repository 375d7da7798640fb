import { describe, expect, test } from 'vitest'
import { budgets } from '../../budgets.ts'
import { holdMemory, unfinished } from '../fixtures/held-memory.ts'
import { holdDatabase } from '../fixtures/held-requests.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import { watchLimiters } from '../fixtures/watched-limiters.ts'
import { createWorld } from '../fixtures/world.ts'
import { createHousehold } from '../laws/every-route.ts'
import { sendFile } from './send-file.ts'

const megabyte = 1024 * 1024
const small = 'date,amount\n2026-11-20,-5\n'
/** A file with one row and about that many bytes. */
const fileOf = (bytes: number) => small + `${' '.repeat(999)}\n`.repeat(bytes / 1_000)

async function createImporter(bindings: Partial<Env> = {}) {
  const world = createWorld(bindings)
  const { person, checking, expense } = await createHousehold(world)
  const upload = (rawBody: string | ReadableStream) =>
    sendFile({ world, person }, `store?account_id=${checking.id}&dry_run=1`, rawBody)
  return { person, upload, expense }
}

test('a file that finds no memory is a 503 that says when to try again; everything else is served, and small files soon', async () => {
  const { person, upload } = await createImporter(budgets({ slotWaitMs: 1 }))
  const memory = await holdMemory(50 * megabyte)
  muteLog(['error'])
  const large = await upload(fileOf(2 * megabyte))
  expect([large.status, large.headers.get('Retry-After')]).toEqual([503, expect.stringMatching(/^\d+$/)])
  expect((await person.get('/api/summary')).status).toBe(200)
  expect((await upload(small)).status).toBe(200)
  await memory.release()
  expect((await upload(fileOf(2 * megabyte))).status).toBe(200)
})

test('a file waits for memory', async () => {
  const { upload } = await createImporter()
  const memory = await holdMemory(52 * megabyte)
  const waiting = upload(fileOf(megabyte))
  await memory.refusing()
  await memory.release()
  expect((await waiting).status).toBe(200)
})

describe('while two imports are stored,', () => {
  /** Starts two imports, which wait for the database. */
  async function startTwo() {
    const { person, expense, upload } = await createImporter(budgets({ slotWaitMs: 1 }))
    const rows = () => person.post('/api/import/store', { transactions: [expense()] })
    await person.get('/api/me')
    const held = holdDatabase(2)
    const stored = Promise.all([rows(), rows()])
    await held.areHeld()
    return { person, upload, end: held.release, stored }
  }

  test('a third is a 503 that says when to try again, and everything else is served', async () => {
    const { person, upload, end, stored } = await startTwo()
    muteLog(['error'])
    const third = await upload(small)
    expect([third.status, third.headers.get('Retry-After')]).toEqual([503, expect.stringMatching(/^\d+$/)])
    expect((await person.get('/api/summary')).status).toBe(200)
    end()
    expect((await stored).map(({ status }) => status)).toEqual([200, 200])
    expect((await upload(small)).status).toBe(200)
  })

  test('files arrive, so a slow upload delays no other request', async () => {
    const { upload } = await createImporter()
    const slow = [unfinished(fileOf(100_000)), unfinished(fileOf(100_000))]
    const uploads = slow.map(({ body }) => upload(body))
    await Promise.all(slow.map(({ arrived }) => arrived))
    expect((await upload(small)).status).toBe(200)
    for (const { end } of slow) end()
    expect((await Promise.all(uploads)).map(({ status }) => status)).toEqual([200, 200])
  })
})

test('a file that comes in more parts than a request may have timers is read', async () => {
  const { upload } = await createImporter()
  const bytes = new TextEncoder().encode(small + ' '.repeat(12_000))
  let at = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at === bytes.byteLength) return controller.close()
      controller.enqueue(bytes.subarray(at, ++at))
    },
  })
  expect(await upload(body)).toMatchObject({ status: 200, body: { import: { counts: { rows: 1 } } } })
})

test('a body with more fields than an import may have is refused before it is parsed', async () => {
  const world = createWorld()
  const { person } = await createHousehold(world)
  const fields = Array.from({ length: 300_000 }, (_, nth) => `"${nth.toString(36)}":1`)
  const { status, body } = await world.call('POST', '/api/import/store', {
    token: person.token,
    rawBody: `{${fields.join(',')}}`,
    headers: { 'Content-Type': 'application/json' },
  })
  expect([status, body.errors]).toEqual([
    422,
    { transactions: ['The transactions field must not hold more than 300000 objects, lists and fields.'] },
  ])
})

test('a list with more than a hundred errors names the first hundred, and one with a hundred names them all', async () => {
  const { person } = await createImporter()
  const { status, body } = await person.post('/api/import/store', { transactions: Array(10_000).fill({}) })
  const named = Object.keys(body.errors).map((key) => Number(/^transactions\.(\d+)\./.exec(key)?.[1] ?? -1))
  expect([status, named.length]).toEqual([422, 101])
  expect(Math.max(...named)).toBeLessThan(100)
  expect(body.errors.transactions).toEqual(['Only the first 100 errors are listed.'])
  const wrong = {
    account_id: 1,
    type: 'expense',
    amount: 0,
    category_id: null,
    transaction_date: '2026-11-20',
  }
  const hundred = await person.post('/api/import/store', { transactions: Array(100).fill(wrong) })
  expect([Object.keys(hundred.body.errors).length, hundred.body.errors.transactions]).toEqual([
    100,
    undefined,
  ])
})

test('files that are arriving take no more memory together than there is', async () => {
  const { upload } = await createImporter(budgets({ slotWaitMs: 1 }))
  const uploads = Array.from({ length: 12 }, () => unfinished(fileOf(4.9 * megabyte)))
  muteLog(['error'])
  const limiters = watchLimiters()
  const responses = uploads.map(({ body }) => upload(body))
  await limiters.refusing()
  for (const { end } of uploads) end()
  const statuses = (await Promise.all(responses)).map(({ status }) => status)
  expect(statuses).toContain(503)
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
  expect((await upload(small)).status).toBe(200)
})

test('the memory of an abandoned upload is free again after a time', async () => {
  const { upload } = await createImporter()
  await holdMemory(50 * megabyte, budgets({ slotLeaseMs: 1 }))
  expect((await upload(fileOf(2 * megabyte))).status).toBe(200)
})
