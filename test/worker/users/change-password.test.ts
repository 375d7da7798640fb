import { describe, expect, test } from 'vitest'
import { exactLimits } from '../../../src/failures/limits.ts'
import {
  anAddress,
  createWorld,
  expectInvalid,
  expectInvalidFields,
  logIn,
  newPassword,
  type Person,
  registerVerified,
  requestReset,
  resetPassword,
  signInThroughProvider,
  statusWith,
} from '../fixtures/world.ts'

const world = createWorld()
const password = 'a password of my own'
const chosen = newPassword(password)
const change = ({ put, password: current }: Pick<Person, 'put' | 'password'>, fields = {}) =>
  put('/api/me/password', { current_password: current, ...chosen, ...fields })
const login = (email: string, withPassword: string) => logIn(world, { email, password: withPassword })

describe('changing the password', () => {
  test('ends all other sessions, and keeps this one', async () => {
    const [person, other] = [await world.register(), await world.register()]
    const second = (await logIn(world, person)).body.access_token
    const { status, body } = await change(person)
    expect({ status, body }).toEqual({ status: 200, body: { message: 'Your password has been changed.' } })
    expect(await statusWith(world, person.token)).toBe(200)
    expect(await statusWith(world, second)).toBe(401)
    expect(await statusWith(world, other.token)).toBe(200)
    expect((await logIn(world, person)).status).toBe(422)
    expect((await login(person.email, password)).status).toBe(200)
  })

  test('voids the links in reset emails', async () => {
    const person = await world.register()
    const body = { token: await requestReset(world, person), email: person.email, ...chosen }
    await change(person)
    expect((await world.call('POST', '/api/reset-password', { body })).status).toBe(422)
  })

  test('with a wrong password is a 422 that names it, and changes nothing', async () => {
    const person = await world.register()
    const second = (await logIn(world, person)).body.access_token
    for (const current_password of ['wrong password', password, 'x'.repeat(1_025)]) {
      expectInvalid(await change(person, { current_password }), {
        current_password: ['The password is incorrect.'],
      })
    }
    expect(await statusWith(world, second)).toBe(200)
    expect((await logIn(world, person)).status).toBe(200)
  })

  test('names every wrong field at once', async () => {
    const person = await world.register()
    const nothing = await person.put('/api/me/password', {})
    expectInvalidFields(nothing, ['current_password', 'password', 'password_confirmation'])
    expectInvalidFields(await change(person, { password: 'short' }), ['password'])
    expectInvalid(await change(person, { password_confirmation: 'another one' }), {
      password: ['The password field confirmation does not match.'],
    })
  })

  test('allows a limited number of guesses a minute for each token, shared with leaving', async () => {
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
    const email = anAddress()
    const { token } = await signInThroughProvider(world, email)
    const response = await change({ ...world.as(token), password: 'anything' })
    expectInvalidFields(response, ['current_password'])
    expect(response.body.errors.current_password[0]).toContain('/api/forgot-password')
    expect((await resetPassword(world, { email }, 'from the mail')).status).toBe(200)
    const { access_token } = (await login(email, 'from the mail')).body
    expect((await change({ ...world.as(access_token), password: 'from the mail' })).status).toBe(200)
  })

  test('happens once if requested ten times at once', async () => {
    const person = await world.register()
    const responses = await Promise.all(Array.from({ length: 10 }, () => change(person)))
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await statusWith(world, person.token)).toBe(200)
  })

  test('proves nothing about who owns the address', async () => {
    const stranger = await registerVerified(world)
    await change(stranger)
    await signInThroughProvider(world, stranger.email)
    expect((await login(stranger.email, password)).status).toBe(422)
    expect(await statusWith(world, stranger.token)).toBe(401)
  })

  test('keeps a password proven that was set by an emailed link', async () => {
    const person = await registerVerified(world)
    await resetPassword(world, person, 'from the mail')
    const { access_token } = (await login(person.email, 'from the mail')).body
    await change({ ...world.as(access_token), password: 'from the mail' })
    await signInThroughProvider(world, person.email)
    expect((await login(person.email, password)).status).toBe(200)
  })
})
