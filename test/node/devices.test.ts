import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { Dice } from '../dice.ts'
import type { Device } from '../worker/devices/device.ts'
import { edit } from '../worker/devices/edits.ts'
import { sharedPlace } from './fixtures/stack.ts'
import { end, settle, Wire } from './fixtures/wire.ts'

test('a copy stays complete at whichever byte a response to a pull or an upload is cut', async () => {
  const place = await sharedPlace()
  const wire = new Wire(place)
  const [phone, laptop] = (await settle(wire, 'cut', 2)) as [Device<Wire>, Device<Wire>]
  const dice = new Dice(1)
  while (phone.waiting.size < 3) edit(phone, dice)
  const requests = [
    { device: phone, send: () => phone.push(dice, true) },
    { device: laptop, send: () => laptop.pull(dice, 500) },
  ]
  for (const { device, send } of requests) {
    const before = structuredClone({ ...device.copy })
    const network = await startCutting(Number(place.PORT))
    wire.origin = network.origin
    let tries = 0
    do {
      expect({ ...device.copy }).toEqual(before)
      network.letThrough(tries++)
      await send()
    } while (device.copy.cursor === before.cursor)
    expect(tries).toBeGreaterThan(600)
    network.close()
  }
  wire.origin = wire.service
  expect(wire.tally.counts.get('200')).toBe(2)
  await end([phone, laptop])
})

/** Attempts that share one response of the service: each cuts it off one byte later. */
const triesEach = 50

/** A network in front of a service that cuts responses off. */
async function startCutting(port: number) {
  let shared: Promise<Buffer> | undefined
  let bytes = 0
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    if (bytes % triesEach === 0) shared = askRaw(port, request, body)
    const part = (await shared)?.subarray(0, bytes)
    request.socket.write(part ?? '', () => response.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    letThrough: (count: number) => {
      bytes = count
    },
    close: () => void server.close(),
  }
}

/** A service's response to a request, byte by byte. */
async function askRaw(
  port: number,
  { method, url, rawHeaders }: IncomingMessage,
  body: Buffer,
): Promise<Buffer> {
  const pairs = rawHeaders.map((name, at) => (at % 2 === 0 ? `${name}: ${rawHeaders[at + 1]}` : undefined))
  const headers = pairs.filter((pair) => pair && !/^connection:/i.test(pair))
  const socket = connect(port, '127.0.0.1')
  socket.write([`${method} ${url} HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n'))
  socket.write(body)
  return buffer(socket)
}
