import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { app } from '../../../src/app.ts'
import { openApiDocument } from '../../../src/document.ts'
import { perMinute } from '../../../src/failures/limits.ts'
import worker from '../../../src/worker.ts'
import {
  type ApiResponse,
  avoidEndOfMinute,
  type CallOptions,
  createWorld,
  type World,
} from '../fixtures/world.ts'
import { askDatabase } from '../laws/every-route.ts'

const spa = 'https://app.purse.example'
const json = { 'Content-Type': 'application/json' }

const account = { name: 'Checking', type: 'bank', starting_balance: 1 }
const big = JSON.stringify({ padding: 'x'.repeat(600_000) })

const signedInTo = new WeakMap<World, string>()
/** Options that sign a call in, as the one person of the world. */
async function signIn(world: World, headers: Record<string, string> = {}): Promise<CallOptions> {
  const token = signedInTo.get(world) ?? (await world.register()).token
  signedInTo.set(world, token)
  return { token, headers }
}

/** Renames a table: an unforeseen failure. */
const breakDatabase = (world: World) =>
  askDatabase(world, sql`alter table accounts rename to secret_accounts`)

type Headers = Record<string, string>
/** One response of every kind, by status: all must have the same envelope. */
const kindsOfResponse: [kind: string, call: (world: World, headers: Headers) => Promise<ApiResponse>][] = [
  ['200', (world, headers) => world.call('GET', '/api/health', { headers })],
  [
    '201',
    async (world, headers) =>
      world.call('POST', '/api/accounts', { ...(await signIn(world, headers)), body: account }),
  ],
  [
    '204',
    async (world, headers) => {
      const { body } = await world.call('POST', '/api/accounts', { ...(await signIn(world)), body: account })
      return world.call('DELETE', `/api/accounts/${body.id}`, await signIn(world, headers))
    },
  ],
  [
    '400',
    (world, headers) => world.call('POST', '/api/login', { rawBody: '{', headers: { ...json, ...headers } }),
  ],
  ['401', (world, headers) => world.call('GET', '/api/me', { headers })],
  [
    '403',
    async (world, headers) =>
      world.call('POST', '/api/transactions', { ...(await signIn(world, headers)), body: {} }),
  ],
  ['404', (world, headers) => world.call('GET', '/api/nothing', { headers })],
  ['405', (world, headers) => world.call('DELETE', '/api/login', { headers })],
  [
    '413',
    (world, headers) => world.call('POST', '/api/login', { rawBody: big, headers: { ...json, ...headers } }),
  ],
  ['415', (world, headers) => world.call('POST', '/api/login', { rawBody: 'email=a', headers })],
  ['422', (world, headers) => world.call('POST', '/api/login', { body: {}, headers })],
  [
    '429',
    async (world, headers) => {
      await avoidEndOfMinute()
      for (let i = 0; i < perMinute.CHECK_EMAIL_LIMIT; i++) await world.call('GET', '/api/auth/check-email')
      return world.call('GET', '/api/auth/check-email', { headers })
    },
  ],
  [
    '500',
    async (world, headers) => {
      const signedIn = await signIn(world, headers)
      await breakDatabase(world)
      return world.call('GET', '/api/accounts', signedIn)
    },
  ],
]

