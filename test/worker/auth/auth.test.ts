import { sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { defaultCategories } from '../../../src/categories/defaults.ts'
import { perMinute } from '../../../src/shared/rate-limits.ts'
import {
  avoidEndOfMinute,
  createWorld,
  expectInvalid,
  type Json,
  randomClientAddress,
  type World,
} from '../fixtures/world.ts'
import { openWorldDatabase, verify } from '../laws/every-route.ts'

const ada = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  password: 'countess1815',
  password_confirmation: 'countess1815',
}
const wrongCredentials = {
  message: 'The provided credentials are incorrect.',
  errors: { email: ['The provided credentials are incorrect.'] },
}
const tooMany = { message: 'Too Many Attempts.' }

const register = (world: World, fields: Record<string, unknown> = {}) =>
  world.call('POST', '/api/register', { body: { ...ada, ...fields } })
const login = (world: World, email: unknown, password: unknown, headers: Record<string, string> = {}) =>
  world.call('POST', '/api/login', { body: { email, password }, headers })
const withPassword = (password: string) => ({ password, password_confirmation: password })

describe('register', () => {
  test('responds with 201 with a bearer token and the user, not yet verified', async () => {
    const world = createWorld()
    const { status, body } = await register(world)
    expect(status).toBe(201)
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[1-9]\d*\|[A-Za-z0-9]{40,}$/),
      token_type: 'Bearer',
      user: expect.objectContaining({ name: 'Ada Lovelace', email: 'ada@example.com' }),
      email_verified: false,
      email_verified_at: null,
    })
  })

  test('returns the whole user, as GET /api/me shows it, and so does every login', async () => {
    const world = createWorld()
    const registered = (await register(world, { timezone: 'Asia/Tokyo' })).body
    const show = async () => (await world.call('GET', '/api/me', { token: registered.access_token })).body
    expect(registered.user).toEqual(await show())
    await verify(world, registered.user)
    const { user, ...rest } = (await login(world, ada.email, ada.password)).body
    expect(user).toEqual(await show())
    expect(rest).toMatchObject({ email_verified: true, email_verified_at: user.email_verified_at })
  })

  test('names every missing field at once', async () => {
    const response = await createWorld().call('POST', '/api/register', { body: {} })
    expect(response.status).toBe(422)
    expect(response.body.message).toBe('The given data was invalid.')
    expect(response.body.errors).toMatchObject({
      name: ['The name field is required.'],
      email: ['The email field is required.'],
      password: expect.arrayContaining(['The password field is required.']),
    })
  })

  test('refuses an address that is taken, whatever its case and the spaces around it', async () => {
    const world = createWorld()
    await register(world)
    for (const email of ['ada@example.com', 'ADA@Example.COM', '  ada@example.com ']) {
      expectInvalid(await register(world, { email }), { email: ['The email has already been taken.'] })
    }
  })

  test('says that an address is taken along with the other mistakes', async () => {
    const world = createWorld()
    await register(world)
    expectInvalid(await register(world, { name: '' }), {
      name: ['The name field is required.'],
      email: ['The email has already been taken.'],
    })
  })

  test('says that an address has more than 254 characters', async () => {
    const email = `${'a'.repeat(243)}@example.com`
    expectInvalid(await register(createWorld(), { email }), {
      email: ['The email field must not be greater than 254 characters.'],
    })
  })

  test('refuses a confirmation that is not the password', async () => {
    const response = await register(createWorld(), { password_confirmation: 'countess1816' })
    expectInvalid(response, { password: ['The password field confirmation does not match.'] })
  })

  test('accepts passwords of 8 to 1,024 characters, counted in code points', async () => {
    const world = createWorld()
    const statusOf = async (email: string, password: string) =>
      (await register(world, { email, ...withPassword(password) })).status
    expect(await statusOf('a@example.com', '1234567')).toBe(422)
    expect(await statusOf('b@example.com', '12345678')).toBe(201)
    expect(await statusOf('c@example.com', '🔑'.repeat(7))).toBe(422)
    expect(await statusOf('d@example.com', '🔑'.repeat(8))).toBe(201)
    expect(await statusOf('e@example.com', 'x'.repeat(1024))).toBe(201)
    expect(await statusOf('f@example.com', '🔑'.repeat(1024))).toBe(201)
    expect(await statusOf('g@example.com', 'x'.repeat(1025))).toBe(422)
  })

  test('tells a long password from one that differs in its last character only', async () => {
    const world = createWorld()
    await register(world, withPassword('x'.repeat(1024)))
    expect((await login(world, ada.email, `${'x'.repeat(1023)}y`)).status).toBe(422)
    expect((await login(world, ada.email, 'x'.repeat(1024))).status).toBe(200)
  })

  test('trims the name and the address, and never the password', async () => {
    const world = createWorld()
    const fields = { name: '  Ada ', email: ' ada@example.com\n', ...withPassword('  spaces around  ') }
    const { body } = await register(world, fields)
    expect(body.user).toMatchObject({ name: 'Ada', email: 'ada@example.com' })
    expect((await login(world, ada.email, 'spaces around')).status).toBe(422)
    expect((await login(world, ada.email, '  spaces around  ')).status).toBe(200)
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
    async (sent, stored) => {
      const world = createWorld()
      const { body } = await register(world, { timezone: sent })
      expect((await world.call('GET', '/api/me', { token: body.access_token })).body.timezone).toBe(stored)
    },
  )

  test('gives every user the default categories, expenses first, and no account', async () => {
    const person = await createWorld().register()
    const types = (await person.get('/api/categories')).body.map((category: Json) => category.type)
    expect(types).toHaveLength(defaultCategories.length)
    expect(new Set(types)).toEqual(new Set(['expense', 'income']))
    expect(types).toEqual([...types].sort())
    expect((await person.get('/api/accounts')).body).toEqual([])
  })

  test('leaves nothing behind when it is refused', async () => {
    const world = createWorld()
    await register(world, { password_confirmation: 'else' })
    expect((await register(world)).status).toBe(201)
  })
})

