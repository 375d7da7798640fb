import { expect, test } from 'vitest'
import { findDifferences } from '../../../src/db/check.ts'
import { createWorld } from '../world.ts'
import { createHousehold, goodCall, openWorldDatabase, protectedRoutes, writeHistory } from './every-route.ts'

/** Virtual machine steps of each route, for somebody with a history of that many transactions. */
async function stepsWith(history: number): Promise<Record<string, number>> {
  const world = createWorld()
  const household = await createHousehold(world)
  await writeHistory(household, history)
  expect((await household.person.get('/api/transactions')).body.total).toBe(history)
  const steps: Record<string, number> = {}
  for (const route of protectedRoutes) {
    const { call, status } = await goodCall(route, household)
    await world.resetDatabaseWork()
    expect((await call(household.person)).status, route).toBe(status)
    steps[route] = (await world.databaseWork()).steps
  }
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
  return steps
}

test('no route works more for a history of 20,000 transactions than for one of 100', async () => {
  const short = await stepsWith(100)
  const long = await stepsWith(20_000)
  expect(Object.keys(short)).toHaveLength(protectedRoutes.length)
  expect(Object.values(short).every((steps) => steps > 0)).toBe(true)
  expect(long).toEqual(short)
}, 60_000)
