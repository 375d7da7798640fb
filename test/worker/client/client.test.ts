import { expect, expectTypeOf, test } from 'vitest'
import {
  type Account,
  ApiError,
  createClient,
  type Duplicate,
  defaultRetry,
  memoryTokens,
  type TokenStore,
  unwrap,
  webStorageTokens,
} from '../../../client/index.ts'
import { sender } from '../../../client/send.ts'
import { app } from '../../../src/app.ts'
import { openApiDocument } from '../../../src/document.ts'
import type { ShownDuplicateError } from '../../../src/failures/failure-responses.ts'
import { createClientWorld, createPhone, fetchOf } from './client-world.ts'

const ada = {
  name: 'Ada',
  email: 'ada@example.com',
  password: 'countess1815',
  password_confirmation: 'countess1815',
}

/** The ApiError that a promise ends in. */
async function refusalOf(promise: Promise<unknown>): Promise<ApiError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ApiError)
  return error as ApiError
}

test('a session: register, open an account, record, look, change, delete, sign out and in again', async () => {
  const { client, network } = createClientWorld()
  const { api } = client
  expect((await client.register(ada)).user.name).toBe('Ada')
  const account = await unwrap(
    api.accounts.$post({ json: { name: 'Wallet', type: 'cash', starting_balance: '20.50' } }),
  )
  const [category] = await unwrap(api.categories.$get())
  const transaction = await unwrap(
    api.transactions.$post({
      json: {
        account_id: account.id,
        category_id: category?.id ?? 0,
        type: 'expense',
        amount: 3.2,
        transaction_date: '2026-11-20',
      },
    }),
  )
  const param = { id: String(transaction.id) }
  expect((await unwrap(api.transactions[':id'].$patch({ param, json: { amount: 4 } }))).amount).toBe('4.00')
  expect((await unwrap(api.transactions[':id'].$get({ param }))).account.name).toBe('Wallet')
  expect(await unwrap(api.transactions[':id'].$delete({ param }))).toBeUndefined()
  expect((await unwrap(api.summary.$get({ query: {} }))).total_balance).toBe(20.5)
  await client.signOut()
  expect(await client.tokens.get()).toBeNull()
  await client.signIn({ email: ada.email, password: ada.password })
  expect((await unwrap(api.me.$get())).email).toBe(ada.email)
  expect(network.calls.every(({ headers }) => headers.get('Accept') === 'application/json')).toBe(true)
})

test('inputs that handlers read for themselves arrive: page, form, hint, address', async () => {
  const { client, account, coffee, world } = await createPhone()
  const { api } = client
  expect((await unwrap(api.transactions.$get({ query: { page: '3' } }))).current_page).toBe(3)
  const file = new Blob(['date,amount,description\n2026-11-19,-3.20,Bakery\n'], { type: 'text/csv' })
  const form = { file, account_id: String(account.id) }
  const dryRun = await unwrap(api.import.store.$post({ form: { ...form, dry_run: 'true' } }))
  expect(dryRun.import).toMatchObject({ dry_run: true, counts: { rows: 1, created: 1 } })
  const { import: imported } = await unwrap(api.import.store.$post({ form }))
  const undone = api.imports[':id'].$delete({ param: { id: String(imported.id) }, query: { force: 'true' } })
  expect((await undone).status).toBe(204)
  const rows = await unwrap(
    api.import.store.$post({ json: { transactions: [coffee()], account_id: account.id, dry_run: true } }),
  )
  expect(rows.import).toMatchObject({ format: 'json', counts: { rows: 1, created: 1 } })
  expect((await unwrap(api.transactions.$get({ query: { page: 2, account_id: account.id } }))).total).toBe(0)
  expect((await unwrap(api.accounts[':id'].$get({ param: { id: account.id } }))).name).toBe('Wallet')
  expect((await unwrap(api.summary.$get())).total_balance).toBe(0)
  const { url } = await unwrap(api.auth.idp.$get({ query: { login_hint: 'grace@example.com' } }))
  expect(new URL(url).searchParams.get('login_hint')).toBe('grace@example.com')
  expect(await unwrap(api.auth['check-email'].$get({ query: { email: 'no address' } }))).toEqual({
    available: false,
  })
  expect((await world.call('GET', '/api/health')).status).toBe(200)
})

