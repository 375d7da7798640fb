import http from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { register, verifyByMail } from './fixtures/client.ts'
import { sharedPlace } from './fixtures/stack.ts'

const megabyte = 1024 * 1024
const place = await sharedPlace()
const origin = `http://127.0.0.1:${place.PORT}`
const email = 'large-bodies@example.com'
const { access_token: token } = await register(place, email)
await verifyByMail(place, email)

const json = { 'Content-Type': 'application/json' }
const ofUser = { ...json, Authorization: `Bearer ${token}` }
const tooLarge = JSON.stringify({ message: 'The request body is too large.' })
const fileTooLarge = JSON.stringify({ message: 'The file must not be larger than 5 MB.' })

// A route of each limit, the first without a token.
test.each<[path: string, headers: Record<string, string>, megabytes: number[], response: string]>([
  ['/api/register', json, [1, 60], tooLarge],
  ['/api/accounts', ofUser, [1], tooLarge],
  ['/api/changes', ofUser, [2], tooLarge],
  ['/api/import/store', { ...ofUser, 'Content-Type': 'text/csv' }, [6, 12], fileTooLarge],
])('a client reads the 413 of a body that is far too large: %s', async (path, headers, sizes, response) => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  for (const megabytes of sizes)
    for (const framing of ['announced', 'chunked'] as const) {
      const size = megabytes * megabyte
      const sent = { path, headers, size, framing }
      expect([megabytes, framing, ...(await byFetch(sent))]).toEqual([megabytes, framing, 413, response])
      const kept = await thenRead(sent, agent)
      expect([megabytes, framing, ...kept]).toEqual([megabytes, framing, 413, response])
    }
})

type Sent = { path: string; headers: Record<string, string>; size: number; framing: 'announced' | 'chunked' }

async function byFetch({ path, headers, size, framing }: Sent): Promise<[number, string]> {
  const whole = new Blob([Buffer.alloc(size, ' ')])
  const body = framing === 'announced' ? await whole.arrayBuffer() : whole.stream()
  // Node requires `duplex` for a stream, which the types do not have.
  const init = { method: 'POST', headers, body, duplex: 'half' }
  const response = await fetch(origin + path, init)
  return [response.status, await response.text()]
}

/** Writes the whole body before it reads the response. */
async function thenRead(
  { path, headers, size, framing }: Sent,
  agent: http.Agent,
): Promise<[number, string]> {
  const length = framing === 'announced' ? { 'Content-Length': size } : {}
  const request = http.request(origin + path, { method: 'POST', headers: { ...headers, ...length }, agent })
  const responded = new Promise<http.IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject)
  })
  request.write(Buffer.alloc(size, ' '), () => request.end())
  const response = await responded
  return [response.statusCode ?? 0, Buffer.concat(await response.toArray()).toString()]
}
