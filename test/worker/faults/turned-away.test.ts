import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { muteLog } from '../fixtures/muted-log.ts'
import { createHousehold, type Household } from '../laws/every-route.ts'
import { createFaultyWorld, expectUnavailable } from './faulty-world.ts'

beforeEach(() => {
  muteLog()
})
afterEach(() => vi.restoreAllMocks())

/** How sqld responds, before it reads the request, once 128 connections are in use. */
const turnedAway = { gets: 'status', status: 429, contentType: 'application/json' } as const

const calls: [name: string, call: (household: Household) => Promise<{ status: number }>, status: number][] = [
  ['a write', ({ person, expense }) => person.post('/api/transactions', expense()), 201],
  ['a read', ({ person }) => person.get('/api/transactions'), 200],
]

test.each(calls)('%s that a full server turned away is sent again', async (_, call, status) => {
  const world = createFaultyWorld()
  const household = await createHousehold(world)
  const { result, requests } = await world.whileBroken({ ...turnedAway, only: 1 }, () => call(household))
  expect([result.status, requests]).toEqual([status, 2])
})

test('whoever is turned away until the time is up is told to try again later', async () => {
  const world = createFaultyWorld()
  const { person, expense } = await createHousehold(world)
  const { result, requests } = await world.whileBroken(
    turnedAway,
    () => person.post('/api/transactions', expense()),
    3,
  )
  expectUnavailable(result)
  // The pauses grow, so there is no time for hundreds.
  expect(requests).toBeLessThan(20)
  expect((await person.get('/api/transactions')).body.total).toBe(0)
})

test.each([
  [400, 'twice, since the server may no longer know its stream', 2],
  [413, 'once', 1],
])(
  'a request that the database refuses with %i is sent %s, and is our fault, not an outage',
  async (status, _, times) => {
    const world = createFaultyWorld()
    const { person, expense } = await createHousehold(world)
    const { result, requests } = await world.whileBroken({ gets: 'status', status }, () =>
      person.post('/api/transactions', expense()),
    )
    expect([result.status, result.body, requests]).toEqual([500, { message: 'Server Error' }, times])
  },
)
