import { describe, expect, onTestFinished, test } from 'vitest'
import { defaultBudgets } from '../../../src/failures/budgets.ts'
import { withTimeouts } from '../../../src/http/body-timeouts.ts'
import { budgets } from '../../budgets.ts'
import { holdMemory, unfinished } from '../fixtures/held-memory.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import { watchLimiters } from '../fixtures/watched-limiters.ts'
import { createWorld, type Json, logIn } from '../fixtures/world.ts'
import { createHousehold } from '../laws/every-route.ts'

const megabyte = 1024 * 1024
const kilobyte = 1024
/** The memory for bodies and lists of people with a token. */
const known = 56 * megabyte
const json = { 'Content-Type': 'application/json' }

const world = createWorld(budgets({ discardPauseMs: 50 }))

async function createPhone() {
  const household = await createHousehold(world)
  const { person, expense } = household
  /** Uploads a batch of that many items, of some 150 bytes each. */
  const upload = (items: number) =>
    person.post('/api/transactions/sync', {
      transactions: Array.from({ length: items }, (_, nth) => ({ ...expense(), client_id: `phone-${nth}` })),
    })
  return { ...household, upload }
}

/** Leaves anonymous requests 64 KiB of memory: their bodies have arrived except for the end, until the test is over. */
async function holdAnonymousMemory() {
  const [count, bytes] = [67, 60 * kilobyte]
  const limiters = watchLimiters()
  const bodies = Array.from({ length: count }, () => unfinished(' '.repeat(bytes)))
  const responses = bodies.map(({ body }) =>
    world.call('POST', '/api/register', { rawBody: body, headers: json }),
  )
  await limiters.holding(count * bytes * 2)
  onTestFinished(async () => {
    for (const { breakOff } of bodies) breakOff()
    await Promise.all(responses)
  })
}

describe('a JSON body above 64 KiB', () => {
  test('is refused while it arrives if its token is not valid', async () => {
    const { person } = await createPhone()
    const token = person.token.replace(/^\d+/, '999999')
    const { body: rawBody } = unfinished(`{"transactions":[${' '.repeat(70_000)}`)
    const { status } = await world.call('POST', '/api/transactions/sync', { token, rawBody, headers: json })
    expect(status).toBe(401)
  })

  test.each(['/api/register', '/api/login', '/api/forgot-password', '/api/reset-password'])(
    'is a 413 where no token is needed, announced or not: %s',
    async (path) => {
      const statusOf = async (rawBody: string | ReadableStream) =>
        (await world.call('POST', path, { rawBody, headers: json })).status
      const large = JSON.stringify({ name: 'x'.repeat(80 * kilobyte) })
      const stream = unfinished(large)
      expect([await statusOf(large), await statusOf(stream.body)]).toEqual([413, 413])
      expect(await statusOf(`${large.slice(0, 60 * kilobyte)}"}`)).not.toBe(413)
    },
  )
})

describe('a body or list that finds no memory is a 503 that says when to try again, and small ones are served:', () => {
  const text = (length: number) => ({
    name: 'Savings',
    type: 'bank',
    starting_balance: 0,
    notes: 'x'.repeat(length),
  })
  const items = (count: number) => ({ transactions: Array(count).fill({ x: 1 }) })
  const operations = (count: number) => ({ ops: Array(count).fill({}) })

  test.each<[path: string, large: object, small: object, status: number]>([
    ['/api/accounts', text(5_000), text(2_000), 201],
    ['/api/transactions/sync', items(1_000), items(100), 422],
    ['/api/changes', operations(500), operations(20), 200],
  ])('%s', async (path, large, small, status) => {
    const { person } = await createPhone()
    const memory = await holdMemory(known - 32 * kilobyte)
    muteLog(['error'])
    const refused = await person.post(path, large)
    const seconds = expect.stringMatching(/^\d+$/)
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, seconds])
    expect((await person.post(path, small)).status).toBe(status)
    await memory.release()
    expect((await person.post(path, large)).status).toBe(status)
  })

  test('people whose token is not known have memory of their own, so they keep out no one else', async () => {
    const { person, upload } = await createPhone()
    await person.get('/api/me')
    await holdAnonymousMemory()
    muteLog(['error'])
    const register = (name: string) => world.call('POST', '/api/register', { body: { name } })
    expect((await register('x'.repeat(60_000))).status).toBe(503)
    expect((await register('x')).status).toBe(422)
    expect((await upload(1_000)).status).toBe(200)
  })
})