test('a refusal is an ApiError that says what a form or a log needs', async () => {
  const { client, coffee, person } = await createPhone()
  const { api } = client
  const invalid = await refusalOf(
    unwrap(api.accounts.$post({ json: { name: '', type: 'cash', starting_balance: '1.005' } })),
  )
  expect(invalid).toMatchObject({
    name: 'ApiError',
    status: 422,
    message: 'The given data was invalid.',
    errors: {
      name: ['The name field is required.'],
      starting_balance: ['The starting balance field must have 0-2 decimal places.'],
    },
    isDuplicate: false,
    duplicates: [],
    requiresVerifiedEmail: false,
    retryAfterSeconds: undefined,
  })
  expect(invalid.requestId).toMatch(/^[\w-]{8,}$/)

  const category_id = (await unwrap(api.categories.$get()))[0]?.id ?? 0
  const first = await unwrap(api.transactions.$post({ json: { ...coffee(), category_id } }))
  const duplicate = await refusalOf(unwrap(api.transactions.$post({ json: { ...coffee(), category_id } })))
  expect(duplicate).toMatchObject({ status: 409, isDuplicate: true })
  expect(duplicate.duplicates.map(({ id, amount }) => [id, amount])).toEqual([[first.id, '3.20']])

  expect((await refusalOf(unwrap(api.accounts[':id'].$get({ param: { id: '999999' } })))).status).toBe(404)
  expect((await refusalOf(client.signIn({ email: person.email, password: 'wrong' }))).errors).toEqual({
    email: ['The provided credentials are incorrect.'],
  })
})

test('reads and writes can state what the client has', async () => {
  const { client, account } = await createPhone()
  const { api } = client
  const first = await api.accounts.$get()
  const header = { 'If-None-Match': first.headers.get('ETag') ?? '' }
  const again = await api.accounts.$get({ header })
  if (again.status !== 304) throw new Error(`It responds with ${again.status}.`)
  expect(await again.text()).toBe('')

  const param = { id: account.id }
  const known = { 'If-Match': `"${account.version}"` }
  await unwrap(api.accounts[':id'].$put({ param, header: known, json: { name: 'Purse' } }))
  const refused = await api.accounts[':id'].$put({ param, header: known, json: { name: 'Bag' } })
  if (refused.status !== 412) throw new Error(`It responds with ${refused.status}.`)
  const { current } = await refused.json()
  expectTypeOf(current).toEqualTypeOf<Account>()
  expect(current).toMatchObject({ name: 'Purse', version: account.version + 1 })
  expect(await unwrap(api.accounts.$get({ header }))).toEqual([current])
  const removal = await refusalOf(unwrap(api.accounts[':id'].$delete({ param, header: known })))
  expect(removal).toMatchObject({ status: 412, current })
})

const page = (status: number) => new Response('<h1>Who are you?</h1>', { status })

test.each([
  ['the page of a proxy that wants a password', () => page(401)],
  ['the page of a firewall', () => page(403)],
  ['the page of another server', () => page(404)],
  ['the page of a proxy that takes no large bodies', () => page(413)],
  ['the page of what is in front of the service', () => page(520)],
  ['nothing', () => new Response(null, { status: 401 })],
  ['JSON of another server', () => Response.json({ error: 'denied' }, { status: 401 })],
  ['JSON that is no object', () => Response.json(null, { status: 401 })],
  ['a network that wants a sign-in', () => Response.json({ message: 'Sign in' }, { status: 511 })],
])('a failure that is %s is not the service’s: the user stays signed in', async (_, response) => {
  const tokens = memoryTokens('1|secret')
  const { client, signedOut } = createClientWorld({ tokens, fetch: async () => response() })
  await expect(unwrap(client.api.me.$get())).rejects.toMatchObject({ name: 'ConnectionError' })
  expect([await tokens.get(), signedOut]).toEqual(['1|secret', []])
  const deletion = unwrap(client.api.accounts[':id'].$delete({ param: { id: 1 } }))
  await expect(deletion).rejects.toMatchObject({ name: 'ConnectionError' })
})

test.each([429, 502, 503, 504])('a %i is an ApiError whoever sent it: come back later', async (status) => {
  const { client } = createClientWorld({ fetch: async () => page(status) })
  const refusal = await refusalOf(unwrap(client.api.me.$get()))
  expect([refusal.status, refusal.message]).toEqual([status, `The service responded with ${status}.`])
})

