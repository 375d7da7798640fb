import { afterEach, describe, expect, inject, test, vi } from 'vitest'
import { hashInTurn } from '../../../src/services/hashing.ts'
import { type Answer, comeBackFromProvider, createWorld, queuedMail, type World } from '../world.ts'
import { createFaultyWorld, expectUnavailable } from './faulty-world.ts'

/** No request may hang for longer, whatever the database and the provider do. */
const longestWaitMs = 10_000
const newPassword = { password: 'a new password', password_confirmation: 'a new password' }

describe('while more passwords wait to be hashed than can be soon,', () => {
  type Prepared = { call: () => Promise<Answer>; status: number }
  const login = (world: World, email: string, password: string) => () =>
    world.call('POST', '/api/login', { body: { email, password } })

  // What is answered later shows that nothing was done before.
  const calls: [name: string, prepare: (world: World) => Promise<Prepared>][] = [
    [
      'registering',
      async (world) => {
        const body = { name: 'New', email: 'new@example.com', ...newPassword }
        return { call: () => world.call('POST', '/api/register', { body }), status: 201 }
      },
    ],
    [
      'signing in',
      async (world) => {
        const { email, password } = await world.register()
        return { call: login(world, email, password), status: 200 }
      },
    ],
    [
      'signing in with a wrong password',
      async (world) => ({ call: login(world, (await world.register()).email, 'wrong'), status: 422 }),
    ],
    [
      'signing in with an unknown address',
      async (world) => ({ call: login(world, 'nobody@example.com', 'wrong'), status: 422 }),
    ],
    [
      'setting a new password',
      async (world) => {
        const { email } = await world.register()
        await world.call('POST', '/api/forgot-password', { body: { email } })
        const token = new URL(queuedMail(world, 'reset_password', email).url).searchParams.get('token')
        const body = { ...newPassword, email, token }
        return { call: () => world.call('POST', '/api/reset-password', { body }), status: 200 }
      },
    ],
    [
      'leaving',
      async (world) => {
        const { delete: remove, password } = await world.register()
        return { call: () => remove('/api/me', { password }), status: 204 }
      },
    ],
  ]

  test.each(calls)('%s is 503 and does nothing, and works later', async (_, prepare) => {
    const { call, status } = await prepare(createWorld())
    const line = fillTheLine()
    expectUnavailable(await call())
    await line
    expect((await call()).status).toBe(status)
  })

  test('whoever needs no hash is served', async () => {
    const world = createWorld()
    const person = await world.register()
    const line = fillTheLine()
    expect((await person.get('/api/me')).status).toBe(200)
    const provided = await world.call('GET', await comeBackFromProvider(world, 'ada@example.com'))
    expect([provided.status, provided.headers.get('Location')]).toEqual([
      302,
      expect.stringContaining('token='),
    ])
    await line
  })

  /** Takes every turn there is; resolves once they are over, a second later. */
  async function fillTheLine(): Promise<void> {
    // By a clock that stands still, nobody comes nearer to their turn.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    const turns = Array.from({ length: 1_000 }, () => hashInTurn('password', { N: 1_024, r: 8, p: 1 }))
    const outcomes = (await Promise.allSettled(turns)).map(({ status }) => status)
    clock.mockRestore()
    expect(new Set(outcomes)).toEqual(new Set(['fulfilled', 'rejected']))
  }
})

test('of two hundred who register at once, those who are refused have left nothing and can come again', async () => {
  // So many hashes as dear as that take longer than anybody may wait.
  const world = createWorld({ SCRYPT_COST: '4096,8,2' })
  const addresses = Array.from({ length: 200 }, (_, position) => `person-${position}@example.com`)
  const registerAll = (emails: string[]) =>
    Promise.all(
      emails.map((email) =>
        world.call('POST', '/api/register', { body: { name: 'Person', email, ...newPassword } }),
      ),
    )
  const refusedOf = async (emails: string[]) => {
    const answers = await registerAll(emails)
    for (const answer of answers) if (answer.status !== 201) expectUnavailable(answer)
    return emails.filter((_, index) => answers[index]?.status !== 201)
  }
  let left = await refusedOf(addresses)
  expect(left.length).toBeGreaterThan(0)
  while (left.length > 0) {
    const refused = await refusedOf(left)
    expect(refused.length).toBeLessThan(left.length)
    left = refused
  }
})

describe('a sign-in through the provider', () => {
  const faults = `${inject('issuer')}/faults`
  afterEach(async () => {
    await (await fetch(faults, { method: 'DELETE' })).text()
  })

  test('whose database is slow and whose provider hangs has ten seconds as a whole', async () => {
    const world = createFaultyWorld()
    const path = await comeBackFromProvider(world, 'ada@example.com')
    await (
      await fetch(faults, { method: 'POST', body: JSON.stringify({ endpoint: 'token', hang: true }) })
    ).text()
    const begun = Date.now()
    const { result } = await world.whileBroken({ gets: 'late', delayMs: 5_000 }, () =>
      world.call('GET', path),
    )
    expect(Date.now() - begun).toBeLessThan(longestWaitMs)
    const query = new URL(result.headers.get('Location') ?? '').searchParams
    expect([result.status, query.get('error_code'), query.get('token')]).toEqual([
      302,
      'provider_error',
      null,
    ])
  })
})
