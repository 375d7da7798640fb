import { expect, test } from 'vitest'
import {
  createClient,
  type KeyValueStorage,
  type LedgerStorage,
  memoryStorage,
  memoryTokens,
  offlineQueue,
} from '../../../src/client.ts'
import { fetchOf, respondingAsync } from '../client/client-world.ts'
import { verifyAddress } from '../world.ts'
import { openDevice } from './ledger-world.ts'
import { expectTruth, losing, offline, twoDevices } from './two-devices.ts'

/** A storage with what a queue leaves in each state, and what the service should have in the end. */
async function leftByAQueue() {
  const { world, person, expense, category } = await twoDevices()
  await verifyAddress(world, person)
  const storage = memoryStorage()
  const network = { fetch: offline }
  const client = createClient({
    ...{ baseUrl: 'http://purse.test', tokens: memoryTokens(person.token), sleep: async () => undefined },
    fetch: (url, init) => network.fetch(url, init),
  })
  const queue = offlineQueue({ client, storage, userId: person.id, sleep: async () => undefined })
  const { category_id, ...uncategorised } = expense
  const online = respondingAsync(fetchOf(world).fetch)
  const add = (reference: string, fields = {}) => queue.add({ ...uncategorised, reference, ...fields })
  await add('refused', { amount: '1,5' })
  network.fetch = online
  await queue.sync()
  await add('lost', { category_id })
  await add('lost, uncategorised')
  const corrected = await add('to be corrected', { category_id })
  const discarded = await add('to be discarded')
  network.fetch = losing(online)
  await queue.sync()
  await world.deliverSyncs()
  await queue.resubmit(corrected.client_id, { ...uncategorised, reference: 'corrected', amount: 4 })
  await queue.discard(discarded.client_id)
  await add('taken')
  network.fetch = online
  await queue.sync()
  await add('waits', { amount: 2.5, category_id })
  await add('waits, uncategorised')
  await storage.set(`purse/${person.id}/item/000000000000001-damaged`, '{"amount": "7.7')
  const landed = [null, 'lost', 'lost, uncategorised', 'corrected', 'taken', 'waits', 'waits, uncategorised']
  return { world, person, storage, landed, category }
}

/** The same, to be carried on in different ways. */
async function copyOf(storage: KeyValueStorage): Promise<KeyValueStorage & LedgerStorage> {
  const copy = memoryStorage()
  for (const [key, value] of await storage.list('')) await copy.set(key, value)
  return copy
}

test('a ledger takes over what an offline queue has left, whatever had become of it, and each lands once', async () => {
  const { world, person, storage, landed, category } = await leftByAQueue()
  const { ledger, open } = await openDevice(world, person, { storage })
  expect((await storage.list(`purse/${person.id}/`)).filter(([key]) => !key.includes('/ledger/'))).toEqual([])
  expect(ledger.waiting()).toHaveLength(9)
  expect((await open()).waiting()).toHaveLength(9)
  expect(ledger.rejected()).toMatchObject([
    { errors: { row: [expect.stringContaining('"7.7')] } },
    { set: { amount: '1,5' }, errors: { amount: [expect.any(String)] } },
  ])
  await world.deliverSyncs()
  const report = await ledger.sync()
  expect(ledger.conflicts()).toEqual([])
  expect(report).toMatchObject({ conflicts: 0, rejected: 0, stopped: null })
  expect(ledger.waiting()).toHaveLength(2)
  for (const one of ledger.rejected()) await ledger.discard(one)
  await expectTruth(person, ledger)
  const rows = ledger.transactions().data
  expect(rows.map(({ reference }) => reference).sort()).toEqual([...landed].sort())
  const categories = Object.fromEntries(rows.map((row) => [row.reference, row.category?.name ?? null]))
  expect(categories).toMatchObject({
    ...{ lost: category.name, 'lost, uncategorised': null, corrected: null, taken: null },
    ...{ waits: category.name, 'waits, uncategorised': null },
  })
})

test('if the app dies while it takes over, each item is either in the queue or in the ledger', async () => {
  const left = await leftByAQueue()
  for (const isDone of [false, true]) {
    const inner = await copyOf(left.storage)
    let isDead = false
    const write: LedgerStorage['write'] = async (entries) => {
      if (!isDead && isDone) await inner.write(entries)
      isDead = true
      throw new Error('The phone is dead')
    }
    await openDevice(left.world, left.person, { storage: { ...inner, write } })
    expect(isDead).toBe(true)
    const { ledger } = await openDevice(left.world, left.person, { storage: inner })
    expect(ledger.waiting()).toHaveLength(9)
    expect(await inner.list(`purse/${left.person.id}/item/`)).toEqual([])
  }
})

test('what there is no room to take over holds up nothing, and is taken over once there is', async () => {
  const { world, person, expense, tea, one } = await twoDevices()
  let isFull = true
  const { list, write } = one.storage
  const storage: LedgerStorage = {
    list,
    write: async (entries) => {
      if (isFull && entries.some(([key]) => key.includes('/item/'))) throw new Error('The storage is full')
      await write(entries)
    },
  }
  const item = { client_id: 'queued', added_at: '2026-11-22T00:00:00.000Z', errors: null, earlier: null }
  const transaction = { ...expense, reference: 'queued' }
  await write([[`purse/${person.id}/item/1`, JSON.stringify({ ...item, transaction, discarded: false })]])
  const { ledger } = await openDevice(world, person, { storage })
  await ledger.update('transaction', tea, { amount: 4 })
  await expect(ledger.sync()).rejects.toThrow('The storage is full')
  expect(ledger.waiting()).toEqual([])
  expect((await person.get(`/api/transactions/${tea}`)).body.amount).toBe('4.00')
  isFull = false
  expect(await ledger.sync()).toMatchObject({ sent: 1 })
  expect(ledger.transactions({ q: 'queued' }).total).toBe(1)
  await expectTruth(person, ledger)
})

