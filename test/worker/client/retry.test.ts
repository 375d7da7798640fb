import { describe, expect, test, vi } from 'vitest'
import { ApiError, ConnectionError, createClient, defaultRetry, unwrap } from '../../../client/index.ts'
import { isRepeatable, retryDelayMs } from '../../../client/retry.ts'
import { createClientWorld, createPhone, type Fetch, fetchOf } from './client-world.ts'

const get = { method: 'GET', headers: new Headers(), body: null }
const timing = { attempt: 1, policy: defaultRetry, random: 1, now: Date.parse('2026-11-20T10:00:00Z') }
const response = (status: number, retryAfter?: string) => ({
  status,
  headers: new Headers(retryAfter === undefined ? {} : { 'Retry-After': retryAfter }),
})

describe('the rule', () => {
  test.each([200, 204, 302, 400, 401, 403, 404, 405, 409, 413, 415, 422, 500, 501])(
    'a %i is final',
    (status) => {
      expect(retryDelayMs(get, response(status), timing)).toBeUndefined()
    },
  )

  test.each([undefined, 408, 429, 502, 503, 504])('a %s is tried again', (status) => {
    expect(retryDelayMs(get, status ? response(status) : undefined, timing)).toBe(500)
  })

  test('waits longer each time, up to a limit, spread at random, and gives up after a number of attempts', () => {
    const policy = { attempts: 8, firstDelayMs: 500, maxDelayMs: 5_000 }
    const waits = [1, 2, 3, 4, 5, 6, 7, 8].map((attempt) =>
      retryDelayMs(get, undefined, { ...timing, attempt, policy }),
    )
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000, undefined])
    expect(retryDelayMs(get, undefined, { ...timing, random: 0 })).toBe(250)
  })

  test('waits for as long as Retry-After says, in seconds or as a date, and not at all if that is too long', () => {
    expect(retryDelayMs(get, response(503, '7'), timing)).toBe(7_000)
    expect(retryDelayMs(get, response(503, '0'), timing)).toBe(0)
    expect(retryDelayMs(get, response(429, 'Fri, 20 Nov 2026 10:00:12 GMT'), timing)).toBe(12_000)
    expect(retryDelayMs(get, response(503, 'soon'), timing)).toBe(500)
    expect(retryDelayMs(get, response(429, '60'), timing)).toBeUndefined()
  })

  test.each(['1.5', '-5', '+7', '0x10', '2 3', 'Mon 3', '2026-11-20', '2026-11-20T10:00:12Z', '7 seconds'])(
    'a Retry-After of %s is neither a number nor a date of HTTP, so it changes nothing',
    (value) => {
      expect(retryDelayMs(get, response(503, value), timing)).toBe(500)
    },
  )

  test.each(['Fri, 20 Nov 2026 10:00:12 GMT', 'Friday, 20-Nov-26 10:00:12 GMT', 'Fri Nov 20 10:00:12 2026'])(
    'a Retry-After of %s is a date of HTTP',
    (value) => {
      expect(retryDelayMs(get, response(503, value), timing)).toBe(12_000)
    },
  )

  test('a date counts from the response’s own date, if that can be read, whatever the device’s clock says', () => {
    const headers = new Headers({
      'Retry-After': 'Fri, 20 Nov 2026 12:00:12 GMT',
      Date: 'Fri, 20 Nov 2026 12:00:05 GMT',
    })
    expect(retryDelayMs(get, { status: 503, headers }, timing)).toBe(7_000)
    headers.set('Date', 'today')
    expect(new ApiError({ status: 503, headers }, {}, timing.now).retryAfterSeconds).toBe(3_600)
  })

  test.each(['3601', '99999999999999999999999', 'Fri, 20 Nov 2099 10:00:00 GMT'])(
    'a failure that says %s is tried again within an hour',
    (value) => {
      const { retryAfterSeconds } = new ApiError(response(429, value), {}, timing.now)
      expect(retryAfterSeconds).toBe(3_600)
    },
  )

  test.each<[string, string, HeadersInit, string | null, boolean]>([
    ['GET', 'GET', {}, null, true],
    ['HEAD', 'HEAD', {}, null, true],
    ['PUT', 'PUT', {}, '{"name":"A"}', true],
    ['PATCH', 'PATCH', {}, '{"name":"A"}', true],
    ['DELETE', 'DELETE', {}, null, true],
    ['a plain POST', 'POST', {}, '{"name":"A"}', false],
    ['a POST without a body', 'POST', {}, null, false],
    ['a POST with a key', 'POST', { 'Idempotency-Key': 'a' }, '{"name":"A"}', true],
    ['a POST with a client id', 'POST', {}, '{"client_id":"a"}', true],
    ['a POST with an empty client id', 'POST', {}, '{"client_id":" "}', false],
    ['a batch with client ids', 'POST', {}, '{"transactions":[{"client_id":"a"},{"client_id":"b"}]}', true],
    ['a batch with one missing', 'POST', {}, '{"transactions":[{"client_id":"a"},{}]}', false],
    ['an upload of operations', 'POST', {}, '{"ops":[{"op":"delete","noun":"account","id":1}]}', true],
    ['a batch with an id beside the items', 'POST', {}, '{"client_id":"a","transactions":[{}]}', false],
  ])('%s may be repeated or not', (_, method, headers, body, expected) => {
    expect(isRepeatable({ method, headers: new Headers(headers), body })).toBe(expected)
  })
})

