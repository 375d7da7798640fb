import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { muteLog } from '../fixtures/muted-log.ts'
import { toQueue } from '../fixtures/responses.ts'
import { type ApiResponse, balanceOf } from '../fixtures/world.ts'
import { createHousehold, type Household } from '../laws/every-route.ts'
import { afterExecution, createFaultyWorld, decisive, expectUnavailable } from './faulty-world.ts'

beforeEach(() => {
  muteLog()
})
afterEach(() => vi.restoreAllMocks())

type Creation = {
  path: string
  body: (household: Household) => unknown
  /** The statuses of the first call that gets a response, and of those after it. */
  statuses: [first: number, again: number]
  /** How many there are in the list of what was created. */
  count: (household: Household) => Promise<number>
}

const account = { name: 'New', type: 'cash', starting_balance: 5 }
const listed = (path: string) => async (household: Household) =>
  (await household.person.get(path)).body.length as number
const transactions = async ({ person }: Household) =>
  (await person.get('/api/transactions')).body.total as number
const forced = ({ expense }: Household) => ({ transactions: [{ ...expense(), force: true }] })

let names = 0

/** What a POST creates, if sending it twice would create it twice. */
const creations: Creation[] = [
  { path: '/api/accounts', body: () => account, statuses: [201, 200], count: listed('/api/accounts') },
  {
    path: '/api/categories',
    body: () => ({ name: `Pets ${names++}`, type: 'expense' }),
    statuses: [201, 200],
    count: listed('/api/categories'),
  },
  {
    path: '/api/transactions',
    body: ({ expense }) => ({ ...expense(), force: true }),
    statuses: [201, 200],
    count: transactions,
  },
  { path: '/api/transactions/sync', body: forced, statuses: [200, 200], count: transactions },
  { path: '/api/import/store', body: forced, statuses: [200, 200], count: transactions },
  { path: '/api/import/bank/store', body: forced, statuses: [200, 200], count: transactions },
]

const world = createFaultyWorld()
const post = ({ person }: Household, path: string, body: unknown, key: string) =>
  world.call('POST', path, { token: person.token, body, headers: { 'Idempotency-Key': key } })
const refusal = (message: string) => [422, { 'Idempotency-Key': [message] }]

describe.each(creations)('POST $path with an Idempotency-Key', ({ path, body, statuses, count }) => {
  let household: Household
  beforeAll(async () => {
    household = await createHousehold(world)
  })

  /** A call with a key of its own, and how much has been created since now. */
  async function prepare() {
    const [key, sent, before] = [crypto.randomUUID(), body(household), await count(household)]
    const created = async () => {
      // Sync only queues.
      await world.deliverSyncs()
      return (await count(household)) - before
    }
    return { send: (as = key) => post(household, path, sent, as), created }
  }

  test.each(decisive)('creates once after %s', async (_, fault) => {
    const { send, created } = await prepare()
    expectUnavailable((await world.whileBroken(fault, send)).result)
    const first = await send()
    const isDone = afterExecution.some(([, after]) => after === fault)
    expect(first.status).toBe(statuses[isDone ? 1 : 0])
    const again = await send()
    expect([again.status, again.body]).toEqual([statuses[1], first.body])
    expect(await created()).toBe(1)
  })

  test('creates once when twenty come at once', async () => {
    const { send, created } = await prepare()
    // An instance imports two files at a time, and refuses those that wait for too long.
    const sendUntilTaken = async (): Promise<ApiResponse> => {
      const response = await send()
      return response.status === 503 ? sendUntilTaken() : response
    }
    const responses = await Promise.all(Array.from({ length: 20 }, sendUntilTaken))
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
    const expected = [statuses[0], ...Array(19).fill(statuses[1])]
    expect(responses.map(({ status }) => status).sort()).toEqual(expected.sort())
    expect(await created()).toBe(1)
  })

  test('creates another with a different key, and for a different person', async () => {
    const { send, created } = await prepare()
    const key = crypto.randomUUID()
    await send(key)
    const other = await post(household, path, body(household), 'another')
    expect([other.status, await created()]).toEqual([statuses[0], 2])
    const neighbour = await createHousehold(world)
    const before = await count(neighbour)
    expect((await post(neighbour, path, body(neighbour), key)).status).toBe(statuses[0])
    await world.deliverSyncs()
    expect(await count(neighbour)).toBe(before + 1)
  })

  test('accepts the key bare and in quotes, and refuses one that is too long', async () => {
    const { send } = await prepare()
    const first = await send('a "key"')
    for (const same of ['a "key"', '"a \\"key\\""', ' "a \\"key\\"";v=1 '])
      expect((await send(same)).body).toEqual(first.body)
    const { status, body } = await send('k'.repeat(256))
    const message = expect.stringMatching(/^The Idempotency-Key must not be greater than \d+ char/)
    expect([status, body.errors]).toEqual(refusal(message))
  })

  // The runtime hands over bytes that are not UTF-8 as replacement characters: "caf\xe9" and "caf\xe8" look the same.
  test('refuses a key that was not sent as UTF-8, and takes one that was', async () => {
    const { send, created } = await prepare()
    for (const key of ['caf\ufffd', '"caf\ufffd"']) {
      const { status, body } = await send(key)
      expect([status, body.errors]).toEqual(refusal('The Idempotency-Key must be UTF-8.'))
    }
    expect([(await send('café')).status, await created()]).toEqual([statuses[0], 1])
  })
})