test('every failure of the service is recognised as one, and so is a response without a body', async () => {
  const { person, network, client } = await createPhone()
  const { body: account } = await person.post('/api/accounts', {
    name: 'A',
    type: 'cash',
    starting_balance: 0,
  })
  const send = sender(client.tokens, { fetch: network.fetch })
  const statusOf = async (method: string, path: string, headers: HeadersInit = {}, body?: string) => {
    const init = { method, headers, ...(body !== undefined && { body }) }
    return (await send(`http://purse.test${path}`, init)).status
  }
  const json = { 'Content-Type': 'application/json' }
  const { headers } = await send('http://purse.test/api/openapi.json')
  const stranger = { Authorization: 'Bearer 1|nobody' }
  expect([
    await statusOf('GET', '/api/nowhere'),
    await statusOf('GET', '/'),
    await statusOf('PUT', '/api/accounts'),
    await statusOf('GET', '/api/accounts/999999'),
    await statusOf('GET', '/api/me', stranger),
    await statusOf('PUT', `/api/accounts/${account.id}`, json, '{"name":'),
    await statusOf('PUT', `/api/accounts/${account.id}`, { 'Content-Type': 'text/plain' }, 'x'),
    await statusOf('PUT', `/api/accounts/${account.id}`, json, JSON.stringify('x'.repeat(600_000))),
    await statusOf('PUT', `/api/accounts/${account.id}`, json, '{"name":""}'),
    await statusOf('POST', '/api/import/store', json, '[]'),
    await statusOf('HEAD', '/api/accounts'),
    await statusOf('HEAD', '/api/accounts/999999'),
    await statusOf('GET', '/api/openapi.json', { 'If-None-Match': headers.get('ETag') ?? '' }),
  ]).toEqual([404, 404, 405, 404, 401, 400, 415, 413, 422, 422, 200, 404, 304])
})

test.each([
  ['the page of a network that wants a sign-in', () => new Response('<html>Sign in to the wifi</html>')],
  ['an empty response', () => new Response(null)],
])('a success that is %s is not one', async (_, response) => {
  const { api } = createClientWorld({ fetch: async () => response() }).client
  await expect(unwrap(api.me.$get())).rejects.toMatchObject({ name: 'ConnectionError' })
  const deletion = unwrap(api.accounts[':id'].$delete({ param: { id: 1 } }))
  await expect(deletion).rejects.toMatchObject({ name: 'ConnectionError' })
})

test('a 204 is the success of every call that the document has it for, and of no other', async () => {
  const isTaken = async (method: string, path: string, response: Response) => {
    const send = sender(memoryTokens(), {
      fetch: async () => response,
      retry: { ...defaultRetry, attempts: 1 },
    })
    return send(`http://purse.test${path}`, { method: method.toUpperCase() }).then(
      () => true,
      () => false,
    )
  }
  let empty = 0
  for (const [path, operations] of Object.entries(openApiDocument(app.routes).paths))
    for (const [method, { responses }] of Object.entries(operations)) {
      const is204 = '204' in responses
      empty += Number(is204)
      const taken = [
        await isTaken(method, path, new Response(null, { status: 204 })),
        await isTaken(method, path, Response.json({ message: 'Welcome' })),
      ]
      expect([method, path, ...taken]).toEqual([method, path, is204, !is204])
    }
  expect(empty).toBeGreaterThan(5)
})

test('an address that is not verified is told apart from what is forbidden', async () => {
  const { client } = createClientWorld()
  await client.register(ada)
  const item = { account_id: 1, type: 'expense', amount: 1, transaction_date: '2026-11-20' } as const
  const sync = client.api.transactions.sync.$post({ json: { transactions: [item] } })
  expect(await refusalOf(unwrap(sync))).toMatchObject({ status: 403, requiresVerifiedEmail: true })
})

test('too many attempts say when to come back', async () => {
  const { client } = createClientWorld()
  await client.register(ada)
  const resend = () => unwrap(client.api.email['verification-notification'].$post())
  for (let i = 0; i < 6; i++) await resend()
  const refusal = await refusalOf(resend())
  expect(refusal.status).toBe(429)
  expect(refusal.retryAfterSeconds).toBeGreaterThan(0)
})

