import { sql } from 'drizzle-orm'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { defaultCategories } from '../../../src/categories/defaults.ts'
import { dayMs, hourMs } from '../../../src/domain/dates.ts'
import { perMinute } from '../../../src/failures/limits.ts'
import { setClock } from '../fixtures/clock.ts'
import {
  type ApiResponse,
  anAddress,
  avoidEndOfMinute,
  createWorld,
  expectInvalid,
  type Json,
  logIn,
  newPassword,
  type Person,
  randomClientAddress,
  statusWith,
} from '../fixtures/world.ts'
import { askDatabase, verify } from '../laws/every-route.ts'

const world = createWorld()
const wrongCredentials = {
  message: 'The provided credentials are incorrect.',
  errors: { email: ['The provided credentials are incorrect.'] },
}
const required = {
  email: ['The email field is required.'],
  password: ['The password field is required.'],
}
const token = expect.stringMatching(/^[1-9]\d*\|[A-Za-z0-9]{40,}$/)

const register = (fields: Record<string, unknown> = {}) =>
  world.call('POST', '/api/register', {
    body: { name: 'Ada', email: anAddress(), ...newPassword('countess1815'), ...fields },
  })
const login = (email: unknown, password: unknown, headers: Record<string, string> = {}) =>
  world.call('POST', '/api/login', { body: { email, password }, headers })

function expectLimited({ status, body, headers }: ApiResponse, limit: number): void {
  expect([status, body]).toEqual([429, { message: 'Too Many Attempts.' }])
  expect([headers.get('X-RateLimit-Limit'), headers.get('X-RateLimit-Remaining')]).toEqual([`${limit}`, '0'])
  expect(headers.get('Retry-After')).toMatch(/^([1-9]|[1-5]\d|60)$/)
}

describe('register', () => {
  test('responds with 201 with a bearer token and the whole user, as GET /api/me and every login do', async () => {
    const { status, body } = await register({ name: 'Ada Lovelace', timezone: 'Asia/Tokyo' })
    const show = async () => (await world.as(body.access_token).get('/api/me')).body
    const user = await show()
    expect(user).toMatchObject({ name: 'Ada Lovelace', timezone: 'Asia/Tokyo' })
    const unverified = { token_type: 'Bearer', email_verified: false, email_verified_at: null }
    expect([status, body]).toEqual([201, { access_token: token, ...unverified, user }])
    const again = await login(user.email, 'countess1815')
    expect([again.status, again.body]).toEqual([200, { access_token: token, ...unverified, user }])
    expect(again.body.access_token).not.toBe(body.access_token)
    for (const one of [body, again.body]) expect(await statusWith(world, one.access_token)).toBe(200)
    await verify(world, user)
    const { body: verified } = await login(user.email, 'countess1815')
    const { email_verified_at } = verified.user
    expect(verified).toMatchObject({ user: await show(), email_verified: true, email_verified_at })
  })

  test('names every missing field at once', async () => {
    const { status, body } = await world.call('POST', '/api/register', { body: {} })
    expect([status, body.message]).toEqual([422, 'The given data was invalid.'])
    expect(body.errors).toMatchObject({
      name: ['The name field is required.'],
      ...required,
      password: expect.arrayContaining(required.password),
    })
  })

  test('refuses an address that is taken, whatever its case and the spaces around it, along with other mistakes', async () => {
    const { email } = (await register()).body.user
    const taken = { email: ['The email has already been taken.'] }
    for (const spelling of [email, email.toUpperCase(), `  ${email} `])
      expectInvalid(await register({ email: spelling }), taken)
    expectInvalid(await register({ email, name: '' }), { name: ['The name field is required.'], ...taken })
  })

  test('refuses an address of more than 254 characters, and a confirmation that is not the password', async () => {
    expectInvalid(await register({ email: `${'a'.repeat(243)}@example.com` }), {
      email: ['The email field must not be greater than 254 characters.'],
    })
    const email = anAddress()
    expectInvalid(await register({ email, password_confirmation: 'countess1816' }), {
      password: ['The password field confirmation does not match.'],
    })
    // Nothing is left behind.
    expect((await register({ email })).status).toBe(201)
  })

  test.each([
    ['1234567', 422],
    ['12345678', 201],
    ['🔑'.repeat(7), 422],
    ['🔑'.repeat(8), 201],
    ['x'.repeat(1024), 201],
    ['🔑'.repeat(1024), 201],
    ['x'.repeat(1025), 422],
  ])('accepts passwords of 8 to 1,024 code points: %s is %i', async (password, status) => {
    expect((await register(newPassword(password))).status).toBe(status)
  })

  test('tells a long password from one that differs in its last character only', async () => {
    const { email } = (await register(newPassword('x'.repeat(1024)))).body.user
    expect((await login(email, `${'x'.repeat(1023)}y`)).status).toBe(422)
    expect((await login(email, 'x'.repeat(1024))).status).toBe(200)
  })

  test.each([
    ['Asia/Tokyo', 'Asia/Tokyo'],
    ['Etc/Unknown', 'UTC'],
    ['Mars/Olympus', 'UTC'],
    ['+02:00', 'UTC'],
    ['\0', 'UTC'],
    ['x'.repeat(5_000), 'UTC'],
  ])(
    'takes the time zone that a browser reports, and UTC for one that is unknown: %s',
    async (timezone, stored) => {
      expect((await register({ timezone })).body.user.timezone).toBe(stored)
    },
  )

  test('gives every user the default categories, expenses first, and no account', async () => {
    const person = await world.register()
    const types = (await person.get('/api/categories')).body.map((category: Json) => category.type)
    expect(types).toHaveLength(defaultCategories.length)
    expect(new Set(types)).toEqual(new Set(['expense', 'income']))
    expect(types).toEqual([...types].sort())
    expect((await person.get('/api/accounts')).body).toEqual([])
  })
})

