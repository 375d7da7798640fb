import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import {
  createClient,
  type KeyValueStorage,
  memoryStorage,
  memoryTokens,
  type OfflineQueueOptions,
  offlineQueue,
  type QueueCounts,
  type QueuedTransaction,
  unwrap,
  webStorage,
} from '../../../src/client.ts'
import { openWorldDatabase } from '../laws/every-route.ts'
import { verifyAddress } from '../world.ts'
import { createClientWorld, createPhone, createQueuingPhone, type Fetch } from './client-world.ts'

type Phone = Awaited<ReturnType<typeof createPhone>>

/** A queue on a phone. While it waits for an outcome, the service's own queue delivers. */
function queueOn({ world, client, person }: Phone, options: Partial<OfflineQueueOptions> = {}) {
  const sleep = async () => {
    await world.deliverSyncs()
  }
  return offlineQueue({ client, storage: memoryStorage(), userId: person.id, sleep, ...options })
}

/** A client on the same phone, over another network. */
function clientOver({ client }: Phone, fetch: Fetch) {
  return createClient({ baseUrl: 'http://purse.test', tokens: client.tokens, fetch, sleep: async () => {} })
}

/** A client on the same phone that never gets the answers to its uploads. */
function losingAnswers(phone: Phone) {
  return clientOver(phone, async (url, init) => {
    const answer = await phone.network.fetch(url, init)
    if (init.method === 'POST') throw new TypeError('Failed to fetch')
    return answer
  })
}

const nothing = { created: 0, duplicate: 0, rejected: 0, stopped: null }
const empty = { pending: 0, sending: 0, rejected: 0 }

test('what was recorded offline lands, each once, in the order in which it was recorded', async () => {
  const phone = await createPhone()
  const queue = queueOn(phone)
  for (const name of ['First', 'Second', 'Third']) await queue.add(phone.coffee(name))
  expect((await queue.list()).map(({ transaction, state }) => [transaction.description, state])).toEqual([
    ['First', 'pending'],
    ['Second', 'pending'],
    ['Third', 'pending'],
  ])
  expect(await queue.sync()).toEqual({ ...nothing, created: 3 })
  expect(await queue.counts()).toEqual(empty)
  const { data } = await unwrap(phone.client.api.transactions.$get({ query: {} }))
  expect(data.map((row) => [row.description, row.is_synced])).toEqual([
    ['Third', true],
    ['Second', true],
    ['First', true],
  ])
})

test('two equal coffees are two, even beside one that is there already', async () => {
  const phone = await createPhone()
  const category_id = (await phone.person.get('/api/categories')).body[0].id
  await phone.person.post('/api/transactions', { ...phone.coffee(), category_id })
  const queue = queueOn(phone)
  await queue.add(phone.coffee())
  await queue.add(phone.coffee())
  expect(await queue.sync()).toEqual({ ...nothing, created: 2 })
  expect(await phone.landed()).toHaveLength(3)
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 8.64e15])(
  'a clock that says %d loses nothing that is recorded',
  async (now) => {
    const phone = await createPhone()
    const queue = queueOn(phone, { now: () => now })
    for (const name of ['One', 'Two']) await queue.add(phone.coffee(name))
    expect(await queue.sync()).toEqual({ ...nothing, created: 2 })
    expect(await phone.landed()).toEqual(['One', 'Two'])
  },
)

test('with nothing waiting, nothing is sent', async () => {
  const phone = await createPhone()
  expect(await queueOn(phone).sync()).toEqual(nothing)
  expect(phone.network.calls).toEqual([])
})

test('a listener hears how many wait, are on their way, or were rejected', async () => {
  const phone = await createPhone()
  const queue = queueOn(phone)
  const heard: QueueCounts[] = []
  const stop = queue.subscribe((counts) => heard.push(counts))
  await queue.add(phone.coffee())
  await queue.add({ ...phone.coffee('Bad'), amount: -1 })
  await queue.sync()
  expect(heard).toEqual([
    { pending: 1, sending: 0, rejected: 0 },
    { pending: 2, sending: 0, rejected: 0 },
    { pending: 0, sending: 2, rejected: 0 },
    { pending: 0, sending: 0, rejected: 1 },
  ])
  stop()
  await queue.add(phone.coffee())
  expect(heard).toHaveLength(4)
})