const keyed: [noun: string, path: string, body: object][] = [
  ['an account', '/api/accounts', account],
  ['a category', '/api/categories', { name: 'Pets', type: 'expense' }],
]

describe('an Idempotency-Key', () => {
  test.each(keyed)('of %s that was deleted brings nothing back', async (noun, path, body) => {
    const household = await createHousehold(world)
    const before = await listed(path)(household)
    const first = await post(household, path, body, 'key-1')
    await household.person.delete(`${path}/${first.body.id}`)
    const again = await post(household, path, body, 'key-1')
    const message = `The Idempotency-Key belongs to ${noun} that was deleted.`
    expect([again.status, again.body.errors]).toEqual(refusal(message))
    expect(await listed(path)(household)).toBe(before)
    expect((await post(household, path, body, 'key-2')).status).toBe(201)
    const neighbour = await createHousehold(world)
    expect((await post(neighbour, path, body, 'key-1')).status).toBe(201)
  })

  test.each(keyed)('of %s brings nothing back while it is being deleted', async (_, path, body) => {
    const household = await createHousehold(world)
    const before = await listed(path)(household)
    const { body: first } = await post(household, path, body, 'key-1')
    const repeats = () => Array.from({ length: 8 }, () => post(household, path, body, 'key-1'))
    const earlier = repeats()
    const deletion = household.person.delete(`${path}/${first.id}`)
    const responses = await Promise.all([...earlier, ...repeats()])
    expect((await deletion).status).toBe(204)
    for (const { status, body } of responses)
      expect([
        [200, first.id],
        [422, 'Idempotency-Key'],
      ]).toContainEqual([status, body.id ?? Object.keys(body.errors).join()])
    expect(await listed(path)(household)).toBe(before)
  })

  test('of a transaction counts as its client id, unless the body has one', async () => {
    const household = await createHousehold(world)
    const { expense } = household
    const send = (body: object, key: string) =>
      post(household, '/api/transactions', { ...expense(), ...body }, key)
    const { body: first } = await send({}, 'key-1')
    // The same id in a batch is the same row.
    const transactions = [{ ...expense(), client_id: 'key-1' }]
    const { body } = await household.person.post('/api/transactions/sync', { transactions })
    await world.deliverSyncs()
    const { body: batch } = await household.person.get(`/api/transactions/sync/${body.sync_id}`)
    expect(batch.items).toMatchObject([{ outcome: 'duplicate', transaction_id: first.id }])

    const own = await send({ client_id: 'phone-1', force: true }, 'key-1')
    expect([own.status, own.body.id === first.id]).toEqual([201, false])
    expect((await send({ client_id: 'phone-1' }, 'key-3')).body).toEqual(own.body)
  })

  test('of a transaction has up to 255 characters', async () => {
    const household = await createHousehold(world)
    const send = (length: number) =>
      post(household, '/api/transactions', household.expense(), 'k'.repeat(length))
    expect((await send(255)).status).toBe(201)
    const { status, body } = await send(256)
    const message = 'The Idempotency-Key must not be greater than 255 characters.'
    expect([status, body.errors]).toEqual(refusal(message))
  })

  test('does not excuse what is wrong, and is not used up by it', async () => {
    const household = await createHousehold(world)
    const wrong = await post(household, '/api/accounts', { ...account, type: 'gold' }, 'key-1')
    expect([wrong.status, Object.keys(wrong.body.errors)]).toEqual([422, ['type']])
    expect((await post(household, '/api/accounts', account, 'key-1')).status).toBe(201)
  })

  test('of an import is refused for other rows, and is not used up by a dry run', async () => {
    const household = await createHousehold(world)
    const send = (body: object) => post(household, '/api/import/store', body, 'key-1')
    const row = household.expense()
    const dry: ApiResponse = await send({ transactions: [row], dry_run: true })
    expect(dry.body.import.id).toBeNull()
    const first = await send({ transactions: [row] })
    expect(first.body.import).toMatchObject({ id: expect.any(Number), counts: { created: 1, duplicate: 0 } })
    expect((await send({ transactions: [row] })).body).toEqual(first.body)
    const other = await send({ transactions: [{ ...row, amount: 3 }] })
    const message = 'The Idempotency-Key has been used for another import.'
    expect([other.status, other.body.errors]).toEqual(refusal(message))
    expect(await transactions(household)).toBe(1)
  })

  test('of an upload is that of its rows, however the upload is written', async () => {
    const household = await createHousehold(world)
    const { person, checking } = household
    const csv = 'date,amount,description\n2026-11-19,-3.20,Bakery\n2026-11-19,-3.20,Bakery\n'
    const send = (boundary: string) =>
      world.call('POST', `/api/import/bank/store?account_id=${checking.id}&signs=as_written`, {
        token: person.token,
        headers: {
          'Idempotency-Key': 'upload-1',
          'Content-Type': `multipart/form-data; boundary=${boundary}`,
        },
        rawBody: `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${csv}\r\n--${boundary}--\r\n`,
      })
    const first = await send('one')
    expect(first.body.import.counts).toMatchObject({ rows: 2, created: 2, duplicate: 0 })
    expect((await send('two')).body).toEqual(first.body)
  })
})

