import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  createClient,
  type KeyValueStorage,
  memoryStorage,
  memoryTokens,
  offlineQueue,
  type QueuedTransaction,
} from '../../src/client.ts'
import { clientOf, register, verifyByMail } from './client.ts'
import { type Cut, cuttingProxy } from './cutting-proxy.ts'
import { type Place, sharedPlace, until } from './stack.ts'

/** What is recorded, in batches of what size, and the result of an undisturbed run. */
type Plan = {
  items: string[]
  batchSize: number
  /** At least this many: it asks for an outcome until there is one. */
  requests: number
  /** Calls that change the storage. Dying at a read is the same as dying after the write before. */
  writes: number
}
/** One to ask whose token it is, two uploads, and at least one for each outcome. */
const plain: Plan = { items: ['bread', 'milk', 'coffee'], batchSize: 2, requests: 5, writes: 11 }
/** More than an account can hold, so that its batch fails as a whole. */
const palace = 'palace'
/** One to ask whose token it is, and three uploads: of both, and of each alone. */
const crowded: Plan = { items: [palace, 'coffee'], batchSize: 2, requests: 7, writes: 15 }
const cuts: Cut[] = ['request', 'answer', 'half the answer']
/** Many scenarios run at once, and the batches of one user take turns. */
const phonesUsed = 4
/** At most this many runs once the network is back: one is enough, unless the service is slow. */
const maxRuns = 5

type Phone = Awaited<ReturnType<typeof setUpPhone>>
/** What a scenario has recorded: `kept` for certain, `uncertain` if the phone died while storing it. */
type Outcome = { kept: string[]; uncertain: string[]; left: QueuedTransaction[] }

test('wherever the network is cut and whenever the phone dies, every transaction lands once, or is rejected, and nothing waits', async () => {
  const place = await sharedPlace()
  // One by one: hashes for one client address that would wait for each other are refused.
  const phones: Phone[] = []
  while (phones.length < phonesUsed) phones.push(await setUpPhone(place, phones.length))
  let scenarios = 0
  const phone = () => phones[scenarios++ % phonesUsed] as Phone

  const outcomes = [
    ...(await Promise.all(
      stepsTo(plain.requests + 3).flatMap((step) =>
        cuts.flatMap((cut) => [false, true].map((isBlip) => cutScenario(phone(), plain, step, cut, isBlip))),
      ),
    )),
    ...(await Promise.all(
      stepsTo(crowded.requests).map((step) => cutScenario(phone(), crowded, step, 'answer', false)),
    )),
    // The last run does not die, which shows that the others left out no step.
    ...(await Promise.all(
      stepsTo(plain.writes + 1).flatMap((step) =>
        [true, false].map((isDone) => deathScenario(phone(), plain, step, isDone)),
      ),
    )),
    ...(await Promise.all(
      stepsTo(crowded.writes + 1).map((step) => deathScenario(phone(), crowded, step, false)),
    )),
  ]

  const left = outcomes.flatMap(({ left }) => left)
  expect(left.filter(({ state }) => state !== 'rejected')).toEqual([])
  const kept = outcomes.flatMap(({ kept }) => kept)
  const uncertain = new Set(outcomes.flatMap(({ uncertain }) => uncertain))
  const certainOf = (names: string[]) => names.filter((name) => !uncertain.has(name)).sort()
  const rejected = left.map(({ transaction }) => transaction.description ?? '')
  expect(certainOf(rejected)).toEqual(kept.filter(isPalace).sort())
  const found = (await Promise.all(phones.map(recorded))).flat()
  expect(certainOf(found)).toEqual(kept.filter((name) => !isPalace(name)).sort())
  expect(new Set(found).size).toBe(found.length)
})

/** The transactions on a phone's account, which must add up to its balance. */
async function recorded(phone: Phone): Promise<string[]> {
  const found = await descriptions(phone)
  const { balance } = (await phone.api('GET', `/accounts/${phone.accountId}`, undefined, phone.token)).body
  expect(balance).toBe(-found.length)
  return found
}

function stepsTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1)
}