describe('what is refused', () => {
  async function createRefused() {
    const phone = await createPhone()
    const queue = queueOn(phone)
    await queue.add(phone.coffee('Good'))
    await queue.add({ ...phone.coffee('Bad'), amount: '1.005', account_id: 999_999 })
    const report = await queue.sync()
    const [rejected] = (await queue.list()) as [QueuedTransaction]
    return { ...phone, queue, report, rejected }
  }

  test('is handed back with its errors, and holds up nothing else', async () => {
    const { queue, report, rejected, landed } = await createRefused()
    expect(report).toEqual({ ...nothing, created: 1, rejected: 1 })
    expect(rejected).toMatchObject({
      state: 'rejected',
      transaction: { description: 'Bad' },
      errors: { amount: ['The amount field must have 0-2 decimal places.'] },
    })
    expect(await landed()).toEqual(['Good'])
    // It waits for a person: another run leaves it alone.
    expect(await queue.sync()).toEqual(nothing)
    expect(await queue.counts()).toEqual({ ...empty, rejected: 1 })
  })

  test('lands once it is corrected, under the id it had', async () => {
    const { queue, rejected, coffee, landed, person } = await createRefused()
    expect(await queue.resubmit(rejected.client_id, coffee('Better'))).toBe(true)
    expect(await queue.list()).toMatchObject([
      { client_id: rejected.client_id, state: 'pending', errors: null },
    ])
    expect(await queue.sync()).toEqual({ ...nothing, created: 1 })
    expect(await landed()).toEqual(['Better', 'Good'])
    expect(await queue.resubmit(rejected.client_id, coffee('Again'))).toBe(false)
    expect((await person.get('/api/transactions')).body.total).toBe(2)
  })

  test('is forgotten if the person says so', async () => {
    const { queue, rejected } = await createRefused()
    expect(await queue.discard(rejected.client_id)).toBe(true)
    expect(await queue.counts()).toEqual(empty)
    expect(await queue.discard(rejected.client_id)).toBe(false)
  })

  test('by a service that accepts all of a batch or nothing is told apart as well', async () => {
    const phone = await createPhone()
    const strict = clientOver(phone, (url, init) => {
      const headers = new Headers(init.headers)
      headers.delete('Prefer')
      return phone.network.fetch(url, { ...init, headers })
    })
    const queue = queueOn(phone, { client: strict })
    for (const amount of ['1', '0', '2', 'x', '3'])
      await queue.add({ ...phone.coffee(`For ${amount}`), amount })
    expect(await queue.sync()).toEqual({ ...nothing, created: 3, rejected: 2 })
    expect((await queue.list()).map(({ errors }) => errors)).toEqual([
      { amount: ['The amount field must be greater than 0.'] },
      { amount: ['The amount field must be a number.'] },
    ])
    expect(await phone.landed()).toEqual(['For 1', 'For 2', 'For 3'])
  })

  test('for an account that is gone by the time of processing comes back too', async () => {
    const phone = await createQueuingPhone()
    const { world, person, account, coffee } = phone
    let waits = 0
    const sleep = async () => {
      if (waits++ === 0) await person.delete(`/api/accounts/${account.id}`)
      await world.deliverSyncs()
    }
    const queue = queueOn(phone, { sleep })
    await queue.add(coffee())
    expect(await queue.sync()).toEqual({ ...nothing, rejected: 1 })
    expect((await queue.list())[0]?.errors).toMatchObject({ account_id: [expect.any(String)] })
  })
})

test('what this page has recorded and not sent is corrected by nothing but its creation, and forgotten at once', async () => {
  const phone = await createPhone()
  const storage = memoryStorage()
  const queue = queueOn(phone, { storage })
  const [corrected, discarded] = [await queue.add(phone.coffee()), await queue.add(phone.coffee())]
  expect(await queue.resubmit(corrected.client_id, phone.coffee('Corrected'))).toBe(true)
  expect(await queue.discard(discarded.client_id)).toBe(true)
  expect(await storage.list('')).toHaveLength(1)
  expect(await queue.sync()).toEqual({ ...nothing, created: 1 })
  expect(phone.network.paths().filter((path) => path.startsWith('PUT'))).toEqual([])
  expect(await phone.landed()).toEqual(['Corrected'])
})

test('one that landed unnoticed and was deleted since is handed back, and gets an id of its own when it is wanted again', async () => {
  const phone = await createPhone()
  const storage = memoryStorage()
  const queue = queueOn(phone, { storage })
  const item = await queue.add(phone.coffee())
  const category_id = (await phone.person.get('/api/categories')).body[0].id
  const landed = { ...phone.coffee(), category_id, client_id: item.client_id }
  const { body } = await phone.person.post('/api/transactions', landed)
  await phone.person.delete(`/api/transactions/${body.id}`)
  expect(await queue.sync()).toEqual({ ...nothing, rejected: 1 })
  expect(await queue.resubmit(item.client_id, phone.coffee('Once more'))).toBe(true)
  expect((await queue.list())[0]?.client_id).not.toBe(item.client_id)
  expect(await queue.sync()).toEqual({ ...nothing, created: 1 })
  expect(await phone.landed()).toEqual(['Once more'])
})

test('one that landed unnoticed is recognised, even if it could no longer be recorded when it is sent again', async () => {
  const phone = await createQueuingPhone()
  const { person, world } = phone
  const category_id = (await person.get('/api/categories')).body[0].id
  const storage = memoryStorage()
  const queue = queueOn(phone, { client: losingAnswers(phone), storage })
  await queue.add({ ...phone.coffee(), category_id })
  expect((await queue.sync()).stopped?.reason).toBe('offline')
  await world.deliverSyncs()
  await person.delete(`/api/categories/${category_id}`)
  const again = queueOn(phone, { storage })
  expect(await again.sync()).toEqual({ ...nothing, duplicate: 1 })
  expect(await again.counts()).toEqual(empty)
  expect(await phone.landed()).toEqual(['Coffee'])
})

