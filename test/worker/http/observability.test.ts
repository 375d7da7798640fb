import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { reportConfiguration } from '../../../src/config.ts'
import { perMinute } from '../../../src/failures/limits.ts'
import { createFaultyWorld } from '../faults/faulty-world.ts'
import { setClock } from '../fixtures/clock.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import { toQueue } from '../fixtures/responses.ts'
import {
  type ApiResponse,
  aCategory,
  avoidEndOfMinute,
  type CallOptions,
  createWorld,
  logIn,
  newPassword,
  openAccount,
  pathOf,
  providerCallback,
  queuedMail,
  randomClientAddress,
  requestReset,
  verifyAddress,
} from '../fixtures/world.ts'
import { verify } from '../laws/every-route.ts'

type Line = Record<string, unknown>

const spa = 'https://app.purse.example'
const noDatabase = { TURSO_DATABASE_URL: 'http://127.0.0.1:9/' }

const world = createWorld()

/** What has been written to the log, as it was written. */
let written: string[] = []

beforeEach(() => {
  written = muteLog()
})

afterEach(() => {
  vi.restoreAllMocks()
})

/** The lines written since the last call, each of which must be one JSON object. */
function newLines(): Line[] {
  return written.splice(0).map((line) => {
    expect(line).toMatch(/^\{.*\}$/)
    return JSON.parse(line)
  })
}

const aDuration = expect.any(Number)
const someRows = expect.any(Number)
const figures = {
  durationMs: aDuration,
  databaseMs: aDuration,
  closes: 0,
  rowsRead: someRows,
  rowsWritten: someRows,
}

const requestLine = (response: ApiResponse, method: string, route: string | null, roundTrips: number) => ({
  event: 'request',
  requestId: response.headers.get('X-Request-Id'),
  method,
  route,
  status: response.status,
  ...figures,
  roundTrips,
})

describe('a request', () => {
  test.each([
    ['GET', '/api/me', '/api/me', 200, 1],
    ['GET', '/api/me/', '/api/me', 200, 1],
    ['HEAD', '/api/me', '/api/me', 200, 1],
    ['PATCH', '/api/me', '/api/me', 200, 1],
    ['GET', '/api/accounts/77?secret=1', '/api/accounts/:id', 404, 1],
    ['POST', '/api/transactions', '/api/transactions', 403, 1],
    ['GET', '/api/transactions/sync/77', '/api/transactions/sync/:id', 404, 1],
    ['GET', '/api/auth/check-email?email=a@example.com', '/api/auth/check-email', 200, 0],
    ['GET', '/api/email/verify/1/abc?signature=1', '/api/email/verify/:id/:hash', 403, 1],
    ['GET', '/api/nothing/secret', null, 404, 0],
    ['DELETE', '/api/login', null, 405, 0],
    ['OPTIONS', '/api/me', null, 204, 0],
  ])('%s %s is one line with the route %s', async (method, path, route, status, roundTrips) => {
    const { token } = await world.register()
    await world.resetDatabaseWork()
    newLines()
    const response = await world.call(method, path, { token, headers: { Origin: spa } })
    expect(response.status).toBe(status)
    const { requests, rowsRead, rowsWritten } = await world.databaseWork()
    expect(requests).toBe(roundTrips)
    expect(newLines()).toEqual([
      { ...requestLine(response, method, route, roundTrips), rowsRead, rowsWritten },
    ])
  })

  test.each<[string, string, number, CallOptions]>([
    ['GET', '/api/me', 401, {}],
    ['POST', '/api/login', 400, { rawBody: '{', headers: { 'Content-Type': 'application/json' } }],
    ['GET', '/api/auth/check-email', 429, { headers: { 'CF-Connecting-IP': randomClientAddress() } }],
  ])(
    'that is refused before the database is one line as well: %s %s, %i',
    async (method, path, status, options) => {
      await avoidEndOfMinute()
      const earlier = status === 429 ? perMinute.CHECK_EMAIL_LIMIT : 0
      for (let calls = 0; calls < earlier; calls++) await world.call(method, path, options)
      newLines()
      const response = await world.call(method, path, options)
      expect(response.status).toBe(status)
      expect(newLines()).toEqual([requestLine(response, method, path, 0)])
    },
  )

  test('counts each of its round trips', async () => {
    const person = await world.register()
    newLines()
    const response = await logIn(world, person)
    expect(newLines()).toEqual([requestLine(response, 'POST', '/api/login', 2)])
  })

  test('that fails has a second line under the same id, with what failed and where', async () => {
    const response = await createWorld(noDatabase).call('GET', '/api/health')
    const [failure, request, ...others] = newLines()
    expect(others).toEqual([])
    expect(request).toMatchObject({
      ...requestLine(response, 'GET', '/api/health', 1),
      roundTrips: aDuration,
    })
    expect(failure).toEqual({
      event: 'failure',
      requestId: response.headers.get('X-Request-Id'),
      error: 'DatabaseUnavailable',
      causes: ['Error'],
      at: expect.arrayContaining([expect.stringMatching(/^at /)]),
    })
  })

  test('says what refused it: an invalid database token, for one', async () => {
    const world = createFaultyWorld()
    const health = () => world.call('GET', '/api/health')
    await world.whileBroken({ gets: 'status', status: 401 }, health)
    const [failure] = newLines()
    expect(failure).toMatchObject({ error: 'DatabaseUnavailable', causes: ['BadStatus 401'] })
  })

  test('does not count what is done after its response', async () => {
    const { get } = await world.register()
    setClock(Date.now() + 2 * 86_400_000)
    await world.resetDatabaseWork()
    newLines()
    const response = await get('/api/me')
    expect(newLines()).toEqual([requestLine(response, 'GET', '/api/me', 1)])
    // The token's last use was noted, after the response.
    const isNoted = async () => (await world.databaseWork()).requests === 2
    await vi.waitUntil(isNoted, { timeout: 60_000 })
  })
})

