import { env } from 'cloudflare:workers'
import { afterEach, expect, test, vi } from 'vitest'
import { anAddress, createWorld, providerCallback, queuedMail } from '../fixtures/world.ts'
import { createHousehold, goodCall, protectedRoutes } from '../laws/every-route.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const world = createWorld()

/** Records where the Worker's own requests go, and lets them through. */
function watchOrigins(): Set<string> {
  const origins = new Set<string>()
  const { fetch } = globalThis
  vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    origins.add(new URL(input instanceof Request ? input.url : String(input)).origin)
    return fetch(input, init)
  })
  return origins
}

const database = new URL(env.TURSO_DATABASE_URL).origin
const issuer = new URL(env.IDP_ISSUER).origin
const inbox = new URL(env.RESEND_BASE_URL).origin
const inside = 'http://127.0.0.1:9/latest/meta-data'

test('no route of a user calls anything but the database', async () => {
  const household = await createHousehold(world)
  const prepared = []
  for (const route of protectedRoutes) prepared.push({ route, ...(await goodCall(route, household)) })
  const origins = watchOrigins()
  for (const { route, call, status } of prepared)
    expect([route, (await call(household.person)).status]).toEqual([route, status])
  expect([...origins]).toEqual([database])
})

test('addresses inside fields, headers and queries are never called', async () => {
  const { person, expense } = await createHousehold(world)
  const origins = watchOrigins()
  const headers = { Referer: inside, Origin: inside, Host: '127.0.0.1:9', 'X-Forwarded-Host': '127.0.0.1:9' }
  const call = (method: string, path: string, body?: unknown) =>
    world.call(method, path, { token: person.token, headers, body })
  const row = { ...expense(), description: inside, reference: inside, url: inside, status_url: inside }
  await call('PATCH', '/api/me', { name: inside, avatar: inside, picture: inside })
  await call('POST', '/api/accounts', { name: inside, type: 'bank', starting_balance: 1, notes: inside })
  await call('POST', '/api/transactions', row)
  await call('POST', '/api/transactions/sync', { transactions: [row], callback: inside, webhook: inside })
  await call('POST', '/api/import/store', { transactions: [row], file: inside, url: inside })
  const xml = `<!DOCTYPE a SYSTEM "${inside}"><Document><Stmt>${inside}</Stmt></Document>`
  await world.call('POST', '/api/import/bank/store?account_id=1', { token: person.token, rawBody: xml })
  await world.deliverSyncs()
  await world.call('GET', `/api/auth/idp/callback?code=x&state=y&iss=${inside}`)
  await world.call('GET', `/api/auth/idp?login_hint=${inside}&issuer=${inside}`)
  const known = [database, issuer]
  expect([...origins].filter((origin) => !known.includes(origin))).toEqual([])
})

test('signing in calls the configured provider, and emails go to the configured service', async () => {
  const way = await providerCallback(world, anAddress())
  const origins = watchOrigins()
  await world.call('GET', way)
  expect([...origins].sort()).toEqual([issuer, database].sort())
  const { email } = await world.register()
  origins.clear()
  await world.deliver([queuedMail(world, 'verify_address', email)])
  expect([...origins]).toEqual([inbox])
})
