import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { defaultCategories } from '../../../src/categories/defaults.ts'
import { dayMs } from '../../../src/domain/dates.ts'
import { budgets } from '../../budgets.ts'
import { noon, setClock } from '../fixtures/clock.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import { setFault } from '../fixtures/part-faults.ts'
import {
  type ApiResponse,
  anAddress,
  aTimestamp,
  createWorld,
  type Json,
  logIn,
  newPassword,
  openAccount,
  pathOf,
  providerCallback,
  registerVerified,
  requestReset,
  resetPassword,
  signInThroughProvider,
  statusWith,
  verifyAddress,
  type World,
} from '../fixtures/world.ts'
import { askDatabase } from '../laws/every-route.ts'

const callback = '/api/auth/idp/callback'
const issuer = env.IDP_ISSUER
const world = createWorld()
/** The same service, with little time for a request. */
const hurried = createWorld(budgets({ requestMs: 500 }), world.databaseUrl)

afterEach(async () => {
  vi.restoreAllMocks()
  await setFault(issuer, 'DELETE')
})

const fault = (order: Record<string, unknown>) => setFault(issuer, 'POST', order)
const begin = async (at = world, query = '') =>
  new URL((await at.call('GET', `/api/auth/idp${query}`)).body.url)
const stateOf = async (at = world) => (await begin(at)).searchParams.get('state') ?? ''
const come = (query: Record<string, string> = {}, at = world) =>
  at.call('GET', `${callback}?${new URLSearchParams(query)}`)
const comeTo = (path: string) => world.call('GET', path)
const me = async (token: string): Promise<Json> => (await world.call('GET', '/api/me', { token })).body
const loginStatus = async (person: { email: string; password: string }) => (await logIn(world, person)).status
const mailsAboutRemoval = (email: string) =>
  world.queued.filter(({ kind, to }) => kind === 'password_removed' && to === email)

/** Where a callback redirects, and with which parameters. */
function destination({ headers }: ApiResponse) {
  const url = new URL(headers.get('Location') ?? '')
  return { page: `${url.origin}${url.pathname}`, query: Object.fromEntries(url.searchParams) }
}

/** The profile of the user whom a callback has signed in. */
const signedIn = (response: ApiResponse) => me(destination(response).query.token ?? '')

/** Expects the failure redirect: for a browser, never JSON, with a sentence for people. */
function expectFailure(response: ApiResponse, errorCode: string): void {
  const { page, query } = destination(response)
  expect({ status: response.status, text: response.text, page, query }).toEqual({
    status: 302,
    text: '',
    page: 'https://app.purse.example/login',
    query: { error_code: errorCode, error: expect.stringMatching(/^[A-Z][^{}<>]{10,100}\.$/) },
  })
  expectNothingPassedOn(response)
}

function expectNothingPassedOn({ headers }: ApiResponse): void {
  expect(headers.get('Referrer-Policy')).toBe('no-referrer')
  expect(headers.get('Cache-Control')).toBe('no-store')
  expect(headers.get('Content-Type') ?? '').not.toContain('json')
}

const usersIn = async (at = world) => (await askDatabase(at, sql`select id from users`)).length

/** Expects the failure redirect, and no new user. */
async function expectRefused(call: () => Promise<ApiResponse>, errorCode: string): Promise<void> {
  const users = await usersIn()
  expectFailure(await call(), errorCode)
  expect(await usersIn()).toBe(users)
}

/** Fills in the provider's own page, as a browser would; returns the path of the callback. */
async function fillIn(fields: Record<string, string>): Promise<string> {
  const cookies = new Map<string, string>()
  const follow = async (url: URL, init: RequestInit = {}): Promise<URL> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      ...init,
      headers: { cookie, accept: 'text/html' },
      redirect: 'manual',
    })
    await response.text()
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('Location')
    if (!location) return url
    const next = new URL(location, url)
    return next.pathname === callback ? next : follow(next)
  }
  const page = await follow(await begin())
  return pathOf((await follow(page, { method: 'POST', body: new URLSearchParams(fields) })).href)
}
const signInAs = (address: string, state: 'unverified' | 'absent') =>
  fillIn({ decision: 'sign-in', address, state })

/** What a made-up provider publishes of itself. */
const discoveryOf = (origin: string) => ({
  issuer: origin,
  authorization_endpoint: `${origin}/auth`,
  token_endpoint: `${origin}/token`,
  userinfo_endpoint: `${origin}/me`,
  jwks_uri: `${origin}/jwks`,
})

