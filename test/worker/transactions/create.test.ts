import { beforeEach, describe, expect, test } from 'vitest'
import {
  aCategory,
  aTimestamp,
  balanceOf,
  createWorld,
  expectInvalid,
  expectInvalidFields,
  type Json,
  openAccount,
  recordTransaction,
} from '../fixtures/world.ts'
import { createHousehold, type Household } from '../laws/every-route.ts'

const noAccount = { message: 'You must create at least one account before adding transactions.' }
const world = createWorld()

let household: Household
beforeEach(async () => {
  household = await createHousehold(world)
})

/** Sends an expense of 12.50 from the first account, with these differences. */
const create = (fields: Json = {}) =>
  household.person.post('/api/transactions', { ...household.expense(), ...fields })
const statusOf = async (fields: Json = {}) => (await create(fields)).status
const record = (fields: Json = {}) =>
  recordTransaction(household.person, { ...household.expense(), ...fields })
const balance = (account = household.checking) => balanceOf(household.person, account)
const total = async () => (await household.person.get('/api/transactions')).body.total

describe('recording a transaction', () => {
  test('responds with 201 with the row, without its account and category', async () => {
    const { person, checking, category } = household
    const { status, body } = await create({ amount: 12.5, description: ' Lunch ', reference: ' R-1 ' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      user_id: person.id,
      account_id: checking.id,
      to_account_id: null,
      category_id: category.id,
      type: 'expense',
      amount: '12.50',
      description: 'Lunch',
      reference: 'R-1',
      transaction_date: '2026-11-20',
      booked_on: null,
      to_booked_on: null,
      import_id: null,
      recurring_id: null,
      occurrence_date: null,
      is_synced: false,
      version: 1,
      created_at: aTimestamp,
      updated_at: aTimestamp,
    })
  })

  test('takes income, expenses and transfers, and the balances follow', async () => {
    const { checking, cash } = household
    await record({ type: 'income', amount: 40 })
    expect(await balance()).toBe(140)
    await record({ amount: '0.01' })
    expect(await balance()).toBe(139.99)
    const transfer = { type: 'transfer', category_id: null, to_account_id: cash.id }
    expect(await record({ ...transfer, amount: 30 })).toMatchObject({
      ...transfer,
      account_id: checking.id,
      amount: '30.00',
    })
    expect([await balance(), await balance(cash)]).toEqual([109.99, 50])
  })

  test('accepts ids as numeric strings, and returns them as numbers', async () => {
    const { checking, cash, category } = household
    const row = await record({
      account_id: `${checking.id}`,
      to_account_id: ` ${cash.id} `,
      category_id: `${category.id}`,
      type: 'transfer',
      amount: ' 1.5 ',
      transaction_date: ' 2026-11-20 ',
    })
    expect(row).toMatchObject({
      account_id: checking.id,
      to_account_id: cash.id,
      category_id: category.id,
      amount: '1.50',
      transaction_date: '2026-11-20',
    })
  })

  test('counts the length of description and reference in code points', async () => {
    const long = { description: '🥐'.repeat(255), reference: '№'.repeat(255) }
    expect(await record(long)).toMatchObject(long)
    expectInvalid(await create({ description: '🥐'.repeat(256), reference: 'x'.repeat(256) }), {
      description: ['The description field must not be greater than 255 characters.'],
      reference: ['The reference field must not be greater than 255 characters.'],
    })
  })

  test('accepts days from 1900 to 2100', async () => {
    for (const day of ['1900-01-01', '2000-02-29', '2024-02-29', '2099-07-01', '2100-12-31'])
      expect((await record({ transaction_date: day })).transaction_date).toBe(day)
    const none = ['1900-02-29', '2023-02-29', '2026-04-31', '2026-00-10', '20.11.2026']
    for (const day of ['1899-12-31', '2101-01-01', ...none])
      expectInvalidFields(await create({ transaction_date: day }), ['transaction_date'])
  })
})

