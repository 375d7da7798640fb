import { expect, test } from 'vitest'
import { awaitRoomInTheMinute, createWorld } from './world.ts'

const limit = 600

/** Calls until the limit is used up, some at a time; answers the statuses. */
async function callOften(call: () => Promise<{ status: number }>, times: number): Promise<number[]> {
  const statuses: number[] = []
  while (statuses.length < times) {
    const answers = await Promise.all(Array.from({ length: Math.min(50, times - statuses.length) }, call))
    statuses.push(...answers.map(({ status }) => status))
  }
  return statuses
}

test('the general limit holds each token at each client address to 600 a minute, where it is switched on', async () => {
  const world = createWorld({ GENERAL_LIMIT_ENABLED: 'true' })
  const person = await world.register()
  const somebodyElse = await world.register()
  const call = () => person.get('/api/me')
  await awaitRoomInTheMinute(20_000)
  expect(new Set(await callOften(call, limit))).toEqual(new Set([200]))
  const refused = await call()
  expect([refused.status, refused.body, refused.headers.get('Retry-After')]).toEqual([
    429,
    { message: 'Too Many Attempts.' },
    '60',
  ])
  expect((await somebodyElse.get('/api/me')).status).toBe(200)
})

test('the general limit is off where nothing is said', async () => {
  const world = createWorld()
  const person = await world.register()
  const statuses = await callOften(() => person.get('/api/me'), limit + 1)
  expect(new Set(statuses)).toEqual(new Set([200]))
})