describe('a run that cannot go on keeps everything, and says why:', () => {
  test('no network', async () => {
    const phone = await createPhone()
    const storage = memoryStorage()
    const offline = clientOver(phone, () => Promise.reject(new TypeError('Failed to fetch')))
    const queue = queueOn(phone, { client: offline, storage })
    await queue.add(phone.coffee())
    expect(await queue.sync()).toMatchObject({ ...nothing, stopped: { reason: 'offline' } })
    expect(await queue.counts()).toEqual({ ...empty, pending: 1 })
    expect(await queueOn(phone, { storage }).sync()).toEqual({ ...nothing, created: 1 })
  })

  test('signed out', async () => {
    const phone = await createPhone()
    const queue = queueOn(phone)
    await queue.add(phone.coffee())
    await phone.person.post('/api/logout')
    expect(await queue.sync()).toMatchObject({ ...nothing, stopped: { reason: 'signed-out' } })
    await phone.client.signIn({ email: phone.person.email, password: phone.person.password })
    expect(await queue.sync()).toEqual({ ...nothing, created: 1 })
  })

  test.each([
    ['the page of a network that wants a sign-in', () => new Response('<html>Sign in to the wifi</html>')],
    ['JSON of somebody else', () => Response.json({})],
    ['nothing', () => new Response(null, { status: 204 })],
    ['the page of a proxy that wants a password', () => new Response('<html>', { status: 401 })],
    ['the page of a proxy that takes no large bodies', () => new Response('<html>', { status: 413 })],
    ['the page of another server', () => new Response('<html>', { status: 404 })],
    ['a network that wants a sign-in', () => Response.json({ message: 'Sign in' }, { status: 511 })],
  ])('%s comes in place of an answer', async (_, answer) => {
    const phone = await createQueuingPhone()
    const storage = memoryStorage()
    for (const isOurs of [() => false, (url: string) => url.endsWith('/me')]) {
      const portal = clientOver(phone, async (url, init) =>
        isOurs(url) ? phone.network.fetch(url, init) : answer(),
      )
      const queue = queueOn(phone, { client: portal, storage })
      await queue.add(phone.coffee())
      expect(await queue.sync()).toMatchObject({ ...nothing, stopped: { reason: 'offline' } })
    }
    const queue = queueOn(phone, { storage, sleep: async () => {} })
    expect((await queue.sync()).stopped).toEqual({ reason: 'unfinished' })
    const portal = clientOver(phone, async (url, init) =>
      url.endsWith('/me') ? phone.network.fetch(url, init) : answer(),
    )
    expect((await queueOn(phone, { client: portal, storage }).sync()).stopped?.reason).toBe('offline')
    expect(await queueOn(phone, { storage }).sync()).toEqual({ ...nothing, created: 2 })
  })

  test('the address is not verified', async () => {
    const phone = await createPhone()
    const db = openWorldDatabase(phone.world)
    await db.batch([db.run(sql`update users set email_verified_at = null`)])
    const queue = queueOn(phone)
    await queue.add(phone.coffee())
    expect(await queue.sync()).toMatchObject({ ...nothing, stopped: { reason: 'unverified' } })
    expect(await queue.counts()).toEqual({ ...empty, pending: 1 })
  })

  test('the database is away', async () => {
    const tokens = memoryTokens((await createPhone()).person.token)
    const { client } = createClientWorld({ tokens }, { TURSO_DATABASE_URL: 'http://127.0.0.1:1/' })
    const queue = offlineQueue({ client, storage: memoryStorage(), userId: 1 })
    await queue.add({ account_id: 1, type: 'expense', amount: 1, transaction_date: '2026-11-20' })
    const { stopped } = await queue.sync()
    expect(stopped).toMatchObject({ reason: 'busy', retryAfterSeconds: expect.any(Number) })
    expect(await queue.counts()).toEqual({ ...empty, pending: 1 })
  })

  test('a fault of the service', async () => {
    const phone = await createPhone()
    const faulty = clientOver(phone, async () => Response.json({ message: 'Server Error' }, { status: 500 }))
    const queue = queueOn(phone, { client: faulty })
    await queue.add(phone.coffee())
    expect(await queue.sync()).toMatchObject({
      ...nothing,
      stopped: { reason: 'refused', error: { status: 500 } },
    })
    expect(await queue.counts()).toEqual({ ...empty, pending: 1 })
  })

  test('the batch is taken and its outcome takes long', async () => {
    const phone = await createQueuingPhone()
    const storage = memoryStorage()
    let waits = 0
    const sleep = async () => {
      waits += 1
    }
    const queue = queueOn(phone, { storage, sleep })
    const { client_id } = await queue.add(phone.coffee())
    expect(await queue.sync()).toEqual({ ...nothing, stopped: { reason: 'unfinished' } })
    expect(waits).toBe(14)
    expect(await queue.counts()).toEqual({ ...empty, sending: 1 })
    // The service has it: neither can it be taken back here, nor is it sent again.
    expect(await queue.discard(client_id)).toBe(false)
    const before = phone.network.calls.length
    expect(await queueOn(phone, { storage }).sync()).toEqual({ ...nothing, created: 1 })
    expect(
      phone.network
        .paths()
        .slice(before)
        .filter((path) => path.startsWith('POST')),
    ).toEqual([])
  })
})

