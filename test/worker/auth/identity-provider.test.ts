import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { defaultCategories } from '../../../src/categories/defaults.ts'
import { noon, setClock } from '../fixtures/clock.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import { setFault } from '../fixtures/part-faults.ts'
import {
  type ApiResponse,
  aTimestamp,
  createWorld,
  type Json,
  openAccount,
  pathOf,
  providerCallback,
  queuedMail,
  resetPassword,
  signInThroughProvider,
  verifyAddress,
  type World,
} from '../fixtures/world.ts'
import { openWorldDatabase } from '../laws/every-route.ts'

const callback = '/api/auth/idp/callback'
const issuer = env.IDP_ISSUER

afterEach(async () => {
  vi.restoreAllMocks()
  await fault('DELETE')
})

const fault = (method: 'POST' | 'DELETE', order?: Record<string, unknown>) => setFault(issuer, method, order)

const address = () => `${crypto.randomUUID()}@example.com`
const begin = async (world: World, query = '') =>
  new URL((await world.call('GET', `/api/auth/idp${query}`)).body.url)
const stateOf = async (world: World) => (await begin(world)).searchParams.get('state') ?? ''
const come = (world: World, query: Record<string, string>) =>
  world.call('GET', `${callback}?${new URLSearchParams(query)}`)
const me = async (world: World, token: string): Promise<Json> =>
  (await world.call('GET', '/api/me', { token })).body
const login = (world: World, email: string, password: string) =>
  world.call('POST', '/api/login', { body: { email, password } })

/** Where a callback redirects, and with which parameters. */
function destination({ headers }: ApiResponse) {
  const url = new URL(headers.get('Location') ?? '')
  return { page: `${url.origin}${url.pathname}`, query: Object.fromEntries(url.searchParams) }
}

/** Expects the failure redirect: for a browser, never JSON, with a sentence for people. */
function expectFailure(response: ApiResponse, errorCode: string): void {
  const { page, query } = destination(response)
  expect({ status: response.status, text: response.text, page, code: query.error_code }).toEqual({
    status: 302,
    text: '',
    page: 'https://app.purse.example/login',
    code: errorCode,
  })
  expect(Object.keys(query).sort()).toEqual(['error', 'error_code'])
  expect(query.error).toMatch(/^[A-Z][^{}<>]{10,100}\.$/)
  expectNothingPassedOn(response)
}

function expectNothingPassedOn({ headers }: ApiResponse): void {
  expect(headers.get('Referrer-Policy')).toBe('no-referrer')
  expect(headers.get('Cache-Control')).toBe('no-store')
  expect(headers.get('Content-Type') ?? '').not.toContain('json')
}

async function usersIn(world: World): Promise<number> {
  const db = openWorldDatabase(world)
  const [[row]] = await db.batch([db.all<{ n: number }>(sql`select count(*) as n from users`)])
  return Number(row?.n)
}

/** Fills in the provider's own page, as a browser would; returns the path of the callback. */
async function fillIn(world: World, fields: Record<string, string>): Promise<string> {
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
  const page = await follow(await begin(world))
  return pathOf((await follow(page, { method: 'POST', body: new URLSearchParams(fields) })).href)
}

/** Makes every time-out of up to that many milliseconds fire at once; longer ones never fire in the test. */
function hastenTimeouts(atMostMs: number): number[] {
  const hastened: number[] = []
  const { setTimeout: realSetTimeout } = globalThis
  const realTimeout = AbortSignal.timeout.bind(AbortSignal)
  const shortened = (ms: number) => {
    if (ms < 1_000 || ms > atMostMs) return ms
    hastened.push(ms)
    return 200
  }
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms = 0) =>
    realSetTimeout(run, shortened(ms))) as typeof setTimeout)
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => realTimeout(shortened(ms)))
  return hastened
}

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
  test('carries state, PKCE and nonce, which differ each time', async () => {
    const world = createWorld()
    const response = await world.call('GET', '/api/auth/idp')
    expect(response.status).toBe(200)
    expect(response.body).toEqual({ url: expect.stringMatching(/^http/) })
    const [one, two] = [new URL(response.body.url), await begin(world)]
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
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(two.searchParams.get(name)).not.toBe(one.searchParams.get(name))
    }
  })

  test('shows neither the verifier nor the nonce in its state, and sets no cookie', async () => {
    const world = createWorld()
    const { headers, body } = await world.call('GET', '/api/auth/idp')
    expect(headers.get('Set-Cookie')).toBeNull()
    const { searchParams } = new URL(body.url)
    const state = searchParams.get('state') ?? ''
    const readable = Buffer.from(state, 'base64url').toString('latin1')
    for (const text of [state, readable]) {
      expect(text).not.toContain(searchParams.get('nonce'))
      expect(text).not.toContain('expiresAt')
      expect(text).not.toContain('codeVerifier')
    }
  })

  test('cannot be altered by a login_hint', async () => {
    const hint = 'a@example.com&redirect_uri=https://evil.example/#'
    const url = await begin(createWorld(), `?login_hint=${encodeURIComponent(hint)}`)
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
    expect(status).toBe(503)
    expect(JSON.parse(text)).toEqual({ message: expect.any(String) })
    expect(text).not.toContain('127.0.0.1')
  })
})

