import { expect, test } from 'vitest'
import { inTurn } from '../../src/http/turns.ts'
import { createHousehold } from './laws/every-route.ts'
import { create } from './uploads.ts'
import { createWorld } from './world.ts'

/** Starts as many answers of a kind as are made for a user at a time; the returned function ends them. */
function occupy(user: { id: number }, kind = 'large answers'): () => Promise<unknown> {
  const { promise: end, resolve } = Promise.withResolvers<void>()
  const works = Array.from({ length: 4 }, () => inTurn(`${kind} of ${user.id}`, 4, () => end))
  return () => {
    resolve()
    return Promise.all(works)
  }
}

test.each([
  ['large answers', 'GET', '/api/transactions?per_page=500', '/api/transactions?per_page=100'],
  ['changes', 'GET', '/api/changes?limit=1', '/api/me'],
  ['changes', 'POST', '/api/changes', '/api/accounts'],
])(
  'only a few %s of one user are made at a time, and nothing else waits: %s %s',
  async (kind, method, path, other) => {
    const world = createWorld()
    const [ada, bob] = [await createHousehold(world), await createHousehold(world)]
    const call = ({ person }: typeof ada) =>
      method === 'GET'
        ? person.get(path)
        : person.post(path, { ops: [create('transaction', 'phone', ada.expense())] })
    const end = occupy(ada.person, kind)
    const refused = await call(ada)
    expect([refused.status, refused.headers.has('Retry-After')]).toEqual([503, true])
    expect((await ada.person.get(other)).status).toBe(200)
    expect((await call(bob)).status).not.toBe(503)
    await end()
    expect((await call(ada)).status).toBe(200)
  },
)

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