describe('a batch that is refused holds up no other:', () => {
  test('of those that are sent', async () => {
    const phone = await createPhone()
    const faulty = clientOver(phone, async (url, init) =>
      typeof init.body === 'string' && init.body.includes('Bad')
        ? Response.json({ message: 'Server Error' }, { status: 500 })
        : phone.network.fetch(url, init),
    )
    const queue = queueOn(phone, { client: faulty, limits: { items: 1, bytes: 1_000 } })
    for (const name of ['Good', 'Bad', 'Better']) await queue.add(phone.coffee(name))
    expect(await queue.sync()).toMatchObject({
      ...nothing,
      created: 2,
      stopped: { reason: 'refused', error: { status: 500 } },
    })
    expect(await queue.counts()).toEqual({ ...empty, pending: 1 })
    expect(await phone.landed()).toEqual(['Better', 'Good'])
  })

  test('of those whose outcome is asked for', async () => {
    const phone = await createPhone()
    let statuses = 0
    const faulty = clientOver(phone, async (url, init) =>
      url.includes('/sync/') && ++statuses === 1
        ? Response.json({ message: 'Server Error' }, { status: 500 })
        : phone.network.fetch(url, init),
    )
    const queue = queueOn(phone, { client: faulty, limits: { items: 1, bytes: 1_000 } })
    for (const name of ['One', 'Two', 'Three']) await queue.add(phone.coffee(name))
    expect(await queue.sync()).toMatchObject({ ...nothing, created: 2, stopped: { reason: 'refused' } })
    expect(await queue.counts()).toEqual({ ...empty, sending: 1 })
    expect(await queue.sync()).toEqual({ ...nothing, created: 1 })
  })
})

describe('a batch whose amounts would push a balance past its bounds', () => {
  /** The largest amount there is; nine of them stay within the bounds. */
  const most = (phone: Phone, description: string) => ({
    ...phone.coffee(description),
    amount: '9999999999999.99',
  })
  const alike = (count: number, description: string) =>
    Array.from({ length: count }, (_, index) => `${description} ${index}`)

  test('holds up nothing that fits: each lands, or is rejected, as if they had been sent one by one', async () => {
    const phone = await createPhone()
    const queue = queueOn(phone)
    await queue.add(phone.coffee())
    for (const name of alike(10, 'Palace')) await queue.add(most(phone, name))
    await queue.add({ ...phone.coffee('Cake'), amount: '4.20' })
    expect(await queue.sync()).toEqual({ ...nothing, created: 10, rejected: 2 })
    expect(await phone.landed()).toEqual(['Cake', 'Coffee', ...alike(8, 'Palace')])
    const rejected = await queue.list()
    expect(rejected.map(({ transaction }) => transaction.description)).toEqual(['Palace 8', 'Palace 9'])
    for (const { errors } of rejected) expect(errors).toEqual({ batch: [expect.stringContaining('bounds')] })
    expect(await queue.sync()).toEqual(nothing)
  })

  test('lets nothing in before what was recorded earlier', async () => {
    const phone = await createPhone()
    const queue = queueOn(phone)
    for (const name of alike(8, 'Palace')) await queue.add(most(phone, name))
    expect(await queue.sync()).toEqual({ ...nothing, created: 8 })
    // There is room for either, and the halves are of two and one.
    for (const item of [phone.coffee(), most(phone, 'Castle'), most(phone, 'Tower')]) await queue.add(item)
    expect(await queue.sync()).toEqual({ ...nothing, created: 1, rejected: 2 })
    expect(await phone.landed()).toContain('Coffee')
  })

  test('does not hide what has landed unnoticed: it is known, and gets its correction or is deleted', async () => {
    const phone = await createPhone()
    const storage = memoryStorage()
    const lost = queueOn(phone, { client: losingAnswers(phone), storage })
    const [corrected, discarded] = [await lost.add(phone.coffee('One')), await lost.add(phone.coffee('Two'))]
    await lost.add(phone.coffee('Three'))
    expect((await lost.sync()).stopped?.reason).toBe('offline')
    await phone.world.deliverSyncs()
    expect(await lost.resubmit(corrected.client_id, phone.coffee('One, corrected'))).toBe(true)
    expect(await lost.discard(discarded.client_id)).toBe(true)
    const queue = queueOn(phone, { storage })
    for (const name of alike(9, 'Palace')) await queue.add(most(phone, name))
    expect(await queue.sync()).toEqual({ ...nothing, created: 8, duplicate: 2, rejected: 1 })
    expect(await phone.landed()).toEqual(['One, corrected', ...alike(8, 'Palace'), 'Three'])
  })

  test('continues in the next run if the outcome of a part takes long', async () => {
    const phone = await createQueuingPhone()
    const storage = memoryStorage()
    let deliveries = 0
    const sleep = async () => {
      if (deliveries++ === 0) await phone.world.deliverSyncs()
    }
    const queue = queueOn(phone, { storage, sleep })
    for (const name of alike(10, 'Palace')) await queue.add(most(phone, name))
    expect(await queue.sync()).toEqual({ ...nothing, stopped: { reason: 'unfinished' } })
    // The first half is on its way, and the second waits for it.
    expect(await queue.counts()).toEqual({ pending: 5, sending: 5, rejected: 0 })
    expect(await queueOn(phone, { storage }).sync()).toEqual({ ...nothing, created: 9, rejected: 1 })
    // Which one is left over is for the service to say: both halves are on their way by then.
    expect(await phone.landed()).toHaveLength(9)
  })
})

