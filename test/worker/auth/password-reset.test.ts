import { sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { noon, setClock } from '../fixtures/clock.ts'
import {
  type ApiResponse,
  alterLast,
  createWorld,
  expectInvalid,
  expectInvalidFields,
  logIn,
  newPassword,
  queuedMail,
  requestReset,
  statusWith,
} from '../fixtures/world.ts'
import { askDatabase } from '../laws/every-route.ts'

const world = createWorld()

const forgot = (email: unknown) => world.call('POST', '/api/forgot-password', { body: { email } })
const reset = (fields: Record<string, unknown>) =>
  world.call('POST', '/api/reset-password', { body: { ...newPassword('a brand new one'), ...fields } })
const loginStatus = async (email: string, password: string) =>
  (await logIn(world, { email, password })).status

/** A user who has requested a reset, with the token in the email. */
async function forgetful() {
  const person = await world.register()
  return { person, email: person.email, token: await requestReset(world, person) }
}

function expectError({ status, body }: ApiResponse, message: string): void {
  expect([status, body]).toEqual([422, { message, errors: { email: [message] } }])
}
const expectBadToken = (response: ApiResponse) =>
  expectError(response, 'This password reset token is invalid.')

// Its limits: ../mail/mail-limits.test.ts
describe('a forgotten password', () => {
  test('sends an email to the user, whose link leads to the frontend', async () => {
    await world.register({ email: 'ada+bank@example.com', name: 'Ada' })
    world.queued.length = 0
    const { status, body } = await forgot('  ADA+bank@Example.com ')
    expect([status, body]).toEqual([200, { message: 'We have emailed your password reset link.' }])
    expect(world.queued).toHaveLength(1)
    const { url, name } = queuedMail(world, 'reset_password', 'ada+bank@example.com')
    expect(name).toBe('Ada')
    const { origin, pathname, searchParams } = new URL(url)
    expect(`${origin}${pathname}`).toBe('https://app.purse.example/reset-password')
    expect([...searchParams]).toEqual([
      ['token', expect.stringMatching(/^[A-Za-z0-9]{40,}$/)],
      ['email', 'ada+bank@example.com'],
    ])
  })

  test('of an unknown address is a 422, for which no email is sent, six times a minute', async () => {
    world.queued.length = 0
    for (let i = 0; i < 6; i++)
      expectError(await forgot('nobody@example.com'), "We can't find a user with that email address.")
    expect((await forgot('nobody@example.com')).status).toBe(429)
    expect(world.queued).toEqual([])
  })

  test('is counted for an address, however it is written', async () => {
    const { email } = await world.register()
    for (const spelling of [email, email.toUpperCase(), ` ${email} `])
      for (let i = 0; i < 2; i++) expect((await forgot(spelling)).status).toBe(200)
    expect((await forgot(email)).status).toBe(429)
  })

  test.each([undefined, null, '', 'nobody', 7, ['ada@example.com'], { $ne: '' }])(
    'of %j is a 422 that names the address',
    async (email) => {
      world.queued.length = 0
      expectInvalidFields(await forgot(email), ['email'])
      expect(world.queued).toEqual([])
    },
  )

  test('changes nothing yet, and is stored as a hash only', async () => {
    const { person, token } = await forgetful()
    expect((await person.get('/api/me')).status).toBe(200)
    expect((await logIn(world, person)).status).toBe(200)
    const rows = await askDatabase(world, sql`select * from password_resets where user_id = ${person.id}`)
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(token.slice(0, 40))
  })
})

describe('the token of a reset email', () => {
  test('sets a new password once, which verifies no address', async () => {
    const { person, email, token } = await forgetful()
    const response = await reset({ token, email })
    expect([response.status, response.body]).toEqual([200, { message: expect.any(String) }])
    expectBadToken(await reset({ token, email, ...newPassword('yet another one') }))
    expect((await logIn(world, person)).status).toBe(422)
    const login = await logIn(world, { email, password: 'a brand new one' })
    expect([login.status, login.body.email_verified]).toEqual([200, false])
  })

  test('signs the user out everywhere, and no other user, whose reset token stays as it was', async () => {
    const { person, email, token } = await forgetful()
    const other = await forgetful()
    const second = (await logIn(world, person)).body.access_token
    await reset({ token, email })
    expect([await statusWith(world, person.token), await statusWith(world, second)]).toEqual([401, 401])
    expect((await other.person.get('/api/me')).status).toBe(200)
    expect((await reset({ token: other.token, email: other.email })).status).toBe(200)
  })

  test('leaves no token to a login in progress with the old password', async () => {
    const { person, email, token } = await forgetful()
    const realFetch = globalThis.fetch
    let calls = 0
    // The login has read the old hash; before it writes its token, the password is reset.
    const between = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const isClose = String(init?.body).endsWith('[{"type":"close"}]}')
      if (!isClose) calls += 1
      if (!isClose && calls === 2) expect((await reset({ token, email })).status).toBe(200)
      return realFetch(input, init)
    })
    const response = await logIn(world, person)
    between.mockRestore()
    expect(calls).toBeGreaterThan(2)
    expect(response.status).toBe(422)
    expect(response.body.message).toBe('The provided credentials are incorrect.')
    expect(await askDatabase(world, sql`select 1 from tokens where user_id = ${person.id}`)).toEqual([])
  })

  test('succeeds once when it is used ten times at once, and that password is the one that counts', async () => {
    const { email, token } = await forgetful()
    const passwords = Array.from({ length: 10 }, (_, i) => `new password ${i}`)
    const responses = await Promise.all(
      passwords.map((password) => reset({ token, email, ...newPassword(password) })),
    )
    const successes = responses.flatMap(({ status }, i) => (status === 200 ? [i] : []))
    expect(successes).toHaveLength(1)
    for (const [i, response] of responses.entries()) if (i !== successes[0]) expectBadToken(response)
    expect(await loginStatus(email, `new password ${successes[0]}`)).toBe(200)
    expect(await loginStatus(email, `new password ${(Number(successes[0]) + 1) % 10}`)).toBe(422)
  })

  test('voids the others, also when both are used at once', async () => {
    const { person, email, token } = await forgetful()
    const [second, third] = [await requestReset(world, person), await requestReset(world, person)]
    const responses = await Promise.all([token, second].map((one) => reset({ token: one, email })))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 422])
    expectBadToken(await reset({ token: third, email }))
  })

  test('is valid for an hour', async () => {
    setClock(noon)
    const [early, late] = [await forgetful(), await forgetful()]
    vi.setSystemTime(noon + 3_599_000)
    expect((await reset({ token: early.token, email: early.email })).status).toBe(200)
    vi.setSystemTime(noon + 3_601_000)
    expectBadToken(await reset({ token: late.token, email: late.email }))
  })

  test('is not valid for another address, and stays valid for its own', async () => {
    const ada = await world.register()
    const { email, token } = await forgetful()
    expectBadToken(await reset({ token, email: ada.email }))
    expectBadToken(await reset({ token, email: 'nobody@example.com' }))
    expect((await logIn(world, ada)).status).toBe(200)
    expect((await reset({ token, email: ` ${email.toUpperCase()} ` })).status).toBe(200)
  })

  test('is void once the user has another address', async () => {
    const { person, email, token } = await forgetful()
    await askDatabase(world, sql`update users set email = 'new@example.com' where id = ${person.id}`)
    expectBadToken(await reset({ token, email }))
    expectBadToken(await reset({ token, email: 'new@example.com' }))
  })

  test('cannot be made up', async () => {
    const { person, email, token } = await forgetful()
    const [row] = await askDatabase(
      world,
      sql`select token_hash as hash from password_resets where user_id = ${person.id}`,
    )
    const altered = [alterLast(token), token.toLowerCase(), `${token}0`, token.slice(0, 40)]
    for (const forged of [...altered, row?.hash, '%', 'null', person.token, person.token.split('|')[1]])
      expectBadToken(await reset({ token: forged, email }))
    expect((await logIn(world, person)).status).toBe(200)
    expect((await person.get('/api/me')).status).toBe(200)
  })

  test('is not used up by a password that breaks the rules', async () => {
    const { person, email, token } = await forgetful()
    const wrong = (fields: Record<string, unknown>) => reset({ token, email, ...fields })
    expectInvalid(await wrong(newPassword('1234567')), {
      password: ['The password field must be at least 8 characters.'],
    })
    expectInvalid(await wrong(newPassword('x'.repeat(1025))), {
      password: ['The password field must not be greater than 1024 characters.'],
    })
    expectInvalid(await wrong({ password_confirmation: 'a brand new two' }), {
      password: ['The password field confirmation does not match.'],
    })
    const numbers = { password: 12345678, password_confirmation: 12345678 }
    expectInvalidFields(await wrong(numbers), Object.keys(numbers))
    expect((await logIn(world, person)).status).toBe(200)
    expect((await wrong({})).status).toBe(200)
  })

  test('is required together with everything else that is missing', async () => {
    const { status, body } = await world.call('POST', '/api/reset-password', { body: {} })
    expect([status, body.message]).toEqual([422, 'The given data was invalid.'])
    expect(body.errors).toMatchObject({
      token: ['The token field is required.'],
      email: ['The email field is required.'],
      password: expect.arrayContaining(['The password field is required.']),
    })
  })

  test('of a user who has left is not valid, even for whoever has the address next', async () => {
    const { person, email, token } = await forgetful()
    await person.delete('/api/me', { password: person.password })
    expectBadToken(await reset({ token, email }))
    await world.register({ email })
    expectBadToken(await reset({ token, email }))
  })
})
