import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'

/** What went through: requests without preflights, and the bytes of their responses, as they are and compressed. */
export type Traffic = { requests: number; preflights: number; bytes: number; compressedBytes: number }

export type FarNetwork = Awaited<ReturnType<typeof startFarNetwork>>

/** A network in front of a service, on which every response takes `latencyMs` longer. It counts what goes through. */
export async function startFarNetwork(port: number) {
  const place = { target: new URL('http://127.0.0.1'), latencyMs: 0 }
  const responses: Buffer[] = []
  let preflights = 0
  const server = http.createServer(async (request, response) => {
    const { method, url: path, headers } = request
    await sleep(place.latencyMs)
    const { hostname, port } = place.target
    // A page that has been closed leaves requests behind, which end with the service.
    const fail = () => void response.destroy()
    const outgoing = http.request({ hostname, port, method, path, headers, agent: false })
    outgoing.on('error', fail).on('response', (incoming) => {
      incoming.toArray().then((chunks) => {
        const body = Buffer.concat(chunks)
        if (method === 'OPTIONS') preflights += 1
        else responses.push(body)
        response.writeHead(incoming.statusCode ?? 502, incoming.headers).end(body)
      }, fail)
    })
    request.pipe(outgoing)
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    place,

    /** The traffic since the last call. */
    traffic(): Traffic {
      const all = responses.splice(0)
      const sizeOf = (bodies: Buffer[]) => bodies.reduce((sum, { length }) => sum + length, 0)
      const traffic = {
        ...{ requests: all.length, preflights, bytes: sizeOf(all) },
        compressedBytes: sizeOf(all.map((body) => gzipSync(body))),
      }
      preflights = 0
      return traffic
    },

    close(): void {
      server.closeAllConnections()
      server.close()
    },
  }
}