describe('every response', () => {
  test.each(kindsOfResponse)(
    'of %s carries a request id of ours, CORS and security headers, and an error a message in JSON',
    async (kind, call) => {
      const imitated = '00000000-0000-4000-8000-000000000000'
      const response = await call(createWorld(), { Origin: spa, 'X-Request-Id': imitated })
      const { status, headers, body } = response
      expect(String(status)).toBe(kind)
      const requestId = headers.get('X-Request-Id')
      expect(requestId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      expect(requestId).not.toBe(imitated)
      expect(headers.get('Access-Control-Allow-Origin')).toBe(spa)
      expect(headers.get('Vary')).toMatch(/\bOrigin\b/i)
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
      if (status < 400) return
      expect(headers.get('Content-Type')).toMatch(/^application\/json/)
      expect(body.message).toEqual(expect.stringMatching(/./))
      if (status !== 422) expect(Object.keys(body)).toEqual(['message'])
    },
  )

  test('has a different request id from the one before', async () => {
    const world = createWorld()
    const idOfOne = async () => (await world.call('GET', '/api/me')).headers.get('X-Request-Id')
    expect(await idOfOne()).not.toBe(await idOfOne())
  })
})

const world = createWorld()

describe('CORS', () => {
  const preflight = (
    origin: string,
    at = world,
    path = '/api/login',
    method = 'PUT',
    requested = 'authorization',
  ) =>
    at.call('OPTIONS', path, {
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': requested,
      },
    })
  const allowedBy = ({ headers }: ApiResponse) => headers.get('Access-Control-Allow-Origin')

  test.each([
    spa,
    'http://localhost:3000',
    'http://localhost:65535',
    'http://127.0.0.1',
    'http://127.0.0.1:5173',
    'http://[::1]',
    'http://[::1]:5173',
    'https://localhost',
    'capacitor://localhost',
  ])('lets %s call, before and after signing in', async (origin) => {
    for (const path of ['/api/login', '/api/accounts', '/api/transactions/1']) {
      const response = await preflight(origin, world, path)
      expect([200, 204]).toContain(response.status)
      expect(allowedBy(response)).toBe(origin)
    }
    expect(allowedBy(await world.call('GET', '/api/me', { headers: { Origin: origin } }))).toBe(origin)
  })

  test.each([
    'https://evil.example',
    'https://app.purse.example.evil.example',
    'https://evil.app.purse.example',
    'http://app.purse.example',
    'https://app.purse.example:8443',
    'http://localhost.evil.example',
    'http://localhost:3000.evil.example',
    'http://localhost:evil.example',
    'http://localhost:',
    'https://localhost:3000',
    'https://127.0.0.1:3000',
    'http://127.0.0.2:3000',
    'http://127.0.0.1.evil.example',
    'http://127.0.0.1:3000.evil.example',
    'http://[::1].evil.example',
    'http://[::2]:3000',
    'http://::1:3000',
    'ionic://localhost',
    'null',
  ])('does not let %s call', async (origin) => {
    expect(allowedBy(await preflight(origin))).toBeNull()
    expect(allowedBy(await world.call('GET', '/api/me', { headers: { Origin: origin } }))).toBeNull()
  })

  test.each([
    [
      'https://a.example/, https://b.example, app://purse, http://c.example:*',
      ['https://a.example', 'https://b.example', 'app://purse', 'http://c.example:81', spa],
    ],
    // However their host and port are written.
    [
      'https://a.example:443, http://B.example:80/, https://bücher.example',
      ['https://a.example', 'http://b.example', 'https://xn--bcher-kva.example'],
    ],
  ])('lets configured origins call: %s', async (CORS_ORIGINS, origins) => {
    const configured = createWorld({ CORS_ORIGINS })
    for (const origin of origins) expect(allowedBy(await preflight(origin, configured))).toBe(origin)
    expect(allowedBy(await preflight('https://c.example', configured))).toBeNull()
  })

  test('allows all methods and echoes the requested headers', async () => {
    const requested = 'authorization,content-type,x-requested-with,x-anything'
    const { headers } = await preflight(spa, world, '/api/accounts/1', 'PATCH', requested)
    const methods = headers.get('Access-Control-Allow-Methods')?.split(/, ?/) ?? []
    expect(methods).toEqual(expect.arrayContaining(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']))
    expect(headers.get('Access-Control-Allow-Headers')?.replaceAll(' ', '')).toBe(requested)
  })

  test('exposes every header that the document describes, and allows no cookies', async () => {
    const { headers } = await world.call('GET', '/api/me', { headers: { Origin: spa } })
    const exposed = headers.get('Access-Control-Expose-Headers')?.toLowerCase().split(/, ?/) ?? []
    const described = Object.keys(openApiDocument(app.routes).components.headers)
    expect(described).toEqual(expect.arrayContaining(['Retry-After', 'X-Request-Id', 'Preference-Applied']))
    // Where a redirect goes is for the browser alone: no page may read it.
    const readable = described.filter((name) => name !== 'Location').map((name) => name.toLowerCase())
    expect(exposed).toEqual(expect.arrayContaining([...readable, 'allow']))
    for (const one of [headers, (await preflight(spa, world, '/api/me')).headers])
      expect(one.get('Access-Control-Allow-Credentials')).toBeNull()
  })
})

describe('a route', () => {
  test.each([
    '/docs/nothing',
    '/api/nothing',
    '/api/accounts/1/2',
    '/accounts',
    '/api/categories/1/transactions',
  ])('that does not exist is 404: %s', async (path) => {
    for (const options of [{}, await signIn(world)]) {
      const { status, body } = await world.call('GET', path, options)
      expect([status, body]).toEqual([404, { message: expect.any(String) }])
    }
  })

  test.each([
    ['GET', '/api/login', ['POST']],
    ['PUT', '/api/register', ['POST']],
    ['POST', '/api/auth/check-email', ['GET']],
    ['POST', '/api/me', ['GET', 'PUT', 'PATCH', 'DELETE']],
    ['GET', '/api/logout', ['POST']],
    ['DELETE', '/api/accounts', ['GET', 'POST']],
    ['POST', '/api/accounts/1', ['GET', 'PUT', 'PATCH', 'DELETE']],
    ['PUT', '/api/categories', ['GET', 'POST']],
    ['POST', '/api/categories/1', ['GET', 'PUT', 'PATCH', 'DELETE']],
    ['PATCH', '/api/transactions', ['GET', 'POST']],
    ['POST', '/api/transactions/1', ['GET', 'PUT', 'PATCH', 'DELETE']],
    ['POST', '/api/summary', ['GET']],
    ['GET', '/api/categories/suggest', ['POST']],
    ['DELETE', '/api/categories/suggest/', ['POST']],
    ['PUT', '/api/transactions/sync', ['POST']],
    ['DELETE', '/api/imports/layouts', ['GET']],
  ])('without this method is 405 with those it has: %s %s', async (method, path, has) => {
    const { status, headers, body } = await world.call(method, path, await signIn(world))
    expect([status, body]).toEqual([405, { message: expect.any(String) }])
    const allow = headers.get('Allow')?.split(/, ?/) ?? []
    expect(allow).toEqual(expect.arrayContaining(has))
    expect(allow).not.toContain(method)
    expect(allow.filter((one) => !['HEAD', 'OPTIONS', ...has].includes(one))).toEqual([])
  })

  test.each(['/api', '/api/'])(
    'links to the reference, the document and the health check: %s',
    async (path) => {
      const { status, body } = await world.call('GET', path)
      const paths = Object.entries(body).map(([name, url]) => [name, new URL(String(url)).pathname])
      expect([status, Object.fromEntries(paths)]).toEqual([
        200,
        { reference: '/docs', document: '/api/openapi.json', health: '/api/health' },
      ])
    },
  )

  test.each([
    '/api/me',
    '/api/accounts',
    '/api/categories',
    '/api/transactions',
    '/api/summary',
    '/api/health',
  ])('responds to HEAD as to GET, without a body: %s', async (path) => {
    const options = await signIn(world)
    const [head, get] = [await world.call('HEAD', path, options), await world.call('GET', path, options)]
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers.get('Content-Type')).toBe(get.headers.get('Content-Type'))
  })

  test('allows HEAD on a row, and responds with 401 without a token', async () => {
    const options = await signIn(world)
    const { body } = await world.call('POST', '/api/accounts', { ...options, body: account })
    const head = async (id: number, signedIn = options) =>
      (await world.call('HEAD', `/api/accounts/${id}`, signedIn)).status
    expect([await head(body.id), await head(999_999), await head(body.id, {})]).toEqual([200, 404, 401])
  })
})

describe('the body of a request', () => {
  const post = async (rawBody: string, type = 'application/json', path = '/api/accounts') => {
    const options = await signIn(world)
    return world.call('POST', path, { ...options, rawBody, headers: { 'Content-Type': type } })
  }
  const good = JSON.stringify(account)

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset=UTF-8'])(
    'may be called %s',
    async (type) => {
      expect((await post(good, type)).status).toBe(201)
    },
  )

  test.each(['/api/accounts', '/api/import/store'])(
    'of POST %s is 400 when it is not UTF-8: no letter is replaced silently',
    async (path) => {
      const { status, body } = await world.call('POST', path, {
        ...(await signIn(world)),
        rawBody: Buffer.from('{"name":"Caf\u00e9","type":"cash","starting_balance":1}', 'latin1'),
        headers: { 'Content-Type': 'application/json; charset=iso-8859-1' },
      })
      expect([status, body]).toEqual([400, { message: expect.stringContaining('UTF-8') }])
    },
  )

  test('may contain unknown keys, dangerous ones do no harm, and the last value of one given twice counts', async () => {
    const { status, body } = await post(
      '{"name":"A","type":"bank","starting_balance":1,"extra":{"a":[1]},"__proto__":{"notes":"x"},"constructor":1,"name":"B"}',
    )
    expect([status, body.name, body.notes]).toEqual([201, 'B', null])
    expect(body).not.toHaveProperty('extra')
  })

  test('may come with unknown query parameters', async () => {
    const { status, body } = await post(good, undefined, '/api/accounts?colour=red&name=')
    expect([status, body.name]).toEqual([201, account.name])
    const list = await world.call('GET', '/api/accounts?colour=red', await signIn(world))
    expect(list.body.length).toBeGreaterThan(0)
  })
})

