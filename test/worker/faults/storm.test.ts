import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Fault } from '../../databases/faults.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import { balanceOf } from '../fixtures/world.ts'
import { createHousehold } from '../laws/every-route.ts'
import { createFaultyWorld, expectUnavailable } from './faulty-world.ts'

const requests = 80

beforeEach(() => {
  muteLog()
})
afterEach(() => vi.restoreAllMocks())

/** A household, and a way to send so many expenses of 1.00 at once, the same ones each time. */
async function createCrowd() {
  const world = createFaultyWorld()
  const { person, checking, expense } = await createHousehold(world)
  const record = (position: number) => {
    const day = new Date(Date.UTC(2020, 0, position + 1)).toISOString().slice(0, 10)
    const fields = { ...expense(), amount: 1, transaction_date: day, client_id: `phone-${position}` }
    return person.post('/api/transactions', fields)
  }
  const all = Array.from({ length: requests }, (_, position) => position)
  const send = () => Promise.all(all.map(record))
  return {
    world,
    read: () => Promise.all(all.map(() => person.get('/api/transactions'))),
    send,
    total: async () => (await person.get('/api/transactions')).body.total as number,
    balance: () => balanceOf(person, checking),
  }
}

const statusesOf = (responses: { status: number }[]) => [...new Set(responses.map(({ status }) => status))]

describe(`${requests} requests at once`, () => {
  test('to a slow database all get a response, and the isolate is as before', async () => {
    const { world, read, total } = await createCrowd()
    const { result } = await world.whileBroken({ gets: 'late', delayMs: 500 }, read)
    expect(statusesOf(result)).toEqual([200])
    expect(await total()).toBe(0)
  })

  test.each<[string, Fault]>([
    ['is away', { gets: 'cut' }],
    ['never responds', { gets: 'nothing' }],
    ['does it and never says so', { gets: 'nothing', executed: true }],
    ['does it and is cut off', { gets: 'cut', executed: true }],
  ])('to a database that %s are all 503, and sent again each is there once', async (_, fault) => {
    const { world, send, total, balance } = await createCrowd()
    const { result } = await world.whileBroken(fault, send)
    for (const response of result) expectUnavailable(response)
    // The isolate is unharmed: the very next call gets a response.
    expect(await total()).toBeLessThanOrEqual(requests)
    for (const { status } of await send()) expect([200, 201]).toContain(status)
    expect(await total()).toBe(requests)
    expect(await balance()).toBe(100 - requests)
  })
})
