import { sql } from 'drizzle-orm'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { maxAccounts, maxCategories, maxNotesLength } from '../../../src/database/quotas.ts'
import { setClock } from '../fixtures/clock.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import {
  createWorld,
  expectInvalid,
  type Json,
  openAccount,
  type Person,
  type World,
} from '../fixtures/world.ts'
import { sendFile } from '../imports/send-file.ts'
import { askDatabase, openWorldDatabase, verify } from './every-route.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** Notes of the greatest length, in a character that takes six times as much in JSON. */
const longest = `x${'\u0001'.repeat(65_534)}`
const fullNotes = Math.floor(maxNotesLength / longest.length)
/** With a number behind it, a name of the greatest length. */
const longName = '\u0001'.repeat(250)

const noAccount = { name: [`You cannot have more than ${maxAccounts} accounts.`] }
const noNotes = {
  notes: [
    `The notes of all your accounts together must not be greater than ${maxNotesLength.toLocaleString('en')} characters.`,
  ],
}
const noCategory = { name: [`You cannot have more than ${maxCategories.toLocaleString('en')} categories.`] }

/** Gives a user that many accounts, with names of the greatest length. */
async function giveAccounts(world: World, { id }: Person, count: number) {
  const db = openWorldDatabase(world)
  await db.batch([
    db.run(sql`
      insert into accounts (user_id, name, type, starting_balance, created_at, updated_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
      select ${id}, ${longName} || i, 'bank', 0, 0, 0 from n`),
  ])
}

/** Gives a user categories until they have that many. */
async function fillCategories(world: World, { id }: Person, count: number) {
  const db = openWorldDatabase(world)
  await db.batch([
    db.run(sql`
      insert into categories (user_id, name, name_key, type, created_at, updated_at)
      with recursive n(i) as (select 1 union all select i + 1 from n)
      select ${id}, ${longName} || i, ${longName} || i, 'expense', 0, 0
        from n limit max(0, ${count} - (select count(*) from categories where user_id = ${id}))`),
  ])
}

const account = { name: 'One more', type: 'bank', starting_balance: 0 }

describe('accounts', () => {
  test('have a bound, which no two requests pass together, and lists with all of them and their notes are served', async () => {
    const world = createWorld()
    const person = await world.register()
    for (let nth = 0; nth < fullNotes; nth++) await openAccount(person, { notes: longest })
    await giveAccounts(world, person, maxAccounts - fullNotes - 1)
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => person.post('/api/accounts', account)),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422])
    expectInvalid(await person.post('/api/accounts', account), noAccount)

    const { status, body } = await person.get('/api/accounts')
    expect([status, body.length]).toEqual([200, maxAccounts])
    expect(body[0].notes).toHaveLength(longest.length)
    const summary = await person.get('/api/summary')
    expect([summary.status, summary.body.accounts.length]).toEqual([200, maxAccounts])

    await person.delete(`/api/accounts/${body[0].id}`)
    expect((await person.post('/api/accounts', account)).status).toBe(201)
  })

  test('have a bound for their notes in all, which does not affect any other change', async () => {
    const person = await createWorld().register()
    const open = (notes: string) => person.post('/api/accounts', { ...account, notes })
    for (let nth = 0; nth < fullNotes; nth++) expect((await open(longest)).status).toBe(201)
    const rest = maxNotesLength - fullNotes * longest.length
    expectInvalid(await open('ü'.repeat(rest + 1)), noNotes)
    const { body: last } = await open('🐈'.repeat(rest))
    expect(last.notes).toBe('🐈'.repeat(rest))

    const change = (fields: Json) => person.put(`/api/accounts/${last.id}`, fields)
    expectInvalid(await change({ notes: 'x'.repeat(rest + 1), name: 'Lost' }), noNotes)
    expect((await change({ name: 'Kept' })).body).toMatchObject({ name: 'Kept', notes: last.notes })
    expect((await change({ notes: 'x'.repeat(rest) })).status).toBe(200)
    expect((await person.post('/api/accounts', account)).status).toBe(201)
    expect((await change({ notes: null })).body.notes).toBeNull()
    expect((await open('x'.repeat(rest))).status).toBe(201)
  })

  test('let whoever has more notes already shorten them', async () => {
    const world = createWorld()
    const person = await world.register()
    const { body: one } = await person.post('/api/accounts', { ...account, notes: 'long' })
    await giveAccounts(world, person, 1)
    await askDatabase(
      world,
      sql`update accounts set notes = ${'x'.repeat(maxNotesLength)} where user_id = ${person.id} and id <> ${one.id}`,
    )
    const change = (notes: string) => person.put(`/api/accounts/${one.id}`, { notes })
    expectInvalid(await change('longer'), noNotes)
    expect((await change('long')).status).toBe(200)
    expect((await change('l')).status).toBe(200)
  })

  test('are not refused because of what others have', async () => {
    const world = createWorld()
    const [full, other] = [await world.register(), await world.register()]
    await giveAccounts(world, full, maxAccounts)
    expect((await other.post('/api/accounts', { ...account, notes: longest })).status).toBe(201)
  })

  test('are found again by their key, though there is no room for another', async () => {
    const world = createWorld()
    const person = await world.register()
    const open = () =>
      world.call('POST', '/api/accounts', {
        token: person.token,
        headers: { 'Idempotency-Key': 'k' },
        body: account,
      })
    const { body } = await open()
    await giveAccounts(world, person, maxAccounts - 1)
    expect(await open()).toMatchObject({ status: 200, body })
  })
})

