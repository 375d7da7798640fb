import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  createClient,
  type KeyValueStorage,
  memoryStorage,
  memoryTokens,
  offlineQueue,
} from '../../src/client.ts'
import { clientOf, registration, verifyByMail } from './client.ts'
import { type Cut, cuttingProxy } from './cutting-proxy.ts'
import { newPlace, type Place, start, until } from './stack.ts'

/** Three items in batches of two: whose token it is, two uploads, and at least one question for each outcome. */
const items = ['bread', 'milk', 'coffee']
const limits = { items: 2, bytes: 1_000_000 }
/** What a run makes when nothing is cut: requests at least, since it asks until a batch is done, and storage calls. */
const [leastRequests, storageCalls] = [5, 24]
const requestSteps = [1, 2, 3, 4, 5, 6, 7, 8]
/** The last of them finds nothing to die of: there is no step that the others leave out. */
const storageSteps = Array.from({ length: storageCalls + 1 }, (_, index) => index + 1)
const cuts: Cut[] = ['request', 'answer', 'half the answer']
/** Runs after the network is back, at most: one does, unless the service is slow. */
const maxRuns = 5

type Phone = Awaited<ReturnType<typeof setUpPhone>>
/** What a scenario has recorded: `kept` for certain, `uncertain` where the phone died while it was being stored. */
type Outcome = { name: string; kept: string[]; uncertain: string[]; left: object }

test('wherever the network is cut and whenever the phone dies, every transaction lands once and the queue is empty', async () => {
  const place = await newPlace()
  await start(place).ready()
  const phone = await setUpPhone(place)

  const cutScenarios = requestSteps.flatMap((step) =>
    cuts.flatMap((cut) => [false, true].map((isBlip) => cutScenario(phone, step, cut, isBlip))),
  )
  const deaths = storageSteps.flatMap((step) =>
    [true, false].map((isDone) => deathScenario(phone, step, isDone)),
  )
  const outcomes = await Promise.all([...cutScenarios, ...deaths])

  const stillQueued = outcomes.filter(({ left }) => JSON.stringify(left) !== JSON.stringify(empty))
  expect(stillQueued).toEqual([])
  const found = await descriptions(phone)
  const expected = outcomes.flatMap(({ kept }) => kept)
  const uncertain = new Set(outcomes.flatMap(({ uncertain }) => uncertain))
  expect(found.filter((name) => !uncertain.has(name)).sort()).toEqual(expected.sort())
  expect(new Set(found).size).toBe(found.length)
  const { balance } = (await phone.api('GET', `/accounts/${phone.accountId}`, undefined, phone.token)).body
  expect(balance).toBe(-found.length)
})

const empty = { pending: 0, sending: 0, rejected: 0 }

/** Records, loses the network at a step of the upload, starts anew when it is back, and uploads to the end. */
async function cutScenario(phone: Phone, step: number, cut: Cut, isBlip: boolean): Promise<Outcome> {
  const name = `${cut} ${step}${isBlip ? ', for a moment' : ''}`
  const storage = memoryStorage()
  const proxy = await cuttingProxy(phone.url, step, cut, { isBlip })
  try {
    const queue = queueOver(phone, proxy.url, storage)
    const kept = []
    for (const item of items) {
      await queue.add(phone.expense(`${name}: ${item}`))
      kept.push(`${name}: ${item}`)
    }
    const report = await queue.sync()
    if (!isBlip && step <= leastRequests) expect([name, report.stopped?.reason]).toEqual([name, 'offline'])
    expect(proxy.requests()).toBeGreaterThanOrEqual(Math.min(step, leastRequests))
    proxy.reconnect()
    const left = await syncToTheEnd(queueOver(phone, proxy.url, storage))
    return { name, kept, uncertain: [], left }
  } finally {
    proxy.close()
  }
}

/** Records and uploads until the process dies at a call of the storage, before or after it is done; then starts anew. */
async function deathScenario(phone: Phone, step: number, isDone: boolean): Promise<Outcome> {
  const name = `death ${isDone ? 'after' : 'before'} ${step}`
  const storage = memoryStorage()
  const kept: string[] = []
  const uncertain: string[] = []
  const mortal = queueOver(phone, phone.url.origin, dyingStorage(storage, step, isDone))
  let hasDied = false
  try {
    for (const item of items) {
      uncertain.push(`${name}: ${item}`)
      await mortal.add(phone.expense(`${name}: ${item}`))
      kept.push(...uncertain.splice(0))
    }
    await mortal.sync()
  } catch (error) {
    if (!(error instanceof Death)) throw error
    hasDied = true
  }
  expect([name, hasDied]).toEqual([name, step <= storageCalls])
  const left = await syncToTheEnd(queueOver(phone, phone.url.origin, storage))
  return { name, kept, uncertain, left }
}

class Death extends Error {}

/** A storage that serves until one call, which it carries out or not; after that there is nobody to serve. */
function dyingStorage(storage: KeyValueStorage, step: number, isDone: boolean): KeyValueStorage {
  let calls = 0
  const mortal =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      calls += 1
      if (calls < step) return call(...args)
      if (calls === step && isDone) await call(...args)
      throw new Death()
    }
  return { set: mortal(storage.set), list: mortal(storage.list), delete: mortal(storage.delete) }
}

async function setUpPhone(place: Place) {
  const api = clientOf(place)
  const email = 'phone@example.com'
  const { access_token: token, user } = (await api('POST', '/register', registration(email))).body
  await verifyByMail(place, email)
  const account = { name: 'Wallet', type: 'cash', starting_balance: 0 }
  const accountId: number = (await api('POST', '/accounts', account, token)).body.id
  const expense = (description: string) =>
    ({
      account_id: accountId,
      type: 'expense',
      amount: 1,
      transaction_date: '2026-11-20',
      description,
    }) as const
  return {
    api,
    token: token as string,
    userId: user.id as number,
    accountId,
    expense,
    url: new URL(`http://127.0.0.1:${place.PORT}`),
  }
}

/** A process of its own on a storage: nothing of an earlier one is in memory. */
function queueOver({ token, userId }: Phone, baseUrl: string, storage: KeyValueStorage) {
  const client = createClient({
    baseUrl,
    tokens: memoryTokens(token),
    retry: { attempts: 2, firstDelayMs: 10, maxDelayMs: 20_000 },
  })
  const sleep = (ms: number) => setTimeout(Math.min(ms, 500))
  // The runs of one scenario follow one another; those of the others are not to be waited for.
  const locks = { request: <T>(_: string, work: () => Promise<T>) => work() }
  return offlineQueue({ client, storage, userId, locks, limits, sleep })
}

async function syncToTheEnd(queue: ReturnType<typeof queueOver>): Promise<object> {
  for (let run = 1; run <= maxRuns; run++) {
    await queue.sync()
    if (JSON.stringify(await queue.counts()) === JSON.stringify(empty)) break
  }
  return queue.counts()
}

/** What the service has, page after page. */
async function descriptions({ api, token }: Phone): Promise<string[]> {
  const found: string[] = []
  let page = 1
  const isLast = async () => {
    const { body } = await api('GET', `/transactions?page=${page++}`, undefined, token)
    found.push(...body.data.map((row: { description: string }) => row.description))
    return body.next_page_url === null
  }
  expect(await until(isLast)).toBe(true)
  return found
}
