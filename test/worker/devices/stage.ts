import { expect } from 'vitest'
import type { Fault } from '../../databases/faults.ts'
import type { Dice } from '../../dice.ts'
import { afterExecution, beforeExecution, createFaultyWorld } from '../faults/faulty-world.ts'
import { type ApiResponse, type CallOptions, createWorld, type Json, type World } from '../fixtures/world.ts'
import { Network, type Request, rowsIn, type Tally } from './network.ts'

/** How often things go wrong on the network. */
const mishaps = { none: 22, 'never sent': 1, 'response cut': 3, 'database cut': 1 }
const faults: Fault[] = [...beforeExecution, ...afterExecution]
  .map(([, fault]) => fault)
  .filter(({ gets, status }) => gets !== 'nothing' && status !== 401)

/** Where a history plays: a service, the network in front of it, and the one behind it that can break. */
export class Stage extends Network {
  world: World
  /** Nothing goes wrong on the network. */
  isCalm = true
  readonly #faulty = createFaultyWorld()
  #repair = Promise.resolve()

  constructor(tally: Tally) {
    super(tally)
    this.world = this.#open({})
  }

  /** Continues with another configuration on the same database. */
  restart(bindings: Partial<Env>): void {
    this.world = this.#open(bindings)
  }

  #open(bindings: Partial<Env>): World {
    const { databaseUrl } = this.#faulty
    return { ...createWorld({ TURSO_DATABASE_URL: databaseUrl, ...bindings }), databaseUrl }
  }

  call(method: string, path: string, options: CallOptions = {}): Promise<ApiResponse> {
    return this.world.call(method, path, options)
  }

  async send(
    name: string,
    dice: Dice,
    { method, path, options }: Request,
    executed: (response: ApiResponse) => void,
  ): Promise<ApiResponse | undefined> {
    this.tally.operations += rowsIn(options.body)
    const mishap = this.isCalm ? 'none' : dice.weighed(mishaps)
    const tell = (became: string) =>
      this.told.push(`${name}: ${method} ${path} ${JSON.stringify(options.body) ?? ''} → ${became}`)
    if (mishap === 'never sent') return void tell('never sent')
    const response =
      mishap === 'database cut'
        ? await this.#sendBroken(dice, { method, path, options })
        : await this.call(method, path, options)
    this.tally.count(String(response.status))
    tell(`${response.status} ${mishap === 'none' ? '' : mishap} ${inShort(response)}`)
    expect(mishap === 'database cut' ? [...expected, 503] : expected).toContain(response.status)
    executed(response)
    if (response.status === 503) return undefined
    if (mishap !== 'response cut') return response
    // Wherever the response was cut, it can be told from a complete one.
    const part = response.text.slice(0, dice.from(0, Math.max(response.text.length - 1, 0)))
    if (response.text) expect(() => JSON.parse(part)).toThrow()
    this.tally.count('responses lost')
    return undefined
  }

  /** One after another, since a fault affects every request. */
  async #sendBroken(dice: Dice, { method, path, options }: Request): Promise<ApiResponse> {
    const fault = dice.of(faults) as Fault
    const before = this.#repair
    let done = () => {}
    this.#repair = new Promise((resolve) => {
      done = resolve
    })
    await before
    const { result } = await this.#faulty.whileBroken(fault, () => this.#faulty.call(method, path, options))
    for (const queue of ['queuedSyncs', 'queuedRemovals'] as const)
      this.world[queue].push(...(this.#faulty[queue].splice(0) as never[]))
    done()
    return result
  }
}

/** The statuses that responses may have: nothing that a device sends may make the service fail. */
const expected = [200, 201, 204, 403, 404, 409, 410, 412, 422]

/** A response without its rows. */
function inShort({ body, text }: ApiResponse): string {
  const { results, changes, cursor, has_more } = body ?? {}
  if (!results && !changes) return text.slice(0, 500)
  const done = results?.map(({ outcome, id }: Json) => `${outcome} ${id}`)
  const changed = changes?.map(({ noun, id, data }: Json) => `${data ? '' : 'no '}${noun} ${id}`)
  return JSON.stringify({ results: done, changes: changed, cursor, has_more })
    .replaceAll('"', '')
    .slice(0, 1_500)
}
