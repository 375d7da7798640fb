import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { maxUnfinishedBatches } from '../../../src/database/quotas.ts'
import { toQueue } from '../fixtures/responses.ts'
import { balanceOf, createWorld, type Json } from '../fixtures/world.ts'
import { askDatabase, createHousehold, openWorldDatabase } from '../laws/every-route.ts'

/**
 * A household that syncs: `sync` uploads to the queue, `syncNow` lets a small batch be processed at once, `process` runs
 * the real consumer on what is queued.
 */
async function createPhone() {
  const world = createWorld()
  const household = await createHousehold(world)
  const { person, expense } = household
  const coffee = (fields: object = {}) => ({ ...expense(), amount: 3, description: 'Coffee', ...fields })
  const syncNow = (transactions: unknown, headers: Record<string, string> = {}) =>
    world.call('POST', '/api/transactions/sync', { token: person.token, body: { transactions }, headers })
  const sync = (transactions: unknown, { Prefer = '', ...headers }: Record<string, string> = {}) =>
    syncNow(transactions, { ...headers, Prefer: ['respond-async', Prefer].filter(Boolean).join(', ') })
  const process = () => world.deliverSyncs()
  const status = async (id: string) => (await person.get(`/api/transactions/sync/${id}`)).body
  /** Uploads and processes items; returns the outcome of each. */
  const outcomes = async (transactions: unknown[]) => {
    const { body } = await sync(transactions)
    await process()
    return (await status(body.sync_id)).items.map((item: Json) => item.outcome)
  }
  const total = async () => (await person.get('/api/transactions')).body.total
  const isExact = async () => (await findDifferences(openWorldDatabase(world))).length === 0
  return { ...household, coffee, sync, syncNow, process, status, outcomes, total, isExact }
}

test('a batch is stored, processed once the queue delivers it, and reported item by item', async () => {
  const phone = await createPhone()
  const { status, body } = await phone.sync([
    phone.coffee(),
    phone.coffee({ client_id: 'a', amount: '4.50' }),
  ])
  expect(status).toBe(200)
  expect(body).toEqual({
    message: 'Sync process started in the background.',
    sync_id: expect.any(String),
    status_url: `http://purse.test/api/transactions/sync/${body.sync_id}`,
  })
  expect(await phone.status(body.sync_id)).toMatchObject({
    status: 'pending',
    counts: { total: 2, created: 0, duplicate: 0, invalid: 0, failed: 0 },
    completed_at: null,
  })
  expect(await phone.total()).toBe(0)

  await phone.process()
  const done = await phone.status(body.sync_id)
  expect(done).toEqual({
    id: body.sync_id,
    status: 'completed',
    counts: { total: 2, created: 2, duplicate: 0, invalid: 0, failed: 0 },
    items: [
      { index: 0, client_id: null, outcome: 'created', transaction_id: expect.any(Number), errors: null },
      { index: 1, client_id: 'a', outcome: 'created', transaction_id: expect.any(Number), errors: null },
    ],
    created_at: expect.any(String),
    completed_at: expect.any(String),
  })
  const { body: row } = await phone.person.get(`/api/transactions/${done.items[1].transaction_id}`)
  expect(row).toMatchObject({ amount: '4.50', is_synced: true, description: 'Coffee' })
  expect(await balanceOf(phone.person, phone.checking)).toBe(92.5)
  expect(await phone.isExact()).toBe(true)
})