describe('what may have landed before its answer was lost', () => {
  /** An item that was sent, in a storage of which another start of the app knows the rest. */
  async function createLost(isProcessed: boolean) {
    const phone = await createQueuingPhone()
    const storage = memoryStorage()
    const item = await queueOn(phone, { client: losingAnswers(phone), storage }).add(phone.coffee())
    const lost = queueOn(phone, { client: losingAnswers(phone), storage })
    expect((await lost.sync()).stopped?.reason).toBe('offline')
    expect(await lost.counts()).toEqual({ ...empty, pending: 1 })
    if (isProcessed) await phone.world.deliverSyncs()
    return { phone, storage, queue: queueOn(phone, { storage }), client_id: item.client_id }
  }
  const rows = async ({ client }: Phone) =>
    (await unwrap(client.api.transactions.$get())).data.map((row) => [row.description, row.amount])

  test.each([true, false])(
    'gets the correction that came after (it has landed by then: %s)',
    async (isProcessed) => {
      const { phone, queue, client_id } = await createLost(isProcessed)
      const { description, ...rest } = phone.coffee()
      expect(await queue.resubmit(client_id, { ...rest, amount: '4.20' })).toBe(true)
      const { created, duplicate, stopped } = await queue.sync()
      expect([created + duplicate, stopped]).toEqual([1, null])
      expect(await queue.counts()).toEqual(empty)
      expect(await rows(phone)).toEqual([[null, '4.20']])
    },
  )

  test.each([true, false])(
    'is deleted if it was discarded (it has landed by then: %s)',
    async (isProcessed) => {
      const { phone, storage, queue, client_id } = await createLost(isProcessed)
      expect(await queue.resubmit(client_id, phone.coffee('Corrected'))).toBe(true)
      expect(await queue.discard(client_id)).toBe(true)
      expect([await queue.list(), await queue.counts()]).toEqual([[], empty])
      expect([await queue.discard(client_id), await queue.resubmit(client_id, phone.coffee())]).toEqual([
        false,
        false,
      ])
      expect(await queueOn(phone, { storage }).sync()).toEqual(nothing)
      expect(await rows(phone)).toEqual([])
      expect(await storage.list('')).toEqual([])
      // What the service had of it still is of no use any more.
      await phone.world.deliverSyncs()
      expect(await rows(phone)).toEqual([])
    },
  )

  test('and is deleted by its owner just before it gets the correction is not missed', async () => {
    const { phone, storage, queue, client_id } = await createLost(true)
    await queue.resubmit(client_id, phone.coffee('Corrected'))
    const deleting = clientOver(phone, async (url, init) => {
      if (init.method === 'PUT') await phone.person.delete(new URL(url).pathname)
      return phone.network.fetch(url, init)
    })
    const again = queueOn(phone, { storage, client: deleting })
    expect(await again.sync()).toEqual({ ...nothing, duplicate: 1 })
    expect([await again.counts(), await rows(phone)]).toEqual([empty, []])
  })

  test('and gets a correction that the service refuses is handed back, and lands with a better one', async () => {
    const { phone, queue, client_id } = await createLost(true)
    await queue.resubmit(client_id, { ...phone.coffee(), account_id: 999_999 })
    expect(await queue.sync()).toEqual({ ...nothing, rejected: 1 })
    expect(await queue.list()).toMatchObject([
      { state: 'rejected', errors: { account_id: ['The selected account id is invalid.'] } },
    ])
    await queue.resubmit(client_id, phone.coffee('Better'))
    expect(await queue.sync()).toEqual({ ...nothing, duplicate: 1 })
    expect(await rows(phone)).toEqual([['Better', '3.20']])
  })

  test('is remembered of every batch of a run, not of one alone', async () => {
    const phone = await createPhone()
    const storage = memoryStorage()
    const faulty = clientOver(phone, async (url, init) => {
      const answer = await phone.network.fetch(url, init)
      return init.method === 'POST' ? Response.json({ message: 'Server Error' }, { status: 500 }) : answer
    })
    const queue = queueOn(phone, { client: faulty, storage, limits: { items: 1, bytes: 1_000 } })
    const added = [await queue.add(phone.coffee('One')), await queue.add(phone.coffee('Two'))]
    expect((await queue.sync()).stopped?.reason).toBe('refused')
    for (const { client_id } of added) expect(await queue.discard(client_id)).toBe(true)
    await phone.world.deliverSyncs()
    expect(await phone.landed()).toEqual(['One', 'Two'])
    expect(await queueOn(phone, { storage }).sync()).toEqual(nothing)
    expect(await phone.landed()).toEqual([])
  })

  test('goes out as it was when it is discarded after a correction that the service refused', async () => {
    const { phone, queue, client_id } = await createLost(true)
    await queue.resubmit(client_id, { ...phone.coffee(), amount: '-1' })
    expect(await queue.sync()).toEqual({ ...nothing, rejected: 1 })
    expect(await queue.discard(client_id)).toBe(true)
    expect(await queue.sync()).toEqual(nothing)
    expect(await rows(phone)).toEqual([])
  })
})

