import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { rowsOf } from '../../databases/work.ts'
import { remove, update, upload } from '../fixtures/uploads.ts'
import { createWorld, type Json, openAccount, recordTransaction, type World } from '../fixtures/world.ts'
import {
  askDatabase,
  createHousehold,
  goodCall,
  openWorldDatabase,
  protectedRoutes,
  verify,
  writeCopies,
  writeDeletedHistory,
  writeHistory,
} from './every-route.ts'

/** Rows that each route reads and writes, for a user with so many transactions, and a quarter as many deleted ones. */
async function rowsWith(history: number): Promise<Record<string, number>> {
  const world = createWorld()
  const household = await createHousehold(world)
  await writeHistory(household, history)
  await writeDeletedHistory(household, history / 4)
  expect((await household.person.get('/api/transactions')).body.total).toBe(history)
  const worked: Record<string, number> = {}
  for (const route of protectedRoutes) {
    const { call, status } = await goodCall(route, household)
    await world.resetDatabaseWork()
    expect((await call(household.person)).status, route).toBe(status)
    worked[route] = rowsOf(await world.databaseWork())
  }
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
  return worked
}

test('no route does more work for a history of 20,000 transactions than for one of 100', async () => {
  const short = await rowsWith(100)
  const long = await rowsWith(20_000)
  expect(Object.keys(short)).toHaveLength(protectedRoutes.length)
  expect(Object.values(short).every((worked) => worked > 0)).toBe(true)
  // Ids of batches and uploads are random, and each statement that finds one at the end of its index reads a row less.
  const random = { 'GET /api/transactions/sync/:id': 2, 'POST /api/changes': 10 }
  // Categories are learned from the newest 2,000 rows.
  const bounded = { ...random, 'POST /api/categories/suggest': 2 * 2_000 }
  for (const [route, most] of Object.entries(bounded))
    expect(Math.abs((long[route] ?? 0) - (short[route] ?? 0)), route).toBeLessThanOrEqual(most)
  // An export reads everything, page by page (test/worker/export/export.test.ts).
  const compared = [...Object.keys(bounded), 'GET /api/export']
  const others = Object.fromEntries(compared.map((route) => [route, 0]))
  expect({ ...long, ...others }).toEqual({ ...short, ...others })
})

type List = { path: string; total: number }

/** Rows read for lists that find little, next to that many transactions on another account and category. */
async function rowsOfLists(who: 'owner' | 'stranger', history: number): Promise<Record<string, number>> {
  const world = createWorld()
  const household = await createHousehold(world)
  const { person, checking, category, expense } = household
  await writeHistory(household, history)
  const few = await openAccount(person, { name: 'Few' })
  const { body: pets } = await person.post('/api/categories', { name: 'Pets', type: 'expense' })
  for (const transaction_date of ['2019-05-01', '2026-11-20', '2026-11-21']) {
    const row = { ...expense(), account_id: few.id, category_id: pets.id, transaction_date }
    await recordTransaction(person, row)
  }
  const stranger = await createHousehold(world)
  await stranger.spend()
  const lists: Record<typeof who, List[]> = {
    owner: [
      { path: '/api/transactions', total: history + 3 },
      { path: `/api/transactions?account_id=${few.id}`, total: 3 },
      { path: `/api/transactions?account_id=${few.id}&type=expense&from=2026-01-01`, total: 2 },
      { path: `/api/transactions?category_id=${pets.id}`, total: 3 },
      { path: `/api/transactions?account_id=${stranger.checking.id}`, total: 0 },
      { path: `/api/transactions?category_id=${stranger.category.id}`, total: 0 },
    ],
    stranger: [
      { path: '/api/transactions', total: 1 },
      { path: `/api/transactions?account_id=${checking.id}`, total: 0 },
      { path: `/api/transactions?category_id=${category.id}`, total: 0 },
    ],
  }
  const worked: Record<string, number> = {}
  for (const { path, total } of lists[who]) {
    await world.resetDatabaseWork()
    const { body } = await (who === 'owner' ? person : stranger.person).get(path)
    expect([path, body.total]).toEqual([path, total])
    expect(body.data).toHaveLength(Math.min(total, 50))
    worked[path] = rowsOf(await world.databaseWork())
  }
  return worked
}