describe('a small batch is processed as it is accepted', () => {
  test('in one round trip, without a message', async () => {
    const phone = await createPhone()
    const items = Array.from({ length: 100 }, (_, i) => phone.coffee({ amount: i + 1, client_id: `c${i}` }))
    await phone.world.resetDatabaseWork()
    const { status, body } = await phone.syncNow(items)
    expect([status, body.message]).toEqual([200, 'Sync process started in the background.'])
    expect((await phone.world.databaseWork()).requests).toBe(1)
    expect(phone.world.queuedSyncs).toEqual([])
    const done = await phone.status(body.sync_id)
    expect([done.status, done.counts.created, done.items[99].client_id]).toEqual(['completed', 100, 'c99'])
    expect(await phone.total()).toBe(100)
    expect(await phone.isExact()).toBe(true)
  })

  test('one after another, as long as none is unfinished', async () => {
    const phone = await createPhone()
    for (const expected of ['created', 'duplicate']) {
      const { body } = await phone.syncNow([phone.coffee()], { 'Idempotency-Key': expected })
      expect((await phone.status(body.sync_id)).items[0].outcome).toBe(expected)
    }
    expect(phone.world.queuedSyncs).toEqual([])
  })

  test('but not one of more than a hundred items', async () => {
    const phone = await createPhone()
    const { body } = await phone.syncNow(Array.from({ length: 101 }, () => phone.coffee()))
    expect([(await phone.status(body.sync_id)).status, await phone.total()]).toEqual(['pending', 0])
    expect(phone.world.queuedSyncs).toEqual([{ batch_id: body.sync_id }])
  })

  test('but not before those that its user sent earlier', async () => {
    const phone = await createPhone()
    const first = (await phone.sync([phone.coffee()])).body.sync_id
    const second = (await phone.syncNow([phone.coffee(), phone.coffee()])).body.sync_id
    expect([(await phone.status(second)).status, await phone.total()]).toEqual(['pending', 0])
    await phone.process()
    const outcomes = async (id: string) => (await phone.status(id)).items.map((item: Json) => item.outcome)
    expect([await outcomes(first), await outcomes(second)]).toEqual([['created'], ['duplicate', 'created']])
  })

  test('with what is invalid in it, if the client prefers that', async () => {
    const phone = await createPhone()
    const items = [phone.coffee(), phone.coffee({ account_id: 999_999 })]
    expect((await phone.syncNow(items)).status).toBe(422)
    expect(await phone.total()).toBe(0)
    const { body } = await phone.syncNow(items, { Prefer: 'handling=lenient' })
    const done = await phone.status(body.sync_id)
    expect([done.status, done.counts]).toEqual([
      'completed',
      { total: 2, created: 1, duplicate: 0, invalid: 1, failed: 0 },
    ])
  })

  test('and each item once, however often it is sent at once', async () => {
    const phone = await createPhone()
    const items = [phone.coffee(), phone.coffee(), phone.coffee({ client_id: 'x' })]
    const keyed = { 'Idempotency-Key': 'upload-1' }
    const sent = [...Array(5).fill({}), ...Array(5).fill(keyed)].map((headers) =>
      phone.syncNow(items, headers),
    )
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(Array(10).fill(200))
    await phone.process()
    expect(await phone.total()).toBe(3)
    expect(await phone.isExact()).toBe(true)
  })

  test('unless it would push a balance past its bounds: the queue then finds that it fails', async () => {
    const phone = await createPhone()
    const items = Array.from({ length: 10 }, () => phone.coffee({ amount: '9999999999999.99' }))
    const { status, body } = await phone.syncNow(items)
    expect([status, phone.world.queuedSyncs]).toEqual([200, [{ batch_id: body.sync_id }]])
    expect(await phone.process()).toMatchObject({ explicitAcks: [expect.any(String)], retryMessages: [] })
    expect([(await phone.status(body.sync_id)).status, await phone.total()]).toEqual(['failed', 0])
    expect(await phone.isExact()).toBe(true)
  })
})

test('a user who is not verified is refused before anything else', async () => {
  const world = createWorld()
  const person = await world.register()
  const { status, body } = await person.post('/api/transactions/sync', { transactions: 'nothing' })
  expect([status, body]).toEqual([
    403,
    { message: 'Your email address is not verified.', requires_verified_email: true },
  ])
})