describe('login', () => {
  test('gives the same response to a wrong password, an unknown address and a user without a password', async () => {
    const { email, password } = await world.register()
    const { id, email: without } = await world.register()
    await askDatabase(world, sql`update users set password_hash = null where id = ${id}`)
    for (const [address, secret] of [
      [email, `${password}1`],
      [email, password.toUpperCase()],
      ['bob@example.com', password],
      [without, password],
    ]) {
      const { status, body } = await login(address, secret)
      expect([status, body]).toEqual([422, wrongCredentials])
    }
  })

  test('mistakes no other letter for one of the address, whatever its lower case is', async () => {
    const { email, password } = await world.register({ email: 'kate@example.com' })
    expect((await login('\u212aate@example.com', password)).body).toEqual(wrongCredentials)
    expect((await login(email.toUpperCase(), password)).status).toBe(200)
  })

  test('requires the address and the password', async () => {
    expectInvalid(await world.call('POST', '/api/login', { body: {} }), required)
    expectInvalid(await login('  ', null), required)
  })

  test('renews a password hash that was made with other parameters, and accepts it from then on', async () => {
    const before = createWorld({ SCRYPT_COST: '1024,8,1' })
    const after = createWorld({ SCRYPT_COST: '2048,8,1', TURSO_DATABASE_URL: before.databaseUrl })
    const { email, password } = await before.register()
    const steps: [password: string, status: number, cost: number][] = [
      ['wrong password', 422, 1024],
      [password, 200, 2048],
      [password, 200, 2048],
      ['wrong password', 422, 2048],
    ]
    for (const [attempt, status, cost] of steps) {
      expect((await logIn(after, { email, password: attempt })).status).toBe(status)
      const [row] = await askDatabase(before, sql`select password_hash from users`)
      expect(row?.password_hash).toMatch(new RegExp(`^scrypt\\$${cost}\\$8\\$1\\$`))
    }
  })

  test('is limited for each pair of address and client address, right or wrong', async () => {
    const { email, password } = await world.register()
    await avoidEndOfMinute()
    for (let attempt = 1; attempt <= perMinute.LOGIN_LIMIT; attempt++)
      expect((await login(email, 'wrong password')).status).toBe(422)
    expectLimited(await login(email, password), perMinute.LOGIN_LIMIT)
    expect((await login(` ${email.toUpperCase()}`, password)).status).toBe(429)
    expect((await login(email, '')).status).toBe(429)
    expect((await login(anAddress(), password)).status).toBe(422)
    const elsewhere = { 'CF-Connecting-IP': randomClientAddress() }
    expect((await login(email, password, elsewhere)).status).toBe(200)
  })

  test('counts all addresses of an IPv6 network as one client', async () => {
    const { email, password } = await world.register()
    const [a, b, c] = [...crypto.getRandomValues(new Uint16Array(3))].map((n) => (n | 0x1000).toString(16))
    const network = `2001:db8:${a}:${b}`
    const from = (address: string) => login(email, password, { 'CF-Connecting-IP': address })
    await avoidEndOfMinute()
    for (let host = 1; host <= perMinute.LOGIN_LIMIT; host++)
      expect((await from(host % 2 ? `${network}::${host}` : `${network}:0:0:a:${host}`)).status).toBe(200)
    expect((await from(`${network}:1:2:3:4`)).status).toBe(429)
    expect((await from(`2001:db8::${c}`)).status).toBe(200)
  })
})