test.each(['owner', 'stranger'] as const)(
  'no list in which the %s finds little does more work for 20,000 transactions elsewhere than for 100',
  async (who) => {
    const short = await rowsOfLists(who, 100)
    const long = await rowsOfLists(who, 20_000)
    expect(Object.values(short).every((worked) => worked > 0)).toBe(true)
    expect(long).toEqual(short)
  },
)

/** Rows read for lists that find much, for a user with that many transactions in the same ten years. */
async function rowsOfFullLists(history: number): Promise<Record<string, number>> {
  const world = createWorld()
  const household = await createHousehold(world)
  await writeHistory(household, history)
  const { person, checking, cash, category } = household
  const queries = {
    'an account': `account_id=${checking.id}`,
    'an account that only receives': `account_id=${cash.id}`,
    'a category': `category_id=${category.id}`,
    'no category': 'category_id=none',
    income: 'type=income',
    expenses: 'type=expense',
    transfers: 'type=transfer',
    'a month': 'from=2020-02-01&to=2020-02-29',
    'all since a month': 'from=2020-02-01',
    'a page of five hundred far back': 'per_page=500&page=6',
  }
  const worked: Record<string, number> = {}
  for (const [name, query] of Object.entries(queries)) {
    await world.resetDatabaseWork()
    expect((await person.get(`/api/transactions?${query}`)).body.total).toBeGreaterThan(history / 200)
    worked[name] = rowsOf(await world.databaseWork())
  }
  return worked
}

test('no list does more work for 40,000 transactions than for 8,000 in the same months', async () => {
  const short = await rowsOfFullLists(8_000)
  const long = await rowsOfFullLists(40_000)
  // How many rows a page skips on its way to fifty of a kind depends on their days.
  const dearer = Object.entries(long).filter(([name, worked]) => worked > 1.1 * (short[name] ?? 0))
  expect(dearer).toEqual([])
})

test('a search looks at the newest 10,000 rows, and continues from the day where it ended', async () => {
  const searchesIn = async (history: number) => {
    const world = createWorld()
    const household = await createHousehold(world)
    await writeHistory(household, history)
    await askDatabase(
      world,
      sql`update transactions set description = 'A hut in the hills' where id in (7, 3649)`,
    )
    return async (query: string) => {
      await world.resetDatabaseWork()
      const { body } = await household.person.get(`/api/transactions?${query}`)
      const work = rowsOf(await world.databaseWork())
      const ids = body.data.map(({ id }: Json) => id)
      return { total: body.total, until: body.searched_back_to, ids, work }
    }
  }
  const few = await searchesIn(3_650)
  expect(await few('q=hills')).toMatchObject({ total: 2, until: null, ids: [7, 3649] })
  expect((await few('page=1')).until).toBe(undefined)
  const many = await searchesIn(36_500)
  const newest = await many('q=hills')
  // Ten rows for each day: a thousand days.
  expect(newest).toMatchObject({ total: 1, until: '2024-02-05', ids: [7] })
  expect(newest.work).toBeLessThan(10_000 * 5)
  expect(await many('q=hills&to=2017-01-01')).toMatchObject({ total: 1, until: null, ids: [3649] })
  expect((await many('q=hills&type=income&account_id=1')).work).toBeLessThan(10_000 * 10)
})