describe('the time zone sent at the start of a sign-in', () => {
  const signInFrom = async (world: World, email: string, timezone: string) => {
    const url = await begin(world, `?${new URLSearchParams({ login_hint: email, timezone })}`)
    expect(url.searchParams.has('timezone')).toBe(false)
    const redirect = await fetch(url, { redirect: 'manual' })
    await redirect.text()
    const response = await world.call('GET', pathOf(redirect.headers.get('Location') ?? ''))
    return me(world, destination(response).query.token ?? '')
  }

  test.each([
    ['Asia/Tokyo', 'Asia/Tokyo'],
    ['Etc/Unknown', 'UTC'],
    ['+02:00', 'UTC'],
    ['x'.repeat(5_000), 'UTC'],
    [' ', 'UTC'],
  ])('is that of a new user: %s', async (sent, stored) => {
    const world = createWorld()
    const email = address()
    expect((await signInFrom(world, email, sent)).timezone).toBe(stored)
    expect((await signInFrom(world, email, 'Europe/Paris')).timezone).toBe(stored)
  })

  test('changes nothing for a user who exists already', async () => {
    const world = createWorld()
    const { email } = await world.register({ email: address(), timezone: 'Asia/Tokyo' })
    expect((await signInFrom(world, email, 'Europe/Paris')).timezone).toBe('Asia/Tokyo')
  })
})

describe('the first sign-in', () => {
  test('makes a verified user and leads to the frontend with a token', async () => {
    const world = createWorld()
    const email = address()
    const response = await world.call('GET', await providerCallback(world, email))
    expect([response.status, response.text]).toEqual([302, ''])
    const { page, query } = destination(response)
    expect(page).toBe('https://app.purse.example/login')
    expect(Object.keys(query)).toEqual(['token', 'user'])
    expect(query.token).toMatch(/^[1-9]\d*\|[A-Za-z0-9]{40,}$/)
    expectNothingPassedOn(response)
    expect(await me(world, query.token ?? '')).toMatchObject({
      id: Number(query.user),
      email,
      email_verified_at: aTimestamp,
      idp_id: expect.stringMatching(/./),
      reminder_time: '20:00',
      timezone: 'UTC',
    })
    expect(world.queued).toEqual([])
  })

  test('takes the name', async () => {
    const world = createWorld()
    const email = `anna.smith+${crypto.randomUUID().slice(0, 8).replaceAll(/\d/g, 'x')}@example.com`
    const { token } = await signInThroughProvider(world, email)
    expect((await me(world, token)).name).toMatch(/^Anna Smith /)
  })

  test('takes the picture that the provider gives', async () => {
    const world = createWorld()
    const { token } = await signInThroughProvider(world, address())
    expect((await me(world, token)).avatar).toMatch(/\/pictures\/\w+\.svg\?name=/)
  })

  test('seeds the same default categories as registering does', async () => {
    const world = createWorld()
    const { token } = await signInThroughProvider(world, address())
    const registered = await world.register()
    const namesOf = (response: ApiResponse) => response.body.map(({ name, type }: Json) => `${type} ${name}`)
    const seeded = namesOf(await world.call('GET', '/api/categories', { token }))
    expect(seeded.length).toBeGreaterThanOrEqual(16)
    expect(seeded).toEqual(namesOf(await registered.get('/api/categories')))
  })

  test('is one user and one set of categories even if it comes eight times at once', async () => {
    const world = createWorld()
    const email = address()
    const paths = await Promise.all(Array.from({ length: 8 }, () => providerCallback(world, email)))
    const responses = await Promise.all(paths.map((path) => world.call('GET', path)))
    const users = responses.map((response) => destination(response).query.user)
    expect(new Set(users).size).toBe(1)
    expect(await usersIn(world)).toBe(1)
    const tokens = responses.map((response) => destination(response).query.token ?? '')
    expect(new Set(tokens).size).toBe(8)
    const names = (await world.call('GET', '/api/categories', { token: tokens[0] ?? '' })).body
    expect(names).toHaveLength(defaultCategories.length)
  })

  test('refuses an address that the provider has not verified, and creates no user', async () => {
    const world = createWorld()
    const path = await fillIn(world, { decision: 'sign-in', address: address(), state: 'unverified' })
    expectFailure(await world.call('GET', path), 'email_unverified')
    expect(await usersIn(world)).toBe(0)
  })

  test('refuses an account without an address, and creates no user', async () => {
    const world = createWorld()
    const path = await fillIn(world, { decision: 'sign-in', address: address(), state: 'absent' })
    expectFailure(await world.call('GET', path), 'email_missing')
    expect(await usersIn(world)).toBe(0)
  })
})

