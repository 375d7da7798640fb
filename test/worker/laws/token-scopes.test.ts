import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { type TokenScope, tokenScopes } from '../../../src/domain/types.ts'
import { scopeOf } from '../../../src/http/authenticate.ts'
import {
  type ApiResponse,
  createWorld,
  pathOf,
  queuedMail,
  signInThroughProvider,
} from '../fixtures/world.ts'
import {
  askDatabase,
  createHousehold,
  goodCall,
  type Household,
  protectedRoutes,
  storedIn,
} from './every-route.ts'

/** What each route needs of a token: whether it reads, writes, or is for sessions alone. */
const scopes: Record<string, TokenScope> = {
  'DELETE /api/accounts/:id': 'write',
  'DELETE /api/balance-checks/:id': 'write',
  'DELETE /api/categories/:id': 'write',
  'DELETE /api/imports/:id': 'write',
  'DELETE /api/imports/layouts/:id': 'write',
  'DELETE /api/matches/reject': 'write',
  'DELETE /api/me': 'session',
  'DELETE /api/recurring/:id': 'write',
  'DELETE /api/tokens/:id': 'session',
  'DELETE /api/transactions/:id': 'write',
  'GET /api/accounts': 'read',
  'GET /api/accounts/:id': 'read',
  'GET /api/balance-checks': 'read',
  'GET /api/balance-checks/:id': 'read',
  'GET /api/categories': 'read',
  'GET /api/categories/:id': 'read',
  'GET /api/changes': 'read',
  'GET /api/email/verification-status': 'read',
  'GET /api/export': 'read',
  'GET /api/imports': 'read',
  'GET /api/imports/:id': 'read',
  'GET /api/imports/layouts': 'read',
  'GET /api/matches': 'read',
  'GET /api/me': 'read',
  'GET /api/recurring': 'read',
  'GET /api/recurring/:id': 'read',
  'GET /api/recurring/suggestions': 'read',
  'GET /api/recurring/upcoming': 'read',
  'GET /api/reports/balances': 'read',
  'GET /api/reports/forecast': 'read',
  'GET /api/reports/monthly': 'read',
  'GET /api/summary': 'read',
  'GET /api/tokens': 'read',
  'GET /api/transactions': 'read',
  'GET /api/transactions/:id': 'read',
  'GET /api/transactions/sync/:id': 'read',
  'PATCH /api/accounts/:id': 'write',
  'PATCH /api/balance-checks/:id': 'write',
  'PATCH /api/categories/:id': 'write',
  'PATCH /api/me': 'write',
  'PATCH /api/me/email': 'session',
  'PATCH /api/me/password': 'session',
  'PATCH /api/recurring/:id': 'write',
  'PATCH /api/recurring/:id/occurrences/:date': 'write',
  'PATCH /api/transactions/:id': 'write',
  'POST /api/accounts': 'write',
  'POST /api/balance-checks': 'write',
  'POST /api/categories': 'write',
  'POST /api/categories/suggest': 'read',
  'POST /api/changes': 'write',
  'POST /api/email/verification-notification': 'write',
  'POST /api/import/bank/store': 'write',
  'POST /api/import/store': 'write',
  'POST /api/logout': 'session',
  'POST /api/logout-all': 'session',
  'POST /api/matches/join': 'write',
  'POST /api/matches/reject': 'write',
  'POST /api/matches/separate': 'write',
  'POST /api/recurring': 'write',
  'POST /api/recurring/:id/occurrences/:date/record': 'write',
  'POST /api/recurring/suggestions/dismiss': 'write',
  'POST /api/tokens': 'session',
  'POST /api/transactions': 'write',
  'POST /api/transactions/sync': 'write',
  'PUT /api/accounts/:id': 'write',
  'PUT /api/balance-checks/:id': 'write',
  'PUT /api/categories/:id': 'write',
  'PUT /api/me': 'write',
  'PUT /api/me/email': 'session',
  'PUT /api/me/password': 'session',
  'PUT /api/recurring/:id': 'write',
  'PUT /api/recurring/:id/occurrences/:date': 'write',
  'PUT /api/transactions/:id': 'write',
}
const routes = (...wanted: string[]) =>
  protectedRoutes.filter((route) => wanted.includes(scopes[route] ?? ''))

