import { expect } from 'vitest'
import type { ApiResponse, CallOptions } from '../worker/answers.ts'
import { Device } from '../worker/devices/device.ts'
import { Dice } from '../worker/devices/dice.ts'
import { Ledger } from '../worker/devices/ledger.ts'
import { Network, type Outcome, type Request, rowsIn, Tally } from '../worker/devices/network.ts'
import { expectEqual, readEverything } from '../worker/feed-copy.ts'
import { ask, clientOf, register } from './client.ts'
import type { Place } from './stack.ts'

/** A real network in front of a real stack. */
export class Wire extends Network {
  readonly place: Place
  readonly service: string
  /** The address for requests that may get lost. */
  origin: string

  constructor(place: Place) {
    super(new Tally())
    this.place = place
    this.service = `http://127.0.0.1:${place.PORT}`
    this.origin = this.service
  }

  call(method: string, path: string, options?: CallOptions): Promise<ApiResponse> {
    return ask(`${this.service}${path}`, method, options)
  }

  async send(
    name: string,
    _: Dice,
    { method, path, options }: Request,
    executed: (outcome: Outcome) => void,
  ): Promise<ApiResponse | undefined> {
    this.tally.operations += rowsIn(options.body)
    const response = await ask(`${this.origin}${path}`, method, options).catch(() => undefined)
    this.told.push(`${name}: ${method} ${path} ${JSON.stringify(options.body)} → ${response?.text}`)
    this.tally.count(String(response?.status))
    expect([200, 503, undefined]).toContain(response?.status)
    executed(response ?? { status: 503, body: undefined })
    return response?.status === 503 ? undefined : response
  }
}

/** A user with accounts and several devices. */
export async function settle(wire: Wire, name: string, devices: number): Promise<Device<Wire>[]> {
  const api = clientOf(wire.place)
  const { user, access_token: token } = await register(wire.place, `${name}@example.com`)
  const account = () => ({ name: wire.newText(), type: 'bank', starting_balance: '10.00' })
  for (let i = 0; i < 3; i++) await api('POST', '/accounts', account(), token)
  const ledger = new Ledger()
  const person = { id: user.id, token }
  const own = Array.from({ length: devices }, (_, i) => new Device(wire, `${name} ${i}`, person, ledger))
  for (const device of own) await device.copy.pull()
  return own
}

/** Has a user's devices send and pull everything, and checks all promises. */
export async function end(own: Device<Wire>[]): Promise<void> {
  const [first] = own as [Device<Wire>]
  for (const device of own) await device.finish(new Dice(1))
  for (const device of own) await device.catchUp(new Dice(1))
  const all = await readEverything(first.reader)
  for (const { copy } of own) expectEqual(copy, all)
  first.ledger.settle(all)
}