describe('an address beyond ASCII', () => {
  test.each(['\u212a', '\u0130', '\u017f', '\uff4b'])(
    'with %j in it belongs to no other user, whatever its lower case is, and creates no user',
    async (letter) => {
      const world = createWorld()
      const rest = address()
      const [kate, ida] = [
        await world.register({ email: `k${rest}` }),
        await world.register({ email: `i${rest}` }),
      ]
      for (const person of [kate, ida]) await verifyAddress(world, person)
      const path = await providerCallback(world, `${letter}${rest}`)
      expectFailure(await world.call('GET', path), 'email_missing')
      for (const person of [kate, ida]) expect((await person.get('/api/me')).body.idp_id).toBeNull()
      expect(await usersIn(world)).toBe(2)
    },
  )
})

describe('a later sign-in', () => {
  test('is the same user, with another token beside the first', async () => {
    const world = createWorld()
    const email = address()
    const one = await signInThroughProvider(world, email)
    await world.call('PATCH', '/api/me', { token: one.token, body: { name: 'My Own Name' } })
    const two = await signInThroughProvider(world, email.toUpperCase())
    expect(two.id).toBe(one.id)
    expect(two.token).not.toBe(one.token)
    expect((await me(world, one.token)).id).toBe(one.id)
    expect(await me(world, two.token)).toMatchObject({ email, name: 'My Own Name' })
    expect(await usersIn(world)).toBe(1)
  })

  test('seeds no categories again', async () => {
    const world = createWorld()
    const email = address()
    const { token } = await signInThroughProvider(world, email)
    const { body } = await world.call('GET', '/api/categories', { token })
    for (const { id } of body) await world.call('DELETE', `/api/categories/${id}`, { token })
    const again = await signInThroughProvider(world, email)
    expect((await world.call('GET', '/api/categories', { token: again.token })).body).toEqual([])
  })

  test('is known by its id at the provider, not by its address', async () => {
    const world = createWorld()
    const email = address()
    const { id, token } = await signInThroughProvider(world, email)
    const db = openWorldDatabase(world)
    await db.batch([db.run(sql`update users set email = 'moved@example.com' where id = ${id}`)])
    const stranger = await world.register({ email })
    const again = await signInThroughProvider(world, email)
    expect(again.id).toBe(id)
    expect((await me(world, token)).email).toBe('moved@example.com')
    expect((await stranger.get('/api/me')).body).toMatchObject({ email, idp_id: null })
  })

  test.each(['unverified', 'absent'])(
    'works with an address that is %s by then, since the id is looked up first',
    async (state) => {
      const world = createWorld()
      const email = address()
      const { id } = await signInThroughProvider(world, email)
      const path = await fillIn(world, { decision: 'sign-in', address: email, state })
      expect(destination(await world.call('GET', path)).query).toEqual({
        token: expect.any(String),
        user: String(id),
      })
    },
  )
})

