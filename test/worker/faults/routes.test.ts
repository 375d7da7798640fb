import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Fault } from '../../databases/faults.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import { createHousehold, goodCall, type Household, protectedRoutes } from '../laws/every-route.ts'
import { afterExecution, beforeExecution, createFaultyWorld, expectUnavailable } from './faulty-world.ts'

// Suggestions are read, though their items are sent as a body.
const isRead = (route: string) => route.startsWith('GET ') || route === 'POST /api/categories/suggest'
const reads = protectedRoutes.filter(isRead)
const writes = protectedRoutes.filter((route) => !isRead(route))
// SQL computes no dates: a change of a rule or of an occurrence reads the rules in a request of its own. An upload reads what
// its operations are decided by.
const readsFirst = (route: string) =>
  /^(PUT|PATCH|POST) .*\/recurring\/:id/.test(route) || route === 'POST /api/changes'

beforeEach(() => {
  muteLog()
})
afterEach(() => vi.restoreAllMocks())

const world = createFaultyWorld()
let household: Household
beforeAll(async () => {
  household = await createHousehold(world)
})

/** The faults that decide whether a request is repeated, and of the others one for each route, in turn. */
const faultsOf = (nth: number) => {
  const others = beforeExecution.filter(([, { gets }]) => gets !== 'cut' && gets !== 'nothing')
  return beforeExecution.filter((one) => !others.includes(one) || one === others[nth % others.length])
}

test.each(protectedRoutes.map((route, nth) => [route, nth] as const))(
  '%s is 503 while the database fails, and works again at once',
  async (route, nth) => {
    const { call, status } = await goodCall(route, household)
    for (const [, fault] of faultsOf(nth)) {
      const { result, requests } = await world.whileBroken(fault, () => call(household.person))
      expectUnavailable(result)
      // A read is retried, unless time is up.
      const isRepeated = (isRead(route) || readsFirst(route)) && fault.gets !== 'nothing'
      expect(requests).toBe(isRepeated ? 2 : 1)
    }
    expect((await call(household.person)).status).toBe(status)
  },
)

const lostResponses = afterExecution.filter(([, { gets }]) => gets !== 'nothing')
/** Each route with one of these faults, in turn. */
const withLostResponse = (routes: string[]) =>
  routes.map((route, nth) => [route, lostResponses[nth % lostResponses.length]?.[1] as Fault] as const)

test.each(withLostResponse(reads))(
  '%s is requested again if a response was lost, and both are counted',
  async (route, fault) => {
    const { call, status } = await goodCall(route, household)
    const { result } = await world.whileBroken({ ...fault, only: 1 }, () => call(household.person))
    expect(result.status).toBe(status)
    expect(result.headers.get('Server-Timing')).toContain('"2 round trips"')
  },
)

test.each(withLostResponse(writes))(
  '%s whose response was lost is 503, and is not repeated on its own',
  async (route, fault) => {
    const { call } = await goodCall(route, household)
    const write = readsFirst(route) ? 2 : 1
    const { result, requests } = await world.whileBroken({ ...fault, only: write }, () =>
      call(household.person),
    )
    expectUnavailable(result)
    expect(requests).toBe(write)
  },
)

test('the matches of a large file are looked for again if that response was lost, and the file is imported once', async () => {
  const { person, checking } = await createHousehold(world)
  const rows = Array.from({ length: 1_001 }, (_, nth) => `2026-11-20,-${nth + 1}`)
  const upload = () =>
    world.call('POST', `/api/import/store?account_id=${checking.id}`, {
      token: person.token,
      rawBody: ['date,amount', ...rows].join('\n'),
      headers: { 'Content-Type': 'text/csv' },
    })
  // The first finds out who is sending it, and the second stores it.
  const { result, requests } = await world.whileBroken({ gets: 'cut', executed: true, only: 3 }, upload)
  expect([result.status, result.body.import?.counts.created, requests]).toEqual([200, 1_001, 4])
  expect((await upload()).body.import.counts).toMatchObject({ created: 0, duplicate: 1_001 })
})
