import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { unsubscribeLink } from '../../../src/identity/links.ts'
import {
  changeAddress,
  createWorld,
  pathOf,
  providerCallback,
  queuedMail,
  signInThroughProvider,
  verifyAddress,
  type World,
} from '../fixtures/world.ts'
import { createHousehold, everyRoute, goodCall, storedIn } from './every-route.ts'

/**
 * What a GET changes; a HEAD changes none of it. Two things are not looked at here: a token's last use, noted once a
 * day, and an overdue batch, whose status queues it again as the cron does.
 */
const changedByGet = ['GET /api/email/verify/:id/:hash', 'GET /api/auth/idp/callback']

/** Paths of public routes whose GET is valid. */
const publicPaths: Record<string, (world: World) => Promise<string>> = {
  'GET /api': async () => '/api',
  'GET /api/health': async () => '/api/health',
  'GET /api/openapi.json': async () => '/api/openapi.json',
  'GET /api/auth/idp': async () => '/api/auth/idp?timezone=Asia/Tokyo',
  'GET /api/auth/idp/callback': (world) => providerCallback(world, 'grace@example.com'),
  'GET /api/auth/check-email': async () => '/api/auth/check-email?email=grace@example.com',
  'GET /api/email/verify/:id/:hash': async (world) =>
    pathOf(await verificationMail(world).then((m) => m.url)),
  'GET /api/email/disown/:id/:hash': async (world) =>
    pathOf(await verificationMail(world).then((m) => m.disownUrl ?? '')),
  'GET /api/email/approve/:id/:hash': async (world) => {
    const email = `${crypto.randomUUID()}@example.com`
    const { token } = await signInThroughProvider(world, email)
    await world.as(token).put('/api/me/email', { email: 'new@example.com' })
    return pathOf(queuedMail(world, 'approve_address', email).url)
  },
  'GET /api/email/change/:id/:hash': async (world) => {
    const { put, password } = await world.register()
    await put('/api/me/email', { email: 'new@example.com', current_password: password })
    return pathOf(queuedMail(world, 'change_address', 'new@example.com').url)
  },
  'GET /api/email/restore/:id/:hash': async (world) => {
    const person = await world.register()
    await verifyAddress(world, person)
    await changeAddress(world, person, 'new@example.com')
    return pathOf(queuedMail(world, 'address_changed', person.email).restoreUrl ?? '')
  },
  'GET /api/reminders/unsubscribe/:user/:signature': async (world) => {
    const { id } = await world.register()
    return pathOf(await unsubscribeLink({ appUrl: env.APP_URL, secret: env.APP_SECRET }, 'reminder', id))
  },
}

async function verificationMail(world: World) {
  return queuedMail(world, 'verify_address', (await world.register()).email)
}

/** A way to call a route with GET and with HEAD, and everything that the service keeps. */
async function prepare(route: string) {
  const world = createWorld()
  const pathOfPublic = publicPaths[route]
  if (pathOfPublic) {
    const path = await pathOfPublic(world)
    return { call: (method: string) => world.call(method, path), stored: () => storedIn(world) }
  }
  const household = await createHousehold(world)
  const { call } = await goodCall(route, household)
  const { token } = household.person
  return {
    call: (method: string) =>
      call({ ...household.person, get: (path: string) => world.call(method, path, { token }) }),
    stored: () => storedIn(world),
  }
}

const reads = everyRoute.filter((route) => route.startsWith('GET '))

test.each(reads.filter((route) => !changedByGet.includes(route)))(
  '%s changes nothing, nor does a HEAD',
  async (route) => {
    const { call, stored } = await prepare(route)
    const before = await stored()
    for (const method of ['HEAD', 'GET']) {
      expect((await call(method)).status, method).toBeLessThan(400)
      expect(await stored(), method).toEqual(before)
    }
  },
)

test.each(changedByGet)('%s works after a HEAD, which changes nothing', async (route) => {
  const { call, stored } = await prepare(route)
  const before = await stored()
  const head = await call('HEAD')
  expect(await stored()).toEqual(before)
  const get = await call('GET')
  expect([head.status, get.status]).toEqual([302, 302])
  expect(get.headers.get('Location')).toMatch(/verified=1|token=/)
  expect(await stored()).not.toEqual(before)
  expect((await call('HEAD')).status).toBe(302)
})