describe('an address that is already registered', () => {
  test('and verified is linked: a password set by an emailed link, its tokens and what the user has stay', async () => {
    const world = createWorld()
    const person = await world.register({ email: address(), name: 'Ada' })
    await verifyAddress(world, person)
    const password = 'a password of my own'
    await resetPassword(world, person, password)
    const before = (await login(world, person.email, password)).body
    const { id, token } = await signInThroughProvider(world, person.email)
    expect(id).toBe(person.id)
    expect(await me(world, token)).toMatchObject({
      idp_id: expect.any(String),
      email_verified_at: before.email_verified_at,
    })
    expect((await me(world, before.access_token)).id).toBe(id)
    expect((await login(world, person.email, password)).status).toBe(200)
    const categories = await world.call('GET', '/api/categories', { token })
    expect(categories.body).toHaveLength(defaultCategories.length)
    expect(world.queued.filter(({ kind }) => kind === 'password_removed')).toEqual([])
  })

  test('and verified by its owner loses the password of the stranger who registered it, and every token', async () => {
    const world = createWorld()
    const stranger = await world.register({ email: address(), name: 'Ada' })
    const { email, password } = stranger
    await verifyAddress(world, stranger)
    await openAccount(stranger)
    const second = (await login(world, email, password)).body.access_token
    await world.call('POST', '/api/forgot-password', { body: { email } })
    const reset = new URL(queuedMail(world, 'reset_password', email).url).searchParams.get('token')

    const { id, token } = await signInThroughProvider(world, email)
    expect(id).toBe(stranger.id)
    expect(await me(world, token)).toMatchObject({ email, name: 'Ada' })
    expect((await world.call('GET', '/api/accounts', { token })).body).toHaveLength(1)
    for (const old of [stranger.token, second]) {
      expect((await world.call('GET', '/api/me', { token: old })).status).toBe(401)
    }
    expect((await login(world, email, password)).status).toBe(422)
    const body = { token: reset, email, password: 'a new password', password_confirmation: 'a new password' }
    expect((await world.call('POST', '/api/reset-password', { body })).status).toBe(422)
    expect(queuedMail(world, 'password_removed', email)).toMatchObject({
      name: 'Ada',
      frontendUrl: 'https://app.purse.example',
    })
  })

  test('is told once that its password was removed, and can set one that stays', async () => {
    const world = createWorld()
    const person = await world.register({ email: address() })
    await verifyAddress(world, person)
    await signInThroughProvider(world, person.email)
    expect((await resetPassword(world, person, 'a password of my own')).status).toBe(200)
    await signInThroughProvider(world, person.email)
    expect((await login(world, person.email, 'a password of my own')).status).toBe(200)
    expect(world.queued.filter(({ kind }) => kind === 'password_removed')).toHaveLength(1)
  })

  test('but was never verified loses password, tokens and reset links: another person may have registered it', async () => {
    const world = createWorld()
    const pretender = await world.register({ email: address() })
    const { email, password } = pretender
    const second = (await login(world, email, password)).body.access_token
    await world.call('POST', '/api/forgot-password', { body: { email } })
    const reset = new URL(queuedMail(world, 'reset_password', email).url).searchParams.get('token')

    const { id, token } = await signInThroughProvider(world, email)
    expect(id).toBe(pretender.id)
    expect(await me(world, token)).toMatchObject({ email, email_verified_at: aTimestamp })
    for (const old of [pretender.token, second]) {
      expect((await world.call('GET', '/api/me', { token: old })).status).toBe(401)
    }
    expect((await login(world, email, password)).status).toBe(422)
    const body = { token: reset, email, password: 'a new password', password_confirmation: 'a new password' }
    expect((await world.call('POST', '/api/reset-password', { body })).status).toBe(422)
    expect(await usersIn(world)).toBe(1)
  })

  test('but was never verified keeps a password that an emailed link has set', async () => {
    const world = createWorld()
    const { email, token: pretenders } = await world.register({ email: address() })
    expect((await resetPassword(world, { email }, 'a password of my own')).status).toBe(200)
    const { access_token } = (await login(world, email, 'a password of my own')).body
    const { token } = await signInThroughProvider(world, email)
    for (const own of [token, access_token])
      expect((await me(world, own)).email_verified_at).toEqual(aTimestamp)
    expect((await world.call('GET', '/api/me', { token: pretenders })).status).toBe(401)
    expect((await login(world, email, 'a password of my own')).status).toBe(200)
    expect(world.queued.filter(({ kind }) => kind === 'password_removed')).toEqual([])
  })

  test('but was never verified takes the name that the provider gives, not the stranger’s', async () => {
    const world = createWorld()
    const email = `bob.${crypto.randomUUID()}@example.com`
    await world.register({ email, name: 'Call 0900 123456 now' })
    const { token } = await signInThroughProvider(world, email)
    expect((await me(world, token)).name).toMatch(/^Bob /)
  })

  test('is not linked by an address that the provider has not verified', async () => {
    const world = createWorld()
    const [verified, unverified] = [
      await world.register({ email: address() }),
      await world.register({ email: address() }),
    ]
    await verifyAddress(world, verified)
    for (const person of [verified, unverified]) {
      const path = await fillIn(world, { decision: 'sign-in', address: person.email, state: 'unverified' })
      expectFailure(await world.call('GET', path), 'email_unverified')
      expect((await person.get('/api/me')).body.idp_id).toBeNull()
      expect((await login(world, person.email, person.password)).status).toBe(200)
    }
    expect((await unverified.get('/api/me')).body.email_verified_at).toBeNull()
  })

  test('and linked to another identity is not handed over', async () => {
    const world = createWorld()
    const email = address()
    const { id, token } = await signInThroughProvider(world, email)
    const db = openWorldDatabase(world)
    await db.batch([db.run(sql`update users set idp_id = 'somebody else' where id = ${id}`)])
    expectFailure(await world.call('GET', await providerCallback(world, email)), 'provider_error')
    expect((await me(world, token)).idp_id).toBe('somebody else')
    expect(await usersIn(world)).toBe(1)
  })

  test('loses the tokens of a stranger who signs in at the very moment', async () => {
    const world = createWorld()
    const { email, password, token } = await world.register({ email: address() })
    const path = await providerCallback(world, email)
    const [, ...logins] = await Promise.all([
      world.call('GET', path),
      ...Array.from({ length: 6 }, () => login(world, email, password)),
    ])
    const after = await Promise.all(
      [token, ...logins.map(({ body }) => body.access_token)].flatMap((old) =>
        old ? [world.call('GET', '/api/me', { token: old })] : [],
      ),
    )
    expect(new Set(after.map(({ status }) => status))).toEqual(new Set([401]))
  })
})

