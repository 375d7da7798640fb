import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createHousehold, goodCall, protectedRoutes } from '../laws/every-route.ts'
import { muteLog } from '../muted-log.ts'
import { afterExecution, beforeExecution, createFaultyWorld, expectUnavailable } from './faulty-world.ts'

const reads = protectedRoutes.filter((route) => route.startsWith('GET '))
const writes = protectedRoutes.filter((route) => !route.startsWith('GET '))

beforeEach(() => {
  muteLog()
})
afterEach(() => vi.restoreAllMocks())

test.each(protectedRoutes)('%s is 503 while the database fails, and works again at once', async (route) => {
  const world = createFaultyWorld()
  const household = await createHousehold(world)
  const { call, status } = await goodCall(route, household)
  for (const [, fault] of beforeExecution) {
    const { result, requests } = await world.whileBroken(fault, () => call(household.person))
    expectUnavailable(result)
    // A read is asked for once more, unless the time is up.
    const isRepeated = reads.includes(route) && fault.gets !== 'nothing'
    expect(requests).toBe(isRepeated ? 2 : 1)
  }
  expect((await call(household.person)).status).toBe(status)
})

const lostAnswers = afterExecution.filter(([, { gets }]) => gets !== 'nothing')

test.each(reads)(
  '%s is asked for once more where an answer was lost, and both are counted',
  async (route) => {
    const world = createFaultyWorld()
    const household = await createHousehold(world)
    const { call, status } = await goodCall(route, household)
    for (const [, fault] of lostAnswers) {
      const { result } = await world.whileBroken({ ...fault, only: 1 }, () => call(household.person))
      expect(result.status).toBe(status)
      expect(result.headers.get('Server-Timing')).toContain('"2 round trips"')
    }
  },
)

test.each(writes)('%s whose answer was lost is 503, and is not repeated on its own', async (route) => {
  const world = createFaultyWorld()
  const household = await createHousehold(world)
  for (const [, fault] of lostAnswers) {
    const { call } = await goodCall(route, household)
    const { result, requests } = await world.whileBroken(fault, () => call(household.person))
    expectUnavailable(result)
    expect(requests).toBe(1)
  }
})
