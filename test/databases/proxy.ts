import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, type Dispatcher } from 'undici'
import { type ApiResponse, type Fault, fail, send } from './faults.ts'
import { isClose, noWork, sum, type Work, workOf } from './work.ts'

/** Where a database is: a server, and the Host header by which it knows the database. */
export type Place = { origin: string; host: string }

/** What is known about one database. `seen` counts the requests to its faulty side since the fault was set. */
type Line = {
  fault: Fault | null
  seen: number
  latencyMs: number
  work: Work
  /** Requests whose work is not yet known. */
  pending: Set<Promise<ApiResponse>>
}

// Longer than any client keeps an idle connection, so that this side is never the first to close it.
const keepAliveMs = 120_000

/**
 * A proxy in front of libSQL servers. The first segment of a path names the database, and what follows is passed on to
 * where `find` says that it is, except for:
 *
 * - `GET /<name>/stats` tells what the database did since `DELETE /<name>/stats` (a Work),
 * - `POST /<name>/latency` with `{"ms": 30}` slows every request to it,
 * - `PUT /<name>/faults` with a Fault or null sets what goes wrong at `/<name>/faulty/…`, another way to the same
 *   database, and responds with `{"seen": <requests that went there since the last fault was set>}`, as `GET` does. A request
 *   that only closes a stream meets no fault.
 */
export async function startDatabaseProxy(
  find: (name: string) => Promise<Place>,
): Promise<{ url: string; close(): Promise<void> }> {
  const lines = new Map<string, Line>()
  const agent = new Agent()

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, name = '', ...rest] = (incoming.url ?? '').split('/')
    const line = lines.get(name) ?? { fault: null, seen: 0, latencyMs: 0, work: noWork, pending: new Set() }
    lines.set(name, line)
    const body = await bytesOf(incoming)
    const command = `${incoming.method} ${rest.join('/')}`
    // The effects of a request can be seen in the database before its response has arrived.
    if (rest[0] === 'stats' || command === 'GET faults') await Promise.allSettled(line.pending)
    const answered = control(command, line, body)
    if (answered) return void response.end(JSON.stringify(answered))

    const isFaulty = rest[0] === 'faulty'
    const path = `/${(isFaulty ? rest.slice(1) : rest).join('/')}`
    const forward = (signal?: AbortSignal) => {
      const reply = forwardOnce(signal).finally(() => line.pending.delete(reply))
      line.pending.add(reply)
      return reply
    }
    const forwardOnce = async (signal?: AbortSignal) => {
      const { origin, host } = await find(name)
      const { method = 'GET' } = incoming
      const {
        statusCode,
        headers,
        body: stream,
      } = await agent.request({
        origin,
        path,
        method: method as Dispatcher.HttpMethod,
        headers: { host },
        body,
        ...(signal && { signal }),
      })
      const contentType = String(headers['content-type'] ?? 'text/plain')
      const reply = { status: statusCode, contentType, body: await bytesOf(stream) }
      line.work = sum(line.work, workOf(body, reply.body))
      return reply
    }
    if (line.latencyMs > 0) await sleep(line.latencyMs)
    const fault = isFaulty && !isClose(body) ? faultOfNext(line) : null
    if (fault) return fail(fault, forward, response)
    // The database must notice a client that hangs up, as it would without a proxy.
    const gone = new AbortController()
    response.once('close', () => response.writableFinished || gone.abort())
    send(response, await forward(gone.signal))
  }

  const server = createServer((incoming, response) => {
    // A client that has gone gets no response.
    serve(incoming, response).catch(() => response.destroy())
  })
  server.keepAliveTimeout = keepAliveMs
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await once(server.close(), 'close')
      await agent.destroy()
    },
  }
}

/** Responds to what is meant for the proxy itself; undefined for everything else. */
function control(command: string, line: Line, body: Buffer): object | undefined {
  if (command === 'GET stats') return line.work
  if (command === 'DELETE stats') return Object.assign(line, { work: noWork }).work
  if (command === 'POST latency') return Object.assign(line, { latencyMs: JSON.parse(body.toString()).ms })
  const { seen } = line
  if (command === 'GET faults') return { seen }
  if (command !== 'PUT faults') return undefined
  Object.assign(line, { fault: JSON.parse(body.toString()), seen: 0 })
  return { seen }
}

function faultOfNext(line: Line): Fault | null {
  line.seen += 1
  return line.fault?.only === undefined || line.fault.only === line.seen ? line.fault : null
}

/** The whole of a message. Reading it by events costs less than `buffer` of node:stream/consumers, which makes a blob. */
async function bytesOf(message: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  message.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(message, 'end')
  return Buffer.concat(chunks)
}
