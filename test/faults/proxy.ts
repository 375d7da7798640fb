import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/** What goes wrong between a client and its database. */
export type Fault = {
  /**
   * What the client gets: a status without a database's answer, nothing but a closed connection, half of the answer,
   * an answer that is none, nothing at all, or the right answer too late.
   */
  gets: 'status' | 'cut' | 'half' | 'garbage' | 'nothing' | 'late'
  /** Whether the database has executed the request by then. The right answer, and half of it, need that. */
  executed?: boolean
  status?: number
  contentType?: string
  delayMs?: number
  /** Which request since the fault was set has it, counted from 1; without, every one. */
  only?: number
}

type Line = { fault: Fault | null; seen: number }

/**
 * A proxy in front of the libSQL server, whose faults are set for each database by itself: `PUT /<name>/faults` with
 * a Fault or null as JSON answers `{"seen": <requests since the last time>}`. All else is passed on.
 */
export async function startFaultProxy(target: string): Promise<{ url: string; close(): Promise<void> }> {
  const lines = new Map<string, Line>()
  const lineOf = (name: string) => {
    const line = lines.get(name) ?? { fault: null, seen: 0 }
    lines.set(name, line)
    return line
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, name = '', ...rest] = (request.url ?? '').split('/')
    const line = lineOf(name)
    const body = await buffer(request)
    if (rest.join('/') === 'faults') return control(response, line, body)
    const pass = () => forward(target, request, body)
    const fault = rest.join('/') === 'v2/pipeline' ? faultOfNext(line) : null
    if (fault) await fail(fault, pass, response)
    else send(response, await pass())
  }

  const server = createServer((request, response) => {
    // A client that has gone gets no answer.
    serve(request, response).catch(() => response.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}

function control(response: ServerResponse, line: Line, body: Buffer): void {
  response.end(JSON.stringify({ seen: line.seen }))
  Object.assign(line, { fault: JSON.parse(body.toString()), seen: 0 })
}

function faultOfNext(line: Line): Fault | null {
  line.seen += 1
  return line.fault?.only === undefined || line.fault.only === line.seen ? line.fault : null
}

type Answer = { status: number; contentType: string; body: Buffer }

async function forward(target: string, request: IncomingMessage, body: Buffer): Promise<Answer> {
  const { method = 'GET', url = '/' } = request
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const answer = await fetch(`${target}${url}`, { method, body: hasBody ? new Uint8Array(body) : null })
  const contentType = answer.headers.get('content-type') ?? 'text/plain'
  return { status: answer.status, contentType, body: Buffer.from(await answer.arrayBuffer()) }
}

async function fail(fault: Fault, pass: () => Promise<Answer>, response: ServerResponse): Promise<void> {
  const { gets, executed = gets === 'half', status = 502, contentType = 'text/html', delayMs = 0 } = fault
  if (gets === 'late') {
    await sleep(delayMs, undefined, { ref: false })
    return send(response, await pass())
  }
  const answer = executed ? await pass() : undefined
  if (gets === 'status') send(response, { status, contentType, body: Buffer.from('null') })
  if (gets === 'cut') response.destroy()
  if (gets === 'garbage')
    send(response, { status: 200, contentType: 'application/json', body: Buffer.from('{"bat') })
  if (gets === 'half' && answer) {
    response.writeHead(200, { 'content-type': answer.contentType, 'content-length': answer.body.length })
    response.write(answer.body.subarray(0, answer.body.length / 2), () => response.destroy())
  }
}

function send(response: ServerResponse, { status, contentType, body }: Answer): void {
  response.writeHead(status, { 'content-type': contentType, 'content-length': body.length }).end(body)
}
