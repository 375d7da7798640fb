import { expect, onTestFinished, test, vi } from 'vitest'
import { sha256Hex } from '../../src/domain/tokens.ts'
import { BodyMemory } from '../../src/http/body-memory.ts'
import { turnMs } from '../../src/http/turns.ts'
import { createHousehold } from './laws/every-route.ts'
import { muteLog } from './muted-log.ts'
import { takeMemory } from './taken-memory.ts'
import { createWorld } from './world.ts'

const megabyte = 1024 * 1024
const small = 'date,amount\n2026-11-20,-5\n'
/** A file with one row and about that many bytes. */
const fileOf = (bytes: number) => small + `${' '.repeat(999)}\n`.repeat(bytes / 1_000)

/** A file that has arrived except for its end. */
function halfUploaded(bytes: number) {
  let end = () => {}
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(fileOf(bytes)))
      end = () => controller.close()
    },
  })
  return { body, end: () => end() }
}

async function createImporter(world = createWorld()) {
  const { person, checking, expense } = await createHousehold(world)
  const upload = (rawBody: string | ReadableStream) =>
    world.call('POST', `/api/import/store?account_id=${checking.id}&dry_run=1`, {
      token: person.token,
      rawBody,
      headers: { 'Content-Type': 'text/csv' },
    })
  return { person, upload, expense }
}

test('a file that finds no room is a 503 that says when to try again; everything else is served, and small files soon', async () => {
  const { person, upload } = await createImporter()
  const memory = takeMemory(55 * megabyte)
  const large = await upload(fileOf(2 * megabyte))
  expect([large.status, large.headers.get('Retry-After')]).toEqual([503, expect.stringMatching(/^\d+$/)])
  expect((await person.get('/api/summary')).status).toBe(200)
  expect((await upload(small)).status).toBe(200)
  memory.release()
  expect((await upload(fileOf(2 * megabyte))).status).toBe(200)
})

test('each import counts, however small: its statements are larger than itself', async () => {
  const { person, upload, expense } = await createImporter()
  const rows = () => person.post('/api/import/store?dry_run=1', { transactions: [expense()] })
  await person.get('/api/me')
  const memory = takeMemory(56 * megabyte - 100_000)
  muteLog(['error'])
  const refused = await Promise.all([upload(small), rows()])
  expect(refused.map(({ status, headers }) => [status, headers.has('Retry-After')])).toEqual([
    [503, true],
    [503, true],
  ])
  memory.release()
  expect([(await upload(small)).status, (await rows()).status]).toEqual([200, 200])
})

test('files take turns: of two large ones the second is read when the first is done', async () => {
  const { upload } = await createImporter()
  const memory = takeMemory(50 * megabyte)
  let isRead = false
  const waiting = upload(fileOf(megabyte)).finally(() => {
    isRead = true
  })
  await scheduler.wait(300)
  expect(isRead).toBe(false)
  memory.release()
  expect((await waiting).status).toBe(200)
})

test('files of one user take turns, and nobody else waits for them', async () => {
  const world = createWorld()
  const [ada, bob] = [await createImporter(world), await createImporter(world)]
  const memory = new BodyMemory(ada.person.id)
  onTestFinished(() => memory.release())
  await memory.holdToRead(1)
  const answers = await Promise.all([ada.upload(small), bob.upload(small)])
  expect(answers.map(({ status }) => status)).toEqual([503, 200])
  memory.release()
  expect((await ada.upload(small)).status).toBe(200)
})

test('large batches of one token take turns, and small ones and those of others do not', async () => {
  const world = createWorld()
  const [ada, bob] = [await createHousehold(world), await createHousehold(world)]
  const upload = ({ person, expense }: typeof ada, items: number) =>
    person.post('/api/transactions/sync', {
      transactions: Array.from({ length: items }, (_, nth) => ({ ...expense(), client_id: `phone-${nth}` })),
    })
  const [id, secret = ''] = ada.person.token.split('|')
  const memory = new BodyMemory(`${id}|${sha256Hex(secret)}`)
  onTestFinished(() => memory.release())
  await memory.holdToRead(1)
  const answers = await Promise.all([upload(ada, 1_000), upload(ada, 10), upload(bob, 1_000)])
  expect(answers.map(({ status }) => status)).toEqual([503, 200, 200])
  memory.release()
  expect((await upload(ada, 1_000)).status).toBe(200)
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
  const { upload } = await createImporter()
  const uploads = Array.from({ length: 12 }, () => halfUploaded(4.9 * megabyte))
  const answers = uploads.map(({ body }) => upload(body))
  await scheduler.wait(1_000)
  for (const { end } of uploads) end()
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  expect(statuses).toContain(503)
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
  expect((await upload(small)).status).toBe(200)
})

test('what an abandoned request has taken is free again after a time', async () => {
  const gone = new BodyMemory()
  gone.hold(50 * megabyte)
  const next = new BodyMemory()
  onTestFinished(() => next.release())
  await expect(next.holdToRead(50 * megabyte)).rejects.toThrow('Service Unavailable')
  const later = performance.now() + turnMs
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => later + 1)
  onTestFinished(() => clock.mockRestore())
  await next.holdToRead(50 * megabyte)
})