/** Records, loses the network at a step of the upload, restarts when it is back, and uploads to the end. */
async function cutScenario(
  phone: Phone,
  { items, batchSize, requests }: Plan,
  step: number,
  cut: Cut,
  isBlip: boolean,
): Promise<Outcome> {
  const name = `${items.length} ${cut} ${step}${isBlip ? ', for a moment' : ''}`
  const storage = memoryStorage()
  const proxy = await cuttingProxy(phone.url, step, cut, { isBlip })
  try {
    const queue = queueOver(phone, proxy.url, storage, batchSize)
    const kept = []
    for (const item of items) {
      await queue.add(phone.expense(`${name}: ${item}`))
      kept.push(`${name}: ${item}`)
    }
    const report = await queue.sync()
    if (!isBlip && step <= requests) expect([name, report.stopped?.reason]).toEqual([name, 'offline'])
    expect(proxy.requests()).toBeGreaterThanOrEqual(Math.min(step, requests))
    proxy.reconnect()
    const left = await syncToTheEnd(queueOver(phone, proxy.url, storage, batchSize))
    return { kept, uncertain: [], left }
  } finally {
    proxy.close()
  }
}

/** Records and uploads until the process dies at a write of the storage, before or after it is done; then restarts. */
async function deathScenario(
  phone: Phone,
  { items, batchSize, writes }: Plan,
  step: number,
  isDone: boolean,
): Promise<Outcome> {
  const name = `${items} death ${isDone ? 'after' : 'before'} ${step}`
  const storage = memoryStorage()
  const kept: string[] = []
  const uncertain: string[] = []
  const mortal = queueOver(phone, phone.url.origin, dyingStorage(storage, step, isDone), batchSize)
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
  expect([name, hasDied]).toEqual([name, step <= writes])
  const left = await syncToTheEnd(queueOver(phone, phone.url.origin, storage, batchSize))
  return { kept, uncertain, left }
}

function isPalace(description: string): boolean {
  return description.endsWith(palace)
}

class Death extends Error {}

/** A storage that dies at one write, either before or after carrying it out. */
function dyingStorage(storage: KeyValueStorage, step: number, isDone: boolean): KeyValueStorage {
  let writes = 0
  const mortal =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      writes += 1
      if (writes < step) return call(...args)
      if (writes === step && isDone) await call(...args)
      throw new Death()
    }
  return { set: mortal(storage.set), list: storage.list, delete: mortal(storage.delete) }
}

async function setUpPhone(place: Place, nth: number) {
  const api = clientOf(place)
  const email = `phone${nth}@example.com`
  const { access_token: token, user } = await register(place, email)
  await verifyByMail(place, email)
  const open = async (name: string, starting_balance: string) =>
    (await api('POST', '/accounts', { name, type: 'cash', starting_balance }, token)).body.id as number
  const accountId = await open('Wallet', '0')
  // Nine palaces fit exactly; this leaves room for the small things.
  for (let debt = 1; debt <= 9; debt++) await open(`Debt ${debt}`, '-9999999000000')
  const expense = (description: string) =>
    ({
      account_id: accountId,
      type: 'expense',
      amount: isPalace(description) ? '9999999999999.99' : 1,
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

/** A new process on a storage, without anything in memory. */
function queueOver({ token, userId }: Phone, baseUrl: string, storage: KeyValueStorage, batchSize: number) {
  const client = createClient({
    baseUrl,
    tokens: memoryTokens(token),
    retry: { attempts: 2, firstDelayMs: 10, maxDelayMs: 20_000 },
  })
  const sleep = (ms: number) => setTimeout(Math.min(ms, 500))
  // Runs of one scenario follow one another, but do not wait for those of others.
  const locks = { request: <T>(_: string, work: () => Promise<T>) => work() }
  const limits = { items: batchSize, bytes: 1_000_000 }
  return offlineQueue({ client, storage, userId, locks, limits, sleep })
}

async function syncToTheEnd(queue: ReturnType<typeof queueOver>): Promise<QueuedTransaction[]> {
  for (let run = 1; run <= maxRuns; run++) {
    const { stopped } = await queue.sync()
    if (stopped === null) break
  }
  return queue.list()
}

/** Everything that the service has, page by page. */
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