test.each(['', '/', '/api', '/api/', '/api//'])(
  'an address that ends in "%s" is the service’s',
  async (end) => {
    const { client, network } = createClientWorld({ baseUrl: `http://purse.test${end}` })
    await client.register(ada)
    await unwrap(client.api.me.$get())
    expect(network.paths()).toEqual(['POST /api/register', 'GET /api/me'])
  },
)

test('a token that the service no longer knows is forgotten, and the app is told, once', async () => {
  const { client, person, signedOut } = await createPhone()
  await person.post('/api/logout-all')
  expect((await refusalOf(unwrap(client.api.me.$get()))).status).toBe(401)
  expect([await client.tokens.get(), signedOut]).toEqual([null, ['signed out']])
  expect((await refusalOf(unwrap(client.api.me.$get()))).status).toBe(401)
  expect(signedOut).toHaveLength(1)
  // Signing out without a good token is no failure: it is what was wanted.
  await client.signOut()
})

test('a token that another tab has stored meanwhile stays', async () => {
  const { world, client, person } = await createPhone()
  const { tokens } = client
  await person.post('/api/logout-all')
  const other = await world.register()
  const { fetch } = fetchOf(world)
  const slow = createClient({
    baseUrl: 'http://purse.test',
    tokens,
    fetch: async (url, init) => {
      const response = await fetch(url, init)
      await tokens.set(other.token)
      return response
    },
  })
  expect((await refusalOf(unwrap(slow.api.me.$get()))).status).toBe(401)
  expect((await unwrap(client.api.me.$get())).email).toBe(other.email)
})

/** A store that takes its time: while it clears a token, another tab stores a newer one. */
function slowTokens(token: string, newer: string): TokenStore {
  let current: string | null = token
  return {
    get: async () => current,
    set: async (next) => {
      current = next
    },
    clear: async (ended) => {
      current = newer
      if (ended === undefined || current === ended) current = null
    },
  }
}

test('a store that takes its time keeps a token that another tab stores while an older one is cleared', async () => {
  const { world, person } = await createPhone()
  const other = await world.register()
  const signedOut: string[] = []
  const open = () => {
    const tokens = slowTokens(person.token, other.token)
    const { fetch } = fetchOf(world)
    const onSignedOut = () => signedOut.push('signed out')
    return createClient({ baseUrl: 'http://purse.test', tokens, fetch, onSignedOut })
  }
  const leaving = open()
  await leaving.signOut()
  expect((await unwrap(leaving.api.me.$get())).email).toBe(other.email)
  const refused = open()
  expect((await refusalOf(unwrap(refused.api.me.$get()))).status).toBe(401)
  expect((await unwrap(refused.api.me.$get())).email).toBe(other.email)
  expect(signedOut).toEqual([])
})

test('a sign-out leaves a token alone that another tab has stored meanwhile', async () => {
  const { world, network, client } = await createPhone()
  const { tokens } = client
  const other = await world.register()
  const leaving = createClient({
    baseUrl: 'http://purse.test',
    tokens,
    fetch: async (url, init) => {
      await tokens.set(other.token)
      return network.fetch(url, init)
    },
  })
  await leaving.signOut()
  expect((await unwrap(client.api.me.$get())).email).toBe(other.email)
})

test('a store whose clear takes no token is a store', () => {
  expectTypeOf<{
    get: () => string | null
    set: (token: string) => void
    clear: () => void
  }>().toExtend<TokenStore>()
})

test('a sign-out that does not reach the service forgets the token all the same', async () => {
  const { client } = await createPhone({ fetch: () => Promise.reject(new TypeError('Failed to fetch')) })
  await expect(client.signOut()).rejects.toMatchObject({ name: 'ConnectionError' })
  expect(await client.tokens.get()).toBeNull()
})

test('a browser storage keeps the token under its key', async () => {
  const values = new Map<string, string>()
  const tokens = webStorageTokens({
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  })
  await tokens.set('1|secret')
  expect([...values]).toEqual([['purse.token', '1|secret']])
  expect(await tokens.get()).toBe('1|secret')
  await tokens.clear()
  expect(await tokens.get()).toBeNull()
})

test('a duplicate has the form that the contract states, which the types of the routes do not carry', () => {
  expectTypeOf<Duplicate>().toEqualTypeOf<ShownDuplicateError['duplicates'][number]>()
})
