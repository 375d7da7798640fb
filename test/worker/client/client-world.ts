import { type ClientOptions, createClient, memoryTokens } from '../../../client/index.ts'
import { createWorld, type Person, verifyAddress, type World } from '../fixtures/world.ts'

export type Call = { method: string; path: string; body: string | null; headers: Headers }
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** A `fetch` that reaches the Worker of a world, and records its calls. */
export function fetchOf(world: World) {
  const calls: Call[] = []
  const fetch: Fetch = async (url, { method = 'GET', headers, body, signal }) => {
    signal?.throwIfAborted()
    const { pathname, search } = new URL(url)
    const { bytes, contentType } = await bytesOf(body)
    const sent = new Headers(headers)
    if (contentType) sent.set('Content-Type', contentType)
    const text = typeof body === 'string' ? body : null
    calls.push({ method, path: `${pathname}${search}`, body: text, headers: sent })
    const response = await world.call(method, `${pathname}${search}`, {
      headers: Object.fromEntries(sent),
      ...(bytes && { rawBody: bytes }),
    })
    return new Response(response.text || null, response)
  }
  return { fetch, calls, paths: () => calls.map((call) => `${call.method} ${call.path}`) }
}

/** Turns forms into bytes with a boundary, as the platform does. */
async function bytesOf(body: RequestInit['body']) {
  if (body === undefined || body === null) return {}
  const request = new Request('http://purse.test', { method: 'POST', body })
  return {
    bytes: new Uint8Array(await request.arrayBuffer()),
    contentType: typeof body === 'string' ? null : request.headers.get('Content-Type'),
  }
}

/** A world and its client, whose waits are recorded and take no time. */
export function createClientWorld(options: Partial<ClientOptions> = {}, bindings: Partial<Env> = {}) {
  const world = createWorld(bindings)
  const network = fetchOf(world)
  const waits: number[] = []
  const signedOut: string[] = []
  const client = createClient({
    baseUrl: 'http://purse.test',
    fetch: (url, init) => network.fetch(url, init),
    onSignedOut: () => signedOut.push('signed out'),
    sleep: async (ms) => {
      waits.push(ms)
    },
    random: () => 1,
    ...options,
  })
  return { world, client, network, waits, signedOut }
}

/** A user whose token the client has, with a verified address and an account. */
export async function createPhone(options: Partial<ClientOptions> = {}) {
  const tokens = memoryTokens()
  const own = createClientWorld({ tokens, ...options })
  const person = await own.world.register()
  await verifyAddress(own.world, person)
  const account = (await person.post('/api/accounts', { name: 'Wallet', type: 'cash', starting_balance: 0 }))
    .body
  await tokens.set(person.token)
  const coffee = (description = 'Coffee') =>
    ({
      account_id: account.id as number,
      type: 'expense',
      amount: '3.20',
      transaction_date: '2026-11-20',
      description,
    }) as const
  /** What the service has, by description. */
  const stored = async (of: Person = person): Promise<string[]> =>
    (await of.get('/api/transactions')).body.data
      .map((row: { description: string }) => row.description)
      .sort()
  return { ...own, person, account, coffee, stored }
}
