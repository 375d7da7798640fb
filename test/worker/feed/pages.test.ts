import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { expectWhole, FeedCopy } from '../fixtures/feed-copy.ts'
import { createWorld, type Json } from '../fixtures/world.ts'
import { askDatabase, createHousehold, type Household } from '../laws/every-route.ts'

test('a row that moves past the position of a snapshot is still in the copy', async () => {
  const { person, spend } = await createHousehold(createWorld())
  const rows: Json[] = []
  for (let n = 0; n < 6; n++) rows.push(await spend())
  for (const [row, transaction_date] of [
    [rows[0], '2099-01-01'],
    [rows[5], '1901-01-01'],
  ]) {
    const copy = new FeedCopy(person)
    while (copy.transactions.size < 3) await copy.page(1)
    await person.put(`/api/transactions/${row.id}`, { transaction_date })
    await copy.pull(1)
    await expectWhole(copy, person)
  }
})

test('what is deleted during a snapshot is not in the copy', async () => {
  const { person, cash, category, expense, spend } = await createHousehold(createWorld())
  for (let n = 0; n < 4; n++) await spend()
  await person.post('/api/transactions', { ...expense(), account_id: cash.id })
  const copy = new FeedCopy(person)
  while (copy.transactions.size < 2) await copy.page(1)
  await person.delete(`/api/accounts/${cash.id}`)
  await person.delete(`/api/categories/${category.id}`)
  await copy.pull(1)
  expect([...copy.transactions.values()].map(({ category_id }) => category_id)).toEqual([
    null,
    null,
    null,
    null,
  ])
  await expectWhole(copy, person)
})

test('a row that changes often appears once on a page, and the pages after it continue', async () => {
  const { person, cash, spend } = await createHousehold(createWorld())
  const copy = new FeedCopy(person)
  await copy.pull()
  for (let n = 0; n < 5; n++) {
    await person.put(`/api/accounts/${cash.id}`, { starting_balance: n })
    await spend()
  }
  const pages = await copy.pull(2)
  const accounts = pages.flatMap(({ changes }) => changes).filter(({ noun }: Json) => noun === 'account')
  expect(accounts.every(({ data }: Json) => data.starting_balance === '4.00')).toBe(true)
  await expectWhole(copy, person)
})

test('a page may be empty while there are more, and is never longer than requested', async () => {
  const household = await createHousehold(createWorld())
  const { world, person, checking, cash, expense } = household
  await person.post('/api/transactions', { ...expense(), account_id: cash.id })
  const copy = new FeedCopy(person)
  for (let n = 1; n <= 4; n++) await person.post('/api/transactions', { ...expense(), amount: n })
  await person.delete(`/api/accounts/${checking.id}`)
  const pages = await copy.pull(1)
  expect(pages.some(({ changes, has_more }) => changes.length === 0 && has_more)).toBe(true)
  await expectWhole(copy, person)
  await world.removeDeleted()
  await expectWhole(copy, person)
})

const cursorOf = (...parts: unknown[]) => btoa(JSON.stringify(parts)).replace(/=+$/, '')

test('a cursor of another epoch, of another user or ahead of the data is a 410', async () => {
  const { world, person } = await createHousehold(createWorld())
  const { cursor } = (await person.get('/api/changes?start=now')).body
  const [epoch, id, seq] = JSON.parse(atob(cursor))
  const status = async (...parts: unknown[]) =>
    (await person.get(`/api/changes?cursor=${cursorOf(...parts)}`)).status
  expect(await status(epoch, id, seq)).toBe(200)
  expect(await status(epoch, id, seq, 'transaction', 1, '2026-11-20')).toBe(200)
  expect(await status(epoch + 1, id, seq)).toBe(410)
  expect(await status(epoch, id + 1, seq)).toBe(410)
  expect(await status(epoch, id, seq + 1)).toBe(410)
  expect(await status(epoch, id, seq + 1, 'account', 0)).toBe(410)
  // As after restoring yesterday's backup.
  await askDatabase(world, sql`delete from changes where user_id = ${person.id} and seq = ${seq}`)
  expect((await person.get(`/api/changes?cursor=${cursor}`)).status).toBe(410)
})

test('CHANGES_EPOCH ends every cursor', async () => {
  const world = createWorld({ CHANGES_EPOCH: '7' })
  const { person } = await createHousehold(world)
  const { cursor } = (await person.get('/api/changes')).body
  expect(JSON.parse(atob(cursor))[0]).toBe(7)
})

test.each([
  [[]],
  [[1, 1]],
  [[1, 1, -1]],
  [[1, 1, 1.5]],
  [[1, '1', 1]],
  [[1, 1, 1, 'profile']],
  [[1, 1, 1, 'account']],
  [[1, 1, 1, 'account', '5']],
  [[1, 1, 1, 'account', 5, 6]],
  [[1, 1, 1, 'transaction', 5]],
  [[1, 1, 1, 'transaction', 5, 'today']],
  [{ 0: 1 }],
])('a cursor that holds %j is a 422', async (parts) => {
  const person = await createWorld().register()
  const cursor = btoa(JSON.stringify(parts)).replace(/=+$/, '')
  expect((await person.get(`/api/changes?cursor=${cursor}`)).body.errors).toEqual({
    cursor: ['The selected cursor is invalid.'],
  })
})

test('a made-up cursor shows nothing of another user', async () => {
  const world = createWorld()
  const owner: Household = await createHousehold(world)
  await owner.spend()
  const stranger = await world.register()
  for (const place of [[], ['account', 0], ['transaction', 0, '2100-01-01']]) {
    const { status, body } = await stranger.get(
      `/api/changes?cursor=${cursorOf(1, stranger.id, 0, ...place)}`,
    )
    expect(status).toBe(200)
    for (const { data } of body.changes) expect(data.user_id ?? data.id).toBe(stranger.id)
  }
})