test('the summary with the most accounts and categories is served, even while it is two months on earth', async () => {
  setClock(Date.parse('2026-11-30T18:00:00Z'))
  const world = createWorld()
  const person = await world.register()
  await giveAccounts(world, person, maxAccounts)
  await fillCategories(world, person, maxCategories)
  await askDatabase(
    world,
    sql`insert into totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
        with months(month) as (values ('2026-11'), ('2026-12')), types(type) as (values ('income'), ('expense'))
        select user_id, month, types.type, id, 1, 0, 100, 1 from categories, months, types where user_id = ${person.id}`,
  )
  const { status, body } = await person.get('/api/summary')
  expect([status, body.accounts.length, body.category_breakdown.length]).toEqual([
    200,
    maxAccounts,
    maxCategories,
  ])
  expect(body.monthly_summary).toEqual({ income: maxCategories, expense: maxCategories, net: 0 })
})

describe('categories', () => {
  const category = (name: string) => ({ name, type: 'expense' })

  test('have a bound, which no two requests pass together, and a list with all of them is served', async () => {
    const world = createWorld()
    const person = await world.register()
    await fillCategories(world, person, maxCategories - 1)
    const responses = await Promise.all(
      ['A', 'B', 'C', 'D'].map((name) => person.post('/api/categories', category(name))),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422])
    expectInvalid(await person.post('/api/categories', category('E')), noCategory)
    const { status, body } = await person.get('/api/categories')
    expect([status, body.length]).toEqual([200, maxCategories])
    expect((await person.put(`/api/categories/${body[0].id}`, category('Renamed'))).status).toBe(200)
    await person.delete(`/api/categories/${body[0].id}`)
    expect((await person.post('/api/categories', category('E'))).status).toBe(201)
  })

  test.each(['dry_run=1', 'dry_run=0'])(
    'that an import would push past the bound refuse it as a whole: %s',
    async (dryRun) => {
      const world = createWorld()
      const person = await world.register()
      await verify(world, person)
      await openAccount(person)
      await fillCategories(world, person, maxCategories - 2)
      const upload = (names: string[]) =>
        sendFile(
          { world, person },
          `store?account_id=1&${dryRun}`,
          `date,amount,category\n${names.map((name, nth) => `2026-01-01,-${nth + 1},${name}`).join('\n')}`,
        )
      const count = async () => (await person.get('/api/categories')).body.length
      const refused = { category: noCategory.name }
      expectInvalid(await upload(['A', 'B', 'groceries', 'C', 'a']), refused)
      expectInvalid(await upload(Array.from({ length: 5_000 }, (_, nth) => `N${nth}`)), refused)
      expect([await count(), (await person.get('/api/transactions')).body.total]).toEqual([
        maxCategories - 2,
        0,
      ])
      expect((await upload(['A', 'B', 'groceries', 'a'])).body.import.counts.created).toBe(4)
      if (dryRun === 'dry_run=1') return
      expect(await count()).toBe(maxCategories)
      expect((await upload(['A', 'b', 'Salary'])).status).toBe(200)
      expectInvalid(await upload(['Z']), refused)
    },
  )
})

test('accounts from before the bound leave the summary as it is; their list says what is wrong', async () => {
  const world = createWorld()
  const person = await world.register()
  const db = openWorldDatabase(world)
  await db.batch([
    db.run(sql`
      insert into accounts (user_id, name, type, starting_balance, notes, created_at, updated_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 160)
      select ${person.id}, 'Account ' || i, 'bank', 100, ${'x'.repeat(65_000)}, 0, 0 from n`),
  ])
  expect((await person.get('/api/summary')).body.total_balance).toBe(160)
  muteLog()
  const { status, headers, body } = await person.get('/api/accounts')
  expect([status, headers.get('Retry-After'), body]).toEqual([
    500,
    null,
    { message: 'The response is too large.' },
  ])
  const { id } = (await person.get('/api/summary')).body.accounts[0]
  expect((await person.put(`/api/accounts/${id}`, { notes: null })).status).toBe(200)
})
