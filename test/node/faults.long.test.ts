import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { defaultBudgets } from '../../src/failures/budgets.ts'
import { budgets } from '../budgets.ts'
import type { Fault } from '../databases/faults.ts'
import { startDatabases } from '../databases/namespaces.ts'
import { clientOf, registration } from './fixtures/client.ts'
import { newPlace, start } from './fixtures/stack.ts'

/** Longer than a storm takes on a busy machine while the database is slow. */
const requestMs = 20_000
const { firstHashWaitMs, furtherHashWaitMs } = defaultBudgets
/** One in this many of those who sign in at once has an account. */
const everyUser = 25
const asInProduction = budgets({ requestMs, firstHashWaitMs, furtherHashWaitMs })
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
  expect(statusesOf(await serve(read))).toEqual([200])

  // Clients that go away while the database works.
  await setFault({ gets: 'late', delayMs: 300 })
  await Promise.allSettled(all.map((position) => record(position, AbortSignal.timeout(200))))
  await setFault(null)
  expect((await read()).status).toBe(200)

  await setFault({ gets: 'nothing', executed: true })
  expect(statusesOf(await serve(record))).toEqual([503])
  await setFault(null)
  expect((await read()).status).toBe(200)

  await setFault({ gets: 'cut' })
  expect(statusesOf(await serve(record))).toEqual([503])
  await setFault(null)
  expect((await read()).status).toBe(200)

  for (const { status } of await serve(record)) expect([200, 201]).toContain(status)
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

  const storm = Promise.all(positions.map(signIn))
  for (let visits = 0; visits < 10; visits++)
    expect((await api('GET', '/me', undefined, token)).status).toBe(200)
  const responses = await storm
  const refused = responses.filter(isRefused)
  expect(refused.length).toBeLessThan(positions.length)
  for (const [position, response] of responses.entries())
    if (!refused.includes(response)) expect(response.status).toBe(hasAccount(position) ? 200 : 422)
  expect((await signIn(0)).status).toBe(200)
})

type ApiResponse = Awaited<ReturnType<ReturnType<typeof clientOf>>>

/** Makes all the calls at once. */
const serve = (call: (position: number) => Promise<ApiResponse>) =>
  Promise.all(all.map((position) => call(position)))

function isRefused({ status, headers }: ApiResponse): boolean {
  return status === 503 && Number(headers.get('Retry-After')) > 0
}

/** `npm run dev` with a faulty connection to its database, and a user with an account. */
async function startFaultyStack(databaseUrl: string) {
  const place = { ...(await newPlace()), TURSO_DATABASE_URL: `${databaseUrl}faulty/`, ...asInProduction }
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