describe('Server-Timing', () => {
  const timing = /^db;dur=(\d+(?:\.\d)?);desc="(\d+) round trips?", total;dur=(\d+(?:\.\d)?)$/

  test('says on every response what the log says', async () => {
    const { token, email, password } = await world.register()
    newLines()
    for (const [method, path, options] of [
      ['GET', '/api/me', { token }],
      ['GET', '/api/me', {}],
      ['GET', '/api/nothing', {}],
      ['PUT', '/api/login', {}],
      ['OPTIONS', '/api/me', {}],
      ['POST', '/api/login', { body: { email, password } }],
      ['POST', '/api/login', { body: { email, password: 'wrong' } }],
    ] as const) {
      const { headers } = await world.call(method, path, options)
      const [line] = newLines()
      const [, ...figures] = timing.exec(headers.get('Server-Timing') ?? '') ?? []
      expect(figures.map(Number)).toEqual([line?.databaseMs, line?.roundTrips, line?.durationMs])
    }
  })

  test('is there when the database or the configuration fails', async () => {
    for (const broken of [createWorld(noDatabase), createWorld({ APP_SECRET: '' })])
      expect((await broken.call('GET', '/api/health')).headers.get('Server-Timing')).toMatch(timing)
  })

  test('attributes no more time to the database than to the whole', async () => {
    const { headers } = await world.call('GET', '/api/health')
    const [, databaseMs, , durationMs] = timing.exec(headers.get('Server-Timing') ?? '') ?? []
    expect(Number(databaseMs)).toBeGreaterThan(0)
    expect(Number(databaseMs)).toBeLessThanOrEqual(Number(durationMs))
  })

  test('can be read by origins that may call, and no others', async () => {
    const call = async (Origin: string) =>
      (await world.call('GET', '/api/me', { headers: { Origin } })).headers
    const allowed = await call(spa)
    expect(allowed.get('Timing-Allow-Origin')).toBe(spa)
    expect(allowed.get('Access-Control-Expose-Headers')).toContain('Server-Timing')
    expect((await call('https://evil.example')).get('Timing-Allow-Origin')).toBeNull()
  })
})

describe('a queue message', () => {
  const unknown = { batch_id: '00000000-0000-4000-8000-000000000000' }
  const messageLine = (queue: string, attempt: number) => ({
    event: 'message',
    queue,
    id: expect.stringMatching(/./),
    attempt,
    ...figures,
  })

  test('that is done is one line, with round trips of its own', async () => {
    await world.deliver([unknown, unknown], 'purse-sync', 2)
    const line = { ...messageLine('purse-sync', 2), outcome: 'done', roundTrips: 1 }
    expect(newLines()).toEqual([line, line])
  })

  test('that fails has a line that says what failed, and one that says when it comes again', async () => {
    await createWorld(noDatabase).deliver([unknown], 'purse-sync', 3)
    const failure = { event: 'message failed', queue: 'purse-sync', id: expect.any(String), attempt: 3 }
    const retry = { outcome: 'retry', retryAfterSeconds: 20, roundTrips: 1 }
    expect(newLines()).toEqual([
      { ...failure, error: 'DatabaseUnavailable', causes: ['Error'], at: expect.any(Array) },
      { ...messageLine('purse-sync', 3), ...retry },
    ])
  })

  test('of a Worker that is not configured is redelivered, and its line names what is missing', async () => {
    await createWorld({ RESEND_API_KEY: '' }).deliver([unknown], 'purse-mail')
    const [failure, message] = newLines()
    expect(failure).toMatchObject({ error: 'ConfigurationError', problem: expect.stringContaining('RESEND') })
    expect(message).toMatchObject({ outcome: 'retry', roundTrips: 0 })
  })

  test('of a queue that has no consumer is redelivered', async () => {
    await world.deliver([unknown], 'purse-nothing')
    expect(newLines().at(-1)).toMatchObject({ event: 'message', queue: 'purse-nothing', outcome: 'retry' })
  })
})

