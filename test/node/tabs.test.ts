import { expect, onTestFinished, test } from 'vitest'
import { createClient, localLedger, memoryStorage, offlineQueue } from '../../src/client.ts'

const expense = {
  ...{ account_id: 1, type: 'expense' as const, amount: '3.00' },
  ...{ transaction_date: '2026-11-20', description: 'Tea' },
}

/** A ledger in a tab that closes with the test. */
async function openTab(storage: ReturnType<typeof memoryStorage>) {
  const client = createClient({ baseUrl: 'http://purse.test', fetch: () => Promise.reject(new TypeError()) })
  const ledger = await localLedger({ client, storage, userId: 1 })
  onTestFinished(() => ledger.close())
  return { client, ledger }
}

test('a tab hears of what another has taken over from an offline queue', async () => {
  const storage = memoryStorage()
  const { client, ledger } = await openTab(storage)
  const heard = new Promise<void>((resolve) => ledger.subscribe(() => resolve()))
  await offlineQueue({ client, storage, userId: 1 }).add(expense)
  const other = await openTab(storage)
  expect(other.ledger.waiting()).toHaveLength(1)
  await heard
  expect(ledger.waiting()).toEqual(other.ledger.waiting())
})