test('the summary of a range reads kept totals for whole months, and rows only for the months that it cuts', async () => {
  const readsIn = async (history: number) => {
    const world = createWorld()
    const household = await createHousehold(world)
    await writeHistory(household, history)
    return async (query: string) => {
      await world.resetDatabaseWork()
      expect((await household.person.get(`/api/summary?${query}`)).status).toBe(200)
      const work = await world.databaseWork()
      expect(work.requests).toBe(1)
      return rowsOf(work)
    }
  }
  const [short, middle, long] = [await readsIn(60), await readsIn(3_650), await readsIn(36_500)]
  // The history covers ten years, and each of its days has the same share of it.
  const year = 'from=2020-02-01&to=2021-01-31'
  expect(await long(year)).toBe(await middle(year))
  // Days of cut months at both ends, 15 and 14 of them: nine rows more on each.
  const cut = 'from=2020-02-15&to=2021-01-14'
  const more = (await long(cut)) - (await middle(cut))
  expect(more).toBeGreaterThan(0)
  expect(more).toBeLessThan(29 * 9 * 3)
  // A month costs what it contains, however many others there are.
  const month = 'month=2026-10'
  expect(await middle(month)).toBe(await short(month))
})

/** Rows read and written for each row of an import, when as many existing rows nearly equal its rows. */
async function rowsOfNearlyEqualRow(count: number): Promise<number> {
  const world = createWorld()
  const household = await createHousehold(world)
  await verify(world, household.person)
  const rows = (name: string) =>
    Array.from({ length: count }, (_, index) => ({ ...household.expense(), reference: `${name} ${index}` }))
  const land = (name: string) =>
    household.person.post('/api/import/store', {
      transactions: rows(name).map((row) => ({ ...row, amount: 5 })),
    })
  expect((await land('first')).body.import.counts.created).toBe(count)
  await world.resetDatabaseWork()
  expect((await land('second')).body.import.counts.created).toBe(count)
  return rowsOf(await world.databaseWork()) / count
}

test('a row is compared with as many others as it equals, not with all that it resembles', async () => {
  expect(await rowsOfNearlyEqualRow(2_000)).toBeLessThan(1.2 * (await rowsOfNearlyEqualRow(250)))
})

/** Rows read and written for each row of an import that was imported before and then deleted. */
async function rowsOfDeletedRow(count: number, query: string): Promise<number> {
  const world = createWorld()
  const { person, expense } = await createHousehold(world)
  await verify(world, person)
  const file = {
    transactions: Array.from({ length: count }, (_, nth) => ({ ...expense(), amount: 5 + nth })),
  }
  expect((await person.post('/api/import/store', file)).body.import.counts.created).toBe(count)
  for (;;) {
    const { body } = await person.get('/api/transactions?per_page=500')
    if (body.total === 0) break
    await upload(
      person,
      body.data.map(({ id }: Json) => remove('transaction', id)),
    )
  }
  await world.resetDatabaseWork()
  const again = await person.post(`/api/import/store?${query}`, file)
  const { created, deleted_before } = again.body.import.counts
  expect(created + deleted_before).toBe(count)
  return rowsOf(await world.databaseWork()) / count
}

test.each(['match=off', 'match=off&reimport_deleted=true'])(
  'a row of a file is compared with the deleted rows that it equals, not with all of them (%s)',
  async (query) => {
    expect(await rowsOfDeletedRow(1_000, query)).toBeLessThan(1.2 * (await rowsOfDeletedRow(100, query)))
  },
)

/** Rows read and written for a file of thirty rows, each of which `count` existing or deleted ones resemble. */
async function rowsOfSmallFile(count: number, isDeleted: boolean): Promise<number> {
  const world = createWorld()
  const { person, expense } = await createHousehold(world)
  await verify(world, person)
  const file = { transactions: Array.from({ length: 30 }, (_, nth) => ({ ...expense(), amount: 5 + nth })) }
  expect((await person.post('/api/import/store', file)).body.import.counts.created).toBe(30)
  const { body } = await person.get('/api/transactions')
  await writeCopies(
    world,
    body.data.map(({ id }: Json) => id),
    count,
  )
  if (isDeleted) await askDatabase(world, sql`delete from transactions`)
  await world.resetDatabaseWork()
  const { counts } = (await person.post('/api/import/store?match=off', file)).body.import
  expect(counts).toMatchObject(isDeleted ? { deleted_before: 30 } : { duplicate: 30 })
  return rowsOf(await world.databaseWork())
}

