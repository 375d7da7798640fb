import { Context } from 'hono'
import { describe, expect, test } from 'vitest'
import { BodyStream } from '../../src/http/body-stream.ts'
import { createHousehold } from './laws/every-route.ts'
import { muteLog } from './muted-log.ts'
import { takeMemory } from './taken-memory.ts'
import { createWorld } from './world.ts'

const megabyte = 1024 * 1024
/** All the memory but what a small import takes, which is less than a body of 17,000 bytes or a list of 101 items. */
const almostAll = 56 * megabyte - 140_000
const json = { 'Content-Type': 'application/json' }

/** The beginning of a body, and never its end. */
function endless(text: string): ReadableStream {
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
  })
}

async function createPhone() {
  const world = createWorld()
  const household = await createHousehold(world)
  const { person, expense } = household
  /** Uploads a batch of that many items, of some 150 bytes each. */
  const upload = (items: number) =>
    person.post('/api/transactions/sync', {
      transactions: Array.from({ length: items }, (_, nth) => ({ ...expense(), client_id: `phone-${nth}` })),
    })
  return { ...household, world, upload }
}

/** Bodies of a size, by the paths that take them. */
type BodiesOf = (size: number, expense: object) => Record<string, object>

/** Posts such bodies, all at once, and returns each answer's status and whether it says when to try again. */
async function createSender(bodiesOf: BodiesOf) {
  const { world, person, expense } = await createPhone()
  const send = async (size: number, token = person.token) => {
    const bodies = Object.entries(bodiesOf(size, expense()))
    const answers = await Promise.all(bodies.map(([path, body]) => world.call('POST', path, { token, body })))
    return answers.map(({ status, headers }) => [status, headers.has('Retry-After')])
  }
  // From now on the token is known.
  await person.get('/api/me')
  return { send, unknownToken: person.token.replace(/^\d+/, '999999') }
}

describe('a large JSON body', () => {
  test('is refused while it arrives if its token is not valid', async () => {
    const { world, person } = await createPhone()
    const token = person.token.replace(/^\d+/, '999999')
    const rawBody = endless(`{"transactions":[${' '.repeat(70_000)}`)
    const { status } = await world.call('POST', '/api/transactions/sync', { token, rawBody, headers: json })
    expect(status).toBe(401)
  })

  test('that finds no memory is a 503 that says when to try again; small ones are served', async () => {
    const { upload } = await createPhone()
    const memory = takeMemory(almostAll)
    muteLog(['error'])
    const { status, headers } = await upload(1_000)
    expect([status, headers.get('Retry-After')]).toEqual([503, expect.stringMatching(/^\d+$/)])
    expect((await upload(10)).status).toBe(200)
    memory.release()
    expect((await upload(1_000)).status).toBe(200)
  })

  test('from somebody without a token never keeps out those from people with one', async () => {
    const { world, upload } = await createPhone()
    takeMemory(8 * megabyte)
    muteLog(['error'])
    const register = (name: string) => world.call('POST', '/api/register', { body: { name } })
    expect((await register('x'.repeat(70_000))).status).toBe(503)
    expect((await register('x')).status).toBe(422)
    expect((await upload(1_000)).status).toBe(200)
  })

  test('of somebody without a token is read if there is room', async () => {
    const { status } = await createWorld().call('POST', '/api/register', {
      body: { name: 'x'.repeat(70_000) },
    })
    expect(status).toBe(422)
  })
})