describe('the rules of a transaction', () => {
  test('require an account first, before anything else is looked at', async () => {
    const person = await world.register()
    const send = (body: Json = {}) => person.post('/api/transactions', body)
    for (const body of [{}, { type: 'none', amount: -1 }, { account_id: 1, amount: 1 }]) {
      const response = await send(body)
      expect([response.status, response.body]).toEqual([403, noAccount])
    }
    const { id } = await openAccount(person)
    expect((await send()).status).toBe(422)
    await person.delete(`/api/accounts/${id}`)
    expect((await send()).status).toBe(403)
  })

  test('treat empty strings and null as missing', async () => {
    const nothing = { account_id: '', category_id: null, amount: ' ', transaction_date: null }
    expectInvalid(await create(nothing), {
      account_id: ['The account id field is required.'],
      category_id: ['The category id field is required.'],
      amount: ['The amount field is required.'],
      transaction_date: ['The transaction date field is required.'],
    })
  })

  test('allow a category of either type: a refund is income in an expense category', async () => {
    const { category } = household
    const salary = await aCategory(household.person, 'income')
    expect((await record({ type: 'income' })).category_id).toBe(category.id)
    expect((await record({ category_id: salary.id })).category_id).toBe(salary.id)
  })

  test('refuse a transfer to the account it comes from', async () => {
    const { id } = household.checking
    for (const to_account_id of [id, String(id)])
      expectInvalidFields(await create({ type: 'transfer', to_account_id }), ['to_account_id'])
    expect(await balance()).toBe(100)
  })

  test.each(['income', 'expense'])('refuse a destination for %s, unless it is null', async (type) => {
    expectInvalidFields(await create({ type, to_account_id: household.cash.id }), ['to_account_id'])
    expect((await record({ type, to_account_id: null })).to_account_id).toBeNull()
  })
})

describe('a duplicate', () => {
  test('is 409 with the rows it may duplicate, and moves nothing', async () => {
    const { id } = await record({ description: 'Lunch', reference: 'R-1' })
    const { status, body } = await create()
    expect(status).toBe(409)
    expect(body).toEqual({
      message: 'Potential duplicate detected.',
      is_duplicate: true,
      duplicates: [
        {
          id,
          description: 'Lunch',
          reference: 'R-1',
          transaction_date: '2026-11-20',
          amount: '12.50',
          reasons: ['same_amount', 'same_day'],
        },
      ],
    })
    expect([await total(), await balance()]).toEqual([1, 87.5])
  })

  test('lists at most five rows', async () => {
    for (let i = 0; i < 7; i++) await record({ force: true })
    const ids = (await create()).body.duplicates.map((row: Json) => row.id)
    expect([ids.length, new Set(ids).size]).toEqual([5, 5])
  })

  test('is recorded with force, and refused without it', async () => {
    await record()
    for (const force of [false, 0, '0', undefined]) expect(await statusOf({ force })).toBe(409)
    for (const force of [true, 1, '1']) expect(await record({ force })).not.toHaveProperty('force')
    expect(await balance()).toBe(100 - 4 * 12.5)
  })

  test('is one whatever its category, its description and the spelling of its amount', async () => {
    await record({ amount: 12.5, description: 'Lunch' })
    const category_id = (await aCategory(household.person, 'income')).id
    expect(await statusOf({ amount: '12.50', description: 'Dinner', category_id })).toBe(409)
  })

  test('is not one if account, type, amount, day or destination differ', async () => {
    const { cash, person } = household
    const savings = await openAccount(person)
    await record()
    for (const difference of [
      { account_id: cash.id },
      { type: 'income' },
      { type: 'transfer', to_account_id: cash.id },
      { type: 'transfer', to_account_id: savings.id },
      { amount: '12.51' },
      { transaction_date: '2026-11-21' },
    ]) {
      expect([difference, await statusOf(difference)]).toEqual([difference, 201])
      expect([difference, await statusOf(difference)]).toEqual([difference, 409])
    }
  })

  test.each([
    ['A', 'B', 201],
    ['A', 'A', 409],
    ['A', ' A ', 409],
    ['A', null, 409],
    ['A', '', 409],
    [null, 'A', 409],
    [null, null, 409],
  ])('after one with the reference %j, one with %j responds with %i', async (first, second, expected) => {
    await record({ reference: first })
    expect(await statusOf({ reference: second })).toBe(expected)
  })

  test('lists only the rows whose reference does not tell them apart', async () => {
    await record({ reference: 'A' })
    const bare = await record({ force: true })
    const same = await record({ reference: 'B', force: true })
    const { status, body } = await create({ reference: 'B' })
    expect(status).toBe(409)
    expect(body.duplicates.map((row: Json) => row.id).sort()).toEqual([bare.id, same.id].sort())
  })

  test('is looked for only once everything else is right', async () => {
    await record()
    expectInvalidFields(await create({ description: 'x'.repeat(256) }), ['description'])
  })

  test('is not one of a deleted row, nor of what a row was before it changed', async () => {
    const { person } = household
    await person.put(`/api/transactions/${(await record()).id}`, { amount: 99 })
    await person.delete(`/api/transactions/${(await record()).id}`)
    await record()
    expect(await statusOf({ amount: 99 })).toBe(409)
  })
})

