import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import {
  aTimestamp,
  balanceOf,
  createWorld,
  expectInvalid,
  type Json,
  openAccount,
  recordTransaction,
} from '../fixtures/world.ts'
import { askDatabase, createHousehold } from '../laws/every-route.ts'

const world = createWorld()

describe('opening an account', () => {
  test('responds with 201 with the account and its balance, with name and notes trimmed', async () => {
    const person = await world.register()
    const fields = { name: '\t My bank \n', type: 'cash', starting_balance: 12.5, notes: ' a note ' }
    const { status, body } = await person.post('/api/accounts', fields)
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      user_id: person.id,
      name: 'My bank',
      type: 'cash',
      kind: null,
      starting_balance: '12.50',
      notes: 'a note',
      closed_on: null,
      reconciled_through: null,
      version: 1,
      created_at: aTimestamp,
      updated_at: aTimestamp,
      balance: 12.5,
    })
  })

  test('names every missing field at once', async () => {
    const person = await world.register()
    expectInvalid(await person.post('/api/accounts', {}), {
      name: ['The name field is required.'],
      type: ['The type field is required.'],
      starting_balance: ['The starting balance field is required.'],
    })
  })

  test('counts the length of a name in code points, and allows two accounts of one name', async () => {
    const person = await world.register()
    const name = '🏦'.repeat(255)
    for (let times = 0; times < 2; times++) expect((await openAccount(person, { name })).name).toBe(name)
    expect((await person.get('/api/accounts')).body).toHaveLength(2)
    const longer = { name: `${name}🏦`, type: 'bank', starting_balance: 0 }
    expectInvalid(await person.post('/api/accounts', longer), {
      name: ['The name field must not be greater than 255 characters.'],
    })
  })
})

describe('reading accounts', () => {
  test('lists the accounts as an array, each as it is shown alone', async () => {
    const { person, checking, cash } = await createHousehold(world)
    const { status, body } = await person.get('/api/accounts')
    expect(status).toBe(200)
    expect(body.toSorted((a: Json, b: Json) => a.id - b.id)).toEqual([checking, cash])
    for (const account of [checking, cash]) {
      const shown = await person.get(`/api/accounts/${account.id}`)
      expect([shown.status, shown.body]).toEqual([200, account])
    }
  })

  test('shows a balance of starting balance, income, expenses and transfers of all dates', async () => {
    const { person, checking, cash, expense, spend } = await createHousehold(world)
    const record = (fields: Json) => recordTransaction(person, { ...expense(), ...fields })
    await record({ type: 'income', amount: 1000 })
    await record({ type: 'transfer', to_account_id: cash.id, amount: 30.25 })
    const back = { account_id: cash.id, to_account_id: checking.id, type: 'transfer', amount: '0.20' }
    await record({ ...back, transaction_date: '1900-01-01' })
    await record({ type: 'income', amount: 5, transaction_date: '2100-12-31' })
    await spend() // 12.50
    expect([await balanceOf(person, checking), await balanceOf(person, cash)]).toEqual([1062.45, 50.05])
    const list = (await person.get('/api/accounts')).body
    const listed = Object.fromEntries(list.map((account: Json) => [account.id, account.balance]))
    expect(listed).toEqual({ [checking.id]: 1062.45, [cash.id]: 50.05 })
  })
})

describe('changing an account', () => {
  test.each(['put', 'patch'] as const)(
    'changes the sent fields with %s and responds with the account',
    async (verb) => {
      const { person, cash } = await createHousehold(world)
      const fields = { name: 'Purse', type: 'mobile', starting_balance: '-5.50', notes: 'new' }
      const { status, body } = await person[verb](`/api/accounts/${cash.id}`, fields)
      const changed = { ...cash, ...fields, version: 2, balance: -5.5, updated_at: aTimestamp }
      expect([status, body]).toEqual([200, changed])
      expect((await person.get(`/api/accounts/${cash.id}`)).body).toEqual(body)
    },
  )

  test.each([
    [{ name: 'Purse' }],
    [{ type: 'mobile' }],
    [{ starting_balance: '20.00', notes: 'a note' }],
    [{}],
  ])('leaves what is not in %j as it was', async (fields) => {
    const { person, cash } = await createHousehold(world)
    const { status, body } = await person.put(`/api/accounts/${cash.id}`, fields)
    expect([status, body]).toEqual([200, { ...cash, ...fields, version: 2, updated_at: aTimestamp }])
  })
})

