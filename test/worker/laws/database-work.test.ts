import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { rowsOf } from '../../databases/work.ts'
import { remove, update, upload } from '../fixtures/uploads.ts'
import {
  type ApiResponse,
  createWorld,
  type Json,
  openAccount,
  recordTransaction,
  type World,
} from '../fixtures/world.ts'
import { sendFile } from '../imports/send-file.ts'
import {
  askDatabase,
  createHousehold,
  goodCall,
  type Household,
  openWorldDatabase,
  protectedRoutes,
  writeCopies,
  writeDeletedHistory,
  writeHistory,
} from './every-route.ts'

/** What a call responds, and the rows that the database reads and writes for it. */
async function measured({ world }: Household, call: () => Promise<ApiResponse>) {
  await world.resetDatabaseWork()
  const response = await call()
  return { ...response, rows: rowsOf(await world.databaseWork()) }
}

/** A household with that many transactions in ten years. */
async function withHistory(count: number): Promise<Household> {
  const household = await createHousehold(createWorld())
  await writeHistory(household, count)
  return household
}

/** Rows that each route reads and writes, for a user with so many transactions, and a quarter as many deleted ones. */
async function rowsWith(history: number): Promise<Record<string, number>> {
  const household = await withHistory(history)
  await writeDeletedHistory(household, history / 4)
  expect((await household.person.get('/api/transactions')).body.total).toBe(history)
  const worked: Record<string, number> = {}
  for (const route of protectedRoutes) {
    const { call, status: expected } = await goodCall(route, household)
    const { status, rows } = await measured(household, () => call(household.person))
    expect(status, route).toBe(expected)
    worked[route] = rows
  }
  expect(await findDifferences(openWorldDatabase(household.world))).toEqual([])
  return worked
}

test('no route does more work for a history of 5,000 transactions than for one of 100', async () => {
  const short = await rowsWith(100)
  const long = await rowsWith(5_000)
  expect(Object.keys(short)).toHaveLength(protectedRoutes.length)
  expect(Object.values(short).every((worked) => worked > 0)).toBe(true)
  // Ids of batches and uploads are random, and each statement that finds one at the end of its index reads a row less.
  const random = { 'GET /api/transactions/sync/:id': 2, 'POST /api/changes': 10 }
  // Categories are learned from the newest 2,000 rows.
  const learned = { 'POST /api/categories/suggest': 2 * 2_000 }
  // What explains a difference that was there from the start is looked for in the newest 20,000 rows.
  const explained = { 'GET /api/balance-checks/:id': 20_000 }
  // What may be a due occurrence is looked for in the last 66 days, of which the longer history has one row more each.
  const due = { 'GET /api/recurring/upcoming': 66, 'GET /api/reports/forecast': 66 }
  // What repeats is looked for in the newest 4,000 rows, with their categories.
  const repeating = { 'GET /api/recurring/suggestions': 3 * 4_000 }
  const bounded = { ...random, ...learned, ...explained, ...due, ...repeating }
  for (const [route, most] of Object.entries(bounded))
    expect(Math.abs((long[route] ?? 0) - (short[route] ?? 0)), route).toBeLessThanOrEqual(most)
  // An export reads everything, page by page (test/worker/export/export.test.ts).
  const compared = [...Object.keys(bounded), 'GET /api/export']
  const others = Object.fromEntries(compared.map((route) => [route, 0]))
  expect({ ...long, ...others }).toEqual({ ...short, ...others })
})

