import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { app } from '../../../src/app.ts'
import { openApiDocument } from '../../../src/document.ts'
import worker from '../../../src/worker.ts'
import {
  type ApiResponse,
  avoidEndOfMinute,
  type CallOptions,
  createWorld,
  type World,
} from '../fixtures/world.ts'
import { openWorldDatabase } from '../laws/every-route.ts'

const spa = 'https://app.purse.example'
const json = { 'Content-Type': 'application/json' }

/** One response of every kind, by status: all must have the same envelope. */
const kindsOfResponse: [
  kind: string,
  call: (world: World, headers: Record<string, string>) => Promise<ApiResponse>,
][] = [
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
    (world, headers) =>
      world.call('POST', '/api/login', { rawBody: big(600_000), headers: { ...json, ...headers } }),
  ],
  ['415', (world, headers) => world.call('POST', '/api/login', { rawBody: 'email=a', headers })],
  ['422', (world, headers) => world.call('POST', '/api/login', { body: {}, headers })],
  [
    '429',
    async (world, headers) => {
      await avoidEndOfMinute()
      for (let i = 0; i < 30; i++) await world.call('GET', '/api/auth/check-email')
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

const account = { name: 'Checking', type: 'bank', starting_balance: 1 }
const big = (bytes: number) => JSON.stringify({ padding: 'x'.repeat(bytes) })

const signedInTo = new WeakMap<World, string>()
/** Options that sign a call in, as the one person of the world. */
async function signIn(world: World, headers: Record<string, string> = {}): Promise<CallOptions> {
  const token = signedInTo.get(world) ?? (await world.register()).token
  signedInTo.set(world, token)
  return { token, headers }
}

/** Drops a table: an unforeseen failure. */
async function breakDatabase(world: World): Promise<void> {
  const db = openWorldDatabase(world)
  await db.batch([db.run(sql`alter table accounts rename to secret_accounts`)])
}

describe('every response', () => {
  test.each(kindsOfResponse)(
    'of %s carries a request id of its own, CORS and security headers',
    async (kind, call) => {
      const world = createWorld()
      const response = await call(world, { Origin: spa })
      expect(String(response.status)).toBe(kind)
      expect(response.headers.get('X-Request-Id')).toMatch(/^.{8,}$/)
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe(spa)
      expect(response.headers.get('Vary')).toMatch(/\bOrigin\b/i)
      expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff')
    },
  )

  test.each(kindsOfResponse.filter(([kind]) => Number(kind) >= 400))(
    'of %s is JSON with a message',
    async (kind, call) => {
      const { status, headers, body } = await call(createWorld(), {})
      expect(String(status)).toBe(kind)
      expect(headers.get('Content-Type')).toMatch(/^application\/json/)
      expect(body.message).toEqual(expect.stringMatching(/./))
      if (kind !== '422') expect(Object.keys(body)).toEqual(['message'])
    },
  )

  test('has a different request id from the one before', async () => {
    const world = createWorld()
    const ids = [await world.call('GET', '/api/me'), await world.call('GET', '/api/me')].map(({ headers }) =>
      headers.get('X-Request-Id'),
    )
    expect(ids[0]).not.toBe(ids[1])
  })

  test.each(kindsOfResponse)(
    'of %s carries a request id of ours, never the one that the client sent',
    async (_, call) => {
      const sent = await call(createWorld(), { 'X-Request-Id': 'evil=1' })
      expect(sent.headers.get('X-Request-Id')).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      const imitated = '00000000-0000-4000-8000-000000000000'
      const response = await call(createWorld(), { 'X-Request-Id': imitated })
      expect(response.headers.get('X-Request-Id')).not.toBe(imitated)
    },
  )
})

describe('CORS', () => {
  const preflight = (world: World, path: string, origin: string, method = 'PUT', headers = 'authorization') =>
    world.call('OPTIONS', path, {
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': headers,
      },
    })
  const allowed = [
    spa,
    'http://localhost:3000',
    'http://localhost:65535',
    'http://127.0.0.1',
    'http://127.0.0.1:5173',
    'http://[::1]',
    'http://[::1]:5173',
    'https://localhost',
    'capacitor://localhost',
  ]
  const strangers = [
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
  ]

  test.each(allowed)('lets %s call, before and after signing in', async (origin) => {
    const world = createWorld()
    for (const path of ['/api/login', '/api/accounts', '/api/transactions/1']) {
      const { status, headers } = await preflight(world, path, origin)
      expect([200, 204]).toContain(status)
      expect(headers.get('Access-Control-Allow-Origin')).toBe(origin)
    }
    const { headers } = await world.call('GET', '/api/me', { headers: { Origin: origin } })
    expect(headers.get('Access-Control-Allow-Origin')).toBe(origin)
  })

  test.each(strangers)('does not let %s call', async (origin) => {
    const world = createWorld()
    expect(
      (await preflight(world, '/api/login', origin)).headers.get('Access-Control-Allow-Origin'),
    ).toBeNull()
    const { headers } = await world.call('GET', '/api/me', { headers: { Origin: origin } })
    expect(headers.get('Access-Control-Allow-Origin')).toBeNull()
  })

  test('lets configured origins call', async () => {
    const world = createWorld({
      CORS_ORIGINS: 'https://a.example/, https://b.example, app://purse, http://c.example:*',
    })
    for (const origin of [
      'https://a.example',
      'https://b.example',
      'app://purse',
      'http://c.example:81',
      spa,
    ]) {
      const { headers } = await preflight(world, '/api/login', origin)
      expect(headers.get('Access-Control-Allow-Origin')).toBe(origin)
    }
    const { headers } = await preflight(world, '/api/login', 'https://c.example')
    expect(headers.get('Access-Control-Allow-Origin')).toBeNull()
  })

  test('lets configured origins call however their host and port are written', async () => {
    const world = createWorld({
      CORS_ORIGINS: 'https://a.example:443, http://B.example:80/, https://bücher.example',
    })
    for (const origin of ['https://a.example', 'http://b.example', 'https://xn--bcher-kva.example']) {
      const { headers } = await preflight(world, '/api/login', origin)
      expect(headers.get('Access-Control-Allow-Origin')).toBe(origin)
    }
  })

  test('allows all methods and echoes the requested headers', async () => {
    const requested = 'authorization,content-type,x-requested-with,x-anything'
    const { headers } = await preflight(createWorld(), '/api/accounts/1', spa, 'PATCH', requested)
    const methods = headers.get('Access-Control-Allow-Methods')?.split(/, ?/) ?? []
    expect(methods).toEqual(expect.arrayContaining(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']))
    expect(headers.get('Access-Control-Allow-Headers')?.replaceAll(' ', '')).toBe(requested)
  })

  test('exposes every header that the document describes', async () => {
    const { headers } = await createWorld().call('GET', '/api/me', { headers: { Origin: spa } })
    const exposed = headers.get('Access-Control-Expose-Headers')?.toLowerCase().split(/, ?/) ?? []
    const described = Object.keys(openApiDocument(app.routes).components.headers)
    expect(described).toEqual(expect.arrayContaining(['Retry-After', 'X-Request-Id', 'Preference-Applied']))
    // Where a redirect goes is for the browser alone: no page may read it.
    const readable = described.filter((name) => name !== 'Location').map((name) => name.toLowerCase())
    expect(exposed).toEqual(expect.arrayContaining([...readable, 'allow']))
  })

  test('allows no cookies', async () => {
    const world = createWorld()
    const plain = await world.call('GET', '/api/me', { headers: { Origin: spa } })
    for (const { headers } of [plain, await preflight(world, '/api/me', spa)]) {
      expect(headers.get('Access-Control-Allow-Credentials')).toBeNull()
    }
  })
})

describe('a route', () => {
  test.each([
    '/api',
    '/docs/nothing',
    '/api/nothing',
    '/api/accounts/1/2',
    '/accounts',
    '/api/categories/1/transactions',
  ])('that does not exist is 404: %s', async (path) => {
    const world = createWorld()
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
  ])('without this method is 405 with those it has: %s %s', async (method, path, has) => {
    const world = createWorld()
    const { status, headers, body } = await world.call(method, path, await signIn(world))
    expect([status, body]).toEqual([405, { message: expect.any(String) }])
    const allow = headers.get('Allow')?.split(/, ?/) ?? []
    expect(allow).toEqual(expect.arrayContaining(has))
    expect(allow).not.toContain(method)
    expect(allow.filter((one) => !['HEAD', 'OPTIONS', ...has].includes(one))).toEqual([])
  })

  test.each([
    '/api/me',
    '/api/accounts',
    '/api/categories',
    '/api/transactions',
    '/api/summary',
    '/api/health',
  ])('responds to HEAD as to GET, without a body: %s', async (path) => {
    const world = createWorld()
    const options = await signIn(world)
    const [head, get] = [await world.call('HEAD', path, options), await world.call('GET', path, options)]
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers.get('Content-Type')).toBe(get.headers.get('Content-Type'))
  })

  test('allows HEAD on a row, and responds with 401 without a token', async () => {
    const world = createWorld()
    const options = await signIn(world)
    const { body } = await world.call('POST', '/api/accounts', { ...options, body: account })
    expect((await world.call('HEAD', `/api/accounts/${body.id}`, options)).status).toBe(200)
    expect((await world.call('HEAD', '/api/accounts/999999', options)).status).toBe(404)
    expect((await world.call('HEAD', `/api/accounts/${body.id}`)).status).toBe(401)
  })
})

describe('the body of a request', () => {
  const post = (world: World, rawBody: string, headers: Record<string, string>, options: CallOptions = {}) =>
    world.call('POST', '/api/accounts', { ...options, rawBody, headers })
  const good = JSON.stringify(account)

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset=UTF-8'])(
    'may be called %s',
    async (type) => {
      const world = createWorld()
      expect((await post(world, good, { 'Content-Type': type }, await signIn(world))).status).toBe(201)
    },
  )

  test.each(['/api/accounts', '/api/import/store'])(
    'of POST %s is 400 when it is not UTF-8: no letter is replaced silently',
    async (path) => {
      const world = createWorld()
      const rawBody = Buffer.from('{"name":"Caf\u00e9","type":"cash","starting_balance":1}', 'latin1')
      const { status, body } = await world.call('POST', path, {
        ...(await signIn(world)),
        rawBody,
        headers: { 'Content-Type': 'application/json; charset=iso-8859-1' },
      })
      expect([status, body]).toEqual([400, { message: expect.stringContaining('UTF-8') }])
    },
  )

  test('is a 413 if it is larger than any that we accept', async () => {
    const world = createWorld()
    const { status, body } = await post(world, big(600_000), json, await signIn(world))
    expect([status, body]).toEqual([413, { message: expect.any(String) }])
  })

  test('may contain unknown keys, and dangerous ones do no harm', async () => {
    const world = createWorld()
    const rawBody =
      '{"name":"A","type":"bank","starting_balance":1,"extra":{"a":[1]},"__proto__":{"notes":"x"},"constructor":1}'
    const { status, body } = await post(world, rawBody, json, await signIn(world))
    expect(status).toBe(201)
    expect(body.notes).toBeNull()
    expect(body).not.toHaveProperty('extra')
  })

  test('may come with unknown query parameters', async () => {
    const world = createWorld()
    const options = await signIn(world)
    const { status } = await world.call('POST', '/api/accounts?colour=red&name=', {
      ...options,
      body: account,
    })
    expect(status).toBe(201)
    expect((await world.call('GET', '/api/accounts?colour=red', options)).body).toHaveLength(1)
  })

  test('lets the last value count when a key is given twice', async () => {
    const world = createWorld()
    const rawBody = '{"name":"A","type":"bank","starting_balance":1,"name":"B"}'
    expect((await post(world, rawBody, json, await signIn(world))).body.name).toBe('B')
  })
})

describe('failures', () => {
  test('that are unforeseen are a 500 and reveal nothing', async () => {
    const world = createWorld()
    const options = await signIn(world)
    await breakDatabase(world)
    for (const response of [
      await world.call('GET', '/api/accounts', options),
      await world.call('POST', '/api/accounts', { ...options, body: account }),
    ]) {
      expect([response.status, response.body]).toEqual([500, { message: 'Server Error' }])
      expect([...response.headers].join()).not.toMatch(/sql|accounts|table/i)
    }
  })

  test('of the configuration are a 500 and reveal nothing', async () => {
    const response = await createWorld({ SCRYPT_COST: 'no-such-cost' }).call('POST', '/api/login', {
      body: {},
    })
    expect([response.status, response.body]).toEqual([500, { message: 'Server Error' }])
    expect(response.headers.get('X-Request-Id')).toMatch(/./)
  })

  test('of the configuration are reported to a developer on the same machine, by name and without values', async () => {
    const brokenEnv = { ...env, SCRYPT_COST: 'no-such-cost' }
    for (const host of ['127.0.0.1:8787', 'localhost', '[::1]:8787']) {
      const response = await worker.fetch(
        new Request(`http://${host}/api/health`),
        brokenEnv,
        createExecutionContext(),
      )
      const { message } = (await response.json()) as { message: string }
      expect([response.status, message]).toEqual([500, expect.stringMatching(/SCRYPT_COST.*npm run dev/)])
      expect(message).not.toContain('no-such-cost')
    }
  })
})

describe('texts', () => {
  test.each(["Robert'); drop table accounts;--", '<script>alert(1)</script>', '🏦 Größe – 銀行', '"\\'])(
    'come back as they went in: %s',
    async (name) => {
      const world = createWorld()
      const options = await signIn(world)
      await world.call('POST', '/api/accounts', { ...options, body: { ...account, name } })
      expect((await world.call('GET', '/api/accounts', options)).body[0].name).toBe(name)
    },
  )
})
