import { describe, expect, test } from 'vitest'
import { exactLimits } from '../../../src/shared/rate-limits.ts'
import {
  createWorld,
  expectInvalid,
  expectInvalidFields,
  type Person,
  queuedMail,
  resetPassword,
  signInThroughProvider,
  verifyAddress,
  type World,
} from '../fixtures/world.ts'

const password = 'a password of my own'
const chosen = { password, password_confirmation: password }
const change = ({ put, password: current }: Person, fields: Record<string, unknown> = {}) =>
  put('/api/me/password', { current_password: current, ...chosen, ...fields })
const login = (world: World, email: string, withPassword: string) =>
  world.call('POST', '/api/login', { body: { email, password: withPassword } })
const statusOf = async (world: World, token: string) => (await world.call('GET', '/api/me', { token })).status

describe('changing the password', () => {
  test('ends all other sessions, and keeps this one', async () => {
    const world = createWorld()
    const [person, other] = [await world.register(), await world.register()]
    const second = (await login(world, person.email, person.password)).body.access_token
    const { status, body } = await change(person)
    expect({ status, body }).toEqual({ status: 200, body: { message: 'Your password has been changed.' } })
    expect(await statusOf(world, person.token)).toBe(200)
    expect(await statusOf(world, second)).toBe(401)
    expect(await statusOf(world, other.token)).toBe(200)
    expect((await login(world, person.email, person.password)).status).toBe(422)
    expect((await login(world, person.email, password)).status).toBe(200)
  })

  test('voids the links in reset emails', async () => {
    const world = createWorld()
    const person = await world.register()
    await world.call('POST', '/api/forgot-password', { body: { email: person.email } })
    const { searchParams } = new URL(queuedMail(world, 'reset_password', person.email).url)
    await change(person)
    const body = { token: searchParams.get('token'), email: person.email, ...chosen }
    expect((await world.call('POST', '/api/reset-password', { body })).status).toBe(422)
  })

  test('with a wrong password is a 422 that names it, and changes nothing', async () => {
    const world = createWorld()
    const person = await world.register()
    const second = (await login(world, person.email, person.password)).body.access_token
    for (const current_password of ['wrong password', password, 'x'.repeat(1_025)]) {
      expectInvalid(await change(person, { current_password }), {
        current_password: ['The password is incorrect.'],
      })
    }
    expect(await statusOf(world, second)).toBe(200)
    expect((await login(world, person.email, person.password)).status).toBe(200)
  })

  test('names every wrong field at once', async () => {
    const person = await createWorld().register()
    const nothing = await person.put('/api/me/password', {})
    expectInvalidFields(nothing, ['current_password', 'password', 'password_confirmation'])
    expectInvalidFields(await change(person, { password: 'short' }), ['password'])
    expectInvalid(await change(person, { password_confirmation: 'another one' }), {
      password: ['The password field confirmation does not match.'],
    })
  })

  test('allows a limited number of guesses a minute for each token, shared with leaving', async () => {
    const world = createWorld()
    const person = await world.register()
    const guesses = [
      () => change(person, { current_password: 'wrong' }),
      () => person.delete('/api/me', { password: 'wrong' }),
    ]
    for (let i = 0; i < exactLimits.passwordGuesses.max; i++)
      expect((await guesses[i % 2]?.())?.status).toBe(422)
    const refused = await change(person)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('Retry-After')).toMatch(/^\d+$/)
    expect((await person.delete('/api/me', { password: person.password })).status).toBe(429)
  })

  test('sends people without a password to the reset email, after which it works', async () => {
    const world = createWorld()
    const email = `${crypto.randomUUID()}@example.com`
    const { token } = await signInThroughProvider(world, email)
    const body = { current_password: 'anything', ...chosen }
    const response = await world.call('PUT', '/api/me/password', { token, body })
    expectInvalidFields(response, ['current_password'])
    expect(response.body.errors.current_password[0]).toContain('/api/forgot-password')
    expect((await resetPassword(world, { email }, 'from the mail')).status).toBe(200)
    const own = (await login(world, email, 'from the mail')).body.access_token
    const again = { current_password: 'from the mail', ...chosen }
    expect((await world.call('PUT', '/api/me/password', { token: own, body: again })).status).toBe(200)
  })

  test('happens once if requested ten times at once', async () => {
    const world = createWorld()
    const person = await world.register()
    const responses = await Promise.all(Array.from({ length: 10 }, () => change(person)))
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await statusOf(world, person.token)).toBe(200)
  })

  test('proves nothing about who owns the address', async () => {
    const world = createWorld()
    const stranger = await world.register({ email: `${crypto.randomUUID()}@example.com` })
    await verifyAddress(world, stranger)
    await change(stranger)
    await signInThroughProvider(world, stranger.email)
    expect((await login(world, stranger.email, password)).status).toBe(422)
    expect(await statusOf(world, stranger.token)).toBe(401)
  })

  test('keeps a password proven that was set by an emailed link', async () => {
    const world = createWorld()
    const person = await world.register({ email: `${crypto.randomUUID()}@example.com` })
    await verifyAddress(world, person)
    await resetPassword(world, person, 'from the mail')
    const { access_token: token } = (await login(world, person.email, 'from the mail')).body
    const body = { current_password: 'from the mail', ...chosen }
    await world.call('PUT', '/api/me/password', { token, body })
    await signInThroughProvider(world, person.email)
    expect((await login(world, person.email, password)).status).toBe(200)
  })
})
