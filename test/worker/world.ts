import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { inject } from 'vitest'
import worker from '../../src/worker.ts'

/** JSON as a client sees it; a test names the fields it looks at. */
// biome-ignore lint/suspicious/noExplicitAny: the shape of an answer is what a test is about to find out
export type Json = any

export type Answer = { status: number; headers: Headers; text: string; body: Json }

export type CallOptions = {
  token?: string
  body?: unknown
  rawBody?: Uint8Array | string
  headers?: Record<string, string>
}

export type World = ReturnType<typeof createWorld>
export type Person = Awaited<ReturnType<World['register']>>

/** A service of its own: the real Worker on an empty database that nobody else uses. */
export function createWorld(bindings: Partial<Env> = {}) {
  const databaseUrl = `${inject('libsqlUrl')}/${crypto.randomUUID()}/`
  const ownEnv = { ...env, TURSO_DATABASE_URL: databaseUrl, ...bindings }

  /** Calls the Worker as a client would. */
  async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const headers = new Headers({ Accept: 'application/json', ...options.headers })
    if (options.token) headers.set('Authorization', `Bearer ${options.token}`)
    let body = options.rawBody
    if (options.body !== undefined) {
      body = JSON.stringify(options.body)
      if (!headers.has('Content-Type')) headers.set('Content-Type', 'application/json')
    }
    const request = new Request(`http://purse.test${path}`, { method, headers, body: body ?? null })
    const context = createExecutionContext()
    const response = await worker.fetch(
      request as Request<unknown, IncomingRequestCfProperties>,
      ownEnv,
      context,
    )
    await waitOnExecutionContext(context)
    const text = await response.text()
    const isJson = response.headers.get('Content-Type')?.includes('json')
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    }
  }

  let people = 0
  /** Registers somebody and answers a client that speaks with their token. */
  async function register(details: Record<string, unknown> = {}) {
    people += 1
    const password = 'correct horse battery'
    const email = `person${people}@example.com`
    const body = { name: `Person ${people}`, email, password, password_confirmation: password, ...details }
    const answer = await call('POST', '/api/register', { body })
    if (answer.status !== 201) throw new Error(`Registering answered ${answer.status}: ${answer.text}`)
    const token: string = answer.body.access_token
    const as = (method: string) => (path: string, body?: unknown) => call(method, path, { token, body })
    return {
      id: answer.body.user.id as number,
      email,
      password,
      token,
      get: as('GET'),
      post: as('POST'),
      put: as('PUT'),
      patch: as('PATCH'),
      delete: as('DELETE'),
    }
  }

  /** What the database server has counted since the last reset. */
  async function databaseWork(): Promise<{ requests: number; statements: number; steps: number }> {
    return (await fetch(`${databaseUrl}stats`)).json()
  }

  async function resetDatabaseWork(): Promise<void> {
    await (await fetch(`${databaseUrl}stats`, { method: 'DELETE' })).text()
  }

  return { call, register, databaseUrl, databaseWork, resetDatabaseWork }
}

/** Opens an account and answers it. */
export async function openAccount(person: Person, details: Record<string, unknown> = {}): Promise<Json> {
  const answer = await person.post('/api/accounts', {
    name: 'Checking',
    type: 'bank',
    starting_balance: 100,
    ...details,
  })
  if (answer.status !== 201) throw new Error(`Opening an account answered ${answer.status}: ${answer.text}`)
  return answer.body
}

/** The person's first category of a type. */
export async function aCategory(person: Person, type: 'income' | 'expense' = 'expense'): Promise<Json> {
  const { body } = await person.get('/api/categories')
  return body.find((category: Json) => category.type === type)
}