describe('a batch with something wrong in it', () => {
  test('is refused as a whole, with every bad item named, even those that only the database finds', async () => {
    const phone = await createPhone()
    const items = Array.from({ length: 600 }, (_, i) => phone.coffee({ amount: i + 1 }))
    items[500] = phone.coffee({ amount: -1, type: 'gift' })
    items[501] = phone.coffee({ account_id: 999_999 })
    const { status, body } = await phone.sync(items)
    expect([status, body]).toEqual([
      422,
      {
        message: 'The given data was invalid.',
        errors: {
          'transactions.500.amount': ['The amount field must be greater than 0.'],
          'transactions.500.type': ['The selected type is invalid.'],
          'transactions.501.account_id': ['The selected account id is invalid.'],
        },
        invalid_items: [500, 501],
      },
    ])
    expect(phone.world.queuedSyncs).toEqual([])
    expect(await phone.total()).toBe(0)
  })

  test('is accepted without the bad items if the client prefers that', async () => {
    const phone = await createPhone()
    const items: unknown[] = Array.from({ length: 1_000 }, (_, i) => phone.coffee({ amount: i + 1 }))
    items[500] = phone.coffee({ amount: 'lots' })
    items[501] = phone.coffee({ category_id: 999_999 })
    items[502] = 'no object'
    const { status, headers, body } = await phone.sync(items, { Prefer: 'handling=lenient' })
    expect([status, headers.get('Preference-Applied')]).toEqual([200, 'handling=lenient'])
    await phone.process()
    const done = await phone.status(body.sync_id)
    expect(done.counts).toEqual({ total: 1_000, created: 997, duplicate: 0, invalid: 3, failed: 0 })
    expect(done.items.slice(500, 503).map((item: Json) => item.errors)).toEqual([
      { amount: ['The amount field must be a number.'] },
      { category_id: ['The selected category id is invalid.'] },
      { item: ['The item must be an object.'] },
    ])
    expect(await phone.total()).toBe(997)
    expect(await phone.isExact()).toBe(true)
  })

  test.each([
    [undefined, 'The transactions field is required.'],
    [[], 'The transactions field is required.'],
    [{ 0: {} }, 'The transactions field must be an array.'],
    [Array(1_001).fill({}), 'The transactions field must not have more than 1000 items.'],
  ])('is not a batch: %#', async (transactions, message) => {
    const phone = await createPhone()
    for (const Prefer of ['handling=strict', 'handling=lenient']) {
      const { status, body } = await phone.sync(transactions, { Prefer })
      expect([status, body.errors]).toEqual([422, { transactions: [message] }])
    }
  })
})