let household: Household
let tokens: Record<'read' | 'write', string>
beforeAll(async () => {
  household = await createHousehold(createWorld({ GENERAL_LIMIT_ENABLED: 'false' }))
  const make = async (abilities: string[]) =>
    (await household.person.post('/api/tokens', { name: 'Script', abilities })).body.access_token
  tokens = { read: await make(['read']), write: await make(['read', 'write']) }
})

/** The same person, with a named token. */
const withToken = (token: string) => ({ ...household.person, ...household.world.as(token) })

function expectInsufficientScope({ status, headers, body }: ApiResponse): void {
  expect({ status, body, challenge: headers.get('WWW-Authenticate') }).toEqual({
    status: 403,
    body: { message: 'This token is not allowed to do that.', code: 'insufficient_scope' },
    challenge: 'Bearer error="insufficient_scope"',
  })
}

/** Expects that calls are refused, for one request to the database each, and that nothing is stored. */
async function expectRefused(...calls: (() => Promise<ApiResponse>)[]): Promise<void> {
  const { world } = household
  const before = await storedIn(world)
  await world.resetDatabaseWork()
  for (const call of calls) expectInsufficientScope(await call())
  expect((await world.databaseWork()).requests).toBe(calls.length)
  expect(await storedIn(world)).toEqual(before)
}

test('every route that needs a token says whether it reads, writes, or is for sessions alone', () => {
  expect(Object.keys(scopes).sort()).toEqual([...protectedRoutes].sort())
  expect(Object.fromEntries(protectedRoutes.map((route) => [route, scopeOf(route)]))).toEqual(scopes)
})

test.each(routes('read'))('%s works with a read token, and changes nothing', async (route) => {
  const { world } = household
  const { call, status } = await goodCall(route, household)
  const before = await storedIn(world)
  expect((await call(withToken(tokens.read))).status).toBe(status)
  const asHead = (path: string) => world.call('HEAD', path, { token: tokens.read })
  if (route.startsWith('GET ')) {
    const { status: ofHead } = await call({ ...withToken(tokens.read), get: asHead })
    expect(ofHead).toBe(status)
  }
  expect(await storedIn(world)).toEqual(before)
})

test.each(routes('write'))('%s works with a token that writes', async (route) => {
  const { call, status } = await goodCall(route, household)
  expect((await call(withToken(tokens.write))).status).toBe(status)
})

const refused = [
  ...routes('write', 'session').map((route) => [route, 'read'] as const),
  ...routes('session').map((route) => [route, 'write'] as const),
]
const json = 'application/json'
const bodies: [rawBody: string | undefined, contentType: string][] = [
  [undefined, json],
  ['{}', json],
  ['{"amount":', json],
  ['amount=1', 'text/plain'],
  [JSON.stringify({ notes: 'x'.repeat(6_000_000) }), json],
]

test.each(refused)(
  '%s with a token that may %s is a 403, whatever the id and the body, of a valid call too',
  async (route, ability) => {
    const [method = '', path = ''] = route.split(' ')
    const calls = bodies.map(([rawBody, contentType], nth) => {
      const id = ['1', '999999', 'none'][nth % 3] as string
      const options = { token: tokens[ability], rawBody, headers: { 'Content-Type': contentType } }
      return () => household.world.call(method, path.replace(':id', id), options)
    })
    // Those for sessions alone bring one of their own.
    const valid = scopes[route] === 'write' ? [await goodCall(route, household)] : []
    await expectRefused(
      ...calls,
      ...valid.map(
        ({ call }) =>
          () =>
            call(withToken(tokens[ability])),
      ),
    )
  },
)

test('every scope of the column is one of those that these tests try', () => {
  expect([...tokenScopes].sort()).toEqual([...Object.keys(tokens), 'session'].sort())
})