describe('an access token', () => {
  test('is revoked by its logout alone', async () => {
    const person = await world.register()
    const other = (await logIn(world, person)).body.access_token
    const { status, body } = await person.post('/api/logout')
    expect([status, body]).toEqual([200, { message: expect.any(String) }])
    expect((await person.get('/api/me')).status).toBe(401)
    expect((await person.post('/api/logout')).body).toEqual({ message: 'Unauthenticated.' })
    expect(await statusWith(world, other)).toBe(200)
  })

  test('is refused with the secret of another token', async () => {
    const [one, two] = [await world.register(), await world.register()]
    expect(await statusWith(world, `${one.token.split('|')[0]}|${two.token.split('|')[1]}`)).toBe(401)
  })

  test('is stored as its SHA-256 only', async () => {
    const { id, token } = await world.register()
    const secret = token.split('|')[1] ?? ''
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret))
    const stored = await askDatabase(world, sql`select * from tokens where user_id = ${id}`)
    expect(JSON.stringify(stored)).toContain(Buffer.from(digest).toString('hex'))
    expect(JSON.stringify(stored)).not.toContain(secret)
  })

  test.each([
    ['89 days unused', { unused: 89, old: 89 }, 200],
    ['91 days unused', { unused: 91, old: 91 }, 401],
    ['364 days old and used today', { unused: 0, old: 364 }, 200],
    ['366 days old and used today', { unused: 0, old: 366 }, 401],
  ])('that is %s', async (_, age, expected) => {
    const person = await world.register()
    await ageTokens(person, age)
    // And again, since a use brings no expired token back.
    for (let uses = 0; uses < 2; uses++) expect((await person.get('/api/me')).status).toBe(expected)
  })

  test('that is used stays alive: its last use is noted, at most once a day', async () => {
    const person = await world.register()
    await ageTokens(person, { unused: 80, old: 80 })
    const lastUse = async () => {
      const [row] = await askDatabase(
        world,
        sql`select last_used_at from tokens where user_id = ${person.id}`,
      )
      return Number(row?.last_used_at)
    }
    const fetched = vi.spyOn(globalThis, 'fetch')
    onTestFinished(() => fetched.mockRestore())
    const start = Date.now()
    for (const hours of [0, 1, 25]) {
      const now = start + hours * hourMs
      setClock(now)
      await person.get('/api/me')
      if (hours !== 1) await vi.waitUntil(async () => (await lastUse()) === now, { timeout: 60_000 })
    }
    const notes = fetched.mock.calls.filter(([, init]) => /update \W*tokens/.test(String(init?.body)))
    expect(notes).toHaveLength(2)
  })

  /** Moves the creation and last use of a user's tokens into the past, by a number of days. */
  function ageTokens({ id }: Person, { unused, old }: { unused: number; old: number }) {
    const daysAgo = (days: number) => Date.now() - days * dayMs
    return askDatabase(
      world,
      sql`update tokens set last_used_at = ${daysAgo(unused)}, created_at = ${daysAgo(old)} where user_id = ${id}`,
    )
  }
})

describe('check-email', () => {
  const check = (
    query: string,
    headers: Record<string, string> = { 'CF-Connecting-IP': randomClientAddress() },
  ) => world.call('GET', `/api/auth/check-email${query}`, { headers })

  test('calls every well-formed address available, even a registered one, and never queries the database', async () => {
    const { email } = await world.register()
    await world.resetDatabaseWork()
    for (const address of [email, 'new@example.com', 'first.last%2Btag@sub.example.co']) {
      const { status, body } = await check(`?email=${address}`)
      expect([status, body]).toEqual([200, { available: true }])
    }
    expect((await world.databaseWork()).requests).toBe(0)
  })

  test.each([
    '',
    '?email=',
    '?email=nobody',
    '?email=a@',
    '?email=@example.com',
    '?email=%E2%84%AAate@example.com',
    '?mail=ada@example.com',
  ])('responds with 200 and not available for the query "%s"', async (query) => {
    const { status, body } = await check(query)
    expect([status, body]).toEqual([200, { available: false }])
  })

  test('is limited for each client address', async () => {
    const from = { 'CF-Connecting-IP': randomClientAddress() }
    await avoidEndOfMinute()
    for (let attempt = 1; attempt <= perMinute.CHECK_EMAIL_LIMIT; attempt++)
      expect((await check(`?email=person${attempt}@example.com`, from)).status).toBe(200)
    expectLimited(await check('?email=ada@example.com', from), perMinute.CHECK_EMAIL_LIMIT)
    expect((await check('', from)).status).toBe(429)
    expect((await check('?email=ada@example.com')).status).toBe(200)
  })
})