/** Responds for a provider that is made up, with a response or with what its JSON says. */
function standIn(origin: string, responses: Record<string, () => unknown>): void {
  const realFetch = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input))
    if (url.origin !== origin) return realFetch(input, init)
    const response = await responses[url.pathname]?.()
    return response instanceof Response ? response : Response.json(response)
  })
}

describe('the redirect to the provider', () => {
  test('carries state, PKCE and nonce, which differ each time, sets no cookie, and shows no secret in its state', async () => {
    const { status, body, headers } = await world.call('GET', '/api/auth/idp')
    expect([status, body, headers.get('Set-Cookie')]).toEqual([200, { url: expect.any(String) }, null])
    const [one, two] = [new URL(body.url), await begin()]
    expect(one.href.startsWith(`${issuer}/auth?`)).toBe(true)
    expect(Object.fromEntries(one.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'purse-tests',
      redirect_uri: 'http://purse.test/api/auth/idp/callback',
      scope: 'openid email profile',
      state: expect.any(String),
      nonce: expect.stringMatching(/^[\w-]{40,}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(two.searchParams.get(name)).not.toBe(one.searchParams.get(name))
    const state = one.searchParams.get('state') ?? ''
    for (const text of [state, Buffer.from(state, 'base64url').toString('latin1')])
      for (const secret of [one.searchParams.get('nonce'), 'expiresAt', 'codeVerifier'])
        expect(text).not.toContain(secret)
  })

  test('cannot be altered by a login_hint', async () => {
    const hint = 'a@example.com&redirect_uri=https://evil.example/#'
    const url = await begin(world, `?login_hint=${encodeURIComponent(hint)}`)
    expect(url.searchParams.getAll('redirect_uri')).toEqual(['http://purse.test/api/auth/idp/callback'])
    expect(url.searchParams.get('login_hint')).toBe(hint)
    expect(url.hash).toBe('')
  })

  test.each([
    ['where none is configured', ''],
    ['where it is down', 'http://127.0.0.1:9'],
    ['where it says that it is another one', `${issuer}/`],
  ])('%s is a 503 that leaks nothing', async (_, IDP_ISSUER) => {
    muteLog(['error'])
    const { status, text } = await createWorld({ IDP_ISSUER }).call('GET', '/api/auth/idp')
    expect([status, JSON.parse(text)]).toEqual([503, { message: expect.any(String) }])
    expect(text).not.toContain('127.0.0.1')
  })
})

describe('the time zone sent at the start of a sign-in', () => {
  const zoneAfter = async (email: string, timezone: string) => {
    const url = await begin(world, `?${new URLSearchParams({ login_hint: email, timezone })}`)
    expect(url.searchParams.has('timezone')).toBe(false)
    const redirect = await fetch(url, { redirect: 'manual' })
    await redirect.text()
    return (await signedIn(await comeTo(pathOf(redirect.headers.get('Location') ?? '')))).timezone
  }

  test.each([
    ['Asia/Tokyo', 'Asia/Tokyo'],
    ['Etc/Unknown', 'UTC'],
    ['+02:00', 'UTC'],
    ['x'.repeat(5_000), 'UTC'],
    [' ', 'UTC'],
  ])('is that of a new user: %s', async (sent, stored) => {
    const email = anAddress()
    expect(await zoneAfter(email, sent)).toBe(stored)
    expect(await zoneAfter(email, 'Europe/Paris')).toBe(stored)
  })

  test('changes nothing for a user who exists already', async () => {
    const { email } = await world.register({ timezone: 'Asia/Tokyo' })
    expect(await zoneAfter(email, 'Europe/Paris')).toBe('Asia/Tokyo')
  })
})

describe('the first sign-in', () => {
  test('makes a verified user, with name, picture and default categories, and leads to the frontend with a token', async () => {
    const email = `anna.smith+${crypto.randomUUID().slice(0, 8).replaceAll(/\d/g, 'x')}@example.com`
    const path = await providerCallback(world, email)
    world.queued.length = 0
    const response = await comeTo(path)
    expect([response.status, response.text]).toEqual([302, ''])
    const { page, query } = destination(response)
    expect([page, Object.keys(query)]).toEqual(['https://app.purse.example/login', ['token', 'user']])
    expect(query.token).toMatch(/^[1-9]\d*\|[A-Za-z0-9]{40,}$/)
    expectNothingPassedOn(response)
    expect(await signedIn(response)).toMatchObject({
      id: Number(query.user),
      email,
      email_verified_at: aTimestamp,
      idp_id: expect.stringMatching(/./),
      name: expect.stringMatching(/^Anna Smith /),
      avatar: expect.stringMatching(/\/pictures\/\w+\.svg\?name=/),
      reminder_time: '20:00',
      timezone: 'UTC',
    })
    expect(world.queued).toEqual([])
    const categoriesOf = async ({ get }: Pick<ReturnType<World['as']>, 'get'>) =>
      (await get('/api/categories')).body.map(({ name, type }: Json) => `${type} ${name}`)
    const seeded = await categoriesOf(world.as(query.token ?? ''))
    expect(seeded.length).toBeGreaterThanOrEqual(16)
    expect(seeded).toEqual(await categoriesOf(await world.register()))
  })

  test('is one user and one set of categories even if it comes eight times at once', async () => {
    const email = anAddress()
    const users = await usersIn()
    const paths = await Promise.all(Array.from({ length: 8 }, () => providerCallback(world, email)))
    const queries = (await Promise.all(paths.map(comeTo))).map((response) => destination(response).query)
    expect(new Set(queries.map(({ user }) => user)).size).toBe(1)
    expect(await usersIn()).toBe(users + 1)
    expect(new Set(queries.map(({ token }) => token)).size).toBe(8)
    const { body } = await world.as(queries[0]?.token ?? '').get('/api/categories')
    expect(body).toHaveLength(defaultCategories.length)
  })

  test.each([
    ['that the provider has not verified', 'unverified', 'email_unverified'],
    ['that is missing', 'absent', 'email_missing'],
  ] as const)('refuses an address %s', async (_, state, code) => {
    const path = await signInAs(anAddress(), state)
    await expectRefused(() => comeTo(path), code)
  })

  test.each(['\u212a', '\u0130', '\u017f', '\uff4b'])(
    'takes an address with %j in it, which is not ASCII, for no other user’s, whatever its lower case is',
    async (letter) => {
      const rest = anAddress()
      const others = [
        await registerVerified(world, { email: `k${rest}` }),
        await registerVerified(world, { email: `i${rest}` }),
      ]
      const path = await providerCallback(world, `${letter}${rest}`)
      await expectRefused(() => comeTo(path), 'email_missing')
      for (const { get } of others) expect((await get('/api/me')).body.idp_id).toBeNull()
    },
  )
})

describe('a later sign-in', () => {
  test('is the same user, with another token beside the first, and seeds no categories again', async () => {
    const email = anAddress()
    const one = await signInThroughProvider(world, email)
    const { get, patch, delete: remove } = world.as(one.token)
    await patch('/api/me', { name: 'My Own Name' })
    for (const { id } of (await get('/api/categories')).body) await remove(`/api/categories/${id}`)
    const two = await signInThroughProvider(world, email.toUpperCase())
    expect(two.id).toBe(one.id)
    expect(two.token).not.toBe(one.token)
    expect((await me(one.token)).id).toBe(one.id)
    expect(await me(two.token)).toMatchObject({ email, name: 'My Own Name' })
    expect((await get('/api/categories')).body).toEqual([])
  })

  test('is known by its id at the provider, not by its address', async () => {
    const [email, moved] = [anAddress(), anAddress()]
    const { id, token } = await signInThroughProvider(world, email)
    await askDatabase(world, sql`update users set email = ${moved} where id = ${id}`)
    const stranger = await world.register({ email })
    expect((await signInThroughProvider(world, email)).id).toBe(id)
    expect((await me(token)).email).toBe(moved)
    expect((await stranger.get('/api/me')).body).toMatchObject({ email, idp_id: null })
  })

  test.each(['unverified', 'absent'] as const)(
    'works with an address that is %s by then, since the id is looked up first',
    async (state) => {
      const email = anAddress()
      const { id } = await signInThroughProvider(world, email)
      const { query } = destination(await comeTo(await signInAs(email, state)))
      expect(query).toEqual({ token: expect.any(String), user: String(id) })
    },
  )
})

describe('an address that is already registered', () => {
  const password = 'a password of my own'

  test('and verified is linked: a password set by an emailed link, its tokens and what the user has stay', async () => {
    const { id, email } = await registerVerified(world)
    await resetPassword(world, { email }, password)
    const before = (await logIn(world, { email, password })).body
    const { token } = await signInThroughProvider(world, email)
    const { email_verified_at } = before
    expect(await me(token)).toMatchObject({ id, idp_id: expect.any(String), email_verified_at })
    expect((await me(before.access_token)).id).toBe(id)
    expect(await loginStatus({ email, password })).toBe(200)
    expect((await world.as(token).get('/api/categories')).body).toHaveLength(defaultCategories.length)
    expect(mailsAboutRemoval(email)).toEqual([])
  })

  test.each([
    ['verified by its owner', true],
    ['never verified', false],
  ])(
    'and %s loses the password of the stranger who registered it, tokens and reset links',
    async (_, isVerified) => {
      const stranger = await world.register({ name: 'Ada' })
      const { email } = stranger
      if (isVerified) await verifyAddress(world, stranger)
      await openAccount(stranger)
      const second = (await logIn(world, stranger)).body.access_token
      const body = { token: await requestReset(world, stranger), email, ...newPassword() }

      const { id, token } = await signInThroughProvider(world, email)
      expect(id).toBe(stranger.id)
      expect(await me(token)).toMatchObject({ email, email_verified_at: aTimestamp })
      expect((await world.as(token).get('/api/accounts')).body).toHaveLength(1)
      for (const old of [stranger.token, second]) expect(await statusWith(world, old)).toBe(401)
      expect(await loginStatus(stranger)).toBe(422)
      expect((await world.call('POST', '/api/reset-password', { body })).status).toBe(422)
      const frontendUrl = 'https://app.purse.example'
      if (isVerified) expect(mailsAboutRemoval(email)).toMatchObject([{ name: 'Ada', frontendUrl }])
    },
  )

  test('is told once that its password was removed, and can set one that stays', async () => {
    const { email } = await registerVerified(world)
    await signInThroughProvider(world, email)
    expect((await resetPassword(world, { email }, password)).status).toBe(200)
    await signInThroughProvider(world, email)
    expect(await loginStatus({ email, password })).toBe(200)
    expect(mailsAboutRemoval(email)).toHaveLength(1)
  })

  test('but was never verified keeps a password that an emailed link has set', async () => {
    const { email, token: pretenders } = await world.register()
    expect((await resetPassword(world, { email }, password)).status).toBe(200)
    const { access_token } = (await logIn(world, { email, password })).body
    const { token } = await signInThroughProvider(world, email)
    for (const own of [token, access_token]) expect((await me(own)).email_verified_at).toEqual(aTimestamp)
    expect(await statusWith(world, pretenders)).toBe(401)
    expect(await loginStatus({ email, password })).toBe(200)
    expect(mailsAboutRemoval(email)).toEqual([])
  })

  test('but was never verified takes the name that the provider gives, not the stranger’s', async () => {
    const email = `bob.${anAddress()}`
    await world.register({ email, name: 'Call 0900 123456 now' })
    const { token } = await signInThroughProvider(world, email)
    expect((await me(token)).name).toMatch(/^Bob /)
  })

  test('is not linked by an address that the provider has not verified', async () => {
    const [verified, unverified] = [await registerVerified(world), await world.register()]
    for (const person of [verified, unverified]) {
      expectFailure(await comeTo(await signInAs(person.email, 'unverified')), 'email_unverified')
      expect((await person.get('/api/me')).body.idp_id).toBeNull()
      expect(await loginStatus(person)).toBe(200)
    }
    expect((await unverified.get('/api/me')).body.email_verified_at).toBeNull()
  })

  test('and linked to another identity is not handed over', async () => {
    const email = anAddress()
    const { id, token } = await signInThroughProvider(world, email)
    await askDatabase(world, sql`update users set idp_id = 'somebody else' where id = ${id}`)
    const path = await providerCallback(world, email)
    await expectRefused(() => comeTo(path), 'provider_error')
    expect((await me(token)).idp_id).toBe('somebody else')
  })

  test('loses the tokens of a stranger who signs in at the very moment', async () => {
    const stranger = await world.register()
    const path = await providerCallback(world, stranger.email)
    const [, ...logins] = await Promise.all([
      comeTo(path),
      ...Array.from({ length: 6 }, () => logIn(world, stranger)),
    ])
    const tokens: string[] = logins.flatMap(({ body }) => body.access_token ?? [])
    for (const token of [stranger.token, ...tokens]) expect(await statusWith(world, token)).toBe(401)
  })
})

describe('a sign-in that the user refuses', () => {
  test('ends in access_denied', async () => {
    expectFailure(await comeTo(await fillIn({ decision: 'refuse' })), 'access_denied')
  })

  test('does not repeat what the query says', async () => {
    const query = { state: await stateOf(), error: '<b>', error_description: 'Call 0900 123456' }
    const response = await come(query)
    expectFailure(response, 'provider_error')
    expect(response.headers.get('Location')).not.toMatch(/0900|%3Cb/i)
  })
})

describe('a state', () => {
  test('is good once: the same callback again is invalid_state, also after the hourly job, and makes no token', async () => {
    const path = await providerCallback(world, anAddress())
    const { id } = await signedIn(await comeTo(path))
    expectFailure(await comeTo(path), 'invalid_state')
    await world.runCron('17 * * * *')
    expectFailure(await comeTo(path), 'invalid_state')
    expect(await askDatabase(world, sql`select 1 from tokens where user_id = ${id}`)).toHaveLength(1)
  })

  test('is good once, even under ten callbacks at once', async () => {
    muteLog(['error'])
    const path = await providerCallback(world, anAddress())
    const responses = await Promise.all(Array.from({ length: 10 }, () => comeTo(path)))
    const queries = responses.map((response) => destination(response).query)
    expect(queries.filter(({ token }) => token)).toHaveLength(1)
    // A callback that comes before the state is used up is refused by the provider, which accepts a code only once.
    const codes = queries.flatMap(({ error_code }) => error_code ?? [])
    expect(codes).toHaveLength(9)
    for (const code of codes) expect(['invalid_state', 'provider_error']).toContain(code)
  })

  test('leaves nothing in the database before the provider has accepted its code', async () => {
    muteLog(['error'])
    const state = await stateOf()
    await world.resetDatabaseWork()
    expectFailure(await come({ state, code: 'made-up' }), 'provider_error')
    expectFailure(await come({ state }), 'provider_error')
    expectFailure(await come({ state, error: 'access_denied' }), 'access_denied')
    expectFailure(await come({ state: `x${state}`, code: 'made-up' }), 'invalid_state')
    expect((await world.databaseWork()).rowsWritten).toBe(0)
  })

  test.each([
    ['after 9 minutes and 59 seconds is good', 599_000, 'provider_error'],
    ['after 10 minutes and 1 second is not', 601_000, 'invalid_state'],
  ])('%s', async (_, later, expected) => {
    muteLog(['error'])
    setClock(noon)
    const state = await stateOf()
    vi.setSystemTime(noon + later)
    // The code is nonsense, so that a good state gets as far as the provider and no further.
    expectFailure(await come({ state, code: 'nonsense' }), expected)
  })

  test('that is altered, made up, empty, missing or of a service with another secret is invalid_state', async () => {
    const other = createWorld({ APP_SECRET: 'another secret of the tests, as long as it must be' })
    const good = await stateOf()
    const altered = good.slice(0, 20) + (good[20] === 'A' ? 'B' : 'A') + good.slice(21)
    const plain = Buffer.from(JSON.stringify({ codeVerifier: 'a', nonce: 'b', expiresAt: 9e15 }))
    const parts = [altered, good.slice(0, -4), good.slice(0, 8)]
    const madeUp = [plain.toString('base64url'), await stateOf(other), 'x', '', '🔑']
    for (const state of [...parts, ...madeUp])
      expectFailure(await come({ state, code: 'abc' }), 'invalid_state')
    for (const query of [{ code: 'abc' }, undefined]) expectFailure(await come(query), 'invalid_state')
  })
})

describe('a code', () => {
  test('of another sign-in does not work with one’s own state', async () => {
    muteLog(['error'])
    const stolen = new URL(await providerCallback(world, anAddress()), 'http://purse.test').searchParams
    const query = { state: await stateOf(), code: stolen.get('code') ?? '' }
    await expectRefused(() => come(query), 'provider_error')
  })

  test('from another issuer is provider_error', async () => {
    muteLog(['error'])
    const path = (await providerCallback(world, anAddress())).replace(/&iss=[^&]*/, '')
    await expectRefused(() => comeTo(`${path}&iss=https%3A%2F%2Fevil.example`), 'provider_error')
  })
})

describe('a provider that does not work', () => {
  test.each([
    ['token', { status: 500 }, expect.stringMatching(/ 500$/)],
    ['token', { status: 400 }, 'Error server_error'],
    ['token', { nonsense: true }, 'Error 200'],
    ['jwks', { status: 500 }, 'BadStatus 500'],
    ['jwks', { nonsense: true }, 'SyntaxError'],
  ])(
    'at its %s endpoint (%j) ends in the failure redirect, and the log says why',
    async (endpoint, how, cause) => {
      const log = muteLog(['error'])
      const path = await providerCallback(world, anAddress())
      await fault({ endpoint, ...how })
      await expectRefused(() => comeTo(path), 'provider_error')
      expect(JSON.parse(log[0] ?? '')).toMatchObject({
        event: 'failure',
        causes: ['ProviderUnavailable', cause],
      })
      const code = new URL(path, 'http://purse.test').searchParams.get('code') ?? ''
      expect(log.join()).not.toContain(code)
    },
  )

  test.each([
    [{ status: 503 }, 1],
    [{ nonsense: true }, 2],
  ])(
    'at its discovery (%j) ends in the failure redirect once what was discovered is old',
    async (how, days) => {
      muteLog(['error'])
      // In the future, when nothing that another test has discovered is still valid.
      const discoveredAt = Date.now() + days * dayMs
      setClock(discoveredAt)
      await stateOf()
      vi.setSystemTime(discoveredAt + 540_000)
      const state = await stateOf()
      await fault({ endpoint: 'discovery', ...how })
      vi.setSystemTime(discoveredAt + 86_000_000)
      expect((await world.call('GET', '/api/auth/idp')).status).toBe(503)
      vi.setSystemTime(discoveredAt + 1_080_000)
      expectFailure(await come({ state, code: 'nonsense' }), 'provider_error')
    },
  )

  test.each(['token', 'jwks'])(
    'that is slow at its %s endpoint ends in the failure redirect once the time is up',
    async (endpoint) => {
      muteLog(['error'])
      const path = await providerCallback(world, anAddress())
      await fault({ endpoint, hang: true })
      await expectRefused(() => hurried.call('GET', path), 'provider_error')
    },
  )

  test('that is slow to be discovered is given up on once the time is up', async () => {
    muteLog(['error'])
    setClock(Date.now() + 3 * dayMs)
    await fault({ endpoint: 'discovery', hang: true })
    expect((await hurried.call('GET', '/api/auth/idp')).status).toBe(503)
  })

  test('ends no sign-in by password', async () => {
    const without = createWorld({ IDP_ISSUER: 'http://127.0.0.1:9' })
    expect((await logIn(without, await without.register())).status).toBe(200)
  })

  test('because the database is down ends in the failure redirect as well', async () => {
    muteLog(['error'])
    const path = await providerCallback(world, anAddress())
    const without = createWorld({ TURSO_DATABASE_URL: 'http://127.0.0.1:9/' })
    expectFailure(await without.call('GET', path), 'provider_error')
  })
})

/** A response that would go on for 64 MB, and counts what was taken of it. */
function endless(sent: { bytes: number }): Response {
  const spaces = new Uint8Array(64 * 1024).fill(32)
  return new Response(
    new ReadableStream({
      pull(controller) {
        if (sent.bytes >= 64 * 1024 * 1024) return controller.close()
        sent.bytes += spaces.byteLength
        controller.enqueue(spaces.slice())
      },
    }),
  )
}

/** A response that begins, and never ends. */
function unending(): Response {
  const start = (controller: ReadableStreamDefaultController) => controller.enqueue(new Uint8Array([32]))
  return new Response(new ReadableStream({ start }))
}

describe('what a hostile provider publishes', () => {
  const discovery = '/.well-known/openid-configuration'
  const askLiar = (response: (origin: string) => unknown, bindings: Partial<Env> = {}) => {
    muteLog(['error'])
    const origin = `https://${crypto.randomUUID()}.example`
    standIn(origin, { [discovery]: () => response(origin) })
    return createWorld({ IDP_ISSUER: origin, ...bindings }).call('GET', '/api/auth/idp')
  }

  test('is read no further than any honest provider’s goes', async () => {
    const sent = { bytes: 0 }
    expect((await askLiar(() => endless(sent))).status).toBe(503)
    expect(sent.bytes).toBeLessThan(1_000_000)
  })

  test('is given up on once the time is up if it never ends', async () => {
    expect((await askLiar(unending, budgets({ requestMs: 500 }))).status).toBe(503)
  })

  test.each(
    ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'].flatMap((name) =>
      ['javascript:alert(1)', 'data:text/html,a', 'http://liar.example/'].map((url) => [name, url] as const),
    ),
  )('is refused if its %s is %s', async (name, url) => {
    const { status, text } = await askLiar((origin) => ({ ...discoveryOf(origin), [name]: url }))
    expect([status, JSON.parse(text)]).toEqual([503, { message: expect.any(String) }])
    expect(text).not.toContain(url)
  })

  test('is taken if it is honest, with or without what may be absent, so that the others fail for being hostile', async () => {
    expect((await askLiar(discoveryOf)).status).toBe(200)
    const optional = { userinfo_endpoint: undefined, jwks_uri: undefined }
    expect((await askLiar((origin) => ({ ...discoveryOf(origin), ...optional }))).status).toBe(200)
  })
})

describe('an ID token', () => {
  const keys = generateKeyPair('ES256', { extractable: true })
  const otherKeys = generateKeyPair('ES256', { extractable: true })

  type Claims = Record<string, unknown>
  type Lies = {
    /** Claims that differ from the honest ones; undefined ones are left out. */
    claims?: Claims
    /** Makes the token without signing it with the published key. */
    write?: (claims: Claims) => Promise<string> | string
    userinfo?: Claims
    /** Responses by path, in place of the honest ones. */
    instead?: Record<string, () => Response>
    /** Variables of the callback alone. */
    at?: Partial<Env>
  }

  const sign = async (claims: Claims, { privateKey } = { privateKey: undefined as CryptoKey | undefined }) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .sign(privateKey ?? ((await keys).privateKey as CryptoKey))
  const signWithSecret = (claims: Claims, secret: string) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'one' })
      .sign(new TextEncoder().encode(secret))
  const publicKey = async () => exportJWK((await keys).publicKey)
  const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

  /** Signs in at a provider that lies as it is told to: made up, since no honest one would respond like that. */
  async function signInAtLiar({ claims, write = sign, userinfo = {}, instead, at = {} }: Lies) {
    muteLog(['error'])
    const liar = `https://${crypto.randomUUID()}.example`
    const bindings = { IDP_ISSUER: liar, TURSO_DATABASE_URL: world.databaseUrl }
    const patient = createWorld(bindings)
    const honest = {
      iss: liar,
      aud: 'purse-tests',
      sub: crypto.randomUUID(),
      iat: inSeconds(0),
      exp: inSeconds(300),
      email: anAddress(),
      email_verified: true,
      name: 'Victoria',
    }
    let nonce = ''
    standIn(liar, {
      '/.well-known/openid-configuration': () => discoveryOf(liar),
      '/jwks': async () => ({ keys: [{ ...(await publicKey()), kid: 'one', alg: 'ES256', use: 'sig' }] }),
      '/token': async () => ({
        access_token: 'at',
        token_type: 'Bearer',
        id_token: await write({ ...honest, nonce, ...claims }),
      }),
      '/me': () => ({ sub: honest.sub, ...userinfo }),
      ...instead,
    })
    const { searchParams } = await begin(patient)
    nonce = searchParams.get('nonce') ?? ''
    const query = { state: searchParams.get('state') ?? '', code: 'code', iss: liar }
    return come(query, createWorld({ ...bindings, ...at }))
  }

  test('that is honest signs in, so that the lies below fail for being lies', async () => {
    const [email, sub] = [anAddress(), crypto.randomUUID()]
    expect(await signedIn(await signInAtLiar({ claims: { email, sub } }))).toMatchObject({
      email,
      name: 'Victoria',
      avatar: null,
      idp_id: sub,
    })
  })

  test.each<[string, Lies]>([
    ['for another sign-in', { claims: { nonce: 'another' } }],
    ['without a nonce', { claims: { nonce: undefined } }],
    ['of another issuer', { claims: { iss: 'https://accounts.google.com' } }],
    ['without an issuer', { claims: { iss: undefined } }],
    ['for another client', { claims: { aud: 'another-app' } }],
    ['without an audience', { claims: { aud: undefined } }],
    [
      'for us and others, of which another is the authorized party',
      { claims: { aud: ['purse-tests', 'another-app'], azp: 'another-app' } },
    ],
    ['that has expired', { claims: { exp: inSeconds(-300) } }],
    ['that never expires', { claims: { exp: undefined } }],
    ['that is not valid yet', { claims: { nbf: inSeconds(3600) } }],
    ['about no user', { claims: { sub: undefined } }],
    ['about an empty subject', { claims: { sub: '' } }],
    ['signed with another key', { write: async (claims) => sign(claims, await otherKeys) }],
    ['that is not signed', { write: (claims) => new UnsecuredJWT(claims).encode() }],
    [
      'signed with the secret that both know',
      { write: (claims) => signWithSecret(claims, 'a secret of the tests, long enough to be one') },
    ],
    [
      'signed with the public key as if it were a secret',
      { write: async (claims) => signWithSecret(claims, JSON.stringify(await publicKey())) },
    ],
    [
      'whose claims were swapped after signing',
      {
        write: async (claims) => {
          const [head, , signature] = (await sign(claims)).split('.')
          const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'subject-2' })).toString('base64url')
          return `${head}.${forged}.${signature}`
        },
      },
    ],
    ['that is no token at all', { write: () => 'nonsense' }],
    [
      'whose userinfo is about another user',
      {
        claims: { email: undefined },
        userinfo: { sub: 'subject-2', email: 'victim@example.com', email_verified: true },
      },
    ],
  ])('%s ends in provider_error, and creates no user', async (_, lies) => {
    await expectRefused(() => signInAtLiar(lies), 'provider_error')
  })

  /** The calls of a callback to the provider, each with the claims that cause it. */
  const calls: [string, Claims][] = [
    ['/token', {}],
    ['/jwks', {}],
    ['/me', { email: undefined }],
  ]

  // Arctic reads the response to /token whole.
  test.each(calls.slice(1))(
    'of a provider that responds to %s without end ends in provider_error, and little of it is read',
    async (path, claims) => {
      const sent = { bytes: 0 }
      const instead = { [path]: () => endless(sent) }
      await expectRefused(() => signInAtLiar({ claims, instead }), 'provider_error')
      expect(sent.bytes).toBeGreaterThan(0)
      expect(sent.bytes).toBeLessThan(1_000_000)
    },
  )

  test.each(calls)('of a provider whose response to %s never ends is given up on', async (path, claims) => {
    const lies = { claims, instead: { [path]: unending }, at: budgets({ requestMs: 500 }) }
    await expectRefused(() => signInAtLiar(lies), 'provider_error')
  })

  test.each<[string, Claims, Claims?]>([
    ['says so', { email_verified: false }],
    ['says so in a word', { email_verified: 'false' }],
    ['does not say', { email_verified: undefined }],
    ['says so in its userinfo, which has the address', { email: undefined }, { email_verified: false }],
  ])('with an address that is not verified, as the provider %s, does not link', async (_, lies, userinfo) => {
    const { email, get } = await registerVerified(world)
    const claims = { email, ...lies }
    const response = await signInAtLiar({ claims, userinfo: { email, ...userinfo } })
    expectFailure(response, 'email_unverified')
    expect((await get('/api/me')).body.idp_id).toBeNull()
  })

  test.each<[string, Claims, Claims]>([
    ['lacks', { email: undefined, email_verified: undefined, name: undefined }, { email_verified: 'true' }],
    [
      'has null for',
      { email: null, email_verified: null, name: null, picture: null },
      { email_verified: true, picture: null },
    ],
  ])('is completed from the userinfo where it %s a claim', async (_, claims, more) => {
    const email = anAddress()
    const userinfo = { email: email.toUpperCase(), name: 'Ada', ...more }
    const profile = await signedIn(await signInAtLiar({ claims, userinfo }))
    expect(profile).toMatchObject({ email, name: 'Ada', avatar: null })
  })

  test.each([
    ['https://img.example/a.png', 'https://img.example/a.png'],
    ['javascript:alert(1)', null],
    ['data:text/html,<script>', null],
    // Every response would carry it.
    [`https://img.example/${'a'.repeat(5_000)}.png`, null],
  ])('with the picture %s shows the avatar %j', async (picture, avatar) => {
    expect((await signedIn(await signInAtLiar({ claims: { picture } }))).avatar).toBe(avatar)
  })

  test.each(['nobody', '', null, 'a@b\0.example.com', `${'x'.repeat(300)}@example.com`])(
    'with the address %j ends in email_missing',
    async (email) => {
      await expectRefused(() => signInAtLiar({ claims: { email }, userinfo: { email } }), 'email_missing')
    },
  )

  test.each([
    ['x'.repeat(400), 'x'.repeat(255)],
    ['😀'.repeat(300), '😀'.repeat(255)],
    ['', 'victim'],
    ['  ', 'victim'],
    ['\u200d', 'victim'],
    ['\u200bRene\u0301 ', 'Ren\u00e9'],
    ['a\0b', 'ab'],
  ])('with the name %j makes a user whose name fits', async (name, expected) => {
    const email = `victim@${crypto.randomUUID()}.example`
    expect((await signedIn(await signInAtLiar({ claims: { name, email } }))).name).toBe(expected)
  })
})