test('a scope that no route requires may do nothing, on any route', async () => {
  const later = await createHousehold(createWorld({ GENERAL_LIMIT_ENABLED: 'false' }))
  const { world, person } = later
  const { body } = await person.post('/api/tokens', { name: 'Script', abilities: ['read'] })
  const token: string = body.access_token
  const calls = []
  // Those for sessions alone bring one of their own.
  for (const route of routes('read', 'write'))
    calls.push([route, (await goodCall(route, later)).call] as const)
  await askDatabase(world, sql`update tokens set scope = 'later' where id = ${body.id}`)
  const before = await storedIn(world)
  // The document describes no 403 of a route that reads.
  const send = (method: string) => async (path: string, body?: unknown) => {
    const { status, headers } = await world.send(method, path, { token, body })
    return { status, headers, text: '', body: undefined }
  }
  const verbs = {
    get: send('GET'),
    post: send('POST'),
    put: send('PUT'),
    patch: send('PATCH'),
    delete: send('DELETE'),
  }
  for (const [route, call] of calls)
    expect([route, (await call({ ...person, ...verbs })).status]).toEqual([route, 403])
  for (const route of routes('session')) {
    const [method = '', path = ''] = route.split(' ')
    expect([route, (await send(method)(path.replace(':id', '1'), {})).status]).toEqual([route, 403])
  }
  expect(await storedIn(world)).toEqual(before)
})

test.each(['/api/import/store', '/api/import/bank/store'])('a dry run of %s writes as well', async (path) => {
  const { world, checking, expense } = household
  const query = `account_id=${checking.id}&signs=as_written&dry_run=true`
  const csv = { rawBody: 'date,amount\n2026-11-20,-5\n', headers: { 'Content-Type': 'text/csv' } }
  const rows = { body: { transactions: [expense()] } }
  for (const sent of [csv, rows]) {
    const call = (token: string) => world.call('POST', `${path}?${query}`, { ...sent, token })
    await expectRefused(() => call(tokens.read))
    expect((await call(tokens.write)).status).toBe(200)
  }
})

test('a pull by POST works with a read token, and changes nothing', async () => {
  const { world, person } = household
  const { body } = await person.get('/api/changes?start=now')
  const before = await storedIn(world)
  for (const cursor of [body.cursor, null])
    expect((await withToken(tokens.read).post('/api/changes', { cursor, ops: [] })).status).toBe(200)
  const invalid = await withToken(tokens.read).post('/api/changes', { cursor: 'none', ops: [], limit: 0 })
  expect([invalid.status, Object.keys(invalid.body.errors)]).toEqual([422, ['cursor', 'limit']])
  expect(await storedIn(world)).toEqual(before)
})

test.each(['create', 'update', 'delete', 'invalid'])('an upload to %s writes as well', async (op) => {
  const { person, expense } = household
  const { id } = (await person.post('/api/transactions', { ...expense(), force: true })).body
  const ops = {
    create: [{ op, noun: 'transaction', client_id: 'script-1', set: expense() }],
    update: [{ op, noun: 'transaction', id, set: { amount: 3 } }],
    delete: [{ op, noun: 'transaction', id }],
    invalid: [{ op: 'perhaps' }],
  }[op]
  const { body } = await person.get('/api/changes?start=now')
  await expectRefused(() => withToken(tokens.read).post('/api/changes', { cursor: body.cursor, ops }))
})

test('a link in an email needs no token, and works with any', async () => {
  const world = createWorld()
  const person = await world.register()
  const { body } = await person.post('/api/tokens', { name: 'Script', abilities: ['read'] })
  const { url, disownUrl = '' } = queuedMail(world, 'verify_address', person.email)
  const token = body.access_token
  expect((await world.call('GET', pathOf(url), { token })).status).toBe(302)
  expect((await world.call('POST', pathOf(disownUrl), { token })).status).toBe(200)
  expect((await world.call('GET', '/api/me', { token })).status).toBe(401)
})

test('a token that is no longer valid is a 401, whatever it was for', async () => {
  const world = createWorld()
  const { token } = await signInThroughProvider(world, `${crypto.randomUUID()}@example.com`)
  const { body } = await world.as(token).post('/api/tokens', { name: 'Script', abilities: ['read'] })
  await world.as(token).post('/api/logout-all')
  for (const [method, path] of [
    ['GET', '/api/accounts'],
    ['POST', '/api/accounts'],
    ['DELETE', '/api/me'],
  ] as const)
    expect((await world.call(method, path, { token: body.access_token })).status).toBe(401)
})
