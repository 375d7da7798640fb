import { describe, expect, test } from 'vitest'
import {
  createWorld,
  mailsTo,
  providerCallback,
  queuedMail,
  resetPassword,
  signInThroughProvider,
  verifyAddress,
} from '../fixtures/world.ts'

// What HTML's email inputs and RFC 5322 both allow, and mail can reach.
const label63 = 'b'.repeat(63)
const good = [
  'me@xn--e1afmkfd.xn--p1ai',
  'tom&jerry@example.com',
  "o'neil!#$%*+/=?^_`{|}~-@example.com",
  '-@example.com',
  '0@1.example',
  'a.b.c@a-b.example.co.uk',
  'a--b@x--y.example',
  'me@b.c',
  `${'a'.repeat(64)}@example.com`,
  `me@${label63}.example`,
  // 254 characters.
  `${'a'.repeat(64)}@${label63}.${label63}.${'c'.repeat(61)}`,
]

/** What no mail can reach, or only one of the two grammars allows. */
const bad = [
  ...[`${'a'.repeat(65)}@example.com`, `me@${label63}b.example`, 'me@-example.com', 'me@example-.com'],
  ...['me@example.-com', 'me@example.com-', `${'a'.repeat(64)}@${label63}.${label63}.${'c'.repeat(62)}`],
  ...['.me@example.com', 'me.@example.com', 'm..e@example.com', 'me@example..com', 'me@.example.com'],
  ...['me@example.com.', 'me@localhost', 'me@192.0.2.1', 'me@[192.0.2.1]', 'me@exa_mple.com'],
  ...['"me"@example.com', 'me(comment)@example.com', 'Me <me@example.com>', 'me@one.example,me@two.example'],
  ...['me@example.com@example.com', 'm\u00fc@example.com', '\u212aate@example.com', 'me@e\u0130xample.com'],
  ...['me@m\u00fcnchen.example', 'me\n@example.com'],
]

describe.each(good)('%s', (email) => {
  const password = 'correct horse battery'

  test('registers, gets emails, signs in and leaves', async () => {
    const world = createWorld()
    const check = await world.call('GET', `/api/auth/check-email?${new URLSearchParams({ email })}`)
    expect(check.body).toEqual({ available: true })
    const person = await world.register({ email: ` ${email.toUpperCase()} ` })
    const verification = queuedMail(world, 'verify_address', email)
    expect((await verifyAddress(world, { email })).status).toBe(302)
    expect((await resetPassword(world, { email }, password)).status).toBe(200)
    await world.deliver([verification])
    expect((await mailsTo(email)).length).toBeGreaterThan(0)
    const { status, body } = await world.call('POST', '/api/login', { body: { email, password } })
    expect([status, body.user?.email, body.email_verified]).toEqual([200, email, true])
    const token = body.access_token
    const profile = { token, body: { email, name: 'New Name' } }
    expect((await world.call('PATCH', '/api/me', profile)).body.name).toBe('New Name')
    expect((await world.call('DELETE', '/api/me', { token, body: { password } })).status).toBe(204)
    expect(person.id).toBe(body.user.id)
  })

  test('signs in through the provider, and leaves', async () => {
    const world = createWorld()
    const { token } = await signInThroughProvider(world, email)
    expect((await world.call('GET', '/api/me', { token })).body.email).toBe(email)
    expect((await world.call('DELETE', '/api/me', { token, body: { email } })).status).toBe(204)
  })
})

test.each(bad)('%j is no address', async (email) => {
  const world = createWorld()
  const person = await world.register()
  const password = 'correct horse battery'
  const registration = { name: 'Me', email, password, password_confirmation: password }
  const response = await world.call('POST', '/api/register', { body: registration })
  expect([response.status, Object.keys(response.body.errors)]).toEqual([422, ['email']])
  expect((await person.patch('/api/me', { email })).body.errors).toHaveProperty('email')
  const check = await world.call('GET', `/api/auth/check-email?${new URLSearchParams({ email })}`)
  expect(check.body).toEqual({ available: false })
})

test.each(['me@example-.com', `${'a'.repeat(65)}@example.com`, 'me@localhost'])(
  'a sign-in through the provider as %s ends with email_missing',
  async (email) => {
    const world = createWorld()
    const { headers } = await world.call('GET', await providerCallback(world, email))
    expect(headers.get('Location')).toContain('error_code=email_missing')
  },
)
