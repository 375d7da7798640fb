import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseDirectory } from './directory.ts'
import { serve } from './http.ts'
import { Streams } from './streams.ts'

export { DirectoryInUse } from './errors.ts'
export type { StatsReport } from './stats.ts'

export interface LibsqlServerOptions {
  /** Where the database files live; made if missing. It belongs to one server at a time. */
  directory: string
  /** 0, the default, takes any free port. */
  port?: number
  host?: string
  /** The database that a missing one starts as a copy of. */
  template?: string
  /**
   * False leaves out the syncs that only a power cut makes necessary, and most of the time a fresh database
   * costs with them; a killed process loses nothing either way. By default false where there is a template.
   */
  durable?: boolean
  /** Added to every pipeline request, as the way to a distant database would. */
  latencyMs?: number
  /** How long a stream may lie idle before it is rolled back and closed. */
  streamIdleMs?: number
  /** How long a transaction may keep others waiting for the write lock before it is rolled back. */
  transactionMs?: number
}

export interface LibsqlServer {
  /** Without a trailing slash; a database's URL is `${url}/${name}/`. */
  readonly url: string
  close(): Promise<void>
}

const GRACE_MS = 200
// Longer than any client keeps an idle connection: whoever closes first must not be this side.
const KEEP_ALIVE_MS = 120_000

/**
 * Starts a libSQL server for development and tests: the native engine on the files of a directory,
 * speaking Hrana 2 over HTTP as Turso does, at `/<database>/v2/pipeline`. Beside that:
 *
 * - `GET /<database>/stats` tells what the database did since `DELETE /<database>/stats`; `DELETE …/stats?work=no`
 *   counts no steps and rows any more, which takes time,
 * - `POST /<database>/latency` with `{"ms": 30}` slows every request to it,
 * - `GET /health` answers 200.
 */
export async function startLibsqlServer(options: LibsqlServerOptions): Promise<LibsqlServer> {
  const databases = new DatabaseDirectory({
    directory: options.directory,
    template: options.template,
    durable: options.durable ?? options.template === undefined,
    transactionMs: options.transactionMs ?? 5_000,
    latencyMs: options.latencyMs ?? 0,
  })
  const streams = new Streams(options.streamIdleMs ?? 10_000)
  const server = createServer((request, response) => void serve(request, response, { databases, streams }))
  server.keepAliveTimeout = KEEP_ALIVE_MS
  const host = options.host ?? '127.0.0.1'
  try {
    await listen(server, options.port ?? 0, host)
  } catch (error) {
    databases.close()
    throw error
  }
  const { port } = server.address() as AddressInfo
  let closing: Promise<void> | undefined
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    close: () => {
      closing ??= stop(server, streams, databases)
      return closing
    },
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

async function stop(server: Server, streams: Streams, databases: DatabaseDirectory): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // Requests under way may finish; those that wait for a lock or a slow client will not be waited for.
  const grace = setTimeout(() => server.closeAllConnections(), GRACE_MS)
  await closed
  clearTimeout(grace)
  streams.closeAll()
  databases.close()
}
