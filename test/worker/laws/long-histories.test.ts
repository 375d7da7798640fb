import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { addToTotals } from '../../../src/database/kept-totals.ts'
import { toQueue } from '../fixtures/responses.ts'
import { createWorld } from '../fixtures/world.ts'
import { askDatabase, createHousehold, type Household, openWorldDatabase } from './every-route.ts'

/** Enough for two messages of removal. */
const rowsOfHistory = 70_000
const batchesOfHistory = 600
/** How many rows a statement makes. */
const rowsMade = 10_000

/**
 * A user with a history of so many rows, a multiple of `rowsMade`, which lie in another order than their dates: four of five on an account to
 * be deleted, some of them transfers. The newest days are that account's alone, so every list begins with them.
 */
async function createArchivist(rows: number) {
  const world = createWorld()
  const household = await createHousehold(world)
  const { person, checking, cash, category } = household
  const db = openWorldDatabase(world)
  const scattered = sql`(i * 7919) % ${rows}`
  for (let from = 0; from < rows; from += rowsMade)
    await db.batch([
      db.run(sql`
      insert into transactions (user_id, account_id, to_account_id, category_id, type, amount, transaction_date, client_id,
                                is_synced, created_at, updated_at)
      with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${from + rowsMade - 1})
      select ${person.id}, iif(at % 5 = 0 and day > 30, ${cash.id}, ${checking.id}), iif(at % 50 = 1, ${cash.id}, null),
             iif(at % 50 = 1, null, ${category.id}), iif(at % 50 = 1, 'transfer', 'expense'), 100 + i % 7,
             date('2026-10-31', '-' || day || ' days'), 'phone-' || i, 1, 0, 0
        from (select i, ${scattered} as at, ${scattered} % 3650 as day from n)`),
    ])
  const counted = addToTotals(sql`${person.id}`, sql`user_id = ${person.id}`).map((step) => db.run(step))
  await db.batch(counted as [(typeof counted)[number]])
  return { ...household, world, db }
}

type Archivist = Awaited<ReturnType<typeof createArchivist>>

/** Everything that shows rows of the user's, as far as it may not change while rows are removed. */
async function shown({ person, cash }: Household) {
  const paths = [
    '/api/accounts',
    '/api/summary',
    '/api/summary?from=2020-01-15&to=2026-10-31',
    '/api/reports/monthly?from=2020-01&to=2026-10',
    '/api/reports/balances?from=2025-11-01&to=2026-10-15',
    '/api/reports/balances?from=2020-01-01&to=2026-10-15&every=month',
    '/api/transactions',
    '/api/transactions?page=90',
    '/api/transactions?type=transfer',
    `/api/transactions?account_id=${cash.id}&per_page=500`,
  ]
  const responses = await Promise.all(paths.map((path) => person.get(path)))
  return responses.map(({ status, body }) => ({ status, body }))
}

const numberOf = async ({ db }: Archivist, query: ReturnType<typeof sql>): Promise<number> => {
  const [[row]] = await db.batch([db.all<{ n: number }>(query)])
  return Number(row?.n)
}
const rowsOf = (home: Archivist) =>
  numberOf(home, sql`select count(*) as n from transactions where user_id = ${home.person.id}`)

describe('an account with a long history', () => {
  test('is gone in one round trip and stays so, in all figures and lists, until the last row is removed', async () => {
    const home = await createArchivist(rowsOfHistory)
    const { world, db, person, checking, cash, expense } = home
    const [[newest]] = await db.batch([
      db.all<{ id: number; client_id: string }>(
        sql`select id, client_id from transactions where account_id = ${checking.id} order by transaction_date desc limit 1`,
      ),
    ])
    expect(await findDifferences(db)).toEqual([])
    await world.resetDatabaseWork()
    expect((await person.delete(`/api/accounts/${checking.id}`)).status).toBe(204)
    const { requests, rowsWritten } = await world.databaseWork()
    expect(requests).toBe(1)
    expect(rowsWritten).toBeLessThan(rowsOfHistory / 10)
    expect(await findDifferences(db)).toEqual([])

    const other = await createHousehold(world)
    const retry = { ...expense(), account_id: cash.id, client_id: newest?.client_id }
    const before = await shown(home)
    expect(before.every(({ status }) => status === 200)).toBe(true)
    const lists = [before[6], before[7], before[9]].flatMap((response) => response?.body.data)
    expect(lists.length).toBeGreaterThan(500)
    for (const row of lists) expect([row.account_id, row.to_account_id]).not.toContain(checking.id)

    let messages = 0
    while (world.queuedRemovals.length > 0) {
      const removed = world.deliver(world.queuedRemovals.splice(0), 'purse-removal').then(() => 'removed')
      const written = other.spend().then(() => 'written')
      // Another user's write waits for only one of fifty parts.
      if (messages === 0) expect(await Promise.race([written, removed])).toBe('written')
      await Promise.all([written, removed])
      messages += 1
      expect(await shown(home)).toEqual(before)
      expect(await findDifferences(db)).toEqual([])
      expect((await person.get(`/api/transactions/${newest?.id}`)).status).toBe(404)
      expect((await other.person.get(`/api/transactions/${newest?.id}`)).status).toBe(404)
      expect((await person.post('/api/transactions', retry)).status).toBe(422)
    }
    expect(messages).toBeGreaterThan(1)
    const left = sql`select count(*) as n from transactions where ${checking.id} in (account_id, to_account_id)`
    expect(await numberOf(home, left)).toBe(0)
    expect(await numberOf(home, sql`select count(*) as n from accounts where id = ${checking.id}`)).toBe(0)
    expect(await rowsOf(home)).toBe(before[6]?.body.total)
    const theirs = sql`select count(*) as n from transactions where user_id = ${other.person.id}`
    expect(await numberOf(home, theirs)).toBe(messages)
  })
})

