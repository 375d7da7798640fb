import { expect, onTestFinished, test, vi } from 'vitest'
import { createHousehold, writeHistory } from '../../laws/every-route.ts'
import { newWorld, openDevice } from './ledger-world.ts'
import { expectTruth } from './two-devices.ts'

/** A household with that many transactions in the past. */
async function longHistory(transactions: number) {
  const world = newWorld()
  const household = await createHousehold(world)
  await writeHistory(household, transactions)
  return household
}

/** The ids of the transactions that are parsed from here on and then looked at. */
function watchRows(): Set<number> {
  const visited = new Set<number>()
  const { parse } = JSON
  const watched = <T>(value: T): T => {
    if (typeof value !== 'object' || value === null) return value
    for (const [name, one] of Object.entries(value)) Object.assign(value, { [name]: watched(one) })
    if (!('transaction_date' in value && 'id' in value)) return value
    const id = Number(value.id)
    return new Proxy(value, {
      get(row, field) {
        visited.add(id)
        return Reflect.get(row, field)
      },
    })
  }
  vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => watched(parse(text, reviver)))
  onTestFinished(() => void vi.restoreAllMocks())
  return visited
}

const blockSize = 256

test('a sync with one change visits the transactions of its block and few others, however many there are', async () => {
  const { world, person, spend } = await longHistory(1_500)
  const { id } = await spend()
  const { storage, ledger } = await openDevice(world, person)
  await ledger.sync()
  const visited = watchRows()
  const device = await openDevice(world, person, { storage })
  expect(device.ledger.transactions().total).toBe(1_501)
  await person.patch(`/api/transactions/${id}`, { amount: '7.00' })
  visited.clear()
  expect(await device.ledger.sync()).toMatchObject({ received: 1, stopped: null })
  expect(visited.size).toBeLessThan(blockSize + 50)
  vi.restoreAllMocks()
  await expectTruth(person, device.ledger)
})

test('a first copy of 10,000 transactions takes five requests at most, says how far it is, and goes on where it was', async () => {
  const { world, person } = await longHistory(10_000)
  const { storage, network, ledger, open } = await openDevice(world, person)
  const { fetch } = network
  const seen: unknown[] = []
  ledger.subscribe(() => seen.push(ledger.progress()))
  expect(ledger.progress()).toBeNull()
  let isDown = false
  network.fetch = async (url, init) => {
    if (isDown) throw new TypeError('There is no network')
    isDown = url.endsWith('/api/changes')
    return fetch(url, init)
  }
  expect(await ledger.sync()).toMatchObject({ stopped: { reason: 'offline' } })
  const [page] = seen as [{ received: number }]
  expect(seen).toEqual([{ received: expect.any(Number), total: 10_000 }])
  expect(page.received).toBeGreaterThan(4_900)
  expect(ledger.transactions().total).toBe(0)

  // The tab is closed, and opened again.
  const reopened = await open()
  expect(reopened.progress()).toEqual(page)
  network.fetch = fetch
  network.calls.length = 0
  expect(await reopened.sync()).toMatchObject({ stopped: null, received: expect.any(Number) })
  expect(network.calls.length).toBeLessThanOrEqual(3)
  expect([reopened.progress(), reopened.transactions().total]).toEqual([null, 10_000])

  const device = await openDevice(world, person)
  await device.ledger.sync()
  expect(device.network.calls.length).toBeLessThanOrEqual(5)
  await expectTruth(person, device.ledger)
  expect((await storage.list(`purse/${person.id}/ledger/rows/0/`)).length).toBe(0)
})
