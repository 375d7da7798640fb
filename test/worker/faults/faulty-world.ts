import { expect, inject, vi } from 'vitest'
import type { Fault } from '../../faults/proxy.ts'
import { type Answer, createWorld, type World } from '../world.ts'

export type FaultyWorld = World & {
  /** Breaks the way to the database from now on, or mends it with null. */
  breakDatabase(fault: Fault | null): Promise<void>
  /** How many requests have been made since the database was broken or mended last. */
  requestsSeen(): Promise<number>
}

/** A service of its own whose database is behind the proxy of faults. */
export function createFaultyWorld(): FaultyWorld {
  const path = `/${crypto.randomUUID()}/`
  const databaseUrl = `${inject('faultyLibsqlUrl')}${path}`
  const control = async (init?: RequestInit) => (await fetch(`${databaseUrl}faults`, init)).json()
  return {
    ...createWorld({ TURSO_DATABASE_URL: databaseUrl }),
    // Whoever looks at the database directly goes by the proxy.
    databaseUrl: `${inject('libsqlUrl')}${path}`,
    async breakDatabase(fault) {
      await control({ method: 'PUT', body: JSON.stringify(fault) })
    },
    async requestsSeen() {
      return ((await control()) as { seen: number }).seen
    },
  }
}

/** Faults of requests that the database never gets to see. */
export const beforeExecution: [name: string, fault: Fault][] = [
  ['a connection cut before', { gets: 'cut' }],
  ['a gateway that answers 502', { gets: 'status', status: 502 }],
  ['a server that answers 500 with JSON', { gets: 'status', status: 500, contentType: 'application/json' }],
  ['a server that answers 503', { gets: 'status', status: 503, contentType: 'text/plain' }],
  ['a refused token', { gets: 'status', status: 401, contentType: 'application/json' }],
  ['an answer that is no JSON', { gets: 'garbage' }],
  ['no answer at all', { gets: 'nothing' }],
]

/** Faults of requests that have been executed by then: all is done, and nobody hears of it. */
export const afterExecution: [name: string, fault: Fault][] = [
  ['a connection cut after', { gets: 'cut', executed: true }],
  ['half an answer', { gets: 'half' }],
  ['a gateway that lost the answer', { gets: 'status', status: 504, executed: true }],
  ['no answer in time', { gets: 'nothing', executed: true }],
]

/** Lets every time-out come soon, until it is restored; the real ones are seconds. */
export function hastenTimeouts(ms = 150) {
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  return vi.spyOn(AbortSignal, 'timeout').mockImplementation((asked) => timeout(Math.min(asked, ms)))
}

/** Expects the answer that says to come again, and nothing else. */
export function expectUnavailable({ status, headers, body }: Answer): void {
  expect({ status, body }).toEqual({ status: 503, body: { message: 'Service Unavailable' } })
  expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0)
}