test('a batch that the service has forgotten is sent again, and lands once all the same', async () => {
  const phone = await createQueuingPhone()
  const storage = memoryStorage()
  const queue = queueOn(phone, { storage, sleep: async () => {} })
  await queue.add(phone.coffee())
  await queue.sync()
  await phone.world.deliverSyncs()
  const db = openWorldDatabase(phone.world)
  await db.batch([db.run(sql`delete from sync_batches`)])
  const again = queueOn(phone, { storage })
  expect(await again.sync()).toEqual({ ...nothing, stopped: { reason: 'unfinished' } })
  expect(await again.counts()).toEqual({ ...empty, pending: 1 })
  expect(await again.sync()).toEqual({ ...nothing, duplicate: 1 })
  expect(await phone.landed()).toEqual(['Coffee'])
})

describe('batches', () => {
  const sizes = (phone: Phone) =>
    phone.network.calls
      .filter(({ path, method }) => method === 'POST' && path === '/api/transactions/sync')
      .map(({ body }) => JSON.parse(body ?? '').transactions.length)

  async function fill(phone: Phone, queue: ReturnType<typeof queueOn>, count: number, description: string) {
    for (let i = 0; i < count; i++) await queue.add(phone.coffee(`${i} ${description}`))
  }

  test('hold a thousand items at most', async () => {
    const phone = await createPhone()
    const queue = queueOn(phone)
    await fill(phone, queue, 1_001, 'coffee')
    expect(await queue.sync()).toEqual({ ...nothing, created: 1_001 })
    expect(sizes(phone)).toEqual([1_000, 1])
    expect((await phone.person.get('/api/transactions')).body.total).toBe(1_001)
  })

  test('stay under the size that the service takes, in bytes', async () => {
    const phone = await createPhone()
    const queue = queueOn(phone)
    // Four bytes a character: a thousand of these are 1.2 MB, though each text is short enough.
    await fill(phone, queue, 1_000, '🪙'.repeat(250))
    expect(await queue.sync()).toEqual({ ...nothing, created: 1_000 })
    expect(sizes(phone).length).toBe(2)
    const bytes = phone.network.calls.map(({ body }) => new TextEncoder().encode(body ?? '').length)
    expect(Math.max(...bytes)).toBeLessThanOrEqual(1024 * 1024)
    expect(Math.max(...bytes)).toBeGreaterThan(900_000)
  })

  test('that are too large all the same are halved; a single item that is too large is rejected', async () => {
    const phone = await createPhone()
    const queue = queueOn(phone, { limits: { items: 1_000, bytes: 100_000_000 } })
    await fill(phone, queue, 3, 'coffee')
    await queue.add(phone.coffee('x'.repeat(1_100_000)))
    expect(await queue.sync()).toEqual({ ...nothing, created: 3, rejected: 1 })
    expect(sizes(phone)).toEqual([4, 2, 2, 1, 1])
    expect((await queue.list()).map(({ errors }) => errors)).toEqual([
      { item: ['The request body is too large.'] },
    ])
  })
})

