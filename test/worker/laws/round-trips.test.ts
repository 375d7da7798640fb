import { expect, test } from 'vitest'
import { createWorld } from '../world.ts'
import { createHousehold, goodCall, protectedRoutes } from './every-route.ts'

/** Signing out for good compares the password, and the stored hash must come to the Worker for that. */
const requestsOf: Record<string, number> = { 'DELETE /api/me': 2 }

test.each(protectedRoutes)('%s makes one request to the database, authentication included', async (route) => {
  const world = createWorld()
  const household = await createHousehold(world)
  const { call, status } = await goodCall(route, household)
  await world.resetDatabaseWork()
  expect((await call(household.person)).status).toBe(status)
  expect((await world.databaseWork()).requests).toBe(requestsOf[route] ?? 1)
})

test.each(protectedRoutes)('%s makes one request to refuse an unknown token', async (route) => {
  const world = createWorld()
  const { person } = await createHousehold(world)
  await person.post('/api/logout')
  await world.resetDatabaseWork()
  const [method = '', path = ''] = route.split(' ')
  const answer = await world.call(method, path.replace(':id', '1'), { token: person.token })
  expect(answer.status).toBe(401)
  expect((await world.databaseWork()).requests).toBe(1)
})

test('an answer that refuses costs one request as well', async () => {
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