describe('a sign-in that the user refuses', () => {
  test('ends in access_denied', async () => {
    const world = createWorld()
    const path = await fillIn(world, { decision: 'refuse' })
    expectFailure(await world.call('GET', path), 'access_denied')
  })

  test('does not repeat what the query says', async () => {
    const world = createWorld()
    const state = await stateOf(world)
    const response = await come(world, { state, error: '<b>', error_description: 'Call 0900 123456' })
    expectFailure(response, 'provider_error')
    expect(response.headers.get('Location')).not.toMatch(/0900|%3Cb/i)
  })
})

describe('a state', () => {
  test('is good once: the same callback again is invalid_state, and makes no token', async () => {
    const world = createWorld()
    const path = await providerCallback(world, address())
    const { query } = destination(await world.call('GET', path))
    expectFailure(await world.call('GET', path), 'invalid_state')
    expect((await me(world, query.token ?? '')).id).toBe(Number(query.user))
    const db = openWorldDatabase(world)
    const [[row]] = await db.batch([db.all<{ n: number }>(sql`select count(*) as n from tokens`)])
    expect(Number(row?.n)).toBe(1)
  })

  test('is good once, even under ten callbacks at once', async () => {
    muteLog(['error'])
    const world = createWorld()
    const path = await providerCallback(world, address())
    const responses = await Promise.all(Array.from({ length: 10 }, () => world.call('GET', path)))
    const queries = responses.map((response) => destination(response).query)
    expect(queries.filter(({ token }) => token)).toHaveLength(1)
    // A callback that comes before the state is used up is refused by the provider, which accepts a code only once.
    const refused = queries.filter(({ error_code = '' }) =>
      ['invalid_state', 'provider_error'].includes(error_code),
    )
    expect(refused).toHaveLength(9)
  })

  test('leaves nothing in the database before the provider has accepted its code', async () => {
    muteLog(['error'])
    const world = createWorld()
    const state = await stateOf(world)
    await world.resetDatabaseWork()
    expectFailure(await come(world, { state, code: 'made-up' }), 'provider_error')
    expectFailure(await come(world, { state }), 'provider_error')
    expectFailure(await come(world, { state, error: 'access_denied' }), 'access_denied')
    expectFailure(await come(world, { state: `x${state}`, code: 'made-up' }), 'invalid_state')
    expect((await world.databaseWork()).rowsWritten).toBe(0)
  })

  test.each([
    ['after 9 minutes and 59 seconds is good', 599_000, 'provider_error'],
    ['after 10 minutes and 1 second is not', 601_000, 'invalid_state'],
  ])('%s', async (_, later, expected) => {
    muteLog(['error'])
    setClock(noon)
    const world = createWorld()
    const state = await stateOf(world)
    vi.setSystemTime(noon + later)
    // The code is nonsense, so that a good state gets as far as the provider and no further.
    expectFailure(await come(world, { state, code: 'nonsense' }), expected)
  })

  test('that is altered, made up, empty or missing is invalid_state', async () => {
    const world = createWorld()
    const good = await stateOf(world)
    const altered = good.slice(0, 20) + (good[20] === 'A' ? 'B' : 'A') + good.slice(21)
    const plain = Buffer.from(JSON.stringify({ codeVerifier: 'a', nonce: 'b', expiresAt: 9e15 }))
    const forgeries = [
      altered,
      good.slice(0, -4),
      good.slice(0, 8),
      plain.toString('base64url'),
      'x',
      '',
      '🔑',
    ]
    for (const state of forgeries) {
      expectFailure(await come(world, { state, code: 'abc' }), 'invalid_state')
    }
    expectFailure(await come(world, { code: 'abc' }), 'invalid_state')
    expectFailure(await come(world, {}), 'invalid_state')
  })

  test('of a service with another secret is invalid_state', async () => {
    const other = createWorld({ APP_SECRET: 'another secret of the tests, as long as it must be' })
    const state = await stateOf(other)
    expectFailure(await come(createWorld(), { state, code: 'abc' }), 'invalid_state')
  })

  test('that has been used stays used after the hourly job', async () => {
    const world = createWorld()
    const path = await providerCallback(world, address())
    await world.call('GET', path)
    await world.runCron('17 * * * *')
    expectFailure(await world.call('GET', path), 'invalid_state')
  })
})

describe('a code', () => {
  test('of another sign-in does not work with one’s own state', async () => {
    muteLog(['error'])
    const world = createWorld()
    const stolen = new URL(await providerCallback(world, address()), 'http://purse.test').searchParams
    const response = await come(world, { state: await stateOf(world), code: stolen.get('code') ?? '' })
    expectFailure(response, 'provider_error')
    expect(await usersIn(world)).toBe(0)
  })

  test('from another issuer is provider_error', async () => {
    muteLog(['error'])
    const world = createWorld()
    const path = (await providerCallback(world, address())).replace(/&iss=[^&]*/, '')
    expectFailure(await world.call('GET', `${path}&iss=https%3A%2F%2Fevil.example`), 'provider_error')
    expect(await usersIn(world)).toBe(0)
  })
})