describe('failures', () => {
  test('that are unforeseen are a 500 and reveal nothing', async () => {
    const broken = createWorld()
    const options = await signIn(broken)
    await breakDatabase(broken)
    for (const response of [
      await broken.call('GET', '/api/accounts', options),
      await broken.call('POST', '/api/accounts', { ...options, body: account }),
    ]) {
      expect([response.status, response.body]).toEqual([500, { message: 'Server Error' }])
      expect([...response.headers].join()).not.toMatch(/sql|accounts|table/i)
    }
  })

  test.each(['127.0.0.1:8787', 'localhost', '[::1]:8787'])(
    'of the configuration are reported to a developer at %s, by name and without values',
    async (host) => {
      const response = await worker.fetch(
        new Request(`http://${host}/api/health`),
        { ...env, SCRYPT_COST: 'no-such-cost' },
        createExecutionContext(),
      )
      const { message } = (await response.json()) as { message: string }
      expect([response.status, message]).toEqual([500, expect.stringMatching(/SCRYPT_COST.*npm run dev/)])
      expect(message).not.toContain('no-such-cost')
    },
  )

  test.each(['8000', '{"requestMs":-1}', '{"requestMs":"8000"}', '{"request":8000}'])(
    'of the configuration include budgets that are no times by name: %s',
    async (BUDGETS) => {
      const response = await worker.fetch(
        new Request('http://localhost/api/health'),
        { ...env, BUDGETS },
        createExecutionContext(),
      )
      expect([response.status, await response.text()]).toEqual([500, expect.stringMatching(/BUDGETS: Write/)])
    },
  )
})

test.each(["Robert'); drop table accounts;--", '<script>alert(1)</script>', '🏦 Größe – 銀行', '"\\'])(
  'texts come back as they went in: %s',
  async (name) => {
    const { get, post } = await world.register()
    await post('/api/accounts', { ...account, name })
    expect((await get('/api/accounts')).body[0].name).toBe(name)
  },
)
