import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, type Config, createClient, type LibsqlError } from '@libsql/client/http'
import { afterAll, beforeAll } from 'vitest'
import {
  type LibsqlServer,
  type LibsqlServerOptions,
  type StatsReport,
  startLibsqlServer,
} from '../../../dev/libsql/server.ts'

// biome-ignore lint/suspicious/noExplicitAny: the shape of an answer is what a test is about to find out
type Json = any

/** A directory of its own, gone after the tests of the file. */
export function useDirectory(): { path: string } {
  const directory = { path: '' }
  beforeAll(async () => {
    directory.path = await mkdtemp(join(tmpdir(), 'libsql-server-test-'))
  })
  afterAll(() => rm(directory.path, { recursive: true, force: true }))
  return directory
}

/** One server for the tests of a file, and clients of its databases; each test uses a database of its own. */
export function useServer(options: Partial<LibsqlServerOptions> = {}) {
  const directory = useDirectory()
  let server: LibsqlServer
  let databases = 0
  beforeAll(async () => {
    server = await startLibsqlServer({ directory: directory.path, ...options })
  })
  afterAll(() => server.close())
  return {
    directory,
    get url() {
      return server.url
    },
    newName: () => `database${++databases}`,
    client(name: string, config: Partial<Config> = {}): Client {
      return createClient({ url: `${server.url}/${name}/`, concurrency: Infinity, ...config })
    },
    /** A client of a database that did not exist before, after these statements. */
    async newClient(...statements: string[]): Promise<Client> {
      const client = this.client(this.newName())
      if (statements.length > 0) await client.batch(statements, 'write')
      return client
    },
    /** What no well-behaved client would send. */
    post(name: string, body: unknown): Promise<Response> {
      const text = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
      return fetch(`${server.url}/${name}/v2/pipeline`, { method: 'POST', body: text as BodyInit })
    },
    async pipeline(name: string, ...requests: object[]): Promise<Json> {
      return (await this.post(name, { requests })).json()
    },
    async stats(name: string): Promise<StatsReport> {
      return (await (await fetch(`${server.url}/${name}/stats`)).json()) as StatsReport
    },
    resetStats: (name: string) => fetch(`${server.url}/${name}/stats`, { method: 'DELETE' }),
    /** Resolves once the database has received so many requests since the reset. */
    async received(name: string, requests: number): Promise<void> {
      while ((await this.stats(name)).requests < requests) await new Promise((wake) => setTimeout(wake, 5))
    },
  }
}

/** How a promise failed; a promise that did not is an error. */
export async function failureOf(promise: Promise<unknown>): Promise<LibsqlError> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(outcome instanceof Error)) throw new Error('It should have failed')
  return outcome as LibsqlError
}