describe('sent again', () => {
  test('with the same Idempotency-Key it is the same batch, with another body an error', async () => {
    const phone = await createPhone()
    const headers = { 'Idempotency-Key': 'upload-1' }
    const first = await phone.sync([phone.coffee()], headers)
    const again = await phone.sync([phone.coffee()], headers)
    expect(again.body).toEqual(first.body)
    // The first message may have been lost with the first response: it is queued again for as long as it is pending.
    expect(phone.world.queuedSyncs).toEqual(Array(2).fill({ batch_id: first.body.sync_id }))
    await phone.process()
    expect((await phone.sync([phone.coffee()], headers)).body).toEqual(first.body)
    expect(phone.world.queuedSyncs).toEqual([])
    expect(await phone.total()).toBe(1)
    const other = await phone.sync([phone.coffee({ amount: 9 })], headers)
    expect([other.status, Object.keys(other.body.errors)]).toEqual([422, ['Idempotency-Key']])
  })

  test('with the same Idempotency-Key it is processed again if it had failed', async () => {
    const phone = await createPhone()
    const headers = { 'Idempotency-Key': 'upload-1' }
    const { sync_id } = (await phone.sync([phone.coffee(), phone.coffee()], headers)).body
    phone.world.queuedSyncs.length = 0
    await phone.world.deliver([{ batch_id: sync_id }], 'purse-sync-dead')
    const status = async () => (await phone.status(sync_id)).status
    expect([await status(), await phone.total()]).toEqual(['failed', 0])
    const again = await phone.sync([phone.coffee(), phone.coffee()], headers)
    expect([again.status, again.body.sync_id, await status()]).toEqual([200, sync_id, 'pending'])
    await phone.process()
    expect([await status(), await phone.total()]).toEqual(['completed', 2])
    expect(await phone.isExact()).toBe(true)
  })

  test('messages that are delivered three times, and two at once, change nothing more', async () => {
    const phone = await createPhone()
    const { body } = await phone.sync([phone.coffee(), phone.coffee()])
    const message = { batch_id: body.sync_id }
    await Promise.all([
      phone.world.deliver([message, message], 'purse-sync'),
      phone.world.deliver([message], 'purse-sync'),
    ])
    await phone.world.deliver([message], 'purse-sync')
    expect(await phone.total()).toBe(2)
    expect(await balanceOf(phone.person, phone.checking)).toBe(94)
  })

  test('a batch that was processed is recognised, even if its category has been deleted since', async () => {
    const phone = await createPhone()
    const { body } = await phone.person.post('/api/categories', { name: 'Beans', type: 'expense' })
    const item = phone.coffee({ client_id: 'once', category_id: body.id })
    expect(await phone.outcomes([item])).toEqual(['created'])
    await phone.person.delete(`/api/categories/${body.id}`)
    expect(await phone.outcomes([item])).toEqual(['duplicate'])
    expect((await phone.sync([{ ...item, client_id: 'another' }])).status).toBe(422)
    expect(await phone.total()).toBe(1)
  })

  test('an item keeps its category if the row that it repeats is undone before it is processed', async () => {
    const phone = await createPhone()
    const item = phone.coffee({ client_id: 'once' })
    const imported = await phone.person.post('/api/import/store', { transactions: [item] })
    const { body } = await phone.sync([item])
    await phone.person.delete(`/api/imports/${imported.body.import.id}`)
    await phone.process()
    const [{ outcome, transaction_id }] = (await phone.status(body.sync_id)).items
    expect(outcome).toBe('created')
    const row = (await phone.person.get(`/api/transactions/${transaction_id}`)).body
    expect(row.category_id).toBe(phone.category.id)
  })

  test('a row that has been deleted since does not come back', async () => {
    const phone = await createPhone()
    const item = phone.coffee({ client_id: 'once' })
    expect(await phone.outcomes([item])).toEqual(['created'])
    const { body } = await phone.person.get('/api/transactions')
    await phone.person.delete(`/api/transactions/${body.data[0].id}`)
    const again = await phone.sync([item])
    expect([again.status, Object.keys(again.body.errors)]).toEqual([422, ['transactions.0.client_id']])
    const alone = await phone.person.post('/api/transactions', item)
    expect([alone.status, Object.keys(alone.body.errors)]).toEqual([422, ['client_id']])
    expect(await phone.total()).toBe(0)
  })
})

type Fields = Record<string, unknown>

test.each<[what: string, sent: Fields[], outcomes: string[], again: string]>([
  [
    'absorbed by a row that was there before, one each',
    [{}, {}, {}],
    ['duplicate', 'created', 'created'],
    'duplicate',
  ],
  ['forced in', [{ force: true }], ['created'], 'created'],
  [
    'told apart by client ids',
    [{ client_id: 'p' }, { client_id: 'p' }],
    ['created', 'duplicate'],
    'duplicate',
  ],
  ['as many rows as they are', [{ amount: 7 }, { amount: 7 }], ['created', 'created'], 'duplicate'],
])('equal items of a batch are %s', async (_, sent, expected, again) => {
  const phone = await createPhone()
  await phone.person.post('/api/transactions', phone.coffee())
  const items = sent.map(phone.coffee)
  expect(await phone.outcomes(items)).toEqual(expected)
  expect(await phone.outcomes(items)).toEqual(items.map(() => again))
})

test('an item with a reference finds the row with that reference first, and none with another', async () => {
  const phone = await createPhone()
  const batchOf = (...references: (string | undefined)[]) =>
    phone.outcomes(references.map((reference) => phone.coffee({ reference })))
  await batchOf('A', 'B', undefined)
  // B finds B, C the one without a reference, the first without one finds A, and for the last nothing is left.
  const outcomes = await batchOf(undefined, 'C', 'B', undefined)
  expect(outcomes).toEqual(['duplicate', 'duplicate', 'duplicate', 'created'])
})