describe('without any key', () => {
  const lost = { gets: 'cut', executed: true } as const

  test('a transaction with a client id is there once', async () => {
    const household = await createHousehold(world)
    const { person, checking, expense } = household
    const send = () => person.post('/api/transactions', { ...expense(), client_id: 'phone-1', force: true })
    for (const [, fault] of decisive.toReversed())
      expectUnavailable((await world.whileBroken(fault, send)).result)
    expect((await send()).status).toBe(200)
    expect(await balanceOf(person, checking)).toBe(87.5)
  })

  test('a transaction that was recorded is a 409, not a second one', async () => {
    const household = await createHousehold(world)
    const send = () => household.person.post('/api/transactions', household.expense())
    await world.whileBroken(lost, send)
    expect((await send()).status).toBe(409)
    expect(await transactions(household)).toBe(1)
  })

  test('a batch and a file absorb what they brought before', async () => {
    const household = await createHousehold(world)
    const { person, expense } = household
    for (const path of ['/api/transactions/sync', '/api/import/store']) {
      const rows = [1, 2, 2].map((amount) => ({ ...expense(), amount: path.length + amount }))
      const send = () => world.call('POST', path, toQueue(person.token, rows))
      expectUnavailable((await world.whileBroken(lost, send)).result)
      expect(world.queuedSyncs).toEqual([])
      const again = await send()
      expect(again.status).toBe(200)
      // The batch whose response was lost has its turn first, and its message comes from sending it again.
      const queued = world.queuedSyncs.map(({ batch_id }) => batch_id)
      expect(queued).toHaveLength(path.endsWith('sync') ? 1 : 0)
      expect(queued).not.toContain(again.body.sync_id)
      await world.deliverSyncs()
    }
    expect(await transactions(household)).toBe(6)
  })

  test('changing and deleting twice give the same response, or say that it is gone', async () => {
    const { person, spend } = await createHousehold(world)
    const { id } = await spend()
    const change = () => person.put(`/api/transactions/${id}`, { amount: 3 })
    await world.whileBroken(lost, change)
    expect((await change()).body.amount).toBe('3.00')
    const remove = () => person.delete(`/api/transactions/${id}`)
    await world.whileBroken(lost, remove)
    expect((await remove()).status).toBe(404)
  })
})