describe('several at once', () => {
  const noLocks = { request: <T>(_: string, work: () => Promise<T>) => work() }

  test('runs of one queue go one after another', async () => {
    const phone = await createPhone()
    const queue = queueOn(phone)
    await queue.add(phone.coffee())
    const [first, second] = await Promise.all([queue.sync(), queue.sync()])
    expect([first, second]).toEqual([{ ...nothing, created: 1 }, nothing])
  })

  test('two tabs without locks send the same, and it lands once', async () => {
    const phone = await createPhone()
    const storage = memoryStorage()
    const [one, two] = [
      queueOn(phone, { storage, locks: noLocks }),
      queueOn(phone, { storage, locks: noLocks }),
    ]
    for (let i = 0; i < 5; i++) await one.add(phone.coffee(`Coffee ${i}`))
    await Promise.all([one.sync(), two.sync()])
    await one.sync()
    expect(await two.counts()).toEqual(empty)
    expect(await phone.landed()).toHaveLength(5)
  })

  test('what one tab is sending, another can neither change nor discard', async () => {
    const phone = await createPhone()
    const storage = memoryStorage()
    const other = queueOn(phone, { storage })
    const answers: unknown[] = []
    const slow = clientOver(phone, async (url, init) => {
      const answer = await phone.network.fetch(url, init)
      if (init.method === 'POST')
        answers.push(
          (await other.list())[0]?.state,
          await other.resubmit(item.client_id, phone.coffee('Changed')),
          await other.discard(item.client_id),
        )
      return answer
    })
    const queue = queueOn(phone, { storage, client: slow })
    const item = await queue.add(phone.coffee())
    expect(await queue.sync()).toEqual({ ...nothing, created: 1 })
    expect(answers).toEqual(['sending', false, false])
  })

  test('what is changed between two batches goes out changed', async () => {
    const phone = await createPhone()
    const storage = memoryStorage()
    const other = queueOn(phone, { storage })
    let uploads = 0
    const slow = clientOver(phone, async (url, init) => {
      if (init.method === 'POST' && ++uploads === 1) {
        await other.resubmit(second.client_id, phone.coffee('Second, changed'))
        await other.discard(third.client_id)
      }
      return phone.network.fetch(url, init)
    })
    const queue = queueOn(phone, { storage, client: slow, limits: { items: 1, bytes: 1_000 } })
    await queue.add(phone.coffee('First'))
    const second = await queue.add(phone.coffee('Second'))
    const third = await queue.add(phone.coffee('Third'))
    expect(await queue.sync()).toEqual({ ...nothing, created: 2 })
    expect(await phone.landed()).toEqual(['First', 'Second, changed'])
  })

  test('what one person recorded never goes out under the token of another', async () => {
    const phone = await createPhone()
    const storage = memoryStorage()
    await queueOn(phone, { storage }).add(phone.coffee())
    const other = await phone.world.register()
    await phone.client.tokens.set(other.token)
    const theirs = offlineQueue({ client: phone.client, storage, userId: other.id })
    expect(await theirs.sync()).toEqual(nothing)
    expect(await theirs.list()).toEqual([])
  })
})

describe('a run makes sure whose token it has:', () => {
  test('under another person’s it sends nothing, and says so', async () => {
    const phone = await createPhone()
    const queue = queueOn(phone)
    await queue.add(phone.coffee())
    const other = await phone.world.register()
    await phone.client.tokens.set(other.token)
    expect(await queue.sync()).toEqual({ ...nothing, stopped: { reason: 'other-user' } })
    expect(await queue.counts()).toEqual({ ...empty, pending: 1 })
    expect(phone.network.paths()).toEqual(['GET /api/me'])
    await phone.client.tokens.clear()
    expect(await queue.sync()).toEqual({ ...nothing, stopped: { reason: 'signed-out' } })
    await phone.client.tokens.set(phone.person.token)
    expect(await queue.sync()).toEqual({ ...nothing, created: 1 })
  })

  test('whoever signs in meanwhile, the run keeps to the token it began with', async () => {
    const phone = await createPhone()
    const { client, network, person } = phone
    const other = await phone.world.register()
    const switching = clientOver(phone, async (url, init) => {
      const answer = await network.fetch(url, init)
      await client.tokens.set(other.token)
      return answer
    })
    const queue = queueOn(phone, { client: switching })
    await queue.add(phone.coffee())
    expect(await queue.sync()).toEqual({ ...nothing, created: 1 })
    expect(new Set(network.calls.map(({ headers }) => headers.get('Authorization')))).toEqual(
      new Set([`Bearer ${person.token}`]),
    )
    expect(await client.tokens.get()).toBe(other.token)
  })

  test('it asks once for each token', async () => {
    const phone = await createPhone()
    const queue = queueOn(phone)
    for (const name of ['One', 'Two']) {
      await queue.add(phone.coffee(name))
      await queue.sync()
    }
    expect(phone.network.paths().filter((path) => path === 'GET /api/me')).toHaveLength(1)
  })

  test('a batch that went to somebody else all the same is sent again', async () => {
    const phone = await createPhone()
    const other = await phone.world.register()
    await verifyAddress(phone.world, other)
    const storage = memoryStorage()
    await queueOn(phone, { storage }).add(phone.coffee())
    const account = { name: 'Theirs', type: 'cash', starting_balance: 0 }
    const { id: account_id } = (await other.post('/api/accounts', account)).body
    const theirs = { transactions: [{ ...phone.coffee(), account_id }] }
    const { sync_id } = (await other.post('/api/transactions/sync', theirs)).body
    const foreign = clientOver(phone, async (url, init) => {
      if (init.method !== 'POST') return phone.network.fetch(url, init)
      return Response.json({ sync_id })
    })
    const misled = queueOn(phone, { client: foreign, storage })
    expect(await misled.sync()).toEqual({ ...nothing, stopped: { reason: 'unfinished' } })
    expect(await queueOn(phone, { storage }).sync()).toEqual({ ...nothing, created: 1 })
  })
})

