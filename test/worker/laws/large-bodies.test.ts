import { expect, test } from 'vitest'
import { app } from '../../../src/app.ts'
import { openApiDocument } from '../../../src/document.ts'
import { publicRoutes } from '../../../src/http/authenticate.ts'
import { operationsOf } from '../abuse/requests.ts'
import { unfinished } from '../fixtures/held-memory.ts'
import { createWorld } from '../fixtures/world.ts'
import { createHousehold } from './every-route.ts'

const kilobyte = 1024
const largest: Record<string, number> = {
  'POST /api/transactions/sync': 1024 * kilobyte,
  'POST /api/changes': 1024 * kilobyte,
  'POST /api/import/store': 5 * 1024 * kilobyte,
  'POST /api/import/bank/store': 5 * 1024 * kilobyte,
}
const routesWithBody = operationsOf(openApiDocument(app.routes))
  .filter(({ bodies }) => Object.keys(bodies).length > 0)
  .map(({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`)
const limitOf = (route: string) =>
  publicRoutes.includes(route) ? 64 * kilobyte : (largest[route] ?? 512 * kilobyte)

const { world, person } = await createHousehold(createWorld())
const unverified = await world.register()

type Options = { isAnnounced?: boolean; token?: string | undefined; type?: string }

/** Sends so many spaces, and says how many had not been read when the response came. */
async function send(route: string, size: number, { isAnnounced = true, token, type }: Options = {}) {
  const [method = '', path = ''] = route.split(' ')
  let unread = size
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const bytes = Math.min(unread, 64 * kilobyte)
    unread -= bytes
    if (bytes === 0) controller.close()
    else controller.enqueue(new Uint8Array(bytes).fill(32))
  }
  const headers = {
    'Content-Type': type ?? 'application/json',
    ...(isAnnounced && { 'Content-Length': String(size) }),
  }
  const rawBody = new ReadableStream({ pull }, { highWaterMark: 0 })
  const { status, body } = await world.call(method, path, { ...(token && { token }), rawBody, headers })
  return { status, message: body?.message, unread }
}

test.each(routesWithBody)(
  'a body above the limit of %s is read to its end, and then is a 413',
  async (route) => {
    const tooLarge = { status: 413, message: expect.stringMatching(/too large|larger than/), unread: 0 }
    const path = route.replaceAll(/:\w+/g, '1')
    const limit = limitOf(route)
    const token = publicRoutes.includes(route) ? undefined : person.token
    const type = route.includes('/import/') ? 'text/csv' : 'application/json'
    for (const isAnnounced of [true, false]) {
      const sendBytes = (size: number) => send(path, size, { isAnnounced, token, type })
      expect(await sendBytes(limit + 1)).toEqual(tooLarge)
      expect(await sendBytes(limit + 1024 * kilobyte)).toEqual(tooLarge)
      expect((await sendBytes(limit)).status).not.toBe(413)
    }
  },
)

test.each<[number, string, Options]>([
  [401, 'POST /api/accounts', {}],
  [401, 'POST /api/accounts', { token: '999999|unknown' }],
  [403, 'POST /api/import/store', { token: unverified.token, type: 'text/csv' }],
  [404, 'POST /api/nothing', {}],
  [404, 'DELETE /api/accounts/999999', { token: person.token }],
  [405, 'PUT /api/login', {}],
  [200, 'POST /api/logout', { token: unverified.token }],
])('a %i reads a body that it does not need to its end: %s %j', async (status, route, options) => {
  expect(await send(route, 1024 * kilobyte, options)).toMatchObject({ status, unread: 0 })
})

test('a refused body is read for as long as it comes, up to 100 MB', async () => {
  const megabytes = (count: number) =>
    send('POST /api/register', count * 1024 * kilobyte, { isAnnounced: false })
  expect(await megabytes(99)).toMatchObject({ status: 413, unread: 0 })
  const { status, unread } = await megabytes(103)
  expect([status, unread > 0]).toEqual([413, true])
})

test('a refused body that pauses is responded to', async () => {
  const { body: rawBody } = unfinished(' '.repeat(100 * kilobyte))
  const { status } = await world.call('POST', '/api/register', { rawBody })
  expect(status).toBe(413)
})

test.each(['gzip', 'deflate', 'GZIP', 'br'])(
  'a body compressed with %s is a 415 that says so',
  async (encoding) => {
    for (const path of ['/api/accounts', '/api/import/store', '/api/transactions/sync']) {
      const headers = { 'Content-Type': 'application/json', 'Content-Encoding': encoding }
      const { status, body } = await world.call('POST', path, { token: person.token, rawBody: '{}', headers })
      expect([status, body.message]).toEqual([
        415,
        'The request body must not be compressed: send it without Content-Encoding.',
      ])
    }
  },
)