test('an account that is deleted before processing fails its items, with the reason, and no others', async () => {
  const phone = await createPhone()
  const { body } = await phone.sync([phone.coffee(), phone.coffee({ account_id: phone.cash.id })])
  await phone.person.delete(`/api/accounts/${phone.cash.id}`)
  await phone.person.delete(`/api/categories/${phone.category.id}`)
  await phone.process()
  const done = await phone.status(body.sync_id)
  expect(done.status).toBe('completed')
  expect(done.counts).toMatchObject({ created: 1, failed: 1 })
  expect(done.items[1].errors).toEqual({ account_id: ['The selected account id is invalid.'] })
})

test('a batch that no attempt could process is failed by the dead-letter consumer, its items kept', async () => {
  const phone = await createPhone()
  const { body } = await phone.sync([phone.coffee({ client_id: 'kept' })])
  await phone.world.deliver([{ batch_id: body.sync_id }], 'purse-sync-dead')
  const done = await phone.status(body.sync_id)
  expect([done.status, done.counts.failed, done.items[0].client_id]).toEqual(['failed', 1, 'kept'])
  expect(done.items[0].errors).toEqual({ batch: [expect.stringContaining('send it again')] })
  await phone.process()
  expect(await phone.total()).toBe(0)
})

test('a batch whose message was lost is queued again by the sweep, and by requesting its status', async () => {
  const phone = await createPhone()
  const { body } = await phone.sync([phone.coffee()])
  phone.world.queuedSyncs.length = 0
  await phone.world.runCron('* * * * *')
  expect(phone.world.queuedSyncs).toEqual([])
  await askDatabase(phone.world, sql`update sync_batches set queued_at = queued_at - 60000`)
  await phone.status(body.sync_id)
  expect(phone.world.queuedSyncs).toEqual([{ batch_id: body.sync_id }])
  await phone.world.runCron('* * * * *')
  expect(phone.world.queuedSyncs).toHaveLength(2)
  await phone.process()
  expect(await phone.total()).toBe(1)
})

test('a thousand items are accepted in one round trip and processed in one', async () => {
  const phone = await createPhone()
  const items = Array.from({ length: 1_000 }, (_, i) => phone.coffee({ amount: i + 1, client_id: `c${i}` }))
  await phone.world.resetDatabaseWork()
  const { body } = await phone.sync(items)
  expect((await phone.world.databaseWork()).requests).toBe(1)
  await phone.world.resetDatabaseWork()
  await phone.process()
  expect((await phone.world.databaseWork()).requests).toBe(1)
  expect((await phone.status(body.sync_id)).counts.created).toBe(1_000)
  expect(await phone.isExact()).toBe(true)
})

test('finished batches are kept for thirty days, their transactions for good', async () => {
  const phone = await createPhone()
  const { body } = await phone.sync([phone.coffee()])
  await phone.process()
  await phone.world.runCron('17 * * * *')
  expect((await phone.person.get(`/api/transactions/sync/${body.sync_id}`)).status).toBe(200)
  await askDatabase(
    phone.world,
    sql`update sync_batches set completed_at = completed_at - ${31 * 86_400_000}`,
  )
  await phone.world.runCron('17 * * * *')
  expect((await phone.person.get(`/api/transactions/sync/${body.sync_id}`)).status).toBe(404)
  expect(await phone.total()).toBe(1)
})

