import { expect, test } from 'vitest'
import { liveRandomly } from '../random-history.ts'
import { verify } from './laws/every-route.ts'
import { picker } from './picker.ts'
import { createWorld, type Json, type Person, type World } from './world.ts'

const histories = [20_261_127, 20_261_130]

/** Calls the API as `liveRandomly` does. */
const apiOf =
  (world: World, { token }: Person) =>
  (request: string, body?: unknown) => {
    const [method = '', path] = request.split(' ')
    return world.call(method, `/api${path}`, { token, ...(body !== undefined && { body }) })
  }

async function verifiedPerson(world: World) {
  const person = await world.register()
  await verify(world, person)
  return person
}

async function withRandomHistory(seed: number) {
  const world = createWorld()
  const person = await verifiedPerson(world)
  await liveRandomly(apiOf(world, person), picker(seed), 60)
  return { world, person }
}

/** Transactions as a CSV can tell them: by names, with runs of white space as one space. */
async function rowsByNames(person: Person): Promise<string[]> {
  const { body } = await person.get('/api/transactions?per_page=500')
  return body.data
    .map(({ account, to_account, category, ...row }: Json) => {
      const { type, amount, transaction_date, description, reference } = row
      const texts = [account.name, to_account?.name, category?.name, description, reference]
      const plain = texts.map((text) => text?.replace(/\s+/g, ' ') ?? null)
      return JSON.stringify([transaction_date, type, amount, ...plain])
    })
    .sort()
}

test.each(histories)('import/store reads a CSV export back, history %i', async (seed) => {
  const { world, person } = await withRandomHistory(seed)
  const expected = await rowsByNames(person)
  expect(expected.length).toBeGreaterThan(5)
  const { text } = await person.get('/api/export?format=csv')
  const other = await verifiedPerson(world)
  for (const { name, type } of (await person.get('/api/accounts')).body)
    await other.post('/api/accounts', { name, type, starting_balance: 0 })
  const answer = await world.call('POST', '/api/import/store?match=off', {
    token: other.token,
    rawBody: text,
    headers: { 'Content-Type': 'text/csv' },
  })
  expect([answer.status, answer.body.errors]).toEqual([200, undefined])
  expect(await rowsByNames(other)).toEqual(expected)
})
