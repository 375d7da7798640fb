import { expect, test } from 'vitest'
import { budgets } from '../../budgets.ts'
import { holdDatabase } from '../fixtures/held-requests.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import { create } from '../fixtures/uploads.ts'
import { watchLimiters } from '../fixtures/watched-limiters.ts'
import { createWorld } from '../fixtures/world.ts'
import { createHousehold } from '../laws/every-route.ts'

const atOnce = 8
type Household = Awaited<ReturnType<typeof createHousehold>>

const manyOperations = ({ person, expense }: Household) =>
  person.post('/api/changes', {
    ops: Array.from({ length: 101 }, (_, nth) => create('transaction', `phone-${nth}`, expense())),
  })

const large: [name: string, call: (household: Household) => ReturnType<Household['person']['get']>][] = [
  ['a page of transactions', ({ person }) => person.get('/api/transactions?per_page=101')],
  ['a page of changes', ({ person }) => person.get('/api/changes')],
  ['the outcomes of many operations', manyOperations],
  ['the list of matches', ({ person }) => person.get('/api/matches')],
]

/** Starts eight large responses, which wait for the database. */
async function startEight({ person }: Household) {
  const held = holdDatabase(atOnce)
  const responses = Array.from({ length: atOnce }, () => person.get('/api/transactions?per_page=500'))
  await held.areHeld()
  return { end: held.release, responses: Promise.all(responses) }
}

test.each(large)(
  '%s is a 503 while eight large responses are made, and small ones are served',
  async (_, call) => {
    const household = await createHousehold(createWorld(budgets({ slotWaitMs: 1 })))
    const { person } = household
    muteLog(['error'])
    const eight = await startEight(household)
    const { status, headers } = await call(household)
    expect([status, headers.get('Retry-After')]).toEqual([503, expect.stringMatching(/^\d+$/)])
    const small = ['/api/transactions?per_page=100', '/api/changes?limit=100', '/api/me'].map((path) =>
      person.get(path),
    )
    expect((await Promise.all(small)).map((response) => response.status)).toEqual([200, 200, 200])
    eight.end()
    expect((await eight.responses).map((response) => response.status)).toEqual(Array(atOnce).fill(200))
    expect((await call(household)).status).toBe(200)
  },
)

test('a large response waits for a slot', async () => {
  const household = await createHousehold(createWorld())
  const eight = await startEight(household)
  const limiters = watchLimiters()
  const ninth = household.person.get('/api/transactions?per_page=500')
  await limiters.refusing()
  eight.end()
  expect((await ninth).status).toBe(200)
})

test('the slot of an abandoned request is free again after a time', async () => {
  const household = await createHousehold(createWorld(budgets({ slotLeaseMs: 1 })))
  await startEight(household)
  expect((await household.person.get('/api/transactions?per_page=500')).status).toBe(200)
})
