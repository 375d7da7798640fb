import { beforeAll, expect, test } from 'vitest'
import { createWorld } from '../fixtures/world.ts'
import { sendFile } from '../imports/send-file.ts'
import { createHousehold, goodCall, type Household, protectedRoutes } from './every-route.ts'

/** The first compare the password, and the stored hash must come to the Worker for that. */
const requestsOf: Record<string, number> = {
  'DELETE /api/me': 2,
  'PUT /api/me/password': 2,
  'PATCH /api/me/password': 2,
  'PUT /api/me/email': 2,
  'PATCH /api/me/email': 2,
  // SQL computes no dates: the rules are read first.
  'PUT /api/recurring/:id': 2,
  'PATCH /api/recurring/:id': 2,
  'PUT /api/recurring/:id/occurrences/:date': 2,
  'PATCH /api/recurring/:id/occurrences/:date': 2,
  'POST /api/recurring/:id/occurrences/:date/record': 2,
  // It reads, decides and writes.
  'POST /api/changes': 2,
}

let household: Household
beforeAll(async () => {
  household = await createHousehold(createWorld())
})

test.each(protectedRoutes)('%s makes one request to the database, authentication included', async (route) => {
  const { world, person } = household
  const { call, status } = await goodCall(route, household)
  await world.resetDatabaseWork()
  expect((await call(person)).status).toBe(status)
  expect((await world.databaseWork()).requests).toBe(requestsOf[route] ?? 1)
})

test.each(['store', 'bank/store'])(
  'POST /api/import/%s of a file makes two requests, since it is read only once its sender is known; a refusal makes one',
  async (path) => {
    const world = createWorld()
    const { person, checking } = await createHousehold(world)
    const send = (rawBody: string, token = person.token) => {
      const to = `${path}?account_id=${checking.id}&signs=as_written`
      return sendFile({ world, person: { token } }, to, rawBody)
    }
    const large = JSON.stringify({ transactions: [{ notes: 'x'.repeat(1_100_000) }] })
    const sendJson = (token = person.token) =>
      sendFile({ world, person: { token } }, path, large, { 'Content-Type': 'application/json' })
    const unverified = await world.register()
    const unknown = person.token.replace(/^\d+/, '999999')
    const calls: [number, number, () => Promise<{ status: number }>][] = [
      [200, 2, () => send('date,amount\n2026-11-20,-5\n')],
      // The matches of a large file are looked for in another one, when that delays no other request.
      [200, 3, () => send(`date,amount\n${'2026-11-20,-5\n'.repeat(1_001)}`)],
      [422, 1, () => send('no table')],
      [413, 1, () => send('x'.repeat(6_000_000))],
      [422, 1, () => sendJson()],
      [403, 1, () => send('no table', unverified.token)],
      [403, 1, () => sendJson(unverified.token)],
      [401, 1, () => send('no table', unknown)],
      [401, 1, () => send('x'.repeat(6_000_000), unknown)],
      [401, 1, () => sendJson(unknown)],
    ]
    for (const [status, requests, call] of calls) {
      await world.resetDatabaseWork()
      const response = await call()
      expect([response.status, (await world.databaseWork()).requests]).toEqual([status, requests])
    }
  },
)

test('JSON above 64 KB makes a second request if the isolate does not know its token; a refusal makes one', async () => {
  const world = createWorld()
  const { person, expense } = await createHousehold(world)
  const { email, password } = person
  const login = await world.call('POST', '/api/login', { body: { email, password } })
  const transactions = Array.from({ length: 1_000 }, (_, nth) => ({
    ...expense(),
    client_id: `phone-${nth}`,
  }))
  const send = (token: string) =>
    world.call('POST', '/api/transactions/sync', { token, body: { transactions } })
  const calls: [number, number, string][] = [
    [200, 1, person.token],
    [200, 2, login.body.access_token],
    [200, 1, login.body.access_token],
    [401, 1, person.token.replace(/^\d+/, '999999')],
  ]
  for (const [status, requests, token] of calls) {
    await world.resetDatabaseWork()
    expect((await send(token)).status).toBe(status)
    expect((await world.databaseWork()).requests).toBe(requests)
  }
})

test('a refusal costs one request as well', async () => {
  const world = createWorld()
  const { person, expense, spend } = await createHousehold(world)
  const { id } = await spend()
  await person.post('/api/transactions', expense())
  const refusals: [number, () => Promise<{ status: number }>][] = [
    [409, () => person.post('/api/transactions', expense())],
    [422, () => person.post('/api/transactions', { ...expense(), amount: -1, account_id: 77 })],
    [422, () => person.post('/api/accounts', {})],
    [422, () => person.post('/api/categories', { name: 'groceries', type: 'expense' })],
    [422, () => person.put(`/api/transactions/${id}`, { account_id: 77 })],
    [404, () => person.get('/api/accounts/77')],
    [404, () => person.delete('/api/transactions/77')],
  ]
  for (const [expected, call] of refusals) {
    await world.resetDatabaseWork()
    expect((await call()).status).toBe(expected)
    expect((await world.databaseWork()).requests).toBe(1)
  }
})

test('registering makes one request, signing in two, a mistyped token none', async () => {
  const world = createWorld()
  await world.resetDatabaseWork()
  const { email, password, token } = await world.register()
  expect((await world.databaseWork()).requests).toBe(1)

  await world.resetDatabaseWork()
  expect((await world.call('POST', '/api/login', { body: { email, password } })).status).toBe(200)
  expect((await world.databaseWork()).requests).toBe(2)

  await world.resetDatabaseWork()
  const mistyped = token.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
  expect((await world.call('GET', '/api/me', { token: mistyped })).status).toBe(401)
  expect((await world.call('GET', '/api/auth/check-email?email=a@example.com')).status).toBe(200)
  expect((await world.databaseWork()).requests).toBe(0)
})