describe('login', () => {
  test('responds with 200 with a new token and the user', async () => {
    const world = createWorld()
    const registered = await register(world)
    const { status, body } = await login(world, ada.email, ada.password)
    expect(status).toBe(200)
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[1-9]\d*\|[A-Za-z0-9]{40,}$/),
      token_type: 'Bearer',
      user: registered.body.user,
      email_verified: false,
      email_verified_at: null,
    })
    expect(body.access_token).not.toBe(registered.body.access_token)
    for (const token of [body.access_token, registered.body.access_token]) {
      expect((await world.call('GET', '/api/me', { token })).status).toBe(200)
    }
  })

  test('gives the same response to a wrong password and to an unknown address', async () => {
    const world = createWorld()
    await register(world)
    for (const [email, password] of [
      ['ada@example.com', 'countess1816'],
      ['bob@example.com', 'countess1815'],
      ['ada@example.com', 'COUNTESS1815'],
    ]) {
      const { status, body } = await login(world, email, password)
      expect(status).toBe(422)
      expect(body).toEqual(wrongCredentials)
    }
  })

  test('mistakes no other letter for one of the address, whatever its lower case is', async () => {
    const world = createWorld()
    await register(world, { email: 'kate@example.com' })
    expect((await login(world, '\u212aate@example.com', ada.password)).body).toEqual(wrongCredentials)
    expect((await login(world, 'KATE@example.com', ada.password)).status).toBe(200)
  })

  test('gives that response to a user without a password, too', async () => {
    const world = createWorld()
    await register(world)
    const db = openWorldDatabase(world)
    await db.batch([db.run(sql`update users set password_hash = null`)])
    const { status, body } = await login(world, ada.email, ada.password)
    expect(status).toBe(422)
    expect(body).toEqual(wrongCredentials)
  })

  test('requires the address and the password', async () => {
    const world = createWorld()
    expectInvalid(await world.call('POST', '/api/login', { body: {} }), {
      email: ['The email field is required.'],
      password: ['The password field is required.'],
    })
    expectInvalid(await login(world, '  ', null), {
      email: ['The email field is required.'],
      password: ['The password field is required.'],
    })
  })

  test('renews a password hash that was made with other parameters, and accepts it from then on', async () => {
    const before = createWorld({ SCRYPT_COST: '1024,8,1' })
    await register(before)
    const after = createWorld({ SCRYPT_COST: '2048,8,1', TURSO_DATABASE_URL: before.databaseUrl })
    expect(await passwordHashOf(before)).toMatch(/^scrypt\$1024\$8\$1\$/)
    expect((await login(after, ada.email, 'wrong password')).status).toBe(422)
    expect(await passwordHashOf(before)).toMatch(/^scrypt\$1024\$8\$1\$/)
    expect((await login(after, ada.email, ada.password)).status).toBe(200)
    expect(await passwordHashOf(before)).toMatch(/^scrypt\$2048\$8\$1\$/)
    expect((await login(after, ada.email, ada.password)).status).toBe(200)
    expect((await login(after, ada.email, 'wrong password')).status).toBe(422)
  })

  test('is limited for each pair of address and client address, right or wrong', async () => {
    const world = createWorld()
    await register(world)
    await avoidEndOfMinute()
    for (let attempt = 1; attempt <= perMinute.LOGIN_LIMIT; attempt++) {
      expect((await login(world, ada.email, 'wrong password')).status).toBe(422)
    }
    const refused = await login(world, ada.email, ada.password)
    expect(refused.status).toBe(429)
    expect(refused.body).toEqual(tooMany)
    expect(refused.headers.get('X-RateLimit-Limit')).toBe(String(perMinute.LOGIN_LIMIT))
    expect(refused.headers.get('X-RateLimit-Remaining')).toBe('0')
    expect(refused.headers.get('Retry-After')).toMatch(/^([1-9]|[1-5]\d|60)$/)

    expect((await login(world, ' ADA@example.com', ada.password)).status).toBe(429)
    expect((await login(world, ada.email, '')).status).toBe(429)
    expect((await login(world, 'bob@example.com', ada.password)).status).toBe(422)
    const elsewhere = { 'CF-Connecting-IP': randomClientAddress() }
    expect((await login(world, ada.email, ada.password, elsewhere)).status).toBe(200)
  })

  test('counts all addresses of an IPv6 network as one client', async () => {
    const world = createWorld()
    await register(world)
    const [a, b] = crypto.getRandomValues(new Uint16Array(2)).map((group) => group | 0x1000)
    const network = `2001:db8:${a?.toString(16)}:${b?.toString(16)}`
    await avoidEndOfMinute()
    for (let host = 1; host <= perMinute.LOGIN_LIMIT; host++) {
      const from = { 'CF-Connecting-IP': host % 2 ? `${network}::${host}` : `${network}:0:0:a:${host}` }
      expect((await login(world, ada.email, 'wrong password', from)).status).toBe(422)
    }
    const from = (address: string) => login(world, ada.email, ada.password, { 'CF-Connecting-IP': address })
    expect((await from(`${network}:1:2:3:4`)).status).toBe(429)
    expect((await from(`2001:db8::${randomHost()}`)).status).toBe(200)
  })
})

