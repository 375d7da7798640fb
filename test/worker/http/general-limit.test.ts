import { env } from 'cloudflare:workers'
import { afterEach, expect, test, vi } from 'vitest'
import { perMinute } from '../../../src/failures/limits.ts'
import { newSecret } from '../../../src/identity/tokens.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import { avoidEndOfMinute, createWorld, logIn, type Person, randomClientAddress } from '../fixtures/world.ts'
import { createHousehold } from '../laws/every-route.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** Counters of the same kind with lower limits, so that a test need not make thousands of calls. */
const strict: Partial<Env> = {
  GENERAL_LIMIT_ENABLED: 'true',
  GENERAL_LIMIT: env.CHECK_EMAIL_LIMIT,
  CLIENT_LIMIT: env.LOGIN_LIMIT,
}
const [ofToken, ofClient] = [perMinute.CHECK_EMAIL_LIMIT, perMinute.LOGIN_LIMIT]

/** Makes calls one after another; returns the statuses. */
async function repeat(times: number, call: () => Promise<{ status: number }>): Promise<number[]> {
  const statuses: number[] = []
  for (let calls = 0; calls < times; calls++) statuses.push((await call()).status)
  return statuses
}

const always = (status: number, times: number): number[] => Array(times).fill(status)
const from = (address: string) => ({ 'CF-Connecting-IP': address })
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)
/** Tokens that look valid until the database is queried. */
const madeUp = () => `${1 + Math.floor(Math.random() * 1_000)}|${newSecret(random)}`

async function createStrictWorld() {
  await avoidEndOfMinute(20_000)
  const world = createWorld(strict)
  /** Asks for the profile, with a token and from an address. */
  const me = (token: string, address: string) =>
    world.call('GET', '/api/me', { token, headers: from(address) })
  return { world, me }
}

test('a token has calls of its own each minute, wherever they come from, and takes none from another', async () => {
  const { world, me } = await createStrictWorld()
  const [person, other] = [await world.register(), await world.register()]
  const call = () => me(person.token, randomClientAddress())
  expect(await repeat(ofToken, call)).toEqual(always(200, ofToken))
  const refused = await call()
  expect([refused.status, refused.body]).toEqual([429, { message: 'Too Many Attempts.' }])
  expect(refused.headers.get('Retry-After')).toBe('60')
  expect(refused.headers.get('X-RateLimit-Limit')).toBe(String(perMinute.GENERAL_LIMIT))
  expect((await other.get('/api/me')).status).toBe(200)
})

test('people behind one client address are never in each other’s way, once each has been seen', async () => {
  const { world, me } = await createStrictWorld()
  const office = randomClientAddress()
  const people: Person[] = []
  for (let i = 0; i < ofClient; i++) people.push(await world.register())
  const callAll = async (times: number) => {
    const calls = people.map(({ token }) => repeat(times, () => me(token, office)))
    return [...new Set((await Promise.all(calls)).flat())]
  }
  expect(await callAll(1)).toEqual([200])
  // The office has used up what unknown tokens may do from its address.
  expect((await me(madeUp(), office)).status).toBe(429)
  expect((await world.call('GET', '/api/health', { headers: from(office) })).status).toBe(429)
  expect(await callAll(10)).toEqual([200])
})

test('tokens that are made up, a new one for each call, are stopped before the database', async () => {
  const { world, me } = await createStrictWorld()
  const attacker = randomClientAddress()
  expect(await repeat(ofClient, () => me(madeUp(), attacker))).toEqual(always(401, ofClient))
  await world.resetDatabaseWork()
  expect(await repeat(20, () => me(madeUp(), attacker))).toEqual(always(429, 20))
  expect((await world.databaseWork()).requests).toBe(0)
  expect((await me(madeUp(), randomClientAddress())).status).toBe(401)
})

test('the secret of a good token under other ids counts as made up', async () => {
  const { world, me } = await createStrictWorld()
  const { token } = await world.register()
  const attacker = randomClientAddress()
  expect((await me(token, attacker)).status).toBe(200)
  const [id, secret] = token.split('|')
  let other = Number(id)
  const statuses = await repeat(ofClient, () => me(`${++other}|${secret}`, attacker))
  expect(statuses).toEqual([...always(401, ofClient - 1), 429])
})

test('a token that was revoked is forgotten at its next use', async () => {
  const { world, me } = await createStrictWorld()
  const person = await world.register()
  const address = randomClientAddress()
  expect((await me(person.token, address)).status).toBe(200)
  expect((await person.post('/api/logout')).status).toBe(200)
  const statuses = await repeat(ofClient + 1, () => me(person.token, address))
  expect(statuses).toEqual([...always(401, ofClient), 429])
})

