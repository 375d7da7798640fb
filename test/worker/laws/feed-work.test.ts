import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { createWorld, openAccount } from '../fixtures/world.ts'
import { askDatabase, createHousehold } from './every-route.ts'

/** Beyond the numbers that creating the household has used. */
const firstSeq = 1_000

/** A household with that many transactions and a tombstone for every tenth of them, and what its pulls read. */
async function measuredHousehold(history: number) {
  const world = createWorld()
  const { person, checking, cash, category } = await createHousehold(world)
  const numbers = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${history})`
  await askDatabase(
    world,
    sql`insert into transactions (user_id, account_id, to_account_id, category_id, type, amount, transaction_date,
                                  is_synced, seq, created_at, updated_at)
        ${numbers} select ${person.id}, ${checking.id}, iif(i % 5 = 0, ${cash.id}, null),
                          iif(i % 5 = 0, null, ${category.id}), iif(i % 5 = 0, 'transfer', 'expense'), 100 + i,
                          date('2026-10-31', '-' || (i % 3650) || ' days'), 1, ${firstSeq} + 2 * i, 0, 0 from n`,
  )
  await askDatabase(
    world,
    sql`insert into changes (user_id, seq, noun, row_id, at)
        ${numbers} select ${person.id}, ${firstSeq} + 20 * i + 1, 'transaction', 1000000 + i, 0 from n
         where 10 * i < ${history}`,
  )
  const cursorAt = (...place: unknown[]) =>
    `&cursor=${btoa(JSON.stringify([1, person.id, ...place])).replace(/=+$/, '')}`
  const lastSeq = firstSeq + 2 * history
  /** Rows read by a pull, and the characters and changes of its response. */
  async function pull(query: string) {
    await world.resetDatabaseWork()
    const { status, text, body } = await person.get(`/api/changes?${query}`)
    expect(status).toBe(200)
    const { requests, rowsRead, rowsWritten } = await world.databaseWork()
    expect([requests, rowsWritten]).toEqual([1, 0])
    return { rowsRead, length: text.length, changes: body.changes.length as number }
  }
  return {
    nothing: await pull(`limit=500${cursorAt(lastSeq)}`),
    oneChange: await pull(`limit=500${cursorAt(lastSeq - 1)}`),
    fiveHundred: await pull(`limit=500${cursorAt(firstSeq + 2)}`),
    now: await pull('start=now'),
    top: await pull('limit=1000'),
    middle: await pull(`limit=500${cursorAt(lastSeq, 'transaction', 0, '2024-06-01')}`),
  }
}

test('a pull reads no more for 100,000 transactions than for 10,000, and a few rows for each that it sends', async () => {
  const short = await measuredHousehold(10_000)
  const long = await measuredHousehold(100_000)
  for (const { nothing, oneChange, fiveHundred, now, top, middle } of [short, long]) {
    expect(nothing).toMatchObject({ changes: 0 })
    expect(nothing.rowsRead).toBeLessThanOrEqual(16)
    expect(nothing.length).toBeLessThanOrEqual(700)
    expect(now.rowsRead).toBeLessThanOrEqual(12)
    expect(oneChange).toMatchObject({ changes: 1 })
    expect(oneChange.rowsRead).toBeLessThanOrEqual(18)
    expect(fiveHundred).toMatchObject({ changes: 500 })
    expect(fiveHundred.rowsRead).toBeLessThanOrEqual(6 * 500)
    expect(top).toMatchObject({ changes: 1_000 })
    expect(top.rowsRead).toBeLessThanOrEqual(3 * 1_000)
    expect(middle).toMatchObject({ changes: 500 })
    expect(middle.rowsRead).toBeLessThanOrEqual(3 * 500)
  }
  expect(long.fiveHundred.rowsRead).toBe(short.fiveHundred.rowsRead)
})

test('the largest page that can be requested is served', async () => {
  const world = createWorld()
  const { person, checking, category } = await createHousehold(world)
  await person.put(`/api/accounts/${checking.id}`, { notes: '\u{1F4B6}'.repeat(60_000) })
  const text = '\u{1F4B6}'.repeat(255)
  await askDatabase(
    world,
    sql`insert into transactions (user_id, account_id, category_id, type, amount, description, reference,
                                  transaction_date, is_synced, seq, created_at, updated_at)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 1100)
        select ${person.id}, ${checking.id}, ${category.id}, 'expense', 1, ${text}, ${text}, '2026-11-20', 1, 100 + i, 0, 0
          from n`,
  )
  const { status, body } = await person.get('/api/changes?limit=1000')
  expect([status, body.changes.length]).toEqual([200, 1_000])
})

test('a page that is too much for the database is shorter, and the upload before it is done once', async () => {
  const world = createWorld()
  const { person, checking, category } = await createHousehold(world)
  // As JSON, six bytes each.
  const controls = '\u0001'.repeat(255)
  for (const nth of [1, 2, 3, 4])
    await openAccount(person, { name: `Account ${nth}`, notes: '\u0001'.repeat(60_000) })
  const { body: now } = await person.get('/api/changes?start=now')
  await askDatabase(
    world,
    sql`insert into transactions (user_id, account_id, category_id, type, amount, description, reference,
                                  transaction_date, is_synced, seq, created_at, updated_at)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 1500)
        select ${person.id}, ${checking.id}, ${category.id}, 'expense', 1, ${controls}, ${controls}, '2026-11-20', 1,
               1000 + i, 0, 0
          from n`,
  )
  await askDatabase(
    world,
    sql`insert into categories (user_id, name, name_key, type, created_at, updated_at)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 950)
        select ${person.id}, ${controls} || i, ${controls} || i, 'expense', 0, 0 from n`,
  )
  const seen = new Set<string>()
  let page = await person.get('/api/changes?limit=1000')
  for (;;) {
    expect(page.status).toBe(200)
    for (const { noun, id } of page.body.changes) seen.add(`${noun} ${id}`)
    if (!page.body.has_more) break
    page = await person.get(`/api/changes?limit=1000&cursor=${page.body.cursor}`)
  }
  expect([...seen].filter((key) => key.startsWith('transaction'))).toHaveLength(1_500)

  const ops = [
    {
      op: 'create',
      noun: 'account',
      client_id: 'once',
      set: { name: 'Once', type: 'cash', starting_balance: 0 },
    },
  ]
  const { status, body } = await person.post('/api/changes', { cursor: now.cursor, ops })
  expect([status, body.results[0].outcome, body.has_more]).toEqual([200, 'created', true])
})