describe('a cron run', () => {
  test('is one line with what it did', async () => {
    await world.runCron('* * * * *')
    const line = { event: 'cron', cron: '* * * * *', outcome: 'done', did: { queuedAgain: 0, trimmed: 0 } }
    expect(newLines()).toEqual([{ ...line, ...figures, roundTrips: 2 }])
  })

  test('that fails says so, and fails', async () => {
    await expect(createWorld(noDatabase).runCron('17 * * * *')).rejects.toThrow()
    const cron = '17 * * * *'
    expect(newLines()).toEqual([
      { event: 'cron failed', cron, error: 'DatabaseUnavailable', causes: ['Error'], at: expect.any(Array) },
      { event: 'cron', cron, outcome: 'failed', ...figures, roundTrips: 1 },
    ])
  })
})

describe('a wrong configuration', () => {
  const secrets = ['TURSO_DATABASE_URL', 'APP_SECRET', 'RESEND_API_KEY', 'IDP_CLIENT_SECRET'] as const
  const others = ['APP_URL', 'FRONTEND_URL', 'MAIL_FROM', 'SCRYPT_COST', 'IDP_CLIENT_ID'] as const

  test.each([...secrets, ...others])('without %s is reported at start, by name', (name) => {
    for (const value of [undefined, '']) {
      reportConfiguration({ ...env, [name]: value })
      const problem = expect.stringMatching(`^${name}: [^;]*$`)
      const at = expect.any(Array)
      expect(newLines()).toEqual([{ event: 'not configured', error: 'ConfigurationError', problem, at }])
    }
  })

  // No browser would get there.
  test.each<[string, string, string?]>([
    ['IDP_ISSUER', 'accounts.example.com', 'IDP_ISSUER: Must be an http: or https: URL'],
    ['IDP_ISSUER', 'localhost:8080', 'IDP_ISSUER: Must be an http: or https: URL'],
    ['APP_URL', 'api.example.com:443'],
    ['APP_URL', 'http://api.example.com/?region=eu'],
    ['APP_URL', 'http://api.example.com/#'],
    ['FRONTEND_URL', 'localhost:5173'],
    ['CORS_ORIGINS', 'https://a.example, b.example'],
    ['CORS_ORIGINS', 'https://a.example/app'],
    ['CORS_ORIGINS', 'https://a.example?app'],
    ['CORS_ORIGINS', 'https://a.example https://b.example'],
    ['CORS_ORIGINS', '*'],
  ])('with %s %o, which is no address, is reported at start', (name, value, problem) => {
    reportConfiguration({ ...env, [name]: value })
    expect(newLines()).toMatchObject([{ problem: problem ?? expect.stringMatching(`^${name}: [^;]*$`) }])
  })

  test('is not mentioned if there is none', () => {
    reportConfiguration({ ...env })
    reportConfiguration({ ...env, IDP_ISSUER: '', IDP_CLIENT_ID: '', IDP_CLIENT_SECRET: '' })
    expect(newLines()).toEqual([])
  })

  test('is a placeholder that was left in a deployment', () => {
    const addresses = { APP_URL: 'https://api.example.com', FRONTEND_URL: 'https://example.com' }
    const own = { ...addresses, MAIL_FROM: 'a@example.com' }
    const placeholders = {
      APP_URL: 'https://api.purse.example',
      FRONTEND_URL: 'https://purse.example',
      MAIL_FROM: 'Purse <no-reply@purse.example>',
    }
    for (const [name, placeholder] of Object.entries(placeholders)) {
      reportConfiguration({ ...env, ...own, [name]: placeholder })
      expect(newLines()).toMatchObject([{ problem: expect.stringMatching(`^${name}: [^;]*$`) }])
    }
    reportConfiguration({ ...env, ...own })
    expect(newLines()).toEqual([])
  })

  test('names everything that is wrong, and shows no value', async () => {
    const wrong = { APP_SECRET: 'sesame', TURSO_DATABASE_URL: 'sesame', SCRYPT_COST: 'sesame' }
    const response = await createWorld(wrong).call('GET', '/api/health')
    expect([response.status, response.text]).toEqual([500, '{"message":"Server Error"}'])
    const [failure, request] = newLines()
    for (const name of Object.keys(wrong)) expect(failure?.problem).toContain(`${name}: `)
    expect(JSON.stringify([failure, request, [...response.headers]])).not.toContain('sesame')
    expect(request).toEqual(requestLine(response, 'GET', '/api/health', 0))
  })
})

