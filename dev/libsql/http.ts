import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalDatabase } from './database.ts'
import type { DatabaseDirectory } from './directory.ts'
import { ClientGone, ProtocolError, StreamExpired } from './errors.ts'
import { readPipeline } from './hrana.ts'
import type { Streams } from './streams.ts'

export interface Served {
  readonly databases: DatabaseDirectory
  readonly streams: Streams
}

interface Exchange extends Served {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly database: LocalDatabase
}

const BODY_LIMIT_BYTES = 64 * 1024 * 1024
const LATENCY_LIMIT_MS = 60_000

const ROUTES: Record<string, (exchange: Exchange) => void | Promise<void>> = {
  'POST v2/pipeline': pipeline,
  'GET v2': ({ response }) => sendText(response, 200, 'Hello, this is HTTP API v2 (Hrana over HTTP)'),
  'GET stats': ({ response, database }) => sendJson(response, 200, database.stats.report()),
  'DELETE stats': resetStats,
  'POST latency': setLatency,
}

/** Answers one HTTP request, whatever it is. */
export async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  served: Served,
): Promise<void> {
  try {
    await route(request, response, served)
  } catch (error) {
    sendError(response, error)
  }
}

async function route(request: IncomingMessage, response: ServerResponse, served: Served): Promise<void> {
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
  if (path === '/health') return sendText(response, 200, 'ok')
  const [, name = '', ...rest] = path.split('/')
  const action = ROUTES[`${request.method} ${rest.join('/')}`]
  if (!action) throw new ProtocolError('Not found (a database is at /<name>/, with the slash)', 404)
  const database = served.databases.database(name)
  if (!database) throw new ProtocolError('Not found: no database can have this name', 404)
  await action({ ...served, request, response, database })
}

async function pipeline(exchange: Exchange): Promise<void> {
  const { request, response, database, streams } = exchange
  const body = await readBody(request)
  database.stats.countRequest(body.length)
  if (database.latencyMs > 0) await sleep(database.latencyMs, undefined, { ref: false })
  const { baton, requests } = readPipeline(body)
  if (response.destroyed) throw new ClientGone()
  const lease = streams.take(database, baton)
  const onGone = () => streams.drop(lease)
  response.once('close', onGone)
  try {
    const results = await lease.stream.answer(requests)
    response.off('close', onGone)
    const answer = JSON.stringify({ baton: streams.release(lease) ?? null, base_url: null, results })
    database.stats.countResponse(Buffer.byteLength(answer))
    send(response, 200, 'application/json', answer)
  } catch (error) {
    response.off('close', onGone)
    streams.drop(lease)
    throw error
  }
}

function resetStats({ request, response, database }: Exchange): void {
  database.stats.reset({ work: !request.url?.endsWith('?work=no') })
  response.writeHead(204).end()
}

async function setLatency({ request, response, database }: Exchange): Promise<void> {
  const ms = readMs(await readBody(request))
  if (ms === undefined) {
    throw new ProtocolError(`The body must be {"ms": <number>}, from 0 to ${LATENCY_LIMIT_MS}`)
  }
  database.latencyMs = ms
  response.writeHead(204).end()
}

function readMs(body: Buffer): number | undefined {
  try {
    const { ms } = JSON.parse(body.toString()) as { ms?: unknown }
    return typeof ms === 'number' && ms >= 0 && ms <= LATENCY_LIMIT_MS ? ms : undefined
  } catch {
    return undefined
  }
}

function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    // Too large a body is still read to its end: a client that is cut off in mid-sentence misses the answer.
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= BODY_LIMIT_BYTES) chunks.push(chunk)
      else chunks.length = 0
    })
    request.on('end', () => {
      if (bytes <= BODY_LIMIT_BYTES) resolve(Buffer.concat(chunks))
      else reject(new ProtocolError(`The request body is larger than ${BODY_LIMIT_BYTES} bytes`, 413))
    })
    request.on('error', () => reject(new ClientGone()))
    request.on('close', () => {
      if (!request.complete) reject(new ClientGone())
    })
  })
}

function sendError(response: ServerResponse, error: unknown): void {
  if (error instanceof ClientGone || response.destroyed || response.headersSent) {
    response.destroy()
  } else if (error instanceof StreamExpired) {
    sendJson(response, 400, { message: error.message, code: error.code })
  } else if (error instanceof ProtocolError) {
    sendText(response, error.status, error.message)
  } else {
    console.error('libSQL server:', error)
    sendText(response, 500, 'Internal error')
  }
}

function sendText(response: ServerResponse, status: number, text: string): void {
  send(response, status, 'text/plain', text)
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  send(response, status, 'application/json', JSON.stringify(body))
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) }).end(text)
}
