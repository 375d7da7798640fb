import { describe, expect, test } from 'vitest'
import { publicRoutes } from '../../../src/http/authenticate.ts'
import { createWorld } from '../fixtures/world.ts'
import { everyRoute, protectedRoutes } from './every-route.ts'

const world = createWorld()
const invalidToken = 'Bearer error="invalid_token"'
const [method, path] = [
  (route: string) => route.split(' ')[0] ?? '',
  (route: string) => route.split(' ')[1] ?? '',
]

test('the public routes are those of the contract, and all of them exist', () => {
  expect([...publicRoutes].sort()).toEqual([
    'GET /api',
    'GET /api/auth/check-email',
    'GET /api/auth/idp',
    'GET /api/auth/idp/callback',
    'GET /api/email/approve/:id/:hash',
    'GET /api/email/change/:id/:hash',
    'GET /api/email/disown/:id/:hash',
    'GET /api/email/restore/:id/:hash',
    'GET /api/email/verify/:id/:hash',
    'GET /api/health',
    'GET /api/openapi.json',
    'GET /api/reminders/unsubscribe/:user/:signature',
    'POST /api/email/approve/:id/:hash',
    'POST /api/email/change/:id/:hash',
    'POST /api/email/disown/:id/:hash',
    'POST /api/email/restore/:id/:hash',
    'POST /api/forgot-password',
    'POST /api/login',
    'POST /api/register',
    'POST /api/reminders/unsubscribe/:user/:signature',
    'POST /api/reset-password',
  ])
  expect(publicRoutes.filter((route) => !everyRoute.includes(route))).toEqual([])
})

describe.each(protectedRoutes)('%s', (route) => {
  const secret = 'A'.repeat(46)
  test.each([
    ['without a token', {}, 'Bearer'],
    ['with an empty header', { Authorization: '' }, 'Bearer'],
    ['with an empty token', { Authorization: 'Bearer ' }, 'Bearer'],
    ['with another scheme', { Authorization: 'Basic cGVyc29uOnB3' }, 'Bearer'],
    ['with half a token', { Authorization: 'Bearer 1' }, invalidToken],
    ['with a token that was mistyped', { Authorization: `bearer 1|${secret}` }, invalidToken],
    ['with an id beyond all ids', { Authorization: `Bearer ${'9'.repeat(20)}|${secret}` }, invalidToken],
  ])('is 401 %s', async (_, headers: Record<string, string>, challenge) => {
    const response = await world.call(method(route), path(route).replace(':id', '1'), { headers })
    expect(response.status).toBe(401)
    expect(response.body).toEqual({ message: 'Unauthenticated.' })
    expect(response.headers.get('WWW-Authenticate')).toBe(challenge)
  })

  test('is 401 with a token that has been revoked, before everything else and for one request to the database', async () => {
    const person = await world.register()
    await person.post('/api/logout')
    const options = { token: person.token, ...(method(route) === 'GET' ? {} : { body: { amount: 'x' } }) }
    await world.resetDatabaseWork()
    const response = await world.call(method(route), path(route).replace(':id', 'none'), options)
    expect(response.status).toBe(401)
    expect(response.body).toEqual({ message: 'Unauthenticated.' })
    expect(response.headers.get('WWW-Authenticate')).toBe(invalidToken)
    expect((await world.databaseWork()).requests).toBe(1)
  })
})

/** Bodies that are refused before they are read. */
const unreadable: [body: string, contentType: string][] = [
  ['{"amount":', 'application/json'],
  ['amount=1', 'text/plain'],
  [JSON.stringify({ notes: 'x'.repeat(600_000) }), 'application/json'],
]

describe.each(protectedRoutes.filter((route) => !route.startsWith('GET ')))('%s', (route) => {
  test('is 401 with a token that is no longer valid, whatever the body, for one request to the database', async () => {
    const person = await world.register()
    await person.post('/api/logout')
    const [id, secret] = person.token.split('|')
    const tokens = { revoked: `${id}|${secret}`, unknown: `999999|${secret}` }
    for (const [kind, token] of Object.entries(tokens)) {
      for (const [rawBody, contentType] of unreadable) {
        await world.resetDatabaseWork()
        const headers = { 'Content-Type': contentType }
        const response = await world.call(method(route), path(route).replace(':id', '1'), {
          token,
          rawBody,
          headers,
        })
        const shown = `${kind}, ${contentType}, ${rawBody.length} bytes`
        expect([shown, response.status, response.body]).toEqual([shown, 401, { message: 'Unauthenticated.' }])
        expect([shown, (await world.databaseWork()).requests]).toEqual([shown, 1])
      }
    }
  })
})
