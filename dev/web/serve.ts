import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { localOrigin } from '../settings.ts'
import { refusal } from './same-origin.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void> | void

export type Address = { port: number; host: string }

export type Serving = { url: string; close(): Promise<void> }

/**
 * Listens on the address (port 0 takes any free one) and responds with the handler that is made for its URL.
 * Rejects if the port is taken. `close` also ends the connections that are still open.
 */
export async function serve(
  makeHandler: (url: string) => Handler | Promise<Handler>,
  address: Address,
): Promise<Serving> {
  const ready = Promise.withResolvers<Handler>()
  const server = createServer((request, response) => {
    const reason = refusal(request)
    if (reason) return sendJson(response, 403, { message: reason })
    const url = URL.parse(`http://${request.headers.host}${request.url}`)
    if (!url) return sendJson(response, 400, { message: 'The request target is not a path.' })
    ready.promise
      .then((handle) => handle(request, response, url))
      .catch((error) => answerFailure(request, response, error))
  })
  server.listen(address.port, address.host)
  await once(server, 'listening')
  const close = async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  const url = localOrigin(address.host, (server.address() as AddressInfo).port)
  try {
    ready.resolve(await makeHandler(url))
  } catch (error) {
    await close()
    throw error
  }
  return { url, close }
}

/** Sends the browser elsewhere, which it asks for by GET. */
export function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location })
  response.end()
}

/** Sends JSON. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  send(response, status, 'application/json; charset=utf-8', JSON.stringify(body))
}

/** Sends a body, which the browser must take for the given type, and must not cache. */
export function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  response.end(body)
}

function answerFailure(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const isCallerGone = request.destroyed && !request.complete
  if (isCallerGone) return
  console.error(error)
  if (response.headersSent) response.destroy()
  else sendJson(response, 500, { message: 'An unexpected error occurred.' })
}
