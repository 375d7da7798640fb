import type { CDPSession } from 'playwright-core'
import { expect, test } from 'vitest'
import { hasBrowser, servePage, useBrowser } from './fixtures/browser.ts'

const transactions = 100_000
const browser = useBrowser()

/** A page with a ledger and a service of its own, which has that many transactions and responds at once. */
const page = `
  import { createClient, indexedDbStorage, localLedger, memoryTokens } from '../../client/index.ts'
  const changes = []
  const balances = new Map()
  const at = '2026-11-22T00:00:00.000Z'
  const own = { user_id: 1, version: 1, created_at: at, updated_at: at, client_id: null }
  changes.push({ noun: 'profile', id: 1, data: { id: 1, name: 'Ada', timezone: 'UTC', reminder_time: null } })
  for (let id = 1; id <= 5; id++) {
    balances.set(id, 0)
    const name = 'Account ' + id
    changes.push({ noun: 'account', id, data: { ...own, id, name, type: 'bank', starting_balance: '0.00', notes: null } })
  }
  for (let id = 1; id <= 20; id++)
    changes.push({ noun: 'category', id, data: { ...own, id, name: 'Category ' + id, type: 'expense' } })
  for (let id = ${transactions}; id >= 1; id--) {
    const day = new Date(Date.UTC(2026, 10, 22) - Math.floor((${transactions} - id) / 30) * 86_400_000)
    const account_id = 1 + (id % 5)
    const cents = 100 + ((id * 7919) % 90_000)
    balances.set(account_id, balances.get(account_id) - cents)
    changes.push({ noun: 'transaction', id, data: {
      ...own, id, account_id, to_account_id: null, category_id: 1 + (id % 20), type: 'expense',
      client_id: id % 2 ? 'c' + id : null, is_synced: true, amount: (cents / 100).toFixed(2),
      transaction_date: day.toISOString().slice(0, 10), reference: id % 3 ? null : 'Reference ' + id,
      description: 'Something that was bought, number ' + id,
    } })
  }
  const respond = (body) => new Response(JSON.stringify(body), { headers: { 'Content-Type': 'application/json' } })
  const client = createClient({
    baseUrl: 'http://purse.test',
    tokens: memoryTokens('of a test'),
    fetch: async (url, { body }) => {
      if (url.endsWith('/api/me')) return respond(changes[0].data)
      const { cursor, limit } = JSON.parse(body)
      const from = Number(cursor ?? 0)
      const to = from + limit
      const has_more = to < changes.length
      const whole = { balances: [...balances].map(([account_id, cents]) => ({ account_id, balance: cents / 100 })) }
      return respond({ results: [], changes: changes.slice(from, to), cursor: String(to), has_more, ...(!has_more && whole) })
    },
  })
  const open = () => localLedger({ client, storage: indexedDbStorage('purse'), userId: 1, now: () => Date.parse(at) })
  const rows = changes.map(({ data }) => data)
  function loop() {
    let sum = 0
    for (const row of rows) sum += row.id
    return sum
  }
  const again = (times, work) => {
    for (let time = 1; time <= times; time++) work()
  }
  let ledger
  globalThis.works = {
    sync: async () => (await open()).sync(),
    open: async () => void (ledger = await open()),
    loop: () => again(500, loop),
    totals: () => [ledger.transactions().total, ledger.transactions({ q: 'number 9999' }).total],
    dashboard: () => again(20, () => ledger.summary()),
    list: () => again(20, () => ledger.transactions()),
    filtered: () =>
      again(20, () => ledger.transactions({ account_id: 2, category_id: 7, type: 'expense', page: 3 })),
    search: () => again(20, () => ledger.transactions({ q: 'NUMBER 9999' })),
    'search in an account': () => again(20, () => ledger.transactions({ q: 'number 777', account_id: 3 })),
  }`

/**
 * In empty loops over the rows: a frame of 16 ms has 27 on a computer that needs 0.6 ms for one. Opening waits for memory
 * more than a loop does: where a loop takes 0.17 ms, opening in 0.24 to 0.42 s is 1,350 to 2,300 loops.
 */
const most = { open: 3_000, read: 27 }
const maxTries = 5

test.skipIf(!hasBrowser)(
  'a history of 100,000 transactions opens within a second, and is read within a frame',
  async () => {
    const { url, close } = await servePage(page)
    try {
      const tab = await browser().newPage()
      await tab.goto(url)
      const cdp = await tab.context().newCDPSession(tab)
      // The CPU time of the page, which does not depend on how busy the machine is.
      await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
      const cpuMs = async (work: string, times = 1) => {
        const before = await taskMs(cdp)
        await tab.evaluate((name) => works[name]?.(), work)
        return ((await taskMs(cdp)) - before) / times
      }
      expect(await tab.evaluate(() => works.sync?.())).toMatchObject({ stopped: null })
      /** How many empty loops take as long: the lowest of some measurements, since others use the same caches. */
      const inLoops = async (work: string, times: number, most: number) => {
        let lowest = Number.POSITIVE_INFINITY
        for (let tries = 0; tries < maxTries && lowest >= most; tries++) {
          await cpuMs('loop')
          const loop = await cpuMs('loop', 500)
          lowest = Math.min(lowest, (await cpuMs(work, times)) / loop)
          console.log('CPU in ms: of an empty loop over the rows', loop, 'of', work, loop * lowest)
        }
        return lowest
      }
      await tab.reload()
      expect(await inLoops('open', 1, most.open)).toBeLessThan(most.open)
      expect(await tab.evaluate(() => works.totals?.())).toEqual([transactions, 10])
      for (const read of ['dashboard', 'list', 'filtered', 'search', 'search in an account']) {
        await cpuMs(read)
        expect(await inLoops(read, 20, most.read)).toBeLessThan(most.read)
      }
    } finally {
      close()
    }
  },
)

async function taskMs(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics')
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000
}

declare const works: Record<string, (() => unknown) | undefined>