describe('a provider that does not work', () => {
  const quiet = () => muteLog(['error'])

  test.each([
    ['token', { status: 500 }],
    ['token', { status: 400 }],
    ['token', { nonsense: true }],
    ['jwks', { status: 500 }],
    ['jwks', { nonsense: true }],
  ])('at its %s endpoint (%j) ends in the failure redirect', async (endpoint, how) => {
    const log = quiet()
    const world = createWorld()
    const path = await providerCallback(world, address())
    await fault('POST', { endpoint, ...how })
    expectFailure(await world.call('GET', path), 'provider_error')
    expect(await usersIn(world)).toBe(0)
    const code = new URL(path, 'http://purse.test').searchParams.get('code') ?? ''
    expect(log.join()).not.toContain(code)
  })

  test.each([
    [{ status: 503 }, 1],
    [{ nonsense: true }, 2],
  ])(
    'at its discovery (%j) ends in the failure redirect once what was discovered is old',
    async (how, days) => {
      quiet()
      const world = createWorld()
      // In the future, when nothing that another test has discovered is still valid.
      const discoveredAt = Date.now() + days * 86_400_000
      setClock(discoveredAt)
      await stateOf(world)
      vi.setSystemTime(discoveredAt + 540_000)
      const state = await stateOf(world)
      await fault('POST', { endpoint: 'discovery', ...how })
      vi.setSystemTime(discoveredAt + 86_000_000)
      expect((await world.call('GET', '/api/auth/idp')).status).toBe(503)
      vi.setSystemTime(discoveredAt + 1_080_000)
      expectFailure(await come(world, { state, code: 'nonsense' }), 'provider_error')
    },
  )

  test.each(['token', 'jwks'])(
    'that is slow at its %s endpoint ends in the failure redirect within ten seconds',
    async (endpoint) => {
      quiet()
      const world = createWorld()
      const path = await providerCallback(world, address())
      await fault('POST', { endpoint, hang: true })
      const timeouts = hastenTimeouts(10_000)
      expectFailure(await world.call('GET', path), 'provider_error')
      expect(timeouts.length).toBeGreaterThan(0)
      expect(await usersIn(world)).toBe(0)
    },
  )

  test('that is slow to be discovered is given up on within ten seconds', async () => {
    quiet()
    setClock(Date.now() + 3 * 86_400_000)
    await fault('POST', { endpoint: 'discovery', hang: true })
    hastenTimeouts(10_000)
    expect((await createWorld().call('GET', '/api/auth/idp')).status).toBe(503)
  })

  test('ends no sign-in by password', async () => {
    quiet()
    const world = createWorld({ IDP_ISSUER: 'http://127.0.0.1:9' })
    const { email, password } = await world.register()
    expect((await login(world, email, password)).status).toBe(200)
  })

  test('because the database is down ends in the failure redirect as well', async () => {
    quiet()
    const world = createWorld()
    const path = await providerCallback(world, address())
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

/** A response that never ends, and sends a byte from time to time. */
function drip(): Response {
  return new Response(
    new ReadableStream({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 50))
        controller.enqueue(new Uint8Array([32]))
      },
    }),
  )
}

describe('what a hostile provider publishes', () => {
  const discovery = '/.well-known/openid-configuration'
  const askLiar = (response: (origin: string) => unknown) => {
    muteLog(['error'])
    const origin = `https://${crypto.randomUUID()}.example`
    standIn(origin, { [discovery]: () => response(origin) })
    return createWorld({ IDP_ISSUER: origin }).call('GET', '/api/auth/idp')
  }

  test('is read no further than any honest provider’s goes', async () => {
    const sent = { bytes: 0 }
    expect((await askLiar(() => endless(sent))).status).toBe(503)
    expect(sent.bytes).toBeLessThan(1_000_000)
  })

  test('is given up on within ten seconds if it drips', async () => {
    hastenTimeouts(10_000)
    expect((await askLiar(drip)).status).toBe(503)
  })

  test.each(
    ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'].flatMap((name) =>
      ['javascript:alert(1)', 'data:text/html,a', 'http://liar.example/'].map((url) => [name, url] as const),
    ),
  )('is refused if its %s is %s', async (name, url) => {
    const { status, text } = await askLiar((origin) => ({ ...discoveryOf(origin), [name]: url }))
    expect(status).toBe(503)
    expect(JSON.parse(text)).toEqual({ message: expect.any(String) })
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
    claims?: (honest: Claims) => Claims
    /** Makes the token without signing it with the published key. */
    write?: (claims: Claims) => Promise<string> | string
    userinfo?: Claims
    /** Responses by path, in place of the honest ones. */
    instead?: Record<string, () => Response>
    /** Called before the callback. */
    beforehand?: () => void
  }

  const sign = async (claims: Claims, { privateKey } = { privateKey: undefined as CryptoKey | undefined }) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .sign(privateKey ?? ((await keys).privateKey as CryptoKey))

  /** Signs in at a provider that lies as it is told to: made up, since no honest one would respond like that. */
  async function signInAtLiar(
    { claims = (honest) => honest, write = sign, userinfo, instead, beforehand }: Lies,
    world?: World,
  ) {
    muteLog(['error'])
    const liar = `https://${crypto.randomUUID()}.example`
    const at = createWorld({ IDP_ISSUER: liar, ...(world && { TURSO_DATABASE_URL: world.databaseUrl }) })
    let nonce = ''
    const now = Math.floor(Date.now() / 1000)
    const honest = () => ({
      iss: liar,
      aud: 'purse-tests',
      sub: 'subject-1',
      iat: now,
      exp: now + 300,
      nonce,
      email: 'victim@example.com',
      email_verified: true,
      name: 'Victoria',
    })
    const responses = {
      '/.well-known/openid-configuration': () => discoveryOf(liar),
      '/jwks': async () => ({
        keys: [{ ...(await exportJWK((await keys).publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }],
      }),
      '/token': async () => ({
        access_token: 'at',
        token_type: 'Bearer',
        id_token: await write(claims(honest())),
      }),
      '/me': () => userinfo ?? {},
      ...instead,
    }
    standIn(liar, responses)
    const { searchParams } = await begin(at)
    nonce = searchParams.get('nonce') ?? ''
    beforehand?.()
    const response = await come(at, { state: searchParams.get('state') ?? '', code: 'code', iss: liar })
    return { world: at, response }
  }

  const without = (name: string) => (claims: Claims) => {
    const { [name]: _, ...rest } = claims
    return rest
  }

  test('that is honest signs in, so that the lies below fail for being lies', async () => {
    const { world, response } = await signInAtLiar({})
    const { query } = destination(response)
    expect(await me(world, query.token ?? '')).toMatchObject({
      email: 'victim@example.com',
      name: 'Victoria',
      avatar: null,
      idp_id: 'subject-1',
    })
  })

  test.each<[string, Lies]>([
    ['for another sign-in', { claims: (c) => ({ ...c, nonce: 'another' }) }],
    ['without a nonce', { claims: without('nonce') }],
    ['of another issuer', { claims: (c) => ({ ...c, iss: 'https://accounts.google.com' }) }],
    ['without an issuer', { claims: without('iss') }],
    ['for another client', { claims: (c) => ({ ...c, aud: 'another-app' }) }],
    ['without an audience', { claims: without('aud') }],
    [
      'for us and others, of which another is the authorized party',
      { claims: (c) => ({ ...c, aud: ['purse-tests', 'another-app'], azp: 'another-app' }) },
    ],
    ['that has expired', { claims: (c) => ({ ...c, exp: Math.floor(Date.now() / 1000) - 300 }) }],
    ['that never expires', { claims: without('exp') }],
    ['that is not valid yet', { claims: (c) => ({ ...c, nbf: Math.floor(Date.now() / 1000) + 3600 }) }],
    ['about no user', { claims: without('sub') }],
    ['about an empty subject', { claims: (c) => ({ ...c, sub: '' }) }],
    ['signed with another key', { write: async (c) => sign(c, await otherKeys) }],
    ['that is not signed', { write: (c) => new UnsecuredJWT(c).encode() }],
    [
      'signed with the secret that both know',
      {
        write: (c) =>
          new SignJWT(c)
            .setProtectedHeader({ alg: 'HS256', kid: 'one' })
            .sign(new TextEncoder().encode('a secret of the tests, long enough to be one')),
      },
    ],
    [
      'signed with the public key as if it were a secret',
      {
        write: async (c) =>
          new SignJWT(c)
            .setProtectedHeader({ alg: 'HS256', kid: 'one' })
            .sign(new TextEncoder().encode(JSON.stringify(await exportJWK((await keys).publicKey)))),
      },
    ],
    [
      'whose claims were swapped after signing',
      {
        write: async (c) => {
          const [head, , signature] = (await sign(c)).split('.')
          const forged = Buffer.from(JSON.stringify({ ...c, sub: 'subject-2' })).toString('base64url')
          return `${head}.${forged}.${signature}`
        },
      },
    ],
    ['that is no token at all', { write: () => 'nonsense' }],
    [
      'whose userinfo is about another user',
      {
        claims: without('email'),
        userinfo: { sub: 'subject-2', email: 'victim@example.com', email_verified: true },
      },
    ],
  ])('%s ends in provider_error, and creates no user', async (_, lies) => {
    const { world, response } = await signInAtLiar(lies)
    expectFailure(response, 'provider_error')
    expect(await usersIn(world)).toBe(0)
  })

  /** What a callback asks the provider, and the claims that make it ask. */
  const asked: [string, Lies['claims']][] = [
    ['/token', (honest) => honest],
    ['/jwks', (honest) => honest],
    ['/me', without('email')],
  ]

  // Arctic reads the response to /token whole.
  test.each(asked.slice(1))(
    'of a provider that responds to %s without end ends in provider_error, and little of it is read',
    async (path, claims) => {
      const sent = { bytes: 0 }
      const { world, response } = await signInAtLiar({ claims, instead: { [path]: () => endless(sent) } })
      expectFailure(response, 'provider_error')
      expect(sent.bytes).toBeGreaterThan(0)
      expect(sent.bytes).toBeLessThan(1_000_000)
      expect(await usersIn(world)).toBe(0)
    },
  )

  test.each(asked)(
    'of a provider whose response to %s drips ends in provider_error',
    async (path, claims) => {
      const beforehand = () => void hastenTimeouts(10_000)
      const { world, response } = await signInAtLiar({ claims, instead: { [path]: drip }, beforehand })
      expectFailure(response, 'provider_error')
      expect(await usersIn(world)).toBe(0)
    },
  )

  test.each<[string, Lies]>([
    ['says so', { claims: (c) => ({ ...c, email_verified: false }) }],
    ['says so in a word', { claims: (c) => ({ ...c, email_verified: 'false' }) }],
    ['does not say', { claims: without('email_verified') }],
    [
      'says so in its userinfo, which has the address',
      {
        claims: without('email'),
        userinfo: { sub: 'subject-1', email: 'victim@example.com', email_verified: false },
      },
    ],
  ])('with an address that is not verified, as the provider %s, does not link', async (_, lies) => {
    const owner = createWorld()
    const victim = await owner.register({ email: 'victim@example.com' })
    await verifyAddress(owner, victim)
    const { response } = await signInAtLiar(lies, owner)
    expectFailure(response, 'email_unverified')
    expect((await victim.get('/api/me')).body.idp_id).toBeNull()
  })

  test('is completed from the userinfo', async () => {
    const { world, response } = await signInAtLiar({
      claims: (c) => without('email')(without('email_verified')(without('name')(c))),
      userinfo: { sub: 'subject-1', email: 'Ada@Example.com', email_verified: 'true', name: 'Ada' },
    })
    const { query } = destination(response)
    expect(await me(world, query.token ?? '')).toMatchObject({ email: 'ada@example.com', name: 'Ada' })
  })

  test('may say null of what it does not know', async () => {
    const { world, response } = await signInAtLiar({
      claims: (c) => ({ ...c, name: null, picture: null, email: null, email_verified: null }),
      userinfo: {
        sub: 'subject-1',
        email: 'Ada@Example.com',
        email_verified: true,
        name: 'Ada',
        picture: null,
      },
    })
    const { query } = destination(response)
    expect(await me(world, query.token ?? '')).toMatchObject({
      email: 'ada@example.com',
      name: 'Ada',
      avatar: null,
    })
  })

  test.each([
    ['https://img.example/a.png', 'https://img.example/a.png'],
    ['javascript:alert(1)', null],
    ['data:text/html,<script>', null],
  ])('with the picture %s shows the avatar %j', async (picture, avatar) => {
    const { world, response } = await signInAtLiar({ claims: (c) => ({ ...c, picture }) })
    expect((await me(world, destination(response).query.token ?? '')).avatar).toBe(avatar)
  })

  test('shows no picture whose address is as long as a picture: every response would carry it', async () => {
    const picture = `https://img.example/${'a'.repeat(5_000)}.png`
    const { world, response } = await signInAtLiar({ claims: (c) => ({ ...c, picture }) })
    expect((await me(world, destination(response).query.token ?? '')).avatar).toBeNull()
  })

  test.each([
    ['nobody', 'email_missing'],
    ['', 'email_missing'],
    [null, 'email_missing'],
    ['a@b\0.example.com', 'email_missing'],
    [`${'x'.repeat(300)}@example.com`, 'email_missing'],
  ])('with the address %j ends in %s', async (email, code) => {
    const userinfo = { sub: 'subject-1', email }
    const { world, response } = await signInAtLiar({ claims: (c) => ({ ...c, email }), userinfo })
    expectFailure(response, code)
    expect(await usersIn(world)).toBe(0)
  })

  test.each([
    ['x'.repeat(400), 'x'.repeat(255)],
    ['😀'.repeat(300), '😀'.repeat(255)],
    ['', 'victim'],
    ['  ', 'victim'],
    ['\u200d', 'victim'],
    ['\u200bRene\u0301 ', 'Ren\u00e9'],
    ['a\0b', 'ab'],
  ])('with the name %j makes a user whose name fits', async (name, expected) => {
    const { world, response } = await signInAtLiar({ claims: (c) => ({ ...c, name }) })
    expect((await me(world, destination(response).query.token ?? '')).name).toBe(expected)
  })
})
