import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Fault } from '../databases/faults.ts'
import { startDatabases } from '../databases/namespaces.ts'
import { clientOf, registration } from './fixtures/client.ts'
import { newPlace, start } from './fixtures/stack.ts'

/** Requests are given up after eight seconds; the rest is for a machine that is busy with other things. */
const longestWaitMs = 20_000
/** Between two visits: without it, the visitor would keep a processor busy. */
const pauseMs = 100
/** One in this many of those who sign in at once has an account. */
const everyUser = 25
const all = Array.from({ length: 200 }, (_, position) => position)

let directory: string
let databases: Awaited<ReturnType<typeof startDatabases>>
let stack: Awaited<ReturnType<typeof startFaultyStack>>

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'purse-faults-'))
  databases = await startDatabases(directory, { migrated: false })
  stack = await startFaultyStack(`${databases.url}/purse/`)
})

afterAll(async () => {
  await databases.close()
  await rm(directory, { recursive: true })
})

test('in the real runtime, storms of 200 requests pass without a trace, and no request hangs', async () => {
  const { read, record, setFault, balance } = stack

  await setFault({ gets: 'late', delayMs: 1_000 })
  await untilServed(read)

  // Clients that go away while the database works.
  await setFault({ gets: 'late', delayMs: 300 })
  await Promise.allSettled(all.map((position) => record(position, AbortSignal.timeout(200))))
  await setFault(null)
  expect((await read()).status).toBe(200)

  await setFault({ gets: 'nothing', executed: true })
  const begun = Date.now()
  const first = record(0).finally(() => expect(Date.now() - begun).toBeLessThan(longestWaitMs))
  expect(statusesOf(await Promise.all([first, ...all.slice(1).map((position) => record(position))]))).toEqual(
    [503],
  )
  await setFault(null)
  expect((await read()).status).toBe(200)

  await setFault({ gets: 'cut' })
  expect(statusesOf(await Promise.all(all.map((position) => record(position))))).toEqual([503])
  await setFault(null)
  expect((await read()).status).toBe(200)

  await untilServed(record)
  // What was sent again is stored once.
  expect(await balance()).toBe(1_000 - all.length)
})

test('in the real runtime, a storm of 100 sign-ins is served or told when to try again, and delays no other request', async () => {
  const { api, token } = stack
  const emailOf = (position: number) => `person-${position}@example.com`
  const { password } = registration('')
  const signIn = (position: number) => api('POST', '/login', { email: emailOf(position), password })
  const hasAccount = (position: number) => position % everyUser === 0
  const positions = all.slice(0, 100)
  for (const position of positions.filter(hasAccount)) {
    expect((await api('POST', '/register', registration(emailOf(position)))).status).toBe(201)
  }

  let isStorming = true
  const visits: ApiResponse[] = []
  const visitor = (async () => {
    for (; isStorming; await sleep(pauseMs)) visits.push(await api('GET', '/me', undefined, token))
  })()
  // test/worker/faults/sign-in.test.ts limits the waiting: here the suite's other stacks compete.
  const responses = await Promise.all(positions.map(signIn)).finally(() => (isStorming = false))
  await visitor
  const refused = responses.filter(isRefused)
  expect(refused.length).toBeLessThan(positions.length)
  for (const [position, response] of responses.entries())
    if (!refused.includes(response)) expect(response.status).toBe(hasAccount(position) ? 200 : 422)
  // The last visit may have waited for the end of the storm; those before it did not.
  expect(visits.length).toBeGreaterThan(1)
  expect(statusesOf(visits.filter((visit) => !isRefused(visit)))).toEqual([200])
  expect((await signIn(0)).status).toBe(200)
})

type ApiResponse = Awaited<ReturnType<ReturnType<typeof clientOf>>>

/** Makes all the calls at once, and those that fail again: on a busy machine, some of them run out of time. */
async function untilServed(call: (position: number) => Promise<ApiResponse>): Promise<void> {
  for (let left = all; left.length > 0; ) {
    const responses = await Promise.all(left.map((position) => call(position)))
    left = left.filter((_, index) => ![200, 201].includes(responses[index]?.status ?? 0))
  }
}

function isRefused({ status, headers }: ApiResponse): boolean {
  return status === 503 && Number(headers.get('Retry-After')) > 0
}

/** `npm run dev` with a faulty connection to its database, and a user with an account. */
async function startFaultyStack(databaseUrl: string) {
  const place = { ...(await newPlace()), TURSO_DATABASE_URL: `${databaseUrl}faulty/` }
  await start(place).ready()

  const api = clientOf(place)
  const token = (await api('POST', '/register', registration('grace@example.com'))).body.access_token
  const account = { name: 'Checking', type: 'bank', starting_balance: 1_000 }
  const { id } = (await api('POST', '/accounts', account, token)).body
  const [category] = (await api('GET', '/categories', undefined, token)).body
  const read = () => api('GET', '/accounts', undefined, token)
  /** Records one of the expenses of 1.00, the same each time. */
  function record(position: number, signal?: AbortSignal) {
    const transaction_date = new Date(Date.UTC(2020, 0, position + 1)).toISOString().slice(0, 10)
    const fields = { account_id: id, category_id: category.id, type: 'expense', amount: 1, transaction_date }
    return api('POST', '/transactions', { ...fields, client_id: `phone-${position}` }, token, signal)
  }
  async function setFault(fault: Fault | null) {
    await fetch(`${databaseUrl}faults`, { method: 'PUT', body: JSON.stringify(fault) })
  }
  return { api, token, read, record, setFault, balance: async () => (await read()).body[0].balance }
}

function statusesOf(responses: { status: number }[]): number[] {
  return [...new Set(responses.map(({ status }) => status))]
}
