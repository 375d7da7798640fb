import { expect, test } from 'vitest'
import { aCategory, createWorld, openAccount, type Person, recordTransaction } from '../fixtures/world.ts'

/** A user with four transactions. */
async function createUser() {
  const world = createWorld()
  const person = await world.register()
  const own = { account_id: (await openAccount(person)).id, category_id: (await aCategory(person)).id }
  const spend = (day: number) =>
    recordTransaction(person, {
      ...own,
      type: 'expense',
      amount: '1.00',
      transaction_date: `2026-11-0${day}`,
    })
  for (const day of [1, 2, 3, 4]) await spend(day)
  return { world, person, spend }
}

const pull = (person: Person, body: object) => person.post('/api/changes', { ops: [], ...body })
const pathOf = (query: Record<string, string>) => `/api/changes?${new URLSearchParams(query)}`

test('a POST without operations is the page that a GET with its cursor and limit is', async () => {
  const { person, spend } = await createUser()
  let cursor: string | null = null
  for (let page = 1; page <= 30; page++) {
    const query = { limit: '7', ...(cursor !== null && { cursor }) }
    const posted = await pull(person, { cursor, limit: 7 })
    expect(posted).toMatchObject({ status: 200, body: (await person.get(pathOf(query))).body })
    expect(posted.body.results).toEqual([])
    cursor = posted.body.cursor
    if (!posted.body.has_more) break
  }
  await spend(5)
  const query = { cursor: String(cursor) }
  const { results, ...news } = (await pull(person, query)).body
  expect(news).toEqual((await person.get(pathOf(query))).body)
  expect(news.changes.map(({ noun }: { noun: string }) => noun)).toEqual(['transaction'])
})

test('it takes one round trip, and fails as a GET does', async () => {
  const { world, person } = await createUser()
  await world.resetDatabaseWork()
  await pull(person, { cursor: null, limit: '5000' })
  expect((await world.databaseWork()).requests).toBe(1)
  const other = (await pull(await world.register(), { cursor: null })).body.cursor
  expect(await pull(person, { cursor: other })).toMatchObject({
    status: 410,
    body: { code: 'cursor_expired' },
  })
  expect(await pull(person, { cursor: 'none', limit: 5_001 })).toMatchObject({
    status: 422,
    body: {
      errors: {
        cursor: ['The selected cursor is invalid.'],
        limit: ['The limit field must be an integer from 1 to 5000.'],
      },
    },
  })
})

test('without a cursor, empty operations are still refused, and a cursor still needs operations', async () => {
  const { person } = await createUser()
  const required = { status: 422, body: { errors: { ops: ['The ops field is required.'] } } }
  expect(await pull(person, {})).toMatchObject(required)
  expect(await person.post('/api/changes', { cursor: null })).toMatchObject(required)
})

test('the page in the response to an upload has the limit that it says', async () => {
  const { person } = await createUser()
  const { cursor } = (await person.get('/api/changes?limit=1')).body
  const ops = [{ op: 'create', noun: 'category', client_id: 'c1', set: { name: 'Books', type: 'expense' } }]
  const { body } = await pull(person, { cursor, limit: 2, ops })
  expect(body).toMatchObject({ results: [{ outcome: 'created' }], has_more: true })
  expect(body.changes).toHaveLength(2)
})
