import { expect, vi } from 'vitest'
import { budgets } from '../../budgets.ts'
import type { Fault } from '../../databases/faults.ts'
import { freshDatabaseUrl } from '../fixtures/service.ts'
import { type ApiResponse, createWorld, type World } from '../fixtures/world.ts'

export type FaultyWorld = World & {
  /**
   * Does something while the connection to the database is broken; returns the outcome and the number of attempts. With
   * `endsAfter`, time-outs end once so many requests have reached the proxy.
   */
  whileBroken<T>(
    fault: Fault,
    work: () => Promise<T>,
    endsAfter?: number,
  ): Promise<{ result: T; requests: number }>
}

/** A service of its own that reaches its database through the faulty proxy (test/databases/proxy.ts), with a long deadline. */
export function createFaultyWorld(
  bindings: Partial<Env> = {},
  databaseUrl = freshDatabaseUrl(),
): FaultyWorld {
  const faults = async (init: RequestInit): Promise<{ seen: number }> =>
    (await fetch(`${databaseUrl}faults`, init)).json()
  const setFault = (fault: Fault | null) => faults({ method: 'PUT', body: JSON.stringify(fault) })
  return {
    ...createWorld(
      { TURSO_DATABASE_URL: `${databaseUrl}faulty/`, ...budgets({ requestMs: longMs }), ...bindings },
      databaseUrl,
    ),
    async whileBroken(fault, work, endsAfter = fault.gets === 'nothing' ? fault.only : undefined) {
      await setFault(fault)
      let isOver = false
      const isMet = async (requests: number) => isOver || (await faults({ method: 'GET' })).seen >= requests
      const isHastened = fault.gets === 'nothing' || endsAfter !== undefined
      const haste = isHastened ? hastenTimeouts(endsAfter, isMet) : undefined
      try {
        return { result: await work(), requests: (await setFault(fault)).seen }
      } finally {
        isOver = true
        haste?.mockRestore()
        await setFault(null)
      }
    },
  }
}

/** Long, and short enough that the timers of all requests do not exceed the ten thousand that workerd allows a test. */
const longMs = 20_000
const shortMs = 200

/**
 * Makes time-outs end early: after 200 ms, or once so many requests have reached the proxy, so that those before may take as
 * long as they need.
 */
function hastenTimeouts(endsAfter: number | undefined, isMet: (requests: number) => Promise<boolean>) {
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  const waiting: AbortController[] = []
  if (endsAfter !== undefined) void endAtFault(waiting, () => isMet(endsAfter))
  return vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    if (endsAfter === undefined) return timeout(Math.min(ms, shortMs))
    const controller = new AbortController()
    waiting.push(controller)
    return controller.signal
  })
}

async function endAtFault(waiting: AbortController[], isMet: () => Promise<boolean>): Promise<void> {
  await vi.waitUntil(isMet, { interval: 10, timeout: longMs })
  for (const controller of waiting.splice(0)) controller.abort(new DOMException('', 'TimeoutError'))
}

/** Faults of requests that the database never gets to see. */
export const beforeExecution: [name: string, fault: Fault][] = [
  ['a connection cut before', { gets: 'cut' }],
  ['a gateway that responds with 502', { gets: 'status', status: 502 }],
  [
    'a server that responds with 500 with JSON',
    { gets: 'status', status: 500, contentType: 'application/json' },
  ],
  ['a server that responds with 503', { gets: 'status', status: 503, contentType: 'text/plain' }],
  ['a refused token', { gets: 'status', status: 401, contentType: 'application/json' }],
  ['a response that is no JSON', { gets: 'garbage' }],
  ['no response at all', { gets: 'nothing' }],
]

/** Faults of requests that the database has executed: everything is done, and the caller does not learn of it. */
export const afterExecution: [name: string, fault: Fault][] = [
  ['a connection cut after', { gets: 'cut', executed: true }],
  ['half a response', { gets: 'half' }],
  ['a gateway that lost the response', { gets: 'status', status: 504, executed: true }],
  ['no response in time', { gets: 'nothing', executed: true }],
]

/** What decides whether something is done twice: all of those, and two of the others, which routes.test.ts has in turn. */
export const decisive = [
  ...beforeExecution.filter(([, { gets }]) => gets === 'cut' || gets === 'nothing'),
  ...afterExecution,
]

/** Expects the response that says to try again later, and nothing else. */
export function expectUnavailable({ status, headers, body }: ApiResponse): void {
  expect({ status, body }).toEqual({ status: 503, body: { message: 'Service Unavailable' } })
  expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0)
}