describe('a user with a long history', () => {
  test('leaves in two round trips; the address is free, and what is left is shown to no user until it is removed', async () => {
    const home = await createArchivist(rowsMade)
    const { world, db, person, checking, category } = home
    await askDatabase(
      world,
      sql`
      insert into sync_batches (id, user_id, status, body_hash, created_at, completed_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${batchesOfHistory})
      select 'batch-' || i, ${person.id}, 'completed', '', 0, 0 from n`,
    )
    const { email, password } = person
    const options = toQueue(person.token, [{ ...home.expense(), transaction_date: '2026-11-21' }])
    const { body } = await world.call('POST', '/api/transactions/sync', options)
    const [[row]] = await db.batch([
      db.all<{ id: number }>(sql`select max(id) as id from transactions where user_id = ${person.id}`),
    ])
    await world.resetDatabaseWork()
    expect((await person.delete('/api/me', { password })).status).toBe(204)
    const { requests, rowsWritten } = await world.databaseWork()
    expect(requests).toBe(2)
    expect(rowsWritten).toBeLessThan(100)

    const again = await createHousehold(world, { email, password, password_confirmation: password })
    const seen = await shown(again)
    expect(seen[6]?.body).toMatchObject({ total: 0, data: [] })
    const paths = [
      `/api/accounts/${checking.id}`,
      `/api/categories/${category.id}`,
      `/api/transactions/${row?.id}`,
      `/api/transactions/sync/${body.sync_id}`,
    ]
    const isGone = async () =>
      (await Promise.all(paths.map((path) => again.person.get(path)))).map(({ status }) => status)
    // Their batch has not been processed when they leave. Its message comes too late.
    await world.deliver(world.queuedSyncs.splice(0), 'purse-sync')
    expect(await rowsOf(home)).toBe(rowsMade)
    let messages = 0
    while (world.queuedRemovals.length > 0) {
      expect(await isGone()).toEqual([404, 404, 404, 404])
      expect(await findDifferences(db)).toEqual([])
      const [message] = world.queuedRemovals.splice(0)
      // A message may come twice, even at the same time. If the first were enough, no second would be needed.
      const times = messages === 0 ? 1 : 2
      await Promise.all(Array.from({ length: times }, () => world.deliver([message], 'purse-removal')))
      messages += 1
      expect(await shown(again)).toEqual(seen)
    }
    expect(messages).toBeGreaterThan(1)
    expect(await isGone()).toEqual([404, 404, 404, 404])
    const tables = ['transactions', 'accounts', 'categories', 'totals', 'sync_batches', 'spent_client_ids']
    for (const table of tables) {
      const theirs = sql`select count(*) as n from ${sql.identifier(table)} where user_id = ${person.id}`
      expect({ table, left: await numberOf(home, theirs) }).toEqual({ table, left: 0 })
    }
    expect(await numberOf(home, sql`select count(*) as n from former_users`)).toBe(0)
  })
})

test('what was left over because its message was lost is found by the hourly cron, unused categories as well', async () => {
  const world = createWorld()
  const home = await createHousehold(world)
  const { person, checking, category, spend } = home
  const other = await world.register()
  await spend()
  const unused = (await person.post('/api/categories', { name: 'Unused', type: 'expense' })).body
  for (const { id } of [unused, category]) await person.delete(`/api/categories/${id}`)
  await other.delete('/api/me', { password: other.password })
  await person.delete(`/api/accounts/${checking.id}`)
  world.queuedRemovals.length = 0

  const db = openWorldDatabase(world)
  const nameless = async () => {
    const [found] = await db.batch([
      db.all<{ id: number }>(sql`select id from categories where user_id is null`),
    ])
    return found.map(({ id }) => id)
  }
  await world.runCron('17 * * * *')
  expect(await nameless()).toEqual([category.id])
  expect(world.queuedRemovals.map(({ user_id }) => user_id).sort()).toEqual([person.id, other.id].sort())
  await world.removeDeleted()
  // The last row that referred to it has now been removed.
  await world.runCron('17 * * * *')
  expect(await nameless()).toEqual([])
  expect(world.queuedRemovals).toEqual([])
})
