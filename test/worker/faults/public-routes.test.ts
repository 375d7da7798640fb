import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { publicRoutes } from '../../../src/http/authenticate.ts'
import { unsubscribeLink } from '../../../src/shared/links.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import {
  type ApiResponse,
  changeAddress,
  pathOf,
  providerCallback,
  queuedMail,
  signInThroughProvider,
  verifyAddress,
} from '../fixtures/world.ts'
import {
  afterExecution,
  beforeExecution,
  createFaultyWorld,
  expectUnavailable,
  type FaultyWorld,
} from './faulty-world.ts'

beforeEach(() => {
  muteLog()
})
afterEach(() => vi.restoreAllMocks())

const newPassword = { password: 'a new password', password_confirmation: 'a new password' }
const registration = { name: 'New', email: 'new@example.com', ...newPassword }

/** A valid call of a public route; `again` is the response to the same call after it has been executed. */
type PreparedCall = { call: () => Promise<ApiResponse>; status: number; again: number }

const goodCalls: Record<string, (world: FaultyWorld) => Promise<PreparedCall>> = {
  'GET /api/health': async (world) => ({
    call: () => world.call('GET', '/api/health'),
    status: 200,
    again: 200,
  }),
  'POST /api/register': async (world) => ({
    call: () => world.call('POST', '/api/register', { body: registration }),
    status: 201,
    // They can sign in once they have registered.
    again: 422,
  }),
  'POST /api/login': async (world) => {
    const { email, password } = await world.register()
    return {
      call: () => world.call('POST', '/api/login', { body: { email, password } }),
      status: 200,
      again: 200,
    }
  },
  'POST /api/forgot-password': async (world) => {
    const { email } = await world.register()
    return {
      call: () => world.call('POST', '/api/forgot-password', { body: { email } }),
      status: 200,
      again: 200,
    }
  },
  'POST /api/reset-password': async (world) => {
    const body = { ...newPassword, ...(await resetToken(world)) }
    // The first of its two round trips, which is the one that fails, only reads.
    return { call: () => world.call('POST', '/api/reset-password', { body }), status: 200, again: 200 }
  },
  'GET /api/email/verify/:id/:hash': async (world) => {
    const path = pathOf(queuedMail(world, 'verify_address', (await world.register()).email).url)
    return { call: () => world.call('GET', path), status: 302, again: 302 }
  },
  'GET /api/email/disown/:id/:hash': async (world) => {
    const path = await disownPath(world)
    return { call: () => world.call('GET', path), status: 200, again: 200 }
  },
  'POST /api/email/disown/:id/:hash': async (world) => {
    const path = await disownPath(world)
    // The first of its two round trips, which is the one that fails, only reads.
    return { call: () => world.call('POST', path), status: 200, again: 200 }
  },
  'GET /api/email/approve/:id/:hash': async (world) => ofLink(world, 'GET', await approvePath(world)),
  // The first of the round trips of these three, which is the one that fails, only reads.
  'POST /api/email/approve/:id/:hash': async (world) => ofLink(world, 'POST', await approvePath(world)),
  'GET /api/email/change/:id/:hash': async (world) => ofLink(world, 'GET', await changePath(world)),
  'POST /api/email/change/:id/:hash': async (world) => ofLink(world, 'POST', await changePath(world)),
  'GET /api/email/restore/:id/:hash': async (world) => ofLink(world, 'GET', await restorePath(world)),
  'POST /api/email/restore/:id/:hash': async (world) => ofLink(world, 'POST', await restorePath(world)),
  'POST /api/reminders/unsubscribe/:user/:signature': async (world) => {
    const { id } = await world.register()
    const path = pathOf(await unsubscribeLink({ appUrl: env.APP_URL, secret: env.APP_SECRET }, id))
    return { call: () => world.call('POST', path), status: 200, again: 200 }
  },
}

/** These do not ask the database, so its faults do not affect them. */
const withoutDatabase = [
  'GET /api/openapi.json',
  'GET /api/auth/idp',
  'GET /api/auth/check-email',
  'GET /api/reminders/unsubscribe/:user/:signature',
]
const callback = 'GET /api/auth/idp/callback'

function ofLink(world: FaultyWorld, method: string, path: string): PreparedCall {
  return { call: () => world.call(method, path), status: 200, again: 200 }
}

async function approvePath(world: FaultyWorld): Promise<string> {
  const email = `${crypto.randomUUID()}@example.com`
  const { token } = await signInThroughProvider(world, email)
  await world.as(token).put('/api/me/email', { email: 'new@example.com' })
  return pathOf(queuedMail(world, 'approve_address', email).url)
}

async function changePath(world: FaultyWorld): Promise<string> {
  const { put, password } = await world.register()
  await put('/api/me/email', { email: 'new@example.com', current_password: password })
  return pathOf(queuedMail(world, 'change_address', 'new@example.com').url)
}

