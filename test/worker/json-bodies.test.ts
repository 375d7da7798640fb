import { Context } from 'hono'
import { describe, expect, test } from 'vitest'
import { BodyStream } from '../../src/http/body-stream.ts'
import { createHousehold } from './laws/every-route.ts'
import { muteLog } from './muted-log.ts'
import { takeMemory } from './taken-memory.ts'
import { createWorld } from './world.ts'

const megabyte = 1024 * 1024
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
    const memory = takeMemory(55.9 * megabyte)
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

  test('of somebody without a token is read where there is room', async () => {
    const { status } = await createWorld().call('POST', '/api/register', {
      body: { name: 'x'.repeat(70_000) },
    })
    expect(status).toBe(422)
  })
})

test('a body that stalls is dropped after ten seconds, and is a 503', { timeout: 60_000 }, async () => {
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