/** Rows read for lists that find little, next to that many transactions on another account and category. */
async function rowsOfLists(history: number): Promise<Record<string, number>> {
  const household = await withHistory(history)
  const { world, person, checking, category, expense } = household
  const few = await openAccount(person, { name: 'Few' })
  const { body: pets } = await person.post('/api/categories', { name: 'Pets', type: 'expense' })
  for (const transaction_date of ['2019-05-01', '2026-11-20', '2026-11-21'])
    await recordTransaction(person, {
      ...expense(),
      account_id: few.id,
      category_id: pets.id,
      transaction_date,
    })
  const stranger = await createHousehold(world)
  await stranger.spend()
  const lists = [
    { who: person, query: '', total: history + 3 },
    { who: person, query: `?account_id=${few.id}`, total: 3 },
    { who: person, query: `?account_id=${few.id}&type=expense&from=2026-01-01`, total: 2 },
    { who: person, query: `?category_id=${pets.id}`, total: 3 },
    { who: person, query: `?account_id=${stranger.checking.id}`, total: 0 },
    { who: person, query: `?category_id=${stranger.category.id}`, total: 0 },
    { who: stranger.person, query: '', total: 1 },
    { who: stranger.person, query: `?account_id=${checking.id}`, total: 0 },
    { who: stranger.person, query: `?category_id=${category.id}`, total: 0 },
  ]
  const worked: Record<string, number> = {}
  for (const { who, query, total } of lists) {
    const { body, rows } = await measured(household, () => who.get(`/api/transactions${query}`))
    expect([query, body.total, body.data.length]).toEqual([query, total, Math.min(total, 50)])
    worked[`${who.id} ${query}`] = rows
  }
  return worked
}

test('no list that finds little does more work for 5,000 transactions elsewhere, of the user or another, than for 100', async () => {
  const short = await rowsOfLists(100)
  expect(Object.values(short).every((worked) => worked > 0)).toBe(true)
  expect(await rowsOfLists(5_000)).toEqual(short)
})

/** Rows read for lists that find much, for a user with that many transactions in the same ten years. */
async function rowsOfFullLists(history: number): Promise<Record<string, number>> {
  const household = await withHistory(history)
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
    const { body, rows } = await measured(household, () => person.get(`/api/transactions?${query}`))
    expect(body.total).toBeGreaterThan(history / 200)
    worked[name] = rows
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
    const household = await withHistory(history)
    await askDatabase(
      household.world,
      sql`update transactions set description = 'A hut in the hills' where id in (7, 3649)`,
    )
    return async (query: string) => {
      const { body, rows } = await measured(household, () =>
        household.person.get(`/api/transactions?${query}`),
      )
      const ids = body.data.map(({ id }: Json) => id)
      return { total: body.total, until: body.searched_back_to, ids, rows }
    }
  }
  const few = await searchesIn(3_650)
  expect(await few('q=hills')).toMatchObject({ total: 2, until: null, ids: [7, 3649] })
  expect((await few('page=1')).until).toBe(undefined)
  const many = await searchesIn(36_500)
  const newest = await many('q=hills')
  // Ten rows for each day: a thousand days.
  expect(newest).toMatchObject({ total: 1, until: '2024-02-05', ids: [7] })
  expect(newest.rows).toBeLessThan(10_000 * 5)
  const rare = await many('amount_from=999999')
  expect(rare).toMatchObject({ total: 0, until: '2024-02-05' })
  expect(rare.rows).toBeLessThan(10_000 * 5)
  expect(await many('q=hills&to=2017-01-01')).toMatchObject({ total: 1, until: null, ids: [3649] })
  expect((await many('q=hills&type=income&account_id=1')).rows).toBeLessThan(10_000 * 10)
})

