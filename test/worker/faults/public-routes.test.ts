import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { publicRoutes } from '../../../src/http/authenticate.ts'
import { unsubscribeLink } from '../../../src/identity/links.ts'
import { budgets } from '../../budgets.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import {
  type ApiResponse,
  anAddress,
  changeAddress,
  logIn,
  newPassword,
  pathOf,
  providerCallback,
  queuedMail,
  registerVerified,
  requestReset,
  signInThroughProvider,
} from '../fixtures/world.ts'
import { afterExecution, beforeExecution, createFaultyWorld, expectUnavailable } from './faulty-world.ts'

beforeEach(() => {
  muteLog()
})
afterEach(() => vi.restoreAllMocks())

const world = createFaultyWorld()
const post = (path: string, body: object) => () => world.call('POST', path, { body })
const registration = () => ({ name: 'New', email: anAddress(), ...newPassword() })

/** A valid call of a public route; `again` is the status of the same call after it has been executed. */
type PreparedCall = { call: () => Promise<ApiResponse>; status?: number; again?: number }

const goodCalls: Record<string, () => Promise<PreparedCall>> = {
  'GET /api/health': async () => ({ call: () => world.call('GET', '/api/health') }),
  // They can sign in once they have registered.
  'POST /api/register': async () => ({
    call: post('/api/register', registration()),
    status: 201,
    again: 422,
  }),
  'POST /api/login': async () => {
    const { email, password } = await world.register()
    return { call: post('/api/login', { email, password }) }
  },
  'POST /api/forgot-password': async () => {
    const { email } = await world.register()
    return { call: post('/api/forgot-password', { email }) }
  },
  // The first of its two round trips, which is the one that fails, only reads; so it is with the links that are pressed.
  'POST /api/reset-password': async () => ({ call: post('/api/reset-password', await resetRequest()) }),
  'GET /api/email/verify/:id/:hash': async () => {
    const { email } = await world.register()
    return { ...follow('GET', queuedMail(world, 'verify_address', email).url), status: 302 }
  },
  ...linkCalls('disown', async () => {
    const { email } = await world.register()
    return queuedMail(world, 'verify_address', email).disownUrl
  }),
  ...linkCalls('approve', async () => {
    const email = anAddress()
    const { token } = await signInThroughProvider(world, email)
    await world.as(token).put('/api/me/email', { email: anAddress() })
    return queuedMail(world, 'approve_address', email).url
  }),
  ...linkCalls('change', async () => {
    const [{ put, password }, email] = [await world.register(), anAddress()]
    await put('/api/me/email', { email, current_password: password })
    return queuedMail(world, 'change_address', email).url
  }),
  ...linkCalls('restore', async () => {
    const person = await registerVerified(world)
    await changeAddress(world, person, anAddress())
    return queuedMail(world, 'address_changed', person.email).restoreUrl
  }),
  'POST /api/reminders/unsubscribe/:user/:signature': async () => follow('POST', await reminderLink()),
}

/** These do not query the database, so its faults do not affect them. */
const withoutDatabase = [
  'GET /api',
  'GET /api/openapi.json',
  'GET /api/auth/idp',
  'GET /api/auth/check-email',
  'GET /api/reminders/unsubscribe/:user/:signature',
]
const callback = 'GET /api/auth/idp/callback'

function follow(method: string, link = ''): PreparedCall {
  return { call: () => world.call(method, pathOf(link)) }
}

/** The calls that show the page of a link, and that press its button. */
function linkCalls(name: string, linkOf: () => Promise<string | undefined>) {
  const methods = ['GET', 'POST'].map((method) => [
    `${method} /api/email/${name}/:id/:hash`,
    async () => follow(method, await linkOf()),
  ])
  return Object.fromEntries(methods) as typeof goodCalls
}

async function reminderLink(): Promise<string> {
  const { id } = await world.register()
  return unsubscribeLink({ appUrl: env.APP_URL, secret: env.APP_SECRET }, 'reminder', id)
}

async function resetRequest() {
  const { email } = await world.register()
  return { email, token: await requestReset(world, { email }), ...newPassword() }
}

test('every public route is looked at', () => {
  expect([...Object.keys(goodCalls), ...withoutDatabase, callback].sort()).toEqual([...publicRoutes].sort())
})

describe.each(Object.entries(goodCalls))('%s', (_, prepare) => {
  test('is 503 while the database fails, and works again at once', async () => {
    const { call, status = 200 } = await prepare()
    for (const [, fault] of beforeExecution) expectUnavailable((await world.whileBroken(fault, call)).result)
    expect((await call()).status).toBe(status)
  })

  test.each(afterExecution)('that got %s is 503, and can be sent again', async (_, fault) => {
    const { call, status = 200, again = status } = await prepare()
    expectUnavailable((await world.whileBroken(fault, call)).result)
    expect((await call()).status).toBe(again)
  })
})

test.each(withoutDatabase.slice(1))('%s responds while the database fails', async (route) => {
  const path = route.includes(':user') ? pathOf(await reminderLink()) : route.replace('GET ', '')
  const { result, requests } = await world.whileBroken({ gets: 'cut' }, () => world.call('GET', path))
  expect([result.status, requests]).toEqual([200, 0])
})

describe('signing in', () => {
  test.each(afterExecution)('whose second round trip got %s hands out no token', async (_, fault) => {
    const person = await world.register()
    const login = () => logIn(world, person)
    const { result, requests } = await world.whileBroken({ ...fault, only: 2 }, login)
    expectUnavailable(result)
    expect([requests, (await login()).status]).toEqual([2, 200])
  })

  test('whose two round trips take too long together, though neither does alone, is 503', async () => {
    const person = await world.register()
    const hurried = createFaultyWorld(budgets({ requestMs: 1_000 }), world.databaseUrl)
    const late = { gets: 'late', delayMs: 700 } as const
    expectUnavailable((await world.whileBroken(late, () => logIn(hurried, person))).result)
  })

  // The first only reads, and is retried.
  test.each([2, 3])('through the provider ends where it began when round trip %i fails', async (only) => {
    for (const [, fault] of [...beforeExecution, ...afterExecution]) {
      const path = await providerCallback(world, anAddress())
      const { result } = await world.whileBroken({ ...fault, only }, () => world.call('GET', path))
      const { status, headers } = result
      const query = new URL(headers.get('Location') ?? '').searchParams
      expect([status, query.get('error_code'), query.get('token')]).toEqual([302, 'provider_error', null])
    }
  })
})

test.each(afterExecution)('a new password whose response was lost is still set: %s', async (_, fault) => {
  const body = await resetRequest()
  const { result, requests } = await world.whileBroken(
    { ...fault, only: 2 },
    post('/api/reset-password', body),
  )
  expectUnavailable(result)
  expect([requests, (await logIn(world, body)).status]).toEqual([2, 200])
})

test('a registration whose response was lost is there once, and its owner signs in', async () => {
  const body = registration()
  const register = post('/api/register', body)
  expectUnavailable((await world.whileBroken({ gets: 'cut', executed: true }, register)).result)
  expect((await register()).body.errors).toEqual({ email: ['The email has already been taken.'] })
  const login = await logIn(world, body)
  expect(login.status).toBe(200)
  const categories = await world.as(login.body.access_token).get('/api/categories')
  expect(categories.body.length).toBeGreaterThan(10)
})