test.each([
  ['existing', false],
  ['deleted', true],
] as const)(
  'a small file is compared with a bounded number of %s rows, and finds its own',
  async (_, isDeleted) => {
    expect(await rowsOfSmallFile(800, isDeleted)).toBeLessThan(1.1 * (await rowsOfSmallFile(200, isDeleted)))
  },
)

/** Rows read and written for each item of a batch, half of which equal existing rows. */
async function rowsOfItem(count: number): Promise<number> {
  const world = createWorld()
  const { person, expense } = await createHousehold(world)
  const upload = async (items: Json[]) => {
    await person.post('/api/transactions/sync', { transactions: items })
    await world.deliverSyncs()
  }
  const items = Array.from({ length: count }, (_, nth) => ({ ...expense(), amount: 1 + (nth % (count / 2)) }))
  await upload(items.slice(count / 2))
  await world.resetDatabaseWork()
  await upload(items)
  const work = rowsOf(await world.databaseWork())
  expect((await person.get('/api/transactions')).body.total).toBe(count)
  return work / count
}

test('an item of a large batch costs no more than one of a small batch', async () => {
  expect(await rowsOfItem(1_000)).toBeLessThan(await rowsOfItem(50))
})

test('a transaction is compared with a bounded number of those that it resembles, however many there are', async () => {
  const workBeside = async (count: number) => {
    const world = createWorld()
    const { person, expense } = await createHousehold(world)
    const { id, ...row } = await recordTransaction(person, { ...expense(), reference: 'first' })
    await writeCopies(world, [id], count)
    await world.resetDatabaseWork()
    expect((await person.post('/api/transactions', { ...expense(), reference: 'one more' })).status).toBe(201)
    const work = rowsOf(await world.databaseWork())
    expect((await person.post('/api/transactions', { ...row, reference: `other ${count}` })).status).toBe(409)
    return work
  }
  expect(await workBeside(6_000)).toBe(await workBeside(2_000))
})

test('so is the only item of a batch', async () => {
  const workBeside = async (count: number) => {
    const world = createWorld()
    const { person, expense } = await createHousehold(world)
    const { id } = await recordTransaction(person, { ...expense(), reference: 'first' })
    await writeCopies(world, [id], count)
    const outcomeOf = async (reference: string) => {
      await world.resetDatabaseWork()
      const { body } = await person.post('/api/transactions/sync', {
        transactions: [{ ...expense(), reference }],
      })
      const work = rowsOf(await world.databaseWork())
      const batch = await person.get(`/api/transactions/sync/${body.sync_id}`)
      return { outcome: batch.body.items[0].outcome, work }
    }
    expect((await outcomeOf(`other ${count}`)).outcome).toBe('duplicate')
    const { outcome, work } = await outcomeOf('one more')
    expect(outcome).toBe('created')
    return work
  }
  expect(await workBeside(6_000)).toBeLessThan(1.01 * (await workBeside(2_000)))
})

test('a write reads no more of a month than 10,000 totals, however many accounts and categories it has', async () => {
  const workWith = async (count: number) => {
    const world = createWorld()
    const household = await createHousehold(world)
    const { person, spend, expense } = household
    await verify(world, person)
    const { id } = await spend()
    const db = openWorldDatabase(world)
    await db.batch([
      db.run(sql`
        insert into totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
        select ${person.id}, substr(${expense().transaction_date}, 1, 7), 'expense', 1000000 + i, 1, 0, 1, 1 from n`),
    ])
    const work = async (response: () => Promise<{ status: number }>) => {
      await world.resetDatabaseWork()
      expect((await response()).status).toBeLessThan(300)
      return rowsOf(await world.databaseWork())
    }
    return [
      await work(() => person.put(`/api/transactions/${id}`, { ...expense(), amount: '3.21' })),
      await work(() => person.post('/api/transactions', { ...expense(), amount: '4.32' })),
      await work(() =>
        person.post('/api/import/store', { transactions: [{ ...expense(), amount: '5.43' }] }),
      ),
    ]
  }
  const work = await workWith(60_000)
  expect(Math.min(...work)).toBeGreaterThan(10_000)
  expect(await workWith(120_000)).toEqual(work)
})

