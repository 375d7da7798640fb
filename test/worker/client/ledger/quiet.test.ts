import { expect, test } from 'vitest'
import { memoryStorage } from '../../../../client/index.ts'
import { recordTransaction } from '../../fixtures/world.ts'
import { fillableStorage, openDevice } from './ledger-world.ts'
import { expectTruth, twoDevices } from './two-devices.ts'

/** A storage that counts its writes. */
function countingStorage() {
  const inner = memoryStorage()
  const counts = { writes: 0 }
  const write: typeof inner.write = (entries) => {
    counts.writes += 1
    return inner.write(entries)
  }
  return { counts, storage: { ...inner, write } }
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