const randomHost = () => Math.floor(Math.random() * 0xffff).toString(16)

describe('an access token', () => {
  test('is revoked by its logout alone', async () => {
    const world = createWorld()
    const person = await world.register()
    const other = (await login(world, person.email, person.password)).body.access_token
    const { status, body } = await person.post('/api/logout')
    expect(status).toBe(200)
    expect(body).toEqual({ message: expect.any(String) })
    expect((await person.get('/api/me')).status).toBe(401)
    expect((await person.post('/api/logout')).body).toEqual({ message: 'Unauthenticated.' })
    expect((await world.call('GET', '/api/me', { token: other })).status).toBe(200)
  })

  test('is refused with the secret of another token', async () => {
    const world = createWorld()
    const [one, two] = [await world.register(), await world.register()]
    const [id, secret] = [one.token.split('|')[0], two.token.split('|')[1]]
    expect((await world.call('GET', '/api/me', { token: `${id}|${secret}` })).status).toBe(401)
  })

  test('is stored as its SHA-256 only', async () => {
    const world = createWorld()
    const { token } = await world.register()
    const secret = token.split('|')[1] ?? ''
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret)))
    const db = openWorldDatabase(world)
    const [rows] = await db.batch([db.all(sql`select * from tokens`)])
    const stored = JSON.stringify(rows)
    expect(stored).toContain([...digest].map((byte) => byte.toString(16).padStart(2, '0')).join(''))
    expect(stored).not.toContain(secret)
  })

  test.each([
    ['89 days unused', { unused: 89, old: 89 }, 200],
    ['91 days unused', { unused: 91, old: 91 }, 401],
    ['364 days old and used today', { unused: 0, old: 364 }, 200],
    ['366 days old and used today', { unused: 0, old: 366 }, 401],
  ])('that is %s', async (_, { unused, old }, expected) => {
    const world = createWorld()
    const person = await world.register()
    await ageTokens(world, { unused, old })
    for (const _ of ['once', 'and again, since a use brings no expired token back']) {
      const { status, body } = await person.get('/api/me')
      expect(status).toBe(expected)
      if (expected === 401) expect(body).toEqual({ message: 'Unauthenticated.' })
    }
  })

  test('that is used stays alive: its last use is noted, at most once a day', async () => {
    const world = createWorld()
    const person = await world.register()
    await ageTokens(world, { unused: 80, old: 80 })
    await person.get('/api/me')
    const isNoted = async () => Date.now() - (await lastUse(world)) < 60_000
    await vi.waitUntil(isNoted, { timeout: 60_000 })
    const noted = await lastUse(world)
    await person.get('/api/me')
    await scheduler.wait(100)
    expect(await lastUse(world)).toBe(noted)
  })
})

