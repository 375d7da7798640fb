import { env } from 'cloudflare:workers'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { defaultBudgets } from '../../../src/failures/budgets.ts'
import { hashQueued } from '../../../src/identity/hashing.ts'
import { budgets } from '../../budgets.ts'
import { setFault } from '../fixtures/part-faults.ts'
import {
  type ApiResponse,
  anAddress,
  createWorld,
  logIn,
  newPassword,
  providerCallback,
  requestReset,
  signInThroughProvider,
  type World,
} from '../fixtures/world.ts'
import { createFaultyWorld, expectUnavailable } from './faulty-world.ts'

const { firstHashWaitMs, furtherHashWaitMs } = defaultBudgets
const asInProduction = budgets({ firstHashWaitMs, furtherHashWaitMs })

const world = createWorld(asInProduction)

function registerAll(emails: string[], to: World = world): Promise<ApiResponse[]> {
  const register = (email: string) =>
    to.call('POST', '/api/register', { body: { name: 'Person', email, ...newPassword() } })
  return Promise.all(emails.map(register))
}

describe('while more passwords wait than can be hashed soon,', () => {
  test('whoever needs a hash gets a 503, known or not, and nothing is done until they try again', async () => {
    const login = (email: string, password: string) => logIn(world, { email, password })
    const [ada, bob, cleo] = [await world.register(), await world.register(), await world.register()]
    const reset = { ...newPassword(), email: bob.email, token: await requestReset(world, bob) }
    // Later responses show that nothing was done before: no address taken, no token used up, no user deleted.
    const calls: [call: () => Promise<ApiResponse>, later: number][] = [
      [() => registerAll(['new@example.com']).then(([response]) => response as ApiResponse), 201],
      [() => login(ada.email, ada.password), 200],
      [() => login(ada.email, 'not the password'), 422],
      [() => login('nobody@example.com', 'not the password'), 422],
      [() => world.call('POST', '/api/reset-password', { body: reset }), 200],
      [() => cleo.delete('/api/me', { password: cleo.password }), 204],
    ]
    const line = fillTheLine()
    for (const response of await Promise.all(calls.map(([call]) => call()))) expectUnavailable(response)
    await line
    for (const [call, later] of calls) expect((await call()).status).toBe(later)
  })

  test('whoever needs no hash is served', async () => {
    const person = await world.register()
    const line = fillTheLine()
    expect((await person.get('/api/me')).status).toBe(200)
    expect((await signInThroughProvider(world, anAddress())).token).toMatch(/./)
    await line
  })

  test('one client address cannot keep the others from signing in', async () => {
    const person = await world.register()
    const from = (address: string) => logIn(world, person, { 'CF-Connecting-IP': address })
    const line = fillTheLine('203.0.113.1')
    const [same, other] = await Promise.all([from('203.0.113.1'), from('203.0.113.2')])
    expectUnavailable(same)
    expect(other.status).toBe(200)
    await line
  })

  /** Takes every turn, or all those that one client address can have; resolves once they are over. */
  async function fillTheLine(client?: string): Promise<void> {
    // While the clock stands still, no turn comes nearer.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    const hashing = { cost: { N: 1_024, r: 8, p: 1 }, budgets: defaultBudgets }
    const turns = Array.from({ length: 1_000 }, () =>
      hashQueued('password', { ...hashing, client: client ?? crypto.randomUUID() }),
    )
    const outcomes = (await Promise.allSettled(turns)).map(({ status }) => status)
    clock.mockRestore()
    expect(new Set(outcomes)).toEqual(new Set(['fulfilled', 'rejected']))
  }
})

test('of a hundred who register at once, those who are refused have left nothing and can try again', async () => {
  // That many hashes at that cost take longer than a request may wait.
  const costly = createWorld({ SCRYPT_COST: '4096,8,2', ...asInProduction })
  const addresses = Array.from({ length: 100 }, (_, position) => `person-${position}@example.com`)
  const refusedOf = async (emails: string[]) => {
    const responses = await registerAll(emails, costly)
    for (const response of responses) if (response.status !== 201) expectUnavailable(response)
    return emails.filter((_, index) => responses[index]?.status !== 201)
  }
  let left = await refusedOf(addresses)
  expect(left.length).toBeGreaterThan(0)
  while (left.length > 0) {
    const refused = await refusedOf(left)
    expect(refused.length).toBeLessThan(left.length)
    left = refused
  }
})

describe.concurrent('has one budget as a whole:', () => {
  afterAll(() => setFault(env.IDP_ISSUER, 'DELETE'))

  test('registering, where passwords wait for their turn and the database does not respond', async () => {
    const world = createFaultyWorld({
      SCRYPT_COST: '16384,8,5',
      ...budgets({ requestMs: 1_000, firstHashWaitMs, furtherHashWaitMs }),
    })
    const people = Array.from({ length: 20 }, (_, position) => `person-${position}@example.com`)
    const { result, requests } = await world.whileBroken({ gets: 'late', delayMs: 600_000 }, () =>
      registerAll(people, world),
    )
    for (const response of result) expectUnavailable(response)
    expect(requests).toBeGreaterThan(0)
  })

  test('signing in, where the database is slow and the provider hangs', async () => {
    const world = createFaultyWorld()
    const hurried = createFaultyWorld(budgets({ requestMs: 1_000 }), world.databaseUrl)
    const path = await providerCallback(world, 'ada@example.com')
    await setFault(env.IDP_ISSUER, 'POST', { endpoint: 'token', hang: true })
    const { result } = await world.whileBroken({ gets: 'late', delayMs: 500 }, () =>
      hurried.call('GET', path),
    )
    const query = new URL(result.headers.get('Location') ?? '').searchParams
    const outcome = [result.status, query.get('error_code'), query.get('token')]
    expect(outcome).toEqual([302, 'provider_error', null])
  })
})
