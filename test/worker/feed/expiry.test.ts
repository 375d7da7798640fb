import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { expectWhole, FeedCopy } from '../fixtures/feed-copy.ts'
import { createWorld, type World } from '../fixtures/world.ts'
import { askDatabase, createHousehold } from '../laws/every-route.ts'

const daily = '41 3 * * *'
const dayMs = 86_400_000

/** Makes everything in the log of changes, or a user's part of it, that many days older. */
const age = (world: World, days: number, userId?: number) =>
  askDatabase(
    world,
    sql`update changes set at = at - ${days * dayMs} where ${userId === undefined ? sql`true` : sql`user_id = ${userId}`}`,
  )

test('after a hundred days a change is forgotten, and a cursor from before it is a 410', async () => {
  const world = createWorld()
  const { person, cash, spend } = await createHousehold(world)
  const row = await spend()
  const { cursor: old } = (await person.get('/api/changes?start=now')).body
  await person.put(`/api/accounts/${cash.id}`, { name: 'First' })
  await person.delete(`/api/transactions/${row.id}`)
  const copy = new FeedCopy(person)
  await copy.pull()

  await age(world, 99)
  await world.runCron(daily)
  expect((await person.get(`/api/changes?cursor=${old}`)).status).toBe(200)
  await age(world, 2)
  await world.runCron(daily)
  expect((await person.get(`/api/changes?cursor=${old}`)).status).toBe(410)
  // A client that has seen all of it continues.
  await person.put(`/api/accounts/${cash.id}`, { name: 'Second' })
  const [page] = await copy.pull()
  expect(page.changes).toMatchObject([{ noun: 'account', id: cash.id, data: { name: 'Second' } }])
  await expectWhole(copy, person)
})

test('a snapshot that began before what is forgotten ends in a 410, unless nothing has happened since', async () => {
  const world = createWorld()
  const { person, cash, spend } = await createHousehold(world)
  await spend()
  const { cursor } = (await person.get('/api/changes?limit=1')).body
  await person.put(`/api/accounts/${cash.id}`, { name: 'First' })
  await age(world, 101)
  await world.runCron(daily)
  const rest = await person.get(`/api/changes?cursor=${cursor}`)
  expect([rest.status, rest.body.has_more]).toEqual([200, true])
  expect((await person.get(`/api/changes?cursor=${rest.body.cursor}`)).status).toBe(410)
})

test('numbers never fall, even after everything has been forgotten', async () => {
  const world = createWorld()
  const { person, cash } = await createHousehold(world)
  const { cursor } = (await person.get('/api/changes')).body
  await age(world, 101)
  for (let day = 0; day < 2; day++) await world.runCron(daily)
  const kept = await askDatabase(world, sql`select noun from changes where user_id = ${person.id}`)
  expect(kept).toEqual([{ noun: 'forgotten' }])
  expect((await person.get(`/api/changes?cursor=${cursor}`)).body.changes).toEqual([])
  await person.put(`/api/accounts/${cash.id}`, { name: 'Anew' })
  const { body } = await person.get(`/api/changes?cursor=${cursor}`)
  expect(body.changes).toMatchObject([{ noun: 'account', id: cash.id }])
})

test('the job looks at each user once, forgets in parts, and leaves what is young alone', async () => {
  const world = createWorld()
  const [one, other] = [await createHousehold(world), await createHousehold(world)]
  const many = 12_000
  await age(world, 101, one.person.id)
  await askDatabase(
    world,
    sql`insert into changes (user_id, seq, noun, row_id, at)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < ${many})
        select ${one.person.id}, 1000 + i, 'transaction', i, iif(i > ${many - 10}, ${Date.now()}, 0) from n`,
  )
  await age(world, 101, other.person.id)
  await world.resetDatabaseWork()
  await world.runCron(daily)
  // One to find the users, one in which both take part, and two for what is left of the long one.
  expect((await world.databaseWork()).requests).toBe(4)
  const left = sql`select user_id, noun, count(*) as entries from changes group by 1, 2 order by 1, 2`
  expect(await askDatabase(world, left)).toEqual([
    { user_id: one.person.id, noun: 'forgotten', entries: 1 },
    { user_id: one.person.id, noun: 'transaction', entries: 10 },
    { user_id: other.person.id, noun: 'forgotten', entries: 1 },
  ])
})