describe('a JSON body above 16 KB', () => {
  /** An account and an import, each with a text of that length. */
  const ofTexts: BodiesOf = (length, expense) => {
    const text = 'x'.repeat(length)
    return {
      '/api/accounts': { name: 'Savings', type: 'bank', starting_balance: 0, notes: text },
      '/api/import/store?dry_run=true': { transactions: [expense], text },
    }
  }
  const refused = Array(2).fill([503, true])
  const unauthorized = Array(2).fill([401, false])
  const served = [201, 200].map((status) => [status, false])

  test('that finds no memory is a 503 that says when to try again; smaller ones are served', async () => {
    const { send } = await createSender(ofTexts)
    const memory = takeMemory(almostAll)
    muteLog(['error'])
    expect(await send(17_000)).toEqual(refused)
    expect(await send(16_000)).toEqual(served)
    memory.release()
    expect(await send(17_000)).toEqual(served)
  })

  test('from somebody whose token is not known never keeps out those with one', async () => {
    const { send, unknownToken } = await createSender(ofTexts)
    expect(await send(17_000, unknownToken)).toEqual(unauthorized)
    takeMemory(8 * megabyte)
    muteLog(['error'])
    expect(await send(17_000, unknownToken)).toEqual(refused)
    expect(await send(17_000)).toEqual(served)
  })
})

test('the first upload with a token may be as large as any', async () => {
  const { world, person, expense } = await createPhone()
  const { email, password } = person
  const login = await world.call('POST', '/api/login', { body: { email, password } })
  // Together 800 KB, with fields that nobody reads.
  const transactions = Array(101).fill({ ...expense(), unread: ' '.repeat(8_000) })
  const token = login.body.access_token
  const { status } = await world.call('POST', '/api/transactions/sync', { token, body: { transactions } })
  expect(status).toBe(200)
})

describe('a list of many small items', () => {
  /** A batch, operations and an import, each of that many items. */
  const ofItems: BodiesOf = (count, expense) => ({
    '/api/transactions/sync': { transactions: Array(count).fill({}) },
    '/api/changes': { ops: Array(count).fill({}) },
    '/api/import/store?dry_run=true': { transactions: Array(count).fill(expense) },
  })
  const all = (status: number, hasRetryAfter: boolean) => Array(3).fill([status, hasRetryAfter])
  const served = [422, 200, 200].map((status) => [status, false])

  test('that finds no memory is a 503 that says when to try again; a few are served', async () => {
    const { send } = await createSender(ofItems)
    const memory = takeMemory(almostAll)
    muteLog(['error'])
    expect(await send(101)).toEqual(all(503, true))
    expect(await send(100)).toEqual(served)
    memory.release()
    expect(await send(101)).toEqual(served)
  })

  test('from somebody whose token is not known never keeps out those with one', async () => {
    const { send, unknownToken } = await createSender(ofItems)
    expect(await send(101, unknownToken)).toEqual(all(401, false))
    takeMemory(8 * megabyte)
    muteLog(['error'])
    expect(await send(101, unknownToken)).toEqual(all(503, true))
    expect(await send(101)).toEqual(served)
  })
})

test('a body that stalls is dropped after ten seconds, and is a 503', async () => {
  const { world, person, checking } = await createPhone()
  muteLog(['error'])
  const calls: [path: string, start: string, type: string][] = [
    ['/api/accounts', '{"name":', 'application/json'],
    ['/api/transactions/sync', `{"transactions":[${' '.repeat(70_000)}`, 'application/json'],
    [`/api/import/store?account_id=${checking.id}`, 'date,amount\n', 'text/csv'],
  ]
  const answers = await Promise.all(
    calls.map(([path, start, type]) =>
      world.call('POST', path, {
        token: person.token,
        rawBody: endless(start),
        headers: { 'Content-Type': type },
      }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503])
})

test('a body that comes byte by byte does not wake the Worker for each of them', async () => {
  const { readable, writable } = new IdentityTransformStream()
  const send = async () => {
    const writer = writable.getWriter()
    for (let sent = 0; sent < 10_000; sent += 1) await writer.write(new Uint8Array([sent]))
    await writer.close()
  }
  const request = new Request('http://purse.test', { method: 'POST', body: readable })
  const stream = new BodyStream(new Context(request), 10_000, 'too large')
  let parts = 0
  await Promise.all([send(), stream.readTo(Number.POSITIVE_INFINITY, () => (parts += 1))])
  const bytes = Uint8Array.from({ length: 10_000 }, (_, nth) => nth)
  expect([parts, stream.takeBytes()]).toEqual([10, bytes])
})