describe('users take turns', () => {
  /** Another user with an account, who uploads as well. */
  async function createNeighbour({ world }: Awaited<ReturnType<typeof createPhone>>) {
    const { person, expense } = await createHousehold(world)
    const options = toQueue(person.token, [expense()])
    return { person, sync: () => world.call('POST', '/api/transactions/sync', options) }
  }

  test('a user who uploads one batch after another delays other users by no more than one', async () => {
    const phone = await createPhone()
    const neighbour = await createNeighbour(phone)
    const own: string[] = []
    for (let nth = 1; nth <= 5; nth++)
      own.push((await phone.sync([phone.coffee({ amount: nth })])).body.sync_id)
    const other = (await neighbour.sync()).body.sync_id
    const order: string[] = []
    const { queuedSyncs, deliver } = phone.world
    for (let next = queuedSyncs.shift(); next; next = queuedSyncs.shift()) {
      await deliver([next], 'purse-sync')
      if (!order.includes(next.batch_id)) order.push(next.batch_id)
    }
    const [first, ...rest] = own
    expect(order).toEqual([first, other, ...rest])
    for (const id of own) expect((await phone.status(id)).counts.created).toBe(1)
    expect((await neighbour.person.get(`/api/transactions/sync/${other}`)).body.status).toBe('completed')
  })

  test('a batch that fails lets the next one in, and one whose message was lost is found by the sweep', async () => {
    const phone = await createPhone()
    const ids: string[] = []
    for (const amount of ['1', '9999999999999.99', '2', '3'])
      ids.push((await phone.sync(Array.from({ length: 10 }, () => phone.coffee({ amount })))).body.sync_id)
    const statuses = () => Promise.all(ids.map(async (id) => (await phone.status(id)).status))
    const queue = phone.world.queuedSyncs
    const [message] = queue.splice(0)
    await phone.world.deliver([message], 'purse-sync-dead')
    expect(queue).toEqual([{ batch_id: ids[1] }])
    await phone.world.deliver(queue.splice(0), 'purse-sync')
    expect(await statuses()).toEqual(['failed', 'failed', 'pending', 'pending'])
    expect(queue).toEqual([{ batch_id: ids[2] }])
    // Redelivered messages queue nothing else.
    await phone.world.deliver([message, { batch_id: ids[1] }], 'purse-sync')
    expect(queue.splice(0)).toEqual([{ batch_id: ids[2] }])
    await askDatabase(phone.world, sql`update sync_batches set queued_at = queued_at - 60000`)
    await phone.world.runCron('* * * * *')
    expect(queue).toEqual([{ batch_id: ids[2] }])
    await phone.process()
    expect(await statuses()).toEqual(['failed', 'failed', 'completed', 'completed'])
  })

  test('a user with a hundred pending batches gets a 429, and others do not', async () => {
    const phone = await createPhone()
    const neighbour = await createNeighbour(phone)
    const upload = (nth: number) =>
      phone.sync([phone.coffee({ client_id: `c${nth}` })], { 'Idempotency-Key': `upload-${nth}` })
    for (let nth = 1; nth <= maxUnfinishedBatches; nth++) expect((await upload(nth)).status).toBe(200)
    const refused = await upload(0)
    expect([refused.status, refused.body]).toEqual([429, { message: 'Too Many Attempts.' }])
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0)
    // What has been accepted is recognised.
    expect((await upload(1)).status).toBe(200)
    expect((await neighbour.sync()).status).toBe(200)
    await phone.process()
    expect((await upload(0)).status).toBe(200)
    await phone.process()
    expect(await phone.total()).toBe(maxUnfinishedBatches + 1)
  })
})

test('an item that was accepted before a deployment is read after it, by the positions of its fields', async () => {
  const phone = await createPhone()
  const { person, checking, category } = phone
  const { body } = await phone.sync([phone.coffee()])
  const before = [
    ...[null, checking.id, null, category.id, 'phone-1', 'expense', 450],
    ...['Coffee', 'R 1', '2026-11-20', 0],
  ]
  await askDatabase(
    phone.world,
    sql`update sync_parts set items = ${JSON.stringify([before])} where batch_id = ${body.sync_id}`,
  )
  await phone.process()
  expect((await person.get('/api/export')).body.transactions).toMatchObject([
    {
      ...{ account_id: checking.id, to_account_id: null, category_id: category.id, client_id: 'phone-1' },
      ...{ type: 'expense', amount: '4.50', description: 'Coffee', reference: 'R 1' },
      transaction_date: '2026-11-20',
    },
  ])
})