test('nothing in the log reveals a password, token, address, amount, description or query', async () => {
  const email = 'canary.address@example.com'
  const person = await world.register({ name: 'Canary Name', email, ...newPassword('canary password 1') })
  const secrets = [email, 'canary', 'Canary', person.token.split('|')[1], '4321.98', '432198']

  // Signing in, successfully and not, and resetting the password.
  for (const password of ['canary password 1', 'canary wrong']) await logIn(world, { email, password })
  await world.call('GET', `/api/auth/check-email?email=${email}`)
  await world.call('POST', '/api/register', { body: { name: 'x', email, password: 'canary password 1' } })
  await world.call('GET', await providerCallback(world, 'canary.provider@example.com'))
  await world.call('GET', '/api/auth/idp/callback?state=canary&code=canary')
  const parts = pathOf(queuedMail(world, 'verify_address', email).url).split(/[/?=&]/)
  secrets.push(...parts.filter((part) => part.length >= 10))
  await verifyAddress(world, person)
  await world.call('GET', `/api/email/verify/${person.id}/canary?expires=1&signature=canary`)
  await world.call('POST', '/api/forgot-password', { body: { email: 'canary.unknown@example.com' } })
  const reset = await requestReset(world, { email })
  secrets.push(reset)
  const password = 'canary password 2'
  for (const token of [reset, 'canary'])
    await world.call('POST', '/api/reset-password', { body: { token, email, ...newPassword(password) } })
  const token: string = (await logIn(world, { email, password })).body.access_token
  secrets.push(token.split('|')[1])

  // Accounts and transactions, in every way there is, accepted and refused.
  const signedIn = { ...person, ...world.as(token) }
  const { get, post, delete: leave } = signedIn
  await verify(world, person)
  const account = await openAccount(signedIn, { name: 'Canary Account', starting_balance: '4321.98' })
  const category = await aCategory(signedIn)
  const row = {
    account_id: account.id,
    category_id: category.id,
    type: 'expense',
    amount: '4321.98',
    description: 'canary description',
    reference: 'canary reference',
    transaction_date: '2026-11-20',
  }
  for (const fields of [row, row, { ...row, amount: '4321.987' }, { ...row, client_id: 'canary-id' }])
    await post('/api/transactions', fields)
  await get('/api/transactions?q=canary&from=2026-01-01')
  const transactions = [{ ...row, force: true }]
  await post('/api/transactions/sync', { transactions })
  await world.call('POST', '/api/transactions/sync', toQueue(token, transactions))
  await world.deliverSyncs()
  await post('/api/import/store', { transactions: [row, { ...row, force: true }] })
  await post('/api/import/bank/store', { transactions: [{ ...row, account_id: 'canary' }] })
  await get('/api/summary')
  await world.deliver([...world.queued, { kind: 'canary' }], 'purse-mail')
  await world.deliver([...world.queued, { kind: 'canary' }], 'purse-mail-dead')
  await world.deliver([{ batch_id: 'canary' }], 'purse-sync')
  for (const cron of ['* * * * *', '*/5 * * * *', '17 * * * *', '41 3 * * *']) await world.runCron(cron)

  // And all of it while the database is down.
  const away = createWorld(noDatabase)
  await logIn(away, { email, password })
  await away.call('POST', '/api/transactions', { token, body: row })
  await away.deliver(world.queued, 'purse-mail-dead')
  await leave('/api/me', { password: 'canary wrong' })
  await leave('/api/me', { password })

  const lines = newLines()
  expect(lines.length).toBeGreaterThan(40)
  const log = JSON.stringify(lines)
  for (const secret of secrets) expect(log).not.toContain(secret)
})