/** Cuts the connection: so many requests before they arrive, and so many responses on their way back. */
function cutting(fetch: Fetch, cuts: ('request' | 'response' | 'half the response')[]): Fetch {
  return async (url, init) => {
    const cut = cuts.shift()
    if (cut === 'request') throw new TypeError('Failed to fetch')
    const whole = await fetch(url, init)
    if (cut === 'response') throw new TypeError('Failed to fetch')
    if (cut !== 'half the response') return whole
    const text = await whole.text()
    return new Response(halfOf(text), { status: whole.status, headers: whole.headers })
  }
}

function halfOf(text: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text.slice(0, text.length / 2)))
      controller.error(new TypeError('terminated'))
    },
  })
}

describe('against the service', () => {
  async function createCut(...cuts: Parameters<typeof cutting>[1]) {
    const phone = await createPhone()
    const { fetch } = phone.network
    const client = createClient({
      baseUrl: 'http://purse.test',
      tokens: phone.client.tokens,
      fetch: cutting(fetch, cuts),
      sleep: async () => {},
    })
    const category = (await phone.person.get('/api/categories')).body[0]
    return { ...phone, api: client.api, fields: { ...phone.coffee(), category_id: category.id as number } }
  }

  test.each(['request', 'response', 'half the response'] as const)(
    'a read succeeds although the %s was cut off',
    async (cut) => {
      const { api, account } = await createCut(cut, cut)
      expect((await unwrap(api.accounts.$get())).map(({ id }) => id)).toEqual([account.id])
    },
  )

  test('a transaction with a client id is stored once, however often its response is lost', async () => {
    const { api, fields, stored, network } = await createCut('response', 'half the response', 'request')
    const created = await unwrap(api.transactions.$post({ json: { ...fields, client_id: 'phone-1' } }))
    expect(created.description).toBe('Coffee')
    expect(network.paths().filter((path) => path === 'POST /api/transactions')).toHaveLength(3)
    expect(await stored()).toEqual(['Coffee'])
  })

  test('a transaction without one is sent once, and the app is told that the outcome is unknown', async () => {
    const { api, fields, stored } = await createCut('response')
    const lost = unwrap(api.transactions.$post({ json: fields }))
    await expect(lost).rejects.toBeInstanceOf(ConnectionError)
    await expect(lost).rejects.toMatchObject({ cause: new TypeError('Failed to fetch') })
    expect(await stored()).toEqual(['Coffee'])
  })

  test('a row that is gone when its deletion is repeated has been deleted; one that was never there is a 404', async () => {
    const { api, account } = await createCut('response')
    const param = { id: String(account.id) }
    expect((await api.accounts[':id'].$delete({ param })).status).toBe(204)
    expect((await api.accounts[':id'].$delete({ param })).status).toBe(404)
  })

  test('a response of something in between is not the service’s: a deletion is repeated, and not taken for done', async () => {
    const { person, client, account, network } = await createPhone()
    const responses = [new Response('<h1>404</h1>', { status: 404 }), new Response('<h1>Sign in</h1>')]
    const { api } = createClient({
      baseUrl: 'http://purse.test',
      tokens: client.tokens,
      fetch: async (url, init) => responses.shift() ?? network.fetch(url, init),
      sleep: async () => {},
    })
    const deletion = await api.accounts[':id'].$delete({ param: { id: account.id } })
    expect([deletion.status, network.paths()]).toEqual([204, [`DELETE /api/accounts/${account.id}`]])
    expect((await person.get('/api/accounts')).body).toEqual([])
  })

  test('after the last attempt the caller gets the failure', async () => {
    const { api } = await createCut('request', 'request', 'request', 'request')
    await expect(unwrap(api.me.$get())).rejects.toBeInstanceOf(ConnectionError)
    expect((await unwrap(api.me.$get())).name).toBe('Person 1')
  })

  test('while the database is away, the client waits as it is told to', async () => {
    const { client, network, waits } = createClientWorld({}, { TURSO_DATABASE_URL: 'http://127.0.0.1:1/' })
    await client.tokens.set(`1|${'0'.repeat(40)}`)
    const { status, headers } = await client.api.health.$get()
    expect([status, network.calls.length]).toEqual([503, 4])
    expect(waits).toEqual([1, 2, 3].map(() => Number(headers.get('Retry-After')) * 1_000))
  })

  test('the caller can stop it, between attempts and in the middle of one', async () => {
    const { world } = await createPhone()
    const stop = new AbortController()
    const { fetch, calls } = fetchOf(world)
    const client = createClient({
      baseUrl: 'http://purse.test',
      fetch: cutting(fetch, ['response', 'response']),
      retry: { ...defaultRetry, firstDelayMs: 60_000, maxDelayMs: 60_000 },
    })
    const call = client.api.health.$get({}, { init: { signal: stop.signal } })
    await vi.waitUntil(() => calls.length === 1)
    stop.abort()
    await expect(call).rejects.toMatchObject({ name: 'AbortError' })
    expect(calls).toHaveLength(1)
    await expect(client.api.health.$get({}, { init: { signal: stop.signal } })).rejects.toMatchObject({
      name: 'AbortError',
    })
  })

  test('an attempt that gets no response in time counts as cut off', async () => {
    let attempts = 0
    const client = createClient({
      baseUrl: 'http://purse.test',
      timeoutMs: 5,
      sleep: async () => {},
      fetch: (_, { signal }) => {
        attempts += 1
        return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
      },
    })
    await expect(client.api.health.$get()).rejects.toMatchObject({
      name: 'ConnectionError',
      cause: 'No response came in time.',
    })
    expect(attempts).toBe(4)
  })

  test.each([
    ['never responds', () => new Promise<Response>(() => {})],
    ['never ends its response', async () => new Response(new ReadableStream())],
  ])('a fetch that ignores its signal and %s holds no call', async (_, fetch) => {
    const options = { baseUrl: 'http://purse.test', sleep: async () => {}, fetch }
    const call = createClient({ ...options, timeoutMs: 5 }).api.health.$get()
    await expect(call).rejects.toMatchObject({ cause: 'No response came in time.' })
    const stop = new AbortController()
    const stopped = createClient(options).api.health.$get({}, { init: { signal: stop.signal } })
    stop.abort()
    await expect(stopped).rejects.toMatchObject({ name: 'AbortError' })
  })
})