test('the kind of an account is a label that "" clears, and anything else is refused', async () => {
  const { person, cash } = await createHousehold(world)
  const label = async (kind: unknown) => person.put(`/api/accounts/${cash.id}`, { kind })
  for (const kind of ['current', 'savings', 'card', 'loan', 'investment'])
    expect((await label(kind)).body).toMatchObject({ kind, type: 'cash', balance: cash.balance })
  expectInvalid(await label('mobile'), { kind: ['The selected kind is invalid.'] })
  expect((await label('')).body.kind).toBe(null)
})

test('a closed account keeps its rows, counts as before, and takes new ones', async () => {
  const { person, cash, checking, expense } = await createHousehold(world)
  const closed = await person.put(`/api/accounts/${cash.id}`, { closed_on: '2026-11-20' })
  expect([closed.status, closed.body]).toMatchObject([200, { closed_on: '2026-11-20', balance: 20 }])
  await recordTransaction(person, { ...expense(), account_id: cash.id, amount: 5 })
  const accounts = (await person.get('/api/accounts')).body
  expect(accounts).toMatchObject([
    { id: checking.id, closed_on: null },
    { id: cash.id, closed_on: '2026-11-20', balance: 15 },
  ])
  const again = await person.put(`/api/accounts/${cash.id}`, { closed_on: '' })
  expect(again.body.closed_on).toBe(null)
  expectInvalid(await person.put(`/api/accounts/${cash.id}`, { closed_on: 'today' }), {
    closed_on: ['The closed on field must match the format YYYY-MM-DD.'],
  })
})

describe('deleting an account', () => {
  test('responds with 204 with an empty body, and the account is gone', async () => {
    const { person, checking, cash } = await createHousehold(world)
    const response = await person.delete(`/api/accounts/${cash.id}`)
    expect([response.status, response.text]).toEqual([204, ''])
    const gone = await person.get(`/api/accounts/${cash.id}`)
    expect([gone.status, gone.body]).toEqual([404, { message: 'Account not found.' }])
    expect((await person.delete(`/api/accounts/${cash.id}`)).status).toBe(404)
    expect((await person.get('/api/accounts')).body).toEqual([checking])
  })

  test('deletes every transaction it takes part in, and the other balances follow', async () => {
    const { person, checking, cash, spend, expense } = await createHousehold(world)
    const savings = await openAccount(person, { name: 'Savings', starting_balance: 0 })
    const move = (from: Json, to: Json) => {
      const accounts = { account_id: from.id, to_account_id: to.id }
      return recordTransaction(person, { ...expense(), ...accounts, type: 'transfer', amount: 10 })
    }
    await move(checking, cash)
    await move(cash, savings)
    // 12.50 and 10.00 from checking.
    const kept = [(await spend()).id, (await move(checking, savings)).id]
    await recordTransaction(person, { ...expense(), account_id: cash.id })

    await person.delete(`/api/accounts/${cash.id}`)
    const rows = (await person.get('/api/transactions')).body.data
    expect(rows.map((row: Json) => row.id).sort()).toEqual(kept.sort())
    expect(await balanceOf(person, checking)).toBe(77.5)
    expect(await balanceOf(person, savings)).toBe(10)
    expect((await person.get('/api/summary')).body.total_balance).toBe(87.5)
  })

  test.each(['accounts', 'categories'] as const)(
    'keeps none of its words in %s, a new field included',
    async (table) => {
      const household = await createHousehold(world)
      const { person, spend } = household
      // The row stays as long as a transaction refers to it.
      const id: number = (await spend())[table === 'accounts' ? 'account_id' : 'category_id']
      const columns = await askDatabase(
        world,
        sql`select name from pragma_table_info(${table}) where lower(type) = 'text'`,
      )
      const texts = columns.map(({ name }) => String(name)).filter((name) => name !== 'type')
      expect(texts).toContain('client_id')
      const fill = texts.map((name) => sql`${sql.identifier(name)} = ${`private ${name}`}`)
      const row = sql`${sql.identifier(table)} where id = ${id}`
      await askDatabase(
        world,
        sql`update ${sql.identifier(table)} set ${sql.join(fill, sql`, `)} where id = ${id} returning id`,
      )
      expect(JSON.stringify(await askDatabase(world, sql`select * from ${row}`))).toContain('private name')
      expect((await person.delete(`/api/${table}/${id}`)).status).toBe(204)
      const left = await askDatabase(world, sql`select * from ${row}`)
      expect(left).toHaveLength(1)
      expect(JSON.stringify(left)).not.toContain('private')
    },
  )
})