async function restorePath(world: FaultyWorld): Promise<string> {
  const person = await world.register()
  await verifyAddress(world, person)
  await changeAddress(world, person, 'new@example.com')
  return pathOf(queuedMail(world, 'address_changed', person.email).restoreUrl ?? '')
}

async function disownPath(world: FaultyWorld): Promise<string> {
  const { email } = await world.register()
  return pathOf(queuedMail(world, 'verify_address', email).disownUrl ?? '')
}

async function resetToken(world: FaultyWorld) {
  const { email } = await world.register()
  await world.call('POST', '/api/forgot-password', { body: { email } })
  const { url } = queuedMail(world, 'reset_password', email)
  return { email, token: new URL(url).searchParams.get('token') }
}

test('every public route is looked at', () => {
  expect([...Object.keys(goodCalls), ...withoutDatabase, callback].sort()).toEqual([...publicRoutes].sort())
})

describe.each(Object.keys(goodCalls))('%s', (route) => {
  const prepare = (world: FaultyWorld) => goodCalls[route]?.(world) as Promise<PreparedCall>

  test('is 503 while the database fails, and works again at once', async () => {
    const world = createFaultyWorld()
    const { call, status } = await prepare(world)
    for (const [, fault] of beforeExecution) {
      expectUnavailable((await world.whileBroken(fault, call)).result)
    }
    expect((await call()).status).toBe(status)
  })

  test.each(afterExecution)('that got %s is 503, and can be sent again', async (_, fault) => {
    const world = createFaultyWorld()
    const { call, again } = await prepare(world)
    expectUnavailable((await world.whileBroken(fault, call)).result)
    expect((await call()).status).toBe(again)
  })
})

test.each(withoutDatabase.slice(1))('%s responds while the database fails', async (route) => {
  const world = createFaultyWorld()
  const { id } = await world.register()
  const link = await unsubscribeLink({ appUrl: env.APP_URL, secret: env.APP_SECRET }, id)
  const path = route.includes(':user') ? pathOf(link) : route.replace('GET ', '')
  const { result, requests } = await world.whileBroken({ gets: 'cut' }, () => world.call('GET', path))
  expect([result.status, requests]).toEqual([200, 0])
})

describe('signing in', () => {
  test.each(afterExecution)('whose second round trip got %s hands out no token', async (_, fault) => {
    const world = createFaultyWorld()
    const { email, password } = await world.register()
    const login = () => world.call('POST', '/api/login', { body: { email, password } })
    const { result, requests } = await world.whileBroken({ ...fault, only: 2 }, login)
    expectUnavailable(result)
    expect([requests, (await login()).status]).toEqual([2, 200])
  })

  test('whose two round trips take too long together, though neither does alone, is 503', async () => {
    const world = createFaultyWorld()
    const { email, password } = await world.register()
    const login = () => world.call('POST', '/api/login', { body: { email, password } })
    const timeout = AbortSignal.timeout.bind(AbortSignal)
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(1_000))
    expectUnavailable((await world.whileBroken({ gets: 'late', delayMs: 700 }, login)).result)
  })

  // The first only reads, and is retried.
  test.each([2, 3])('through the provider ends where it began when round trip %i fails', async (only) => {
    const world = createFaultyWorld()
    for (const [, fault] of [...beforeExecution, ...afterExecution]) {
      const path = await providerCallback(world, `${crypto.randomUUID()}@example.com`)
      const { result } = await world.whileBroken({ ...fault, only }, () => world.call('GET', path))
      const { status, headers } = result
      const query = new URL(headers.get('Location') ?? '').searchParams
      expect([status, query.get('error_code'), query.get('token')]).toEqual([302, 'provider_error', null])
    }
  })
})

test.each(afterExecution)('a new password whose response was lost is still set: %s', async (_, fault) => {
  const world = createFaultyWorld()
  const { email, token } = await resetToken(world)
  const body = { email, token, ...newPassword }
  const reset = () => world.call('POST', '/api/reset-password', { body })
  const { result, requests } = await world.whileBroken({ ...fault, only: 2 }, reset)
  expectUnavailable(result)
  expect(requests).toBe(2)
  const { password } = newPassword
  expect((await world.call('POST', '/api/login', { body: { email, password } })).status).toBe(200)
})

test('a registration whose response was lost is there once, and its owner signs in', async () => {
  const world = createFaultyWorld()
  const register = () => world.call('POST', '/api/register', { body: registration })
  expectUnavailable((await world.whileBroken({ gets: 'cut', executed: true }, register)).result)
  const again = await register()
  expect(again.body.errors).toEqual({ email: ['The email has already been taken.'] })
  const { email, password } = registration
  const { status, body } = await world.call('POST', '/api/login', { body: { email, password } })
  expect(status).toBe(200)
  const categories = await world.call('GET', '/api/categories', { token: body.access_token })
  expect(categories.body.length).toBeGreaterThan(10)
})
