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
