import { expect, test } from 'vitest'
import { memoryStorage } from '../../../../client/index.ts'
import { recordTransaction } from '../../fixtures/world.ts'
import { fillableStorage, openDevice, readLedger } from './ledger-world.ts'
import { expectTruth, twoDevices } from './two-devices.ts'

/** A storage that counts its writes, and notes the blocks of rows that are read. */
function countingStorage() {
  const inner = memoryStorage()
  const counts = { writes: 0, read: [] as string[] }
  const write: typeof inner.write = (entries) => {
    counts.writes += 1
    return inner.write(entries)
  }
  const list: typeof inner.list = async (...query) => {
    const pairs = await inner.list(...query)
    counts.read.push(...pairs.map(([key]) => key.split('/rows/')[1] ?? '').filter(Boolean))
    return pairs
  }
  return { counts, storage: { write, list } }
}

test('a sync that brings nothing new writes nothing, and calls no listener, in no tab', async () => {
  const { world, person } = await twoDevices()
  const { counts, storage } = countingStorage()
  const { ledger } = await openDevice(world, person, { storage })
  const tab = await openDevice(world, person, { storage })
  await ledger.sync()
  await tab.ledger.refresh()
  let heard = 0
  for (const one of [ledger, tab.ledger]) one.subscribe(() => void heard++)
  const { writes } = counts
  for (const one of [ledger, tab.ledger]) {
    expect(await one.sync()).toMatchObject({ sent: 0, received: 0, stopped: null })
    await one.refresh()
  }
  expect({ heard, writes: counts.writes - writes }).toEqual({ heard: 0, writes: 0 })
})

test('a listener that syncs is not called for what its own sync has not changed', async () => {
  const { person, expense, tea, one, two } = await twoDevices()
  const { ledger, network } = one
  let syncs = 0
  let last = Promise.resolve()
  ledger.subscribe(() => {
    syncs += 1
    if (syncs < 20) last = ledger.sync().then(() => undefined)
  })
  /** Resolves once no sync has begun another. */
  const settled = async () => {
    for (let before = -1; before !== syncs; ) {
      before = syncs
      await last
    }
  }
  await two.ledger.update('transaction', tea, { amount: 4 })
  await two.ledger.sync()
  network.calls.length = 0
  await ledger.create('transaction', { ...expense, reference: 'cup' })
  await settled()
  expect(network.calls.length).toBeLessThan(9)
  await expectTruth(person, ledger)
})

test('a listener that syncs while the storage is full is not called again and again', async () => {
  const { world, person, expense } = await twoDevices()
  const { room, storage } = fillableStorage()
  const { ledger } = await openDevice(world, person, { storage })
  await ledger.sync()
  await recordTransaction(person, { ...expense, reference: 'elsewhere', force: true })
  room.isFull = true
  let heard = 0
  ledger.subscribe(() => void heard++)
  for (let times = 0; times < 3; times++) {
    await expect(ledger.sync()).rejects.toThrow('The storage is full')
    await ledger.refresh()
  }
  expect(heard).toBe(0)
  room.isFull = false
  await ledger.sync()
  expect(heard).toBe(1)
  await expectTruth(person, ledger)
})