describe('check-email', () => {
  const check = (world: World, query: string, headers: Record<string, string> = {}) =>
    world.call('GET', `/api/auth/check-email${query}`, { headers })

  test('calls every well-formed address available, even a registered one', async () => {
    const world = createWorld()
    await register(world)
    for (const email of ['ada@example.com', 'new@example.com', 'first.last%2Btag@sub.example.co']) {
      const { status, body } = await check(world, `?email=${email}`)
      expect(status).toBe(200)
      expect(body).toEqual({ available: true })
    }
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
    const { status, body } = await check(createWorld(), query)
    expect(status).toBe(200)
    expect(body).toEqual({ available: false })
  })

  test('never touches the database', async () => {
    const world = createWorld()
    await register(world)
    await world.resetDatabaseWork()
    await check(world, '?email=ada@example.com')
    await check(world, '?email=new@example.com')
    expect((await world.databaseWork()).requests).toBe(0)
  })

  test('is limited for each client address', async () => {
    const world = createWorld()
    await avoidEndOfMinute()
    for (let attempt = 1; attempt <= perMinute.CHECK_EMAIL_LIMIT; attempt++) {
      expect((await check(world, `?email=person${attempt}@example.com`)).status).toBe(200)
    }
    const refused = await check(world, '?email=ada@example.com')
    expect(refused.status).toBe(429)
    expect(refused.body).toEqual(tooMany)
    expect(refused.headers.get('X-RateLimit-Limit')).toBe(String(perMinute.CHECK_EMAIL_LIMIT))
    expect(refused.headers.get('X-RateLimit-Remaining')).toBe('0')
    expect(refused.headers.get('Retry-After')).toMatch(/^([1-9]|[1-5]\d|60)$/)
    expect((await check(world, '')).status).toBe(429)
    const elsewhere = { 'CF-Connecting-IP': randomClientAddress() }
    expect((await check(world, '?email=ada@example.com', elsewhere)).status).toBe(200)
  })
})

async function passwordHashOf(world: World): Promise<string> {
  const db = openWorldDatabase(world)
  const [[row]] = await db.batch([db.all<{ password_hash: string }>(sql`select password_hash from users`)])
  return row?.password_hash ?? ''
}

/** Moves every token's creation and last use into the past, by a number of days. */
async function ageTokens(world: World, { unused, old }: { unused: number; old: number }): Promise<void> {
  const daysAgo = (days: number) => Date.now() - days * 86_400_000
  const db = openWorldDatabase(world)
  await db.batch([
    db.run(sql`update tokens set last_used_at = ${daysAgo(unused)}, created_at = ${daysAgo(old)}`),
  ])
}

async function lastUse(world: World): Promise<number> {
  const db = openWorldDatabase(world)
  const [[row]] = await db.batch([db.all<{ last_used_at: number }>(sql`select last_used_at from tokens`)])
  return row?.last_used_at ?? 0
}
