import { sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { noon, setClock } from '../fixtures/clock.ts'
import {
  type ApiResponse,
  createWorld,
  expectInvalid,
  expectInvalidFields,
  type Person,
  queuedMail,
  randomClientAddress,
  type World,
} from '../fixtures/world.ts'
import { openWorldDatabase } from '../laws/every-route.ts'

const unknown = "We can't find a user with that email address."
const badToken = 'This password reset token is invalid.'

const forgot = (world: World, email: unknown, headers: Record<string, string> = {}) =>
  world.call('POST', '/api/forgot-password', { body: { email }, headers })
const login = (world: World, email: string, password: string) =>
  world.call('POST', '/api/login', { body: { email, password } })
const chosen = (password: string) => ({ password, password_confirmation: password })
const reset = (world: World, fields: Record<string, unknown>) =>
  world.call('POST', '/api/reset-password', { body: { ...chosen('a brand new one'), ...fields } })

/** Asks for a password reset and returns the token from the email. */
async function tokenFor(world: World, { email }: Pick<Person, 'email'>): Promise<string> {
  const response = await forgot(world, email)
  if (response.status !== 200)
    throw new Error(`Forgetting responded with ${response.status}: ${response.text}`)
  return new URL(queuedMail(world, 'reset_password', email).url).searchParams.get('token') ?? ''
}

function expectBadToken({ status, body }: ApiResponse): void {
  expect({ status, body }).toEqual({
    status: 422,
    body: { message: badToken, errors: { email: [badToken] } },
  })
}

describe('a forgotten password', () => {
  test('sends an email to the user, whose link leads to the frontend', async () => {
    const world = createWorld()
    const person = await world.register({ email: 'ada+bank@example.com', name: 'Ada' })
    world.queued.length = 0
    const { status, body } = await forgot(world, person.email)
    expect(status).toBe(200)
    expect(body).toEqual({ message: 'We have emailed your password reset link.' })
    expect(world.queued).toHaveLength(1)
    const { url, name } = queuedMail(world, 'reset_password', 'ada+bank@example.com')
    expect(name).toBe('Ada')
    const { origin, pathname, searchParams } = new URL(url)
    expect(`${origin}${pathname}`).toBe('https://app.purse.example/reset-password')
    expect([...searchParams.keys()]).toEqual(['token', 'email'])
    expect(searchParams.get('email')).toBe('ada+bank@example.com')
    expect(searchParams.get('token')).toMatch(/^[A-Za-z0-9]{40,}$/)
  })

  test('of an address in another case, with spaces around it, is the same', async () => {
    const world = createWorld()
    await world.register({ email: 'ada@example.com' })
    expect((await forgot(world, '  ADA@Example.com ')).status).toBe(200)
    expect(queuedMail(world, 'reset_password', 'ada@example.com').to).toBe('ada@example.com')
  })

  test('of an unknown address is a 422, and no email is sent', async () => {
    const world = createWorld()
    const { status, body } = await forgot(world, 'nobody@example.com')
    expect({ status, body }).toEqual({
      status: 422,
      body: { message: unknown, errors: { email: [unknown] } },
    })
    expect(world.queued).toEqual([])
  })

  test.each([undefined, null, '', 'nobody', 7, ['ada@example.com'], { $ne: '' }])(
    'of %j is a 422 that names the address',
    async (email) => {
      const world = createWorld()
      await world.register({ email: 'ada@example.com' })
      world.queued.length = 0
      expectInvalidFields(await forgot(world, email), ['email'])
      expect(world.queued).toEqual([])
    },
  )

  test('changes nothing yet: password and tokens still work', async () => {
    const world = createWorld()
    const person = await world.register()
    await tokenFor(world, person)
    expect((await person.get('/api/me')).status).toBe(200)
    expect((await login(world, person.email, person.password)).status).toBe(200)
  })

  test('is stored as a hash only', async () => {
    const world = createWorld()
    const token = await tokenFor(world, await world.register())
    const db = openWorldDatabase(world)
    const [rows] = await db.batch([db.all(sql`select * from password_resets`)])
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(token)
    expect(JSON.stringify(rows)).not.toContain(token.slice(0, 40))
  })
})

describe('the limit of forgotten passwords', () => {
  test('is six a minute for an address, however it is written and wherever it comes from', async () => {
    setClock(noon)
    const world = createWorld()
    const person = await world.register({ email: 'ada@example.com' })
    world.queued.length = 0
    for (const email of ['ada@example.com', 'ADA@example.com', ' ada@example.com ']) {
      for (let i = 0; i < 2; i++) {
        const headers = { 'CF-Connecting-IP': randomClientAddress() }
        expect((await forgot(world, email, headers)).status).toBe(200)
      }
    }
    const { status, body, headers } = await forgot(world, person.email)
    expect(status).toBe(429)
    expect(body).toEqual({ message: 'Too Many Attempts.' })
    expect(headers.get('Retry-After')).toBe('60')
    expect(headers.get('X-RateLimit-Limit')).toBe('6')
    expect(headers.get('X-RateLimit-Remaining')).toBe('0')
    expect(world.queued).toHaveLength(6)
  })

  test('does not touch another address', async () => {
    const world = createWorld()
    const [ada, eve] = [await world.register(), await world.register()]
    for (let i = 0; i < 6; i++) await forgot(world, ada.email)
    expect((await forgot(world, ada.email)).status).toBe(429)
    expect((await forgot(world, eve.email)).status).toBe(200)
  })

  test('applies to unknown addresses', async () => {
    const world = createWorld()
    for (let i = 0; i < 6; i++) expect((await forgot(world, 'nobody@example.com')).status).toBe(422)
    expect((await forgot(world, 'nobody@example.com')).status).toBe(429)
  })

  test('is exact when 20 ask at once', async () => {
    const world = createWorld()
    const { email } = await world.register()
    world.queued.length = 0
    const responses = await Promise.all(Array.from({ length: 20 }, () => forgot(world, email)))
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(6)
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(14)
    expect(world.queued).toHaveLength(6)
  })
})

describe('the token of a reset email', () => {
  test('sets a new password, and voids the old one', async () => {
    const world = createWorld()
    const person = await world.register()
    const { email } = person
    const response = await reset(world, { token: await tokenFor(world, person), email })
    expect(response.status).toBe(200)
    expect(response.body).toEqual({ message: expect.any(String) })
    expect((await login(world, email, person.password)).status).toBe(422)
    expect((await login(world, email, 'a brand new one')).status).toBe(200)
  })

  test('signs the user out everywhere, and no other user', async () => {
    const world = createWorld()
    const [person, other] = [await world.register(), await world.register()]
    const second = (await login(world, person.email, person.password)).body.access_token
    await reset(world, { token: await tokenFor(world, person), email: person.email })
    for (const token of [person.token, second]) {
      const { status, body } = await world.call('GET', '/api/me', { token })
      expect({ status, body }).toEqual({ status: 401, body: { message: 'Unauthenticated.' } })
    }
    expect((await other.get('/api/me')).status).toBe(200)
    const { body } = await login(world, person.email, 'a brand new one')
    expect((await world.call('GET', '/api/me', { token: body.access_token })).status).toBe(200)
  })

  test('leaves no token to a login in progress with the old password', async () => {
    const world = createWorld()
    const person = await world.register()
    const { email, password } = person
    const token = await tokenFor(world, person)
    const realFetch = globalThis.fetch
    let calls = 0
    // The login has read the old hash; before it writes its token, the password is reset.
    const between = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const isClose = String(init?.body).endsWith('[{"type":"close"}]}')
      if (!isClose) calls += 1
      if (!isClose && calls === 2) expect((await reset(world, { token, email })).status).toBe(200)
      return realFetch(input, init)
    })
    const response = await login(world, email, password)
    between.mockRestore()
    expect(calls).toBeGreaterThan(2)
    expect(response.status).toBe(422)
    expect(response.body.message).toBe('The provided credentials are incorrect.')
    const db = openWorldDatabase(world)
    const [rows] = await db.batch([db.all(sql`select * from tokens`)])
    expect(rows).toEqual([])
  })

  test('is good once', async () => {
    const world = createWorld()
    const person = await world.register()
    const { email } = person
    const token = await tokenFor(world, person)
    await reset(world, { token, email })
    expectBadToken(await reset(world, { token, email, ...chosen('yet another one') }))
    expect((await login(world, email, 'a brand new one')).status).toBe(200)
  })

  test('succeeds once when it is used ten times at once, and that password is the one that counts', async () => {
    const world = createWorld()
    const person = await world.register()
    const { email } = person
    const token = await tokenFor(world, person)
    const passwords = Array.from({ length: 10 }, (_, i) => `new password ${i}`)
    const responses = await Promise.all(
      passwords.map((word) => reset(world, { token, email, ...chosen(word) })),
    )
    const successes = responses.flatMap(({ status }, i) => (status === 200 ? [i] : []))
    expect(successes).toHaveLength(1)
    for (const [i, response] of responses.entries()) if (i !== successes[0]) expectBadToken(response)
    expect((await login(world, email, `new password ${successes[0]}`)).status).toBe(200)
    expect((await login(world, email, `new password ${(Number(successes[0]) + 1) % 10}`)).status).toBe(422)
  })

  test('voids the others, also when both are used at once', async () => {
    const world = createWorld()
    const person = await world.register()
    const { email } = person
    const [one, two, three] = [
      await tokenFor(world, person),
      await tokenFor(world, person),
      await tokenFor(world, person),
    ]
    const responses = await Promise.all([one, two].map((token) => reset(world, { token, email })))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 422])
    expectBadToken(await reset(world, { token: three, email }))
  })

  test('leaves another user’s token as it was', async () => {
    const world = createWorld()
    const [ada, eve] = [await world.register(), await world.register()]
    const [adas, eves] = [await tokenFor(world, ada), await tokenFor(world, eve)]
    await reset(world, { token: adas, email: ada.email })
    expect((await reset(world, { token: eves, email: eve.email })).status).toBe(200)
  })

  test.each([
    ['59 minutes and 59 seconds', 3_599_000, 200],
    ['60 minutes and 1 second', 3_601_000, 422],
  ])('after %s responds as it must', async (_, later, expected) => {
    setClock(noon)
    const world = createWorld()
    const person = await world.register()
    const token = await tokenFor(world, person)
    vi.setSystemTime(noon + later)
    const response = await reset(world, { token, email: person.email })
    expect(response.status).toBe(expected)
    if (expected === 422) expectBadToken(response)
  })

  test('is not valid for another address, and stays valid for its own', async () => {
    const world = createWorld()
    const [ada, eve] = [await world.register(), await world.register()]
    const token = await tokenFor(world, eve)
    expectBadToken(await reset(world, { token, email: ada.email }))
    expectBadToken(await reset(world, { token, email: 'nobody@example.com' }))
    expect((await login(world, ada.email, ada.password)).status).toBe(200)
    expect((await reset(world, { token, email: ` ${eve.email.toUpperCase()} ` })).status).toBe(200)
  })

  test('is void once the user has another address', async () => {
    const world = createWorld()
    const person = await world.register()
    const token = await tokenFor(world, person)
    const db = openWorldDatabase(world)
    await db.batch([db.run(sql`update users set email = 'new@example.com' where id = ${person.id}`)])
    expectBadToken(await reset(world, { token, email: person.email }))
    expectBadToken(await reset(world, { token, email: 'new@example.com' }))
  })

  test('cannot be made up', async () => {
    const world = createWorld()
    const person = await world.register()
    const { email } = person
    const token = await tokenFor(world, person)
    const db = openWorldDatabase(world)
    const [[row]] = await db.batch([
      db.all<{ hash: string }>(sql`select token_hash as hash from password_resets`),
    ])
    const altered = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0')
    const forgeries = [altered, token.toLowerCase(), `${token}0`, token.slice(0, 40), row?.hash, '%', 'null']
    for (const forged of [...forgeries, person.token, person.token.split('|')[1]]) {
      expectBadToken(await reset(world, { token: forged, email }))
    }
    expect((await login(world, email, person.password)).status).toBe(200)
    expect((await person.get('/api/me')).status).toBe(200)
  })

  test('is not used up by a password that breaks the rules', async () => {
    const world = createWorld()
    const person = await world.register()
    const { email } = person
    const token = await tokenFor(world, person)
    const wrong = (fields: Record<string, unknown>) => reset(world, { token, email, ...fields })
    expectInvalid(await wrong(chosen('1234567')), {
      password: ['The password field must be at least 8 characters.'],
    })
    expectInvalid(await wrong(chosen('x'.repeat(1025))), {
      password: ['The password field must not be greater than 1024 characters.'],
    })
    expectInvalid(await wrong({ password_confirmation: 'a brand new two' }), {
      password: ['The password field confirmation does not match.'],
    })
    expectInvalidFields(await wrong({ password: 12345678, password_confirmation: 12345678 }), [
      'password',
      'password_confirmation',
    ])
    expect((await login(world, email, person.password)).status).toBe(200)
    expect((await wrong({})).status).toBe(200)
  })

  test('does not verify the address', async () => {
    const world = createWorld()
    const person = await world.register()
    await reset(world, { token: await tokenFor(world, person), email: person.email })
    const { body } = await login(world, person.email, 'a brand new one')
    expect(body.email_verified).toBe(false)
  })

  test('is asked for together with everything else that is missing', async () => {
    const response = await createWorld().call('POST', '/api/reset-password', { body: {} })
    expect(response.status).toBe(422)
    expect(response.body.message).toBe('The given data was invalid.')
    expect(response.body.errors).toMatchObject({
      token: ['The token field is required.'],
      email: ['The email field is required.'],
      password: expect.arrayContaining(['The password field is required.']),
    })
  })

  test('of a user who has left is not valid', async () => {
    const world = createWorld()
    const person = await world.register()
    const token = await tokenFor(world, person)
    await person.delete('/api/me', { password: person.password })
    expectBadToken(await reset(world, { token, email: person.email }))
    await world.register({ email: person.email })
    expectBadToken(await reset(world, { token, email: person.email }))
  })
})