test('what needs no token counts by client address, an IPv6 one by its network', async () => {
  const { world } = await createStrictWorld()
  const [a, b] = [...crypto.getRandomValues(new Uint16Array(2))].map((group) => group.toString(16))
  const network = `2001:db8:${a}:${b}`
  let host = 0
  const request = () =>
    world.call('GET', '/api/health', { headers: from(`${network}:0:0:0:${(++host).toString(16)}`) })
  expect(await repeat(ofClient, request)).toEqual(always(200, ofClient))
  expect((await request()).status).toBe(429)
  const elsewhere = from('2001:db8:ffff:ffff::1')
  expect((await world.call('GET', '/api/health', { headers: elsewhere })).status).toBe(200)
})

test('a user’s imports of a minute are counted over all tokens, and the first beyond the limit is refused unread', async () => {
  await avoidEndOfMinute(20_000)
  const world = createWorld({ GENERAL_LIMIT_ENABLED: 'true', IMPORT_LIMIT: env.LOGIN_LIMIT })
  const { person, expense, checking } = await createHousehold(world)
  const tokens = [person.token, (await logIn(world, person)).body.access_token]
  const path = `/api/import/store?account_id=${checking.id}`
  const csv = { rawBody: 'date,amount\n2026-11-20,-5\n', headers: { 'Content-Type': 'text/csv' } }
  // The isolate learns whose token it is from its first use.
  for (const token of tokens) expect((await world.call('GET', '/api/me', { token })).status).toBe(200)
  const imports = [
    { path, ...csv },
    { path: `${path}&dry_run=true`, ...csv },
    { path: '/api/import/bank/store', body: { transactions: [expense()] } },
    { path, body: {} },
  ]
  const statuses: number[] = []
  for (let nth = 0; nth < perMinute.LOGIN_LIMIT; nth++) {
    const { path, ...options } = imports[nth % imports.length] as (typeof imports)[number]
    statuses.push((await world.call('POST', path, { token: tokens[nth % 2], ...options })).status)
  }
  expect(statuses).toEqual([200, 200, 200, 422, 200, 200, 200, 422, 200, 200])

  await world.resetDatabaseWork()
  for (const { path, ...options } of imports) {
    const refused = await world.call('POST', path, { token: tokens[0], ...options })
    expect([refused.status, refused.body]).toEqual([429, { message: 'Too Many Attempts.' }])
    expect(refused.headers.get('Retry-After')).toBe('60')
    expect(refused.headers.get('X-RateLimit-Limit')).toBe(String(perMinute.IMPORT_LIMIT))
  }
  expect((await world.databaseWork()).requests).toBe(0)
  const fresh = { token: (await logIn(world, person)).body.access_token, ...csv }
  const atOnce = await Promise.all([1, 2, 3].map(() => world.call('POST', path, fresh)))
  expect(atOnce.map(({ status }) => status)).toEqual([429, 429, 429])
  expect((await person.get('/api/imports')).status).toBe(200)
  const other = await world.register()
  expect((await other.post('/api/import/store', {})).status).toBe(403)
})

test('what cannot be a token is a 401 that counts nowhere, and comes before a 429', async () => {
  const { world } = await createStrictWorld()
  const attacker = randomClientAddress()
  const mistyped = () =>
    world.call('GET', '/api/me', { token: `1|${'A'.repeat(46)}`, headers: from(attacker) })
  expect(await repeat(ofClient * 2, mistyped)).toEqual(always(401, ofClient * 2))
  await repeat(ofClient, () => world.call('GET', '/api/health', { headers: from(attacker) }))
  expect((await world.call('GET', '/api/health', { headers: from(attacker) })).status).toBe(429)
  expect((await mistyped()).status).toBe(401)
})

test('nothing is counted if it is switched off', async () => {
  await avoidEndOfMinute(20_000)
  const world = createWorld({ ...strict, GENERAL_LIMIT_ENABLED: 'false' })
  const person = await world.register()
  expect(await repeat(ofToken + 5, () => person.get('/api/me'))).toEqual(always(200, ofToken + 5))
})

test('a request passes if counting it fails, and the log says so', async () => {
  const broken: RateLimit = { limit: () => Promise.reject(new Error('The counter is down')) }
  const limits = Object.fromEntries(Object.keys(perMinute).map((binding) => [binding, broken]))
  const lines = muteLog(['error'])
  const world = createWorld({ ...limits, GENERAL_LIMIT_ENABLED: 'true' })
  const person = await world.register()
  expect((await logIn(world, person)).status).toBe(200)
  expect((await world.call('GET', `/api/auth/check-email?email=${person.email}`)).status).toBe(200)
  expect(await repeat(3, () => person.get('/api/me'))).toEqual(always(200, 3))
  expect((await person.post('/api/import/store')).status).toBe(403)
  const failed = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'limit failed')
  expect(new Set(failed.map(({ binding }) => binding))).toEqual(new Set(Object.keys(limits)))
})
