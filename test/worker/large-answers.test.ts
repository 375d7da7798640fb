import { expect, test } from 'vitest'
import { inTurn } from '../../src/http/turns.ts'
import { createHousehold } from './laws/every-route.ts'
import { create } from './uploads.ts'
import { createWorld } from './world.ts'

/** Starts as many large answers of a user as are made at a time; the returned function ends them. */
function occupy(user: { id: number }): () => Promise<unknown> {
  const { promise: end, resolve } = Promise.withResolvers<void>()
  const works = Array.from({ length: 4 }, () => inTurn(`large answers of ${user.id}`, 4, () => end))
  return () => {
    resolve()
    return Promise.all(works)
  }
}

test('only a few large pages of one user are made at a time, and nobody else waits for them', async () => {
  const world = createWorld()
  const [ada, bob] = [await createHousehold(world), await createHousehold(world)]
  const ops = Array.from({ length: 101 }, (_, nth) => create('transaction', `phone-${nth}`, ada.expense()))
  const large = [
    () => ada.person.get('/api/transactions?per_page=500'),
    () => ada.person.get('/api/changes'),
    () => ada.person.post('/api/changes', { ops }),
  ]
  const end = occupy(ada.person)
  const refused = await Promise.all(large.map((call) => call()))
  expect(refused.map(({ status, headers }) => [status, headers.has('Retry-After')])).toEqual(
    large.map(() => [503, true]),
  )
  expect((await ada.person.get('/api/transactions?per_page=100')).body.total).toBe(0)
  expect((await ada.person.get('/api/changes?limit=100')).status).toBe(200)
  expect((await bob.person.get('/api/transactions?per_page=500')).status).toBe(200)
  await end()
  for (const call of large) expect((await call()).status).toBe(200)
})

test('a large answer waits for its turn, and one that fails gives it back', async () => {
  const user = { id: -1 }
  const end = occupy(user)
  const order: string[] = []
  const waiting = inTurn(`large answers of ${user.id}`, 4, async () => order.push('fifth'))
  await scheduler.wait(50)
  order.push('end')
  await end()
  await waiting
  expect(order).toEqual(['end', 'fifth'])
  for (let nth = 0; nth < 5; nth++) {
    const failed = inTurn(`large answers of ${user.id}`, 4, () => Promise.reject(new Error('lost')))
    await expect(failed).rejects.toThrow('lost')
  }
})