describe('a storage', () => {
  /** Takes no more than it has room for. */
  function boundedStorage(room: number) {
    const storage = memoryStorage()
    const size = (pairs: [string, string][]) =>
      pairs.reduce((sum, [key, value]) => sum + key.length + value.length, 0)
    const bounded: KeyValueStorage = {
      ...storage,
      async set(key, value) {
        const others = (await storage.list('')).filter(([other]) => other !== key)
        if (size([...others, [key, value]]) > room) throw new DOMException('full', 'QuotaExceededError')
        await storage.set(key, value)
      },
    }
    return bounded
  }
  async function fillUp(phone: Phone, queue: ReturnType<typeof queueOn>, fields: object = {}) {
    for (let added = 0; ; added++) {
      try {
        await queue.add({ ...phone.coffee(`Coffee ${added}`), ...fields })
      } catch (error) {
        expect(error).toMatchObject({ name: 'QuotaExceededError' })
        return added
      }
    }
  }

  test('that is full is emptied all the same', async () => {
    const phone = await createPhone()
    const storage = boundedStorage(3_000)
    const queue = queueOn(phone, { storage })
    const added = await fillUp(phone, queue)
    expect(added).toBeGreaterThan(5)
    expect(await queue.sync()).toEqual({ ...nothing, created: added })
    expect([await queue.counts(), await storage.list('')]).toEqual([empty, []])
    expect(await phone.landed()).toHaveLength(added)
  })

  test('that is full and keeps no errors does not hide them from whoever is there', async () => {
    const phone = await createPhone()
    const queue = queueOn(phone, { storage: boundedStorage(3_000) })
    const added = await fillUp(phone, queue, { amount: -1 })
    expect(await queue.sync()).toEqual({ ...nothing, rejected: added })
    expect(await queue.counts()).toEqual({ ...empty, rejected: added })
    const [first] = (await queue.list()) as [QueuedTransaction]
    expect(await queue.resubmit(first.client_id, phone.coffee())).toBe(true)
    expect(await queue.sync()).toEqual({ ...nothing, created: 1 })
  })

  test('that was full while an answer got lost does not hide, once the page is opened again, what may have landed', async () => {
    const phone = await createPhone()
    const memory = memoryStorage()
    let isFull = false
    const set: KeyValueStorage['set'] = async (key, value) => {
      if (isFull) throw new DOMException('full', 'QuotaExceededError')
      await memory.set(key, value)
    }
    const storage = { ...memory, set }
    const before = queueOn(phone, { client: losingAnswers(phone), storage })
    const [corrected, discarded] = [
      await before.add(phone.coffee('One')),
      await before.add(phone.coffee('Two')),
    ]
    isFull = true
    expect((await before.sync()).stopped?.reason).toBe('offline')
    expect(await phone.landed()).toEqual(['One', 'Two'])
    isFull = false
    const queue = queueOn(phone, { storage })
    expect(await queue.resubmit(corrected.client_id, phone.coffee('One, corrected'))).toBe(true)
    expect(await queue.discard(discarded.client_id)).toBe(true)
    expect(await queue.counts()).toEqual({ ...empty, pending: 1 })
    expect(await queue.sync()).toEqual({ ...nothing, duplicate: 1 })
    expect([await phone.landed(), await storage.list('')]).toEqual([['One, corrected'], []])
  })

  test('with a damaged entry still lists the others', async () => {
    const phone = await createPhone()
    const storage = memoryStorage()
    const queue = queueOn(phone, { storage })
    await queue.add(phone.coffee())
    const prefix = `purse/${phone.person.id}`
    for (const [key, value] of [
      ['item/0', '{"cli'],
      ['item/1', 'null'],
      ['batch/0', '["a"]'],
      ['batch/1', '{'],
    ])
      await storage.set(`${prefix}/${key}`, value ?? '')
    expect(await queue.sync()).toEqual({ ...nothing, created: 1 })
    expect(await queue.counts()).toEqual(empty)
  })
})

test('a browser storage keeps the queue, among what others keep there', async () => {
  const values = new Map([['theme', 'dark']])
  const storage = webStorage({
    get length() {
      return values.size
    },
    key: (index) => [...values.keys()][index] ?? null,
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  })
  const phone = await createPhone()
  const queue = queueOn(phone, { storage })
  await queue.add(phone.coffee('One'))
  await queue.add({ ...phone.coffee('Two'), amount: 0 })
  expect(await queue.sync()).toEqual({ ...nothing, created: 1, rejected: 1 })
  expect(values.size).toBe(2)
  expect(await queueOn(phone, { storage }).counts()).toEqual({ ...empty, rejected: 1 })
})
