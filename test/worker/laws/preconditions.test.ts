import { beforeAll, expect, test } from 'vitest'
import { scopeOf } from '../../../src/http/authenticate.ts'
import { createWorld } from '../fixtures/world.ts'
import { createHousehold, goodCall, type Household, protectedRoutes, storedIn } from './every-route.ts'

let household: Household
beforeAll(async () => {
  household = await createHousehold(createWorld({ GENERAL_LIMIT_ENABLED: 'false' }))
})

const writing = protectedRoutes.filter((route) => scopeOf(route) !== 'read')

test.each(writing)('%s ignores no precondition', async (route) => {
  const { send, status } = await goodCall(route, household)
  const before = await storedIn(household.world)
  const unmet: Record<string, string>[] = [
    { 'If-Match': '"999"' },
    { 'If-Match': 'W/"1"' },
    { 'If-None-Match': '*' },
    { 'If-Match': '*', 'If-None-Match': '*' },
  ]
  for (const headers of unmet) expect([headers, (await send(headers)).status]).toEqual([headers, 412])
  expect(await storedIn(household.world)).toEqual(before)
  expect((await send({ 'If-Match': '*', 'If-None-Match': '"999"' })).status).toBe(status)
})

test('a precondition precedes no 401, 403 or 405, and counts for nothing without a token', async () => {
  const { world, repeat } = household
  const path = `/api/recurring/${await repeat()}/occurrences/2026-12-20`
  const stranger = await world.register()
  const call = (method: string, to: string, token: string) =>
    world.call(method, to, { token, body: { skip: true }, headers: { 'If-Match': '"999"' } })
  expect((await call('POST', '/api/accounts', '999999|unknown')).status).toBe(401)
  expect((await call('PUT', path, '999999|unknown')).status).toBe(401)
  expect((await call('PUT', path, stranger.token)).status).toBe(403)
  expect((await call('PUT', '/api/accounts', stranger.token)).status).toBe(405)
  expect((await call('POST', '/api/login', '')).status).toBe(422)
})