/** Adds totals of a month to a user, each with a category of its own. */
async function writeTotals(world: World, userId: number, month: string, count: number): Promise<void> {
  const db = openWorldDatabase(world)
  await db.batch([
    db.run(sql`
      insert into totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
      select ${userId}, ${month}, iif(i % 2, 'expense', 'transfer'), 1000000 + i, 1000000, 2000000 * (i % 2 = 0), 1, 1 from n`),
  ])
}

test('an upload adds up a month once, however many of its transactions it changes', async () => {
  const world = createWorld()
  const { person, expense } = await createHousehold(world)
  const spent: { id: number }[] = []
  for (let nth = 0; nth < 40; nth++)
    spent.push(await recordTransaction(person, { ...expense(), amount: 100 + nth }))
  await writeTotals(world, person.id, expense().transaction_date.slice(0, 7), 20_000)
  const workOf = async (rows: { id: number }[]) => {
    await world.resetDatabaseWork()
    const results = await upload(
      person,
      rows.map(({ id }) => update('transaction', id, { amount: '3.21' })),
    )
    expect(results.map(({ outcome }) => outcome)).toEqual(rows.map(() => 'updated'))
    return rowsOf(await world.databaseWork())
  }
  const one = await workOf(spent.slice(0, 1))
  expect(one).toBeGreaterThan(10_000)
  expect(await workOf(spent.slice(1))).toBeLessThan(2 * one)
})

test('deleting an account reads its own totals, not those of all others', async () => {
  const workWith = async (count: number) => {
    const world = createWorld()
    const { person, checking } = await createHousehold(world)
    const opened = await Promise.all([1, 2, 3].map(() => openAccount(person)))
    for (const { id } of opened)
      await recordTransaction(person, {
        account_id: checking.id,
        to_account_id: id,
        type: 'transfer',
        amount: '1.00',
        transaction_date: '2026-11-20',
        force: true,
      })
    await writeTotals(world, person.id, '2026-11', count)
    const [alone, ...together] = opened.map(({ id }) => id)
    await world.resetDatabaseWork()
    expect((await person.delete(`/api/accounts/${alone}`)).status).toBe(204)
    await upload(
      person,
      together.map((id) => remove('account', id)),
    )
    return rowsOf(await world.databaseWork())
  }
  expect(await workWith(8_000)).toBe(await workWith(2_000))
})

/** Rows read and written for each row of an import whose rows name an account, for a user with that many accounts. */
async function rowsOfNamingRow(accounts: number, rows: number): Promise<number> {
  const world = createWorld()
  const household = await createHousehold(world)
  await verify(world, household.person)
  const db = openWorldDatabase(world)
  await db.batch([
    db.run(sql`
      insert into accounts (user_id, name, type, starting_balance, created_at, updated_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${accounts})
      select ${household.person.id}, 'Account ' || i, 'bank', 0, 0, 0 from n`),
  ])
  const lines = Array.from(
    { length: rows },
    (_, index) => `2026-01-01,-${index + 1},${index % 2 ? 'ACCOUNT' : 'Account'} ${1 + (index % accounts)}`,
  )
  await world.resetDatabaseWork()
  const { body } = await world.call('POST', '/api/import/store', {
    token: household.person.token,
    headers: { 'Content-Type': 'text/csv' },
    rawBody: ['date,amount,account', ...lines].join('\n'),
  })
  expect(body.import.counts.created).toBe(rows)
  return rowsOf(await world.databaseWork()) / rows
}

test('the names of accounts in an import are looked up once, however many accounts there are', async () => {
  expect(await rowsOfNamingRow(1_000, 1_000)).toBeLessThan(1.5 * (await rowsOfNamingRow(10, 1_000)))
})
