import { expect, onTestFinished, test } from 'vitest'
import { createClient, localLedger, memoryStorage } from '../../client/index.ts'

/** A ledger in a tab that closes with the test. */
async function openTab(storage: ReturnType<typeof memoryStorage>) {
  const client = createClient({ baseUrl: 'http://purse.test', fetch: () => Promise.reject(new TypeError()) })
  const ledger = await localLedger({ client, storage, userId: 1 })
  onTestFinished(() => ledger.close())
  return ledger
}

test('a change in one tab notifies the listeners of another, which then shows it', async () => {
  const storage = memoryStorage()
  const [one, two] = [await openTab(storage), await openTab(storage)]
  const heard = new Promise<void>((resolve) => two.subscribe(() => resolve()))
  await one.create('account', { name: 'Wallet', type: 'cash', starting_balance: '20.50' })
  await heard
  expect(two.accounts()).toMatchObject([{ name: 'Wallet', balance: 20.5 }])
  expect(two.waiting()).toEqual(one.waiting())
})
