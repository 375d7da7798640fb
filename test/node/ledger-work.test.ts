import { expect, test } from 'vitest'
import { createClient, localLedger, memoryStorage } from '../../client/index.ts'

/** An empty ledger of a device that has no network. */
async function openOffline() {
  const client = createClient({ baseUrl: 'http://purse.test', fetch: () => Promise.reject(new TypeError()) })
  const ledger = await localLedger({ client, storage: memoryStorage(), userId: 1 })
  const account_id = await ledger.create('account', { name: 'Wallet', type: 'cash', starting_balance: 0 })
  const category_id = await ledger.create('category', { name: 'Tea', type: 'expense' })
  const expense = { type: 'expense' as const, amount: '3.00', account_id, category_id }
  const create = async (count: number) => {
    for (let left = count; left > 0; left--)
      await ledger.create('transaction', { ...expense, transaction_date: '2026-11-20' })
  }
  return { ledger, create }
}

/** The CPU time of this thread, in milliseconds. */
async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

const rows = 500
/** Some 1.2; work over all pending rows for each new one takes more than 10. */
const maxTimes = 4
const maxTries = 8

test('a new row costs as much with thousands of pending rows as with a few', async () => {
  const [few, many] = [await openOffline(), await openOffline()]
  await few.create(rows)
  await many.create(4_000)
  let times = Number.POSITIVE_INFINITY
  for (let tries = 0; times > maxTimes && tries < maxTries; tries++) {
    const fresh = await openOffline()
    times = Math.min(times, (await cpuOf(() => many.create(rows))) / (await cpuOf(() => fresh.create(rows))))
  }
  console.log('A new row with thousands of pending ones costs', times, 'times one with a few')
  expect(times).toBeLessThan(maxTimes)
})