test('what one tab writes, another reads by the blocks that have changed', async () => {
  const { world, person, expense, tea, two } = await twoDevices()
  const { counts, storage } = countingStorage()
  const { ledger } = await openDevice(world, person, { storage })
  await ledger.sync()
  const tab = await openDevice(world, person, { storage })
  const reads = async () => {
    counts.read.length = 0
    await tab.ledger.refresh()
    return counts.read.map((block) => block.replace(/^\d+\//, '').replace(/\d+$/, 'n'))
  }
  expect(await reads()).toEqual([])
  await two.ledger.update('transaction', tea, { amount: 4 })
  await two.ledger.sync()
  await ledger.sync()
  expect(await reads()).toEqual(['transaction/n'])
  await expectTruth(person, tab.ledger)

  const key = await ledger.create('transaction', { ...expense, reference: 'cup' })
  expect(await reads()).toEqual([])
  expect(tab.ledger.transaction(key)).toMatchObject({ reference: 'cup', waits: 'waiting' })
  await ledger.update('account', expense.account_id, { name: 'Purse' })
  await ledger.sync()
  expect(new Set(await reads())).toEqual(new Set(['account/n', 'transaction/n']))
  await expectTruth(person, tab.ledger)

  await two.ledger.sync()
  await two.ledger.remove('account', expense.account_id)
  await two.ledger.sync()
  await ledger.sync()
  // Their blocks are gone.
  expect(await reads()).toEqual([])
  await expectTruth(person, tab.ledger)
})

test('a tab that missed more blocks than are noted, or a write of an earlier version, reads all', async () => {
  const { world, person, expense, two, tea } = await twoDevices()
  const { counts, storage } = countingStorage()
  const { ledger } = await openDevice(world, person, { storage })
  await ledger.sync()
  const tab = await openDevice(world, person, { storage })
  const base = `purse/${person.id}/ledger/meta`
  const asBefore = async () => {
    const [[, value] = ['', '']] = await storage.list(base)
    const { recent, recentSince, ...meta } = JSON.parse(value)
    await storage.write([[base, JSON.stringify(meta)]])
  }
  await two.ledger.update('transaction', tea, { amount: 4 })
  await two.ledger.sync()
  await ledger.sync()
  await asBefore()
  counts.read.length = 0
  await tab.ledger.refresh()
  expect(counts.read.length).toBeGreaterThan(2)
  await expectTruth(person, tab.ledger)
  await recordTransaction(person, { ...expense, reference: 'elsewhere', force: true })
  await ledger.sync()
  await tab.ledger.refresh()
  await expectTruth(person, tab.ledger)
})

test('several rows are changed in one write, which is one step to undo', async () => {
  const { world, person, expense, tea } = await twoDevices()
  const { counts, storage } = countingStorage()
  const { ledger } = await openDevice(world, person, { storage })
  await ledger.sync()
  const cups = await Promise.all(
    ['a', 'b', 'c'].map((reference) => ledger.create('transaction', { ...expense, reference })),
  )
  const category_id = await ledger.create('category', { name: 'Leaves', type: 'expense' })
  const filed = () => ledger.transactions({ category_id }).data.map(({ reference }) => reference)
  let heard = 0
  ledger.subscribe(() => void heard++)
  const { writes } = counts
  await ledger.update('transaction', [tea, Number(tea), ...cups], { category_id })
  expect({ heard, writes: counts.writes - writes }).toEqual({ heard: 1, writes: 1 })
  expect(filed()).toEqual(['c', 'b', 'a', null])
  await expect(ledger.update('transaction', [tea, '#none'], { amount: 1 })).rejects.toThrow('no transaction')
  await ledger.undo()
  expect(filed()).toEqual([])
  await ledger.sync()
  await expectTruth(person, ledger)
})

test('a copy is read in pages, and all at once from a storage that knows none', async () => {
  const { world, person, expense } = await twoDevices()
  const storage = memoryStorage()
  const { ledger } = await openDevice(world, person, { storage })
  await ledger.sync()
  for (let nth = 1; nth <= 70; nth++)
    await ledger.create('transaction', { ...expense, reference: String(nth) })
  const pages: number[] = []
  const paging: typeof storage.list = async (prefix, page) => {
    const pairs = await storage.list(prefix, page)
    if (page?.limit !== 1) pages.push(pairs.length)
    return pairs
  }
  const whole: typeof storage.list = (prefix) => storage.list(prefix)
  const copies = []
  for (const list of [storage.list, paging, whole])
    copies.push((await openDevice(world, person, { storage: { ...storage, list } })).ledger)
  expect(copies[0]?.transactions().total).toBe(71)
  for (const copy of copies) expect(readLedger(copy)).toEqual(readLedger(ledger))
  expect(pages.length).toBeGreaterThan(2)
  expect(Math.max(...pages)).toBeLessThan(50)
})