test('the summary of a range reads kept totals for whole months, and rows only for the months that it cuts', async () => {
  const readsIn = async (history: number) => {
    const household = await withHistory(history)
    return async (query: string) => {
      const { status, rows } = await measured(household, () => household.person.get(`/api/summary?${query}`))
      expect([status, (await household.world.databaseWork()).requests]).toEqual([200, 1])
      return rows
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

/** The rows of a file, each with an amount of its own. */
const fileOf = ({ expense }: Household, count: number) =>
  Array.from({ length: count }, (_, nth) => ({ ...expense(), amount: 5 + nth }))

/** Imports rows, and expects counts. */
async function importRows({ person }: Household, transactions: Json[], expected: Json, options = '') {
  const response = await person.post(`/api/import/store?match=off${options}`, { transactions })
  expect(response.body.import?.counts).toMatchObject(expected)
  return response
}

async function deleteAll({ person }: Household): Promise<void> {
  for (;;) {
    const { data } = (await person.get('/api/transactions?per_page=500')).body
    if (data.length === 0) return
    await upload(
      person,
      data.map(({ id }: Json) => remove('transaction', id)),
    )
  }
}

/** Rows read and written for each row of an import, when as many existing rows nearly equal its rows. */
async function rowsOfNearlyEqualRow(count: number): Promise<number> {
  const household = await createHousehold(createWorld())
  const store = (name: string) => {
    const row = { ...household.expense(), amount: 5 }
    const rows = Array.from({ length: count }, (_, nth) => ({ ...row, reference: `${name} ${nth}` }))
    return importRows(household, rows, { created: count })
  }
  await store('first')
  return (await measured(household, () => store('second'))).rows / count
}

/** Rows read and written for each row of an import that was imported before and then deleted. */
async function rowsOfDeletedRow(count: number, reimport: boolean): Promise<number> {
  const household = await createHousehold(createWorld())
  const file = fileOf(household, count)
  await importRows(household, file, { created: count })
  await deleteAll(household)
  const expected = reimport ? { created: count } : { deleted_before: count }
  const again = () => importRows(household, file, expected, `&reimport_deleted=${reimport}`)
  return (await measured(household, again)).rows / count
}

/** Rows read and written for a file of thirty rows, each of which `count` existing or deleted ones resemble. */
async function rowsOfSmallFile(count: number, isDeleted: boolean): Promise<number> {
  const household = await createHousehold(createWorld())
  const { world, person } = household
  const file = fileOf(household, 30)
  await importRows(household, file, { created: 30 })
  const { data } = (await person.get('/api/transactions')).body
  await writeCopies(
    world,
    data.map(({ id }: Json) => id),
    count,
  )
  if (isDeleted) await askDatabase(world, sql`delete from transactions`)
  const expected = isDeleted ? { deleted_before: 30 } : { duplicate: 30 }
  return (await measured(household, () => importRows(household, file, expected))).rows
}

/** Rows read and written for each item of a batch, half of which equal existing rows. */
async function rowsOfItem(count: number): Promise<number> {
  const household = await createHousehold(createWorld())
  const { world, person, expense } = household
  const upload = async (transactions: Json[]) => {
    const response = await person.post('/api/transactions/sync', { transactions })
    await world.deliverSyncs()
    return response
  }
  const items = Array.from({ length: count }, (_, nth) => ({ ...expense(), amount: 1 + (nth % (count / 2)) }))
  await upload(items.slice(count / 2))
  const { rows } = await measured(household, () => upload(items))
  expect((await person.get('/api/transactions')).body.total).toBe(count)
  return rows / count
}

/** Rows read and written for a transaction that resembles that many others. */
async function rowsOfTransaction(count: number): Promise<number> {
  const household = await createHousehold(createWorld())
  const { world, person, expense } = household
  const { id } = await recordTransaction(person, { ...expense(), reference: 'first' })
  await writeCopies(world, [id], count)
  const post = (reference: string) => person.post('/api/transactions', { ...expense(), reference })
  const { status, rows } = await measured(household, () => post('one more'))
  expect([status, (await post(`other ${count}`)).status]).toEqual([201, 409])
  return rows
}

/** Rows read and written for the only item of a batch, which resembles that many transactions. */
async function rowsOfOnlyItem(count: number): Promise<number> {
  const household = await createHousehold(createWorld())
  const { world, person, expense } = household
  const { id } = await recordTransaction(person, { ...expense(), reference: 'first' })
  await writeCopies(world, [id], count)
  const outcomeOf = async (reference: string) => {
    const transactions = [{ ...expense(), reference }]
    const { body, rows } = await measured(household, () =>
      person.post('/api/transactions/sync', { transactions }),
    )
    const batch = await person.get(`/api/transactions/sync/${body.sync_id}`)
    return { outcome: batch.body.items[0].outcome, rows }
  }
  expect((await outcomeOf(`other ${count}`)).outcome).toBe('duplicate')
  const { outcome, rows } = await outcomeOf('one more')
  expect(outcome).toBe('created')
  return rows
}

/** Rows read and written for each row of an import whose rows name an account, for a user with that many accounts. */
async function rowsOfNamingRow(accounts: number): Promise<number> {
  const household = await createHousehold(createWorld())
  const { world, person } = household
  await askDatabase(
    world,
    sql`
    insert into accounts (user_id, name, type, starting_balance, created_at, updated_at)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${accounts})
    select ${person.id}, 'Account ' || i, 'bank', 0, 0, 0 from n`,
  )
  const lines = Array.from(
    { length: 1_000 },
    (_, nth) => `2026-01-01,-${nth + 1},${nth % 2 ? 'ACCOUNT' : 'Account'} ${1 + (nth % accounts)}`,
  )
  const file = ['date,amount,account', ...lines].join('\n')
  const { body, rows } = await measured(household, () => sendFile(household, 'store', file))
  expect(body.import.counts.created).toBe(1_000)
  return rows
}

type Growth = [
  law: string,
  few: number,
  many: number,
  factor: number,
  rowsFor: (count: number) => Promise<number>,
]

test.each<Growth>([
  [
    'a row is compared with as many others as it equals, not with all that it resembles',
    ...([250, 2_000, 1.2, rowsOfNearlyEqualRow] as const),
  ],
  [
    'a row of a file is compared with the deleted rows that it equals, not with all of them',
    ...([100, 1_000, 1.2, (count: number) => rowsOfDeletedRow(count, false)] as const),
  ],
  [
    'so is one that is imported again',
    ...([100, 1_000, 1.2, (count: number) => rowsOfDeletedRow(count, true)] as const),
  ],
  [
    'a small file is compared with a bounded number of existing rows, and finds its own',
    ...([200, 800, 1.1, (count: number) => rowsOfSmallFile(count, false)] as const),
  ],
  [
    'a small file is compared with a bounded number of deleted rows, and finds its own',
    ...([200, 800, 1.1, (count: number) => rowsOfSmallFile(count, true)] as const),
  ],
  ['an item of a large batch costs no more than one of a small batch', 50, 1_000, 1, rowsOfItem],
  [
    'a transaction is compared with a bounded number of those that it resembles',
    ...([2_000, 6_000, 1.000_1, rowsOfTransaction] as const),
  ],
  ['so is the only item of a batch', 2_000, 6_000, 1.01, rowsOfOnlyItem],
  ['the names of accounts in an import are looked up once', 10, 1_000, 1.5, rowsOfNamingRow],
])('%s, however many there are', async (_, few, many, factor, rowsFor) => {
  expect(await rowsFor(many)).toBeLessThan(factor * (await rowsFor(few)))
})

/** Adds totals of a month to a user, each with a category of its own: of expenses on the first account, or of both kinds on others. */
async function writeTotals(world: World, userId: number, month: string, count: number, isOfFirst = false) {
  const row = isOfFirst
    ? sql`'expense', 1000000 + i, 1, 0`
    : sql`iif(i % 2, 'expense', 'transfer'), 1000000 + i, 1000000, 2000000 * (i % 2 = 0)`
  await askDatabase(
    world,
    sql`
    insert into totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    select ${userId}, ${month}, ${row}, 1, 1 from n`,
  )
}

test('a write reads no more of a month than 10,000 totals, however many accounts and categories it has', async () => {
  const workWith = async (count: number) => {
    const household = await createHousehold(createWorld())
    const { world, person, spend, expense } = household
    const { id } = await spend()
    await writeTotals(world, person.id, expense().transaction_date.slice(0, 7), count, true)
    const writes = [
      () => person.put(`/api/transactions/${id}`, { ...expense(), amount: '3.21' }),
      () => person.post('/api/transactions', { ...expense(), amount: '4.32' }),
      () => person.post('/api/import/store', { transactions: [{ ...expense(), amount: '5.43' }] }),
    ]
    const worked: number[] = []
    for (const write of writes) {
      const { status, rows } = await measured(household, write)
      expect(status).toBeLessThan(300)
      worked.push(rows)
    }
    return worked
  }
  const work = await workWith(60_000)
  expect(Math.min(...work)).toBeGreaterThan(10_000)
  expect(await workWith(120_000)).toEqual(work)
})

test('an upload adds up a month once, however many of its transactions it changes', async () => {
  const { world, person, expense } = await createHousehold(createWorld())
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
    const { world, person, checking } = await createHousehold(createWorld())
    const opened = await Promise.all([1, 2, 3].map(() => openAccount(person)))
    const transfer = { account_id: checking.id, type: 'transfer', amount: '1.00', force: true }
    for (const { id } of opened)
      await recordTransaction(person, { ...transfer, to_account_id: id, transaction_date: '2026-11-20' })
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