test('what is damaged in a queue, or could never be accepted, is shown and holds up nothing', async () => {
  const { world, person, expense, one } = await twoDevices()
  const storage = memoryStorage()
  const whole = {
    client_id: 'whole',
    transaction: { ...expense, reference: 'whole' },
    added_at: '2026-11-22T00:00:00.000Z',
    errors: null,
    earlier: null,
    discarded: false,
  }
  const { transaction } = whole
  const others: unknown[] = [
    { ...whole, client_id: null },
    { ...whole, client_id: 5 },
    { ...whole, transaction: null },
    { ...whole, transaction: 'tea', client_id: 'b' },
    { ...whole, errors: 'bad' },
    { ...whole, transaction: { ...transaction, amount: {} } },
    { ...whole, earlier: 'tea', client_id: 'e' },
    { ...whole, transaction: { ...transaction, type: 'gift' }, client_id: 'f' },
    { ...whole, transaction: { ...transaction, transaction_date: 20_261_120 }, client_id: 'g' },
    { ...whole, transaction: { ...transaction, transaction_date: null }, client_id: 'h' },
  ]
  const discarded = { ...whole, client_id: 'discarded', discarded: true }
  for (const [at, item] of [whole, discarded, ...others].entries())
    await storage.set(`purse/${person.id}/item/${at}`, JSON.stringify(item))
  // It said that the discarded one may have landed.
  await storage.set(`purse/${person.id}/batch/1`, '{"client_ids":["disc')
  const { ledger } = await openDevice(world, person, { storage })
  expect((await storage.list('')).filter(([key]) => !key.includes('/ledger/'))).toEqual([])
  expect(ledger.waiting()).toHaveLength(12)
  await ledger.summary({ month: '2026-11' })
  expect(await ledger.sync()).toMatchObject({ stopped: null, waiting: 0 })
  expect(ledger.rejected()).toHaveLength(10)
  ledger.summary({ month: '2026-11' })
  ledger.transactions()
  for (const one of ledger.rejected()) await ledger.discard(one)
  await expectTruth(person, ledger)
  await one.ledger.sync()
  expect(one.ledger.transactions({ q: 'whole' }).total).toBe(1)
})

test('a correction that was refused is dropped alone: the transaction had landed', async () => {
  const { world, person, expense } = await twoDevices()
  const storage = memoryStorage()
  await storage.set(
    `purse/${person.id}/item/1`,
    JSON.stringify({
      ...{ client_id: 'landed', added_at: '2026-11-22T00:00:00.000Z', discarded: false },
      transaction: { ...expense, reference: 'landed', amount: '-1' },
      earlier: { ...expense, reference: 'landed' },
      errors: { amount: ['It must be greater than 0.'] },
    }),
  )
  const { ledger } = await openDevice(world, person, { storage })
  const [refused] = ledger.rejected()
  await ledger.discard(refused as never)
  expect(ledger.rejected()).toEqual([])
  expect(await ledger.sync()).toMatchObject({ sent: 1, rejected: 0, waiting: 0 })
  expect(ledger.transactions({ q: 'landed' }).data).toMatchObject([{ amount: '3.00' }])
  await expectTruth(person, ledger)
})

test('nobody takes over what another person’s queue has left', async () => {
  const { world, person, storage } = await leftByAQueue()
  const other = await world.register()
  const before = (await storage.list('')).filter(([key]) => key.startsWith(`purse/${person.id}/`))
  const { ledger } = await openDevice(world, other, { storage })
  expect(ledger.waiting()).toEqual([])
  await ledger.sync()
  expect((await storage.list('')).filter(([key]) => key.startsWith(`purse/${person.id}/`))).toEqual(before)
})

test.each([
  ['add', 1],
  ['add', 2],
  ['resubmit', 2],
  ['discard', 2],
] as const)(
  'what a queue does (%s) while a ledger on its page lists the items (%i) is not lost',
  async (does, listing) => {
    const { world, person, expense } = await twoDevices()
    const storage = memoryStorage()
    const client = createClient({ baseUrl: 'http://purse.test' })
    const queue = offlineQueue({ client, storage, userId: person.id })
    const tea = (reference: string) => ({ ...expense, reference })
    const { client_id } = await queue.add(tea('first'))
    let [listings, answer] = [0, Promise.resolve<unknown>(undefined)]
    const list: LedgerStorage['list'] = async (prefix) => {
      const pairs = await storage.list(prefix)
      if (prefix.endsWith('/item/') && ++listings === listing) {
        if (does === 'add') answer = queue.add(tea('added'))
        else if (does === 'discard') answer = queue.discard(client_id)
        else answer = queue.resubmit(client_id, tea('corrected'))
        // The storage takes no time, so by then the queue is done, unless it has to wait for the ledger.
        await new Promise((resolve) => setTimeout(resolve))
      }
      return pairs
    }
    const { ledger } = await openDevice(world, person, { storage: { ...storage, list } })
    const isDone = await answer
    for (let run = 0; run < 2; run++) await ledger.sync()
    expect([listings >= listing, ledger.rejected()]).toEqual([true, []])
    await expectTruth(person, ledger)
    const landed = ledger.transactions().data.flatMap(({ reference }) => reference ?? [])
    const done = { add: ['added', 'first'], resubmit: ['corrected'], discard: [] }[does]
    expect(landed.sort()).toEqual(isDone ? done : ['first'])
  },
)