describe('a client_id', () => {
  const client_id = 'phone-1'

  test('is stored once: the second create with it responds with 200 and the first row', async () => {
    const first = await create({ client_id })
    expect(first.status).toBe(201)
    const second = await create({ client_id })
    expect([second.status, second.body]).toEqual([200, first.body])
    expect([await total(), await balance()]).toEqual([1, 87.5])
    // Also when its category has been deleted since.
    await household.person.delete(`/api/categories/${household.category.id}`)
    const third = await create({ client_id })
    expect([third.status, third.body.id, third.body.category_id]).toEqual([200, first.body.id, null])
  })

  test('does not excuse a duplicate of another client_id', async () => {
    await record({ client_id })
    expect(await statusOf({ client_id: 'phone-2' })).toBe(409)
    expect(await statusOf({ client_id: 'phone-2', force: true })).toBe(201)
  })

  test('of a refused create is free for the next', async () => {
    expect(await statusOf({ client_id, amount: 0 })).toBe(422)
    expect(await statusOf({ client_id })).toBe(201)
  })

  test('belongs to its user alone', async () => {
    const { id } = await record({ client_id })
    const { person, expense } = await createHousehold(world)
    const theirs = await person.post('/api/transactions', { ...expense(), client_id })
    expect([theirs.status, theirs.body.id === id]).toEqual([201, false])
  })

  test('has up to 64 characters', async () => {
    expect(await statusOf({ client_id: '🆔'.repeat(64) })).toBe(201)
    expectInvalid(await create({ client_id: 'x'.repeat(65) }), {
      client_id: ['The client id field must not be greater than 64 characters.'],
    })
  })
})

test('an Idempotency-Key may have up to 255 characters, and makes the call safe to repeat', async () => {
  const { world, person, expense } = await createHousehold(createWorld())
  const send = (key: string) =>
    world.call('POST', '/api/transactions', {
      token: person.token,
      body: { ...expense(), force: true },
      headers: { 'Idempotency-Key': key },
    })
  for (const length of [64, 65, 255]) {
    const first = await send('k'.repeat(length))
    const again = await send('k'.repeat(length))
    expect([first.status, again.status, again.body.id]).toEqual([201, 200, first.body.id])
  }
  expectInvalid(await send('k'.repeat(256)), {
    'Idempotency-Key': ['The Idempotency-Key must not be greater than 255 characters.'],
  })
  expect((await person.get('/api/transactions')).body.total).toBe(3)
})
