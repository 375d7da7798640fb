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
