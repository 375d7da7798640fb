import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** Where a connection breaks: before the request arrives, before its response comes back, or in the middle of it. */
export type Cut = 'request' | 'response' | 'half the response'

export type CuttingProxy = Awaited<ReturnType<typeof cuttingProxy>>

/**
 * A network in front of a service. It cuts the connection at the given request and lets nothing through from then on,
 * until `reconnect`; with `isBlip` it cuts only that one.
 */
export async function cuttingProxy(target: URL, at: number, cut: Cut, { isBlip = false } = {}) {
  let requests = 0
  let isDown = false
  const server = http.createServer(async (request, response) => {
    requests += 1
    const isCut = requests === at
    if (isCut && !isBlip) isDown = true
    if (isCut ? cut === 'request' : isDown) return void request.socket.destroy()
    const whole = await forward(target, request).catch(() => undefined)
    if (!whole) return void request.socket.destroy()
    const { status, headers, body } = whole
    if (!isCut) return void response.writeHead(status, headers).end(body)
    if (cut === 'response') return void request.socket.destroy()
    response.writeHead(status, { ...headers, 'content-length': body.length })
    response.write(body.subarray(0, body.length / 2), () => request.socket.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** How many requests have come so far. */
    requests: () => requests,
    reconnect: () => {
      isDown = false
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function forward({ hostname, port }: URL, incoming: http.IncomingMessage) {
  const { method, url: path, headers } = incoming
  const outgoing = http.request({ hostname, port, method, path, headers, agent: false })
  incoming.pipe(outgoing)
  const [response] = (await once(outgoing, 'response')) as [http.IncomingMessage]
  const body = Buffer.concat(await response.toArray())
  const { 'transfer-encoding': _, ...own } = response.headers
  return { status: response.statusCode ?? 0, headers: own, body }
}