describe('of a list with more than a hundred errors', () => {
  const note = 'Only the first 100 errors are listed.'
  const post = async (path: string, body: (phone: Awaited<ReturnType<typeof createPhone>>) => object) => {
    const phone = await createPhone()
    return phone.person.post(path, body(phone))
  }

  test.each<[string, number, (expense: object) => object[]]>([
    ['invalid items', 999, (expense) => [...Array(999).fill({}), expense]],
    [
      'items that only the database can refuse',
      150,
      (expense) => Array(150).fill({ ...expense, account_id: 999_999 }),
    ],
  ])('a batch lists a hundred, and the positions of all: %s', async (_, count, items) => {
    const { status, body } = await post('/api/transactions/sync', ({ expense }) => ({
      transactions: items(expense()),
    }))
    expect([status, Object.keys(body.errors).length, body.errors.transactions]).toEqual([422, 101, [note]])
    expect(body.invalid_items).toEqual([...Array(count).keys()])
  })

  test('a lenient batch keeps at least one of each item', async () => {
    const { person } = await createPhone()
    const transactions = Array.from({ length: 1_000 }, (_, nth) => ({ client_id: `phone-${nth}` }))
    const { token } = person
    const headers = { Prefer: 'handling=lenient' }
    const { body } = await world.call('POST', '/api/transactions/sync', {
      token,
      body: { transactions },
      headers,
    })
    const { items } = (await person.get(`/api/transactions/sync/${body.sync_id}`)).body
    expect(items.at(-1).client_id).toBe('phone-999')
    const counts = items.map(({ errors }: Json) => Object.keys(errors).length)
    expect([counts.length, counts[0], Math.min(...counts), counts.at(-1)]).toEqual([1_000, 4, 1, 1])
  })

  test('an upload keeps at least one of each operation, and lists a hundred rows that appear twice', async () => {
    const { status, body } = await post('/api/changes', () => ({ ops: Array(500).fill({}) }))
    const counts = body.results.map(({ errors }: Json) => Object.keys(errors).length)
    const [first, least, last] = [counts[0], Math.min(...counts), counts.at(-1)]
    expect([status, counts.length, first, least, last]).toEqual([200, 500, 2, 1, 1])
    const ops = Array(500).fill({ op: 'delete', noun: 'transaction', id: 1 })
    const twice = await post('/api/changes', () => ({ ops }))
    const { errors } = twice.body
    expect([twice.status, Object.keys(errors).length, errors.ops]).toEqual([422, 101, [note]])
  })
})

test('a hundred lists of a thousand empty items at once all get a response, with a hundred errors each', async () => {
  const { person } = await createPhone()
  await person.get('/api/me')
  const transactions = Array(1_000).fill({})
  const paths = Array(50).fill(['/api/transactions/sync', '/api/import/store']).flat()
  const responses = await Promise.all(paths.map((path) => person.post(path, { transactions })))
  for (const { status, body } of responses)
    expect([status, Object.keys(body.errors).length]).toEqual([422, 101])
})

test('the first upload with a token may be as large as any', async () => {
  const { person, expense } = await createPhone()
  const { post } = world.as((await logIn(world, person)).body.access_token)
  // Together 800 KB, with fields that are never read.
  const transactions = Array(101).fill({ ...expense(), unread: ' '.repeat(8_000) })
  expect((await post('/api/transactions/sync', { transactions })).status).toBe(200)
})

test('a body that stalls is dropped, and is a 503', async () => {
  const { person, checking } = await createPhone()
  muteLog(['error'])
  const impatient = createWorld(budgets({ bodyPauseMs: 100 }), world.databaseUrl)
  const calls: [path: string, start: string, headers: Record<string, string>][] = [
    ['/api/accounts', '{"name":', json],
    ['/api/accounts', '{"name":', { ...json, 'Content-Length': '100' }],
    ['/api/transactions/sync', `{"transactions":[${' '.repeat(70_000)}`, json],
    [`/api/import/store?account_id=${checking.id}`, 'date,amount\n', { 'Content-Type': 'text/csv' }],
  ]
  const responses = await Promise.all(
    calls.map(([path, start, headers]) =>
      impatient.call('POST', path, { token: person.token, rawBody: unfinished(start).body, headers }),
    ),
  )
  expect(responses.map(({ status }) => status)).toEqual([503, 503, 503, 503])
})

test.each([json, { ...json, 'Content-Length': '100' }])(
  'a body that breaks off is a 400: %j',
  async (headers) => {
    const { person } = await createPhone()
    const rawBody = new ReadableStream({ pull: (controller) => controller.error(new Error('lost')) })
    const { status, body } = await world.call('POST', '/api/accounts', {
      token: person.token,
      rawBody,
      headers,
    })
    expect([status, body.message]).toEqual([400, 'The request body broke off.'])
  },
)

test('a body that comes byte by byte does not wake the Worker for each of them', async () => {
  const { readable, writable } = new IdentityTransformStream()
  const send = async () => {
    const writer = writable.getWriter()
    for (let sent = 0; sent < 10_000; sent += 1) await writer.write(new Uint8Array([sent]))
    await writer.close()
  }
  const sizes: number[] = []
  const read = new Response(withTimeouts(readable, defaultBudgets, (size) => sizes.push(size))).bytes()
  const [bytes] = await Promise.all([read, send()])
  expect(sizes).toHaveLength(10)
  expect(bytes).toEqual(Uint8Array.from({ length: 10_000 }, (_, nth) => nth))
})
