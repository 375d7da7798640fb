import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test, vi } from 'vitest'
import { freePort } from '../../dev/ports.ts'
import { type Sqld, startSqld } from '../../dev/sqld/server.ts'
import type { Answer, CallOptions } from '../worker/answers.ts'
import { Device } from '../worker/devices/device.ts'
import { Dice } from '../worker/devices/dice.ts'
import { edit } from '../worker/devices/edits.ts'
import { Ledger } from '../worker/devices/ledger.ts'
import { Network, type Outcome, type Request, rowsIn, Tally } from '../worker/devices/network.ts'
import { expectEqual, readEverything } from '../worker/feed-copy.ts'
import { checkDatabase } from './check-database.ts'
import { clientOf, registration } from './client.ts'
import { newPlace, type Place, start, until } from './stack.ts'

// Far longer than a test takes on a busy machine.
vi.setConfig({ testTimeout: 600_000 })

let place: Place & { TURSO_DATABASE_URL: string }
let sqld: Sqld
let revive: () => Promise<void>

beforeAll(async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'purse-devices-'))
  const options = { directory, port: await freePort(), checkpointInterval: 3_600 }
  revive = async () => {
    sqld = await startSqld(options)
  }
  await revive()
  place = { ...(await newPlace()), TURSO_DATABASE_URL: sqld.url }
  await start(place).ready()
  return async () => {
    await sqld.close()
    await rm(directory, { recursive: true })
  }
})

/** A real network in front of a real stack. */
class Wire extends Network {
  readonly service = `http://127.0.0.1:${place.PORT}`
  /** The address for requests that may get lost. */
  origin = this.service

  call(method: string, path: string, options?: CallOptions): Promise<Answer> {
    return ask(`${this.service}${path}`, method, options)
  }

  async send(
    name: string,
    _: Dice,
    { method, path, options }: Request,
    executed: (outcome: Outcome) => void,
  ): Promise<Answer | undefined> {
    this.tally.operations += rowsIn(options.body)
    const answer = await ask(`${this.origin}${path}`, method, options).catch(() => undefined)
    this.told.push(`${name}: ${method} ${path} ${JSON.stringify(options.body)} → ${answer?.text}`)
    this.tally.count(String(answer?.status))
    expect([200, 503, undefined]).toContain(answer?.status)
    executed(answer ?? { status: 503, body: undefined })
    return answer?.status === 503 ? undefined : answer
  }
}

async function ask(url: string, method: string, { token, body }: CallOptions = {}): Promise<Answer> {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
  const response = await fetch(url, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
}

/** Somebody with accounts and several devices. */
async function settle(wire: Wire, name: string, devices: number): Promise<Device<Wire>[]> {
  const api = clientOf(place)
  const { body } = await api('POST', '/register', registration(`${name}@example.com`))
  const account = () => ({ name: wire.newText(), type: 'bank', starting_balance: '10.00' })
  for (let i = 0; i < 3; i++) await api('POST', '/accounts', account(), body.access_token)
  const ledger = new Ledger()
  const person = { id: body.user.id, token: body.access_token }
  const own = Array.from({ length: devices }, (_, i) => new Device(wire, `${name} ${i}`, person, ledger))
  for (const device of own) await device.copy.pull()
  return own
}

/** Has somebody's devices send and pull everything, and checks all promises. */
async function end(own: Device<Wire>[]): Promise<void> {
  const [first] = own as [Device<Wire>]
  for (const device of own) await device.finish(new Dice(1))
  for (const device of own) await device.catchUp(new Dice(1))
  const all = await readEverything(first.reader)
  for (const { copy } of own) expectEqual(copy, all)
  first.ledger.settle(all)
}

test('copies are correct, and nothing is lost or done twice, however often the database is killed', async () => {
  const wire = new Wire(new Tally())
  const people = [await settle(wire, 'ada', 3), await settle(wire, 'bob', 2)]
  const devices = people.flat()
  let isOver = false
  const lives = devices.map(async (device, nth) => {
    const dice = new Dice(nth + 1)
    while (!isOver) {
      for (let left = dice.from(1, 9); left > 0; left--) edit(device, dice)
      const lost = wire.tally.counts.get('503')
      await device.sync(dice)
      // A device that gets no answer pauses before it asks again.
      if (wire.tally.counts.get('503') !== lost) await sleep(100)
    }
  })
  const answers = (status: string) => wire.tally.counts.get(status) ?? 0
  const more = async (status: string, times: number) => {
    const before = answers(status)
    expect(await until(() => answers(status) >= before + times)).toBe(true)
  }
  try {
    for (let life = 1; life <= 4; life++) {
      await more('200', 2 * devices.length)
      await sqld.kill()
      await more('503', devices.length)
      await revive()
    }
  } finally {
    isOver = true
  }
  await Promise.all(lives)
  for (const own of people) await end(own)
  await checkDatabase(place)
})

test('a copy stays complete at whichever byte an answer to a pull or an upload is cut', async () => {
  const wire = new Wire(new Tally())
  const [phone, laptop] = (await settle(wire, 'cut', 2)) as [Device<Wire>, Device<Wire>]
  const dice = new Dice(1)
  while (phone.waiting.size < 3) edit(phone, dice)
  const asks = [
    { device: phone, ask: () => phone.push(dice, true) },
    { device: laptop, ask: () => laptop.pull(dice, 500) },
  ]
  for (const { device, ask } of asks) {
    const before = structuredClone({ ...device.copy })
    const network = await startCutting(Number(place.PORT))
    wire.origin = network.origin
    let tries = 0
    do {
      expect({ ...device.copy }).toEqual(before)
      network.letThrough(tries++)
      await ask()
    } while (device.copy.cursor === before.cursor)
    expect(tries).toBeGreaterThan(600)
    network.close()
  }
  wire.origin = wire.service
  expect(wire.tally.counts.get('200')).toBe(2)
  await end([phone, laptop])
})

/** Attempts that share one answer of the service: each cuts it off one byte later. */
const triesEach = 50

/** A network in front of a service that cuts answers off. */
async function startCutting(port: number) {
  let answer: Promise<Buffer> | undefined
  let bytes = 0
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    if (bytes % triesEach === 0) answer = askRaw(port, request, body)
    const part = (await answer)?.subarray(0, bytes)
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

/** A service's answer to a request, byte by byte. */
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
