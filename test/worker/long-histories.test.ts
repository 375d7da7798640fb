import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { createHousehold, openWorldDatabase, writeHistory } from './laws/every-route.ts'
import { createWorld } from './world.ts'

/** Somebody with transactions of all kinds. */
async function createArchivist() {
  const world = createWorld()
  const household = await createHousehold(world)
  await writeHistory(household, 100)
  const { person } = household
  const total = async () => (await person.get('/api/transactions')).body.data.length
  return { ...household, world, total }
}

type Archivist = Awaited<ReturnType<typeof createArchivist>>

/** Gives somebody finished uploads of so many items, half a kilobyte each, and as many client ids that are spent. */
async function writeUploads({ world, person }: Archivist, items: number) {
  const db = openWorldDatabase(world)
  const numbers = sql`with recursive n(i) as (select 0 union all select i + 1 from n where i < ${items} - 1)`
  await db.batch([
    db.run(sql`
      insert into sync_batches (id, user_id, status, body_hash, created_at, queued_at, completed_at)
      ${numbers} select i / 1000, ${person.id}, 'completed', '', 0, 0, ${Date.now()} from n where i % 1000 = 0`),
    db.run(sql`
      insert into sync_parts (batch_id, start, invalid, items)
      ${numbers} select i / 1000, 0, 0, hex(zeroblob(250000)) from n where i % 1000 = 0`),
    db.run(sql`
      insert into spent_client_ids (user_id, client_id) ${numbers} select ${person.id}, 'phone-' || i from n`),
  ])
}

/** The round trips of a request that deletes a user of whom little is stored. */
const requests = 2

describe('what was uploaded lately does not keep a user', () => {
  test('from being deleted: what is a lot goes in parts, a transaction each', async () => {
    const home = await createArchivist()
    await writeUploads(home, 50_000)
    await home.world.resetDatabaseWork()
    expect((await leave(home)).status).toBe(204)
    expect((await home.world.databaseWork()).requests).toBe(requests + 2)
    const db = openWorldDatabase(home.world)
    const [left] = await db.batch([
      db.all(
        sql`select 1 from sync_batches union all select 1 from sync_parts union all select 1 from spent_client_ids`,
      ),
    ])
    expect(left).toEqual([])
  })

  test('from being deleted in one transaction where it is what people upload', async () => {
    const home = await createArchivist()
    await writeUploads(home, 2_000)
    await home.world.resetDatabaseWork()
    expect((await leave(home)).status).toBe(204)
    expect((await home.world.databaseWork()).requests).toBe(requests)
  })
})

const leave = ({ person }: Archivist) => person.delete('/api/me', { password: person.password })
