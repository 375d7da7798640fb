import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { createHousehold, openWorldDatabase, writeHistory } from './laws/every-route.ts'
import { createWorld, expectInvalidFields, type Json } from './world.ts'

/** Somebody with transactions of all kinds, whose kept counts are then set to what a long history would make of them. */
async function createArchivist() {
  const world = createWorld()
  const household = await createHousehold(world)
  await writeHistory(household, 100)
  const { person, checking, category } = household
  const db = openWorldDatabase(world)
  const setCounts = (count: number) =>
    db.batch([
      db.run(sql`update accounts set transaction_count = ${count} where id = ${checking.id}`),
      db.run(sql`update users set transaction_count = ${count} where id = ${person.id}`),
      db.run(sql`delete from category_totals where category_id = ${category.id}`),
      db.run(sql`
        insert into category_totals (user_id, month, type, category_id, total, transaction_count)
        values (${person.id}, '2026-09', 'income', ${category.id}, 0, 1),
               (${person.id}, '2026-10', 'expense', ${category.id}, 0, ${count} - 1)`),
    ])
  const total = async () => (await person.get('/api/transactions')).body.data.length
  return { ...household, world, setCounts, total }
}

type Archivist = Awaited<ReturnType<typeof createArchivist>>

const deletions: [what: string, call: (home: Archivist) => Promise<Json>][] = [
  ['an account', ({ person, checking }) => person.delete(`/api/accounts/${checking.id}`)],
  ['a category', ({ person, category }) => person.delete(`/api/categories/${category.id}`)],
  ['a user', ({ person }) => person.delete('/api/me', { password: person.password })],
]

describe.each(deletions)('deleting %s', (_, call) => {
  test('with more transactions than one request can take away is refused, and nothing is done', async () => {
    const home = await createArchivist()
    await home.setCounts(100_001)
    expectInvalidFields(await call(home), ['transactions'])
    expect(await home.total()).toBe(50)
  })

  test('with as many as it can is done', async () => {
    const home = await createArchivist()
    await home.setCounts(100_000)
    expect((await call(home)).status).toBe(204)
  })
})

/** Gives somebody finished uploads of so many items of their category, and as many client ids that are spent. */
async function writeUploads({ world, person, category }: Archivist, items: number) {
  const db = openWorldDatabase(world)
  const numbers = sql`with recursive n(i) as (select 0 union all select i + 1 from n where i < ${items} - 1)`
  await db.batch([
    db.run(sql`
      insert into sync_batches (id, user_id, status, body_hash, created_at, queued_at, completed_at)
      ${numbers} select i / 1000, ${person.id}, 'completed', '', 0, 0, ${Date.now()} from n where i % 1000 = 0`),
    db.run(sql`
      insert into sync_items (batch_id, position, outcome, category_id, force)
      ${numbers} select i / 1000, i % 1000, 'duplicate', ${category.id}, 0 from n`),
    db.run(sql`
      insert into spent_client_ids (user_id, client_id) ${numbers} select ${person.id}, 'phone-' || i from n`),
  ])
}

describe.each([
  ['a category', ({ person, category }: Archivist) => person.delete(`/api/categories/${category.id}`), 1],
  ['a user', ({ person }: Archivist) => person.delete('/api/me', { password: person.password }), 2],
] as const)('what was uploaded lately does not keep %s', (_, call, requests) => {
  test('from being deleted: what is a lot goes in parts, a transaction each', async () => {
    const home = await createArchivist()
    await writeUploads(home, 50_000)
    await home.world.resetDatabaseWork()
    expect((await call(home)).status).toBe(204)
    expect((await home.world.databaseWork()).requests).toBe(requests + 2)
    const db = openWorldDatabase(home.world)
    const [[left]] = await db.batch([
      db.all(sql`
        select (select count(*) from sync_items where category_id is not null) as items,
               (select count(*) from categories where id = ${home.category.id}) as categories`),
    ])
    expect(left).toEqual({ items: 0, categories: 0 })
  })

  test('from being deleted in one transaction where it is what people upload', async () => {
    const home = await createArchivist()
    await writeUploads(home, 2_000)
    await home.world.resetDatabaseWork()
    expect((await call(home)).status).toBe(204)
    expect((await home.world.databaseWork()).requests).toBe(requests)
  })
})

test('items of other people’s batches stay as they are where a category is deleted that is not theirs', async () => {
  const home = await createArchivist()
  await writeUploads(home, 1_000)
  const other = await home.world.register()
  expect((await other.delete(`/api/categories/${home.category.id}`)).status).toBe(403)
  const { rows } = await openWorldDatabase(home.world).run(
    sql`select count(*) as n from sync_items where category_id is not null`,
  )
  expect(rows[0]?.n).toBe(1_000)
})
