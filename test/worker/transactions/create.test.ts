import { describe, expect, test } from 'vitest'
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
import { createHousehold } from '../laws/every-route.ts'

const noAccount = { message: 'You must create at least one account before adding transactions.' }

describe('recording a transaction', () => {
  test('responds with 201 with the row, without its account and category', async () => {
    const { person, checking, category } = await createHousehold(createWorld())
    const { status, body } = await person.post('/api/transactions', {
      account_id: checking.id,
      type: 'expense',
      category_id: category.id,
      amount: 12.5,
      description: ' Lunch ',
      reference: ' R-1 ',
      transaction_date: '2026-11-20',
    })
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
      is_synced: false,
      version: 1,
      created_at: aTimestamp,
      updated_at: aTimestamp,
    })
  })

  test('takes income, expenses and transfers, and the balances follow', async () => {
    const { person, checking, cash, category, expense } = await createHousehold(createWorld())
    await recordTransaction(person, { ...expense(), type: 'income', amount: 40 })
    expect(await balanceOf(person, checking)).toBe(140)
    await recordTransaction(person, { ...expense(), category_id: category.id, amount: '0.01' })
    expect(await balanceOf(person, checking)).toBe(139.99)
    const transfer = { ...expense(), type: 'transfer', category_id: null, to_account_id: cash.id, amount: 30 }
    expect(await recordTransaction(person, transfer)).toMatchObject({
      type: 'transfer',
      account_id: checking.id,
      to_account_id: cash.id,
      category_id: null,
      amount: '30.00',
    })
    expect(await balanceOf(person, checking)).toBe(109.99)
    expect(await balanceOf(person, cash)).toBe(50)
  })

  test('accepts ids as numeric strings, and returns them as numbers', async () => {
    const { person, checking, cash, category } = await createHousehold(createWorld())
    const row = await recordTransaction(person, {
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
    const { person, expense } = await createHousehold(createWorld())
    const long = { description: '🥐'.repeat(255), reference: '№'.repeat(255) }
    expect(await recordTransaction(person, { ...expense(), ...long })).toMatchObject(long)
    const longer = { description: '🥐'.repeat(256), reference: 'x'.repeat(256) }
    expectInvalid(await person.post('/api/transactions', { ...expense(), ...longer }), {
      description: ['The description field must not be greater than 255 characters.'],
      reference: ['The reference field must not be greater than 255 characters.'],
    })
  })

  test.each(['1900-01-01', '2000-02-29', '2024-02-29', '2099-07-01', '2100-12-31'])(
    'accepts the day %s',
    async (transaction_date) => {
      const { person, expense } = await createHousehold(createWorld())
      expect((await recordTransaction(person, { ...expense(), transaction_date })).transaction_date).toBe(
        transaction_date,
      )
    },
  )

  test.each([
    '1899-12-31',
    '2101-01-01',
    '1900-02-29',
    '2023-02-29',
    '2026-04-31',
    '2026-00-10',
    '20.11.2026',
  ])('refuses the day %s', async (transaction_date) => {
    const { person, expense } = await createHousehold(createWorld())
    const response = await person.post('/api/transactions', { ...expense(), transaction_date })
    expectInvalidFields(response, ['transaction_date'])
  })
})

describe('the rules of a transaction', () => {
  test('require an account first, before anything else is looked at', async () => {
    const person = await createWorld().register()
    for (const body of [{}, { type: 'none', amount: -1 }, { account_id: 1, amount: 1 }]) {
      const response = await person.post('/api/transactions', body)
      expect([response.status, response.body]).toEqual([403, noAccount])
    }
    const { id } = await openAccount(person)
    expect((await person.post('/api/transactions', {})).status).toBe(422)
    await person.delete(`/api/accounts/${id}`)
    expect((await person.post('/api/transactions', {})).status).toBe(403)
  })

  test('treat empty strings and null as missing', async () => {
    const { person } = await createHousehold(createWorld())
    const body = { account_id: '', type: 'expense', category_id: null, amount: ' ', transaction_date: null }
    expectInvalid(await person.post('/api/transactions', body), {
      account_id: ['The account id field is required.'],
      category_id: ['The category id field is required.'],
      amount: ['The amount field is required.'],
      transaction_date: ['The transaction date field is required.'],
    })
  })

  test('allow a category of either type: a refund is income in an expense category', async () => {
    const { person, category, expense } = await createHousehold(createWorld())
    const salary = await aCategory(person, 'income')
    const refund = { ...expense(), type: 'income', category_id: category.id }
    expect((await recordTransaction(person, refund)).category_id).toBe(category.id)
    const repaid = { ...expense(), type: 'expense', category_id: salary.id }
    expect((await recordTransaction(person, repaid)).category_id).toBe(salary.id)
  })

  test('refuse a transfer to the account it comes from', async () => {
    const { person, checking, expense } = await createHousehold(createWorld())
    for (const to_account_id of [checking.id, String(checking.id)]) {
      const response = await person.post('/api/transactions', {
        ...expense(),
        type: 'transfer',
        to_account_id,
      })
      expectInvalidFields(response, ['to_account_id'])
    }
    expect(await balanceOf(person, checking)).toBe(100)
  })

  test.each(['income', 'expense'])('refuse a destination for %s, unless it is null', async (type) => {
    const { person, cash, expense } = await createHousehold(createWorld())
    const refused = await person.post('/api/transactions', { ...expense(), type, to_account_id: cash.id })
    expectInvalidFields(refused, ['to_account_id'])
    expect(
      (await recordTransaction(person, { ...expense(), type, to_account_id: null })).to_account_id,
    ).toBeNull()
  })
})

describe('a duplicate', () => {
  test('is 409 with the rows it may duplicate, and moves nothing', async () => {
    const { person, checking, expense } = await createHousehold(createWorld())
    const first = await recordTransaction(person, { ...expense(), description: 'Lunch', reference: 'R-1' })
    const { status, body } = await person.post('/api/transactions', expense())
    expect(status).toBe(409)
    expect(body).toEqual({
      message: 'Potential duplicate detected.',
      is_duplicate: true,
      duplicates: [
        {
          id: first.id,
          description: 'Lunch',
          reference: 'R-1',
          transaction_date: '2026-11-20',
          amount: '12.50',
          reasons: ['same_amount', 'same_day'],
        },
      ],
    })
    expect((await person.get('/api/transactions')).body.total).toBe(1)
    expect(await balanceOf(person, checking)).toBe(87.5)
  })

  test('lists at most five rows', async () => {
    const { person, expense } = await createHousehold(createWorld())
    for (let i = 0; i < 7; i++) await recordTransaction(person, { ...expense(), force: true })
    const { body } = await person.post('/api/transactions', expense())
    expect(body.duplicates).toHaveLength(5)
    expect(new Set(body.duplicates.map((row: Json) => row.id)).size).toBe(5)
  })

  test.each([true, 1, '1'])('is recorded with force %j', async (force) => {
    const { person, checking, expense } = await createHousehold(createWorld())
    await recordTransaction(person, expense())
    const row = await recordTransaction(person, { ...expense(), force })
    expect(row).not.toHaveProperty('force')
    expect(await balanceOf(person, checking)).toBe(75)
  })

  test.each([false, 0, '0', undefined])('is refused with force %j', async (force) => {
    const { person, expense } = await createHousehold(createWorld())
    await recordTransaction(person, expense())
    expect((await person.post('/api/transactions', { ...expense(), force })).status).toBe(409)
  })

  test('is one whatever its category, its description and the spelling of its amount', async () => {
    const { person, expense } = await createHousehold(createWorld())
    await recordTransaction(person, { ...expense(), amount: 12.5, description: 'Lunch' })
    const category_id = (await aCategory(person, 'income')).id
    const fields = { ...expense(), amount: '12.50', description: 'Dinner', category_id }
    expect((await person.post('/api/transactions', fields)).status).toBe(409)
  })

  test('is not one if account, type, amount or day differ', async () => {
    const { person, cash, expense } = await createHousehold(createWorld())
    await recordTransaction(person, expense())
    for (const difference of [
      { account_id: cash.id },
      { type: 'income' },
      { type: 'transfer', to_account_id: cash.id },
      { amount: '12.51' },
      { transaction_date: '2026-11-21' },
    ]) {
      expect((await person.post('/api/transactions', { ...expense(), ...difference })).status).toBe(201)
    }
  })

  test('is not one if the destination differs', async () => {
    const { person, cash, expense } = await createHousehold(createWorld())
    const savings = await openAccount(person)
    const transfer = { ...expense(), type: 'transfer', to_account_id: cash.id }
    await recordTransaction(person, transfer)
    expect((await person.post('/api/transactions', transfer)).status).toBe(409)
    expect((await person.post('/api/transactions', { ...transfer, to_account_id: savings.id })).status).toBe(
      201,
    )
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
    const { person, expense } = await createHousehold(createWorld())
    await recordTransaction(person, { ...expense(), reference: first })
    const response = await person.post('/api/transactions', { ...expense(), reference: second })
    expect(response.status).toBe(expected)
  })

  test('lists only the rows whose reference does not tell them apart', async () => {
    const { person, expense } = await createHousehold(createWorld())
    await recordTransaction(person, { ...expense(), reference: 'A' })
    const bare = await recordTransaction(person, { ...expense(), force: true })
    const same = await recordTransaction(person, { ...expense(), reference: 'B', force: true })
    const { status, body } = await person.post('/api/transactions', { ...expense(), reference: 'B' })
    expect(status).toBe(409)
    expect(body.duplicates.map((row: Json) => row.id).sort()).toEqual([bare.id, same.id].sort())
  })

  test('is looked for only once everything else is right', async () => {
    const { person, expense } = await createHousehold(createWorld())
    await recordTransaction(person, expense())
    const response = await person.post('/api/transactions', { ...expense(), description: 'x'.repeat(256) })
    expectInvalidFields(response, ['description'])
  })

  test('is not one of a deleted row, nor of what a row was before it changed', async () => {
    const { person, expense } = await createHousehold(createWorld())
    const first = await recordTransaction(person, expense())
    await person.put(`/api/transactions/${first.id}`, { amount: 99 })
    const second = await recordTransaction(person, expense())
    await person.delete(`/api/transactions/${second.id}`)
    await recordTransaction(person, expense())
    expect((await person.post('/api/transactions', { ...expense(), amount: 99 })).status).toBe(409)
  })
})

describe('a client_id', () => {
  test('lands once: the second create with it responds with 200 and the first row', async () => {
    const { person, checking, expense } = await createHousehold(createWorld())
    const first = await person.post('/api/transactions', { ...expense(), client_id: 'phone-1' })
    expect(first.status).toBe(201)
    const second = await person.post('/api/transactions', { ...expense(), client_id: 'phone-1' })
    expect([second.status, second.body]).toEqual([200, first.body])
    expect((await person.get('/api/transactions')).body.total).toBe(1)
    expect(await balanceOf(person, checking)).toBe(87.5)
  })

  test('still returns the first row when its category has been deleted since', async () => {
    const { person, category, expense } = await createHousehold(createWorld())
    const body = { ...expense(), client_id: 'phone-1' }
    const first = await recordTransaction(person, body)
    await person.delete(`/api/categories/${category.id}`)
    const second = await person.post('/api/transactions', body)
    expect([second.status, second.body.id, second.body.category_id]).toEqual([200, first.id, null])
  })

  test('does not excuse a duplicate of another client_id', async () => {
    const { person, expense } = await createHousehold(createWorld())
    await recordTransaction(person, { ...expense(), client_id: 'phone-1' })
    const response = await person.post('/api/transactions', { ...expense(), client_id: 'phone-2' })
    expect(response.status).toBe(409)
    const forced = { ...expense(), client_id: 'phone-2', force: true }
    expect((await person.post('/api/transactions', forced)).status).toBe(201)
  })

  test('of a refused create is free for the next', async () => {
    const { person, expense } = await createHousehold(createWorld())
    const refused = await person.post('/api/transactions', { ...expense(), client_id: 'phone-1', amount: 0 })
    expect(refused.status).toBe(422)
    const { status } = await person.post('/api/transactions', { ...expense(), client_id: 'phone-1' })
    expect(status).toBe(201)
  })

  test('belongs to its user alone', async () => {
    const world = createWorld()
    const [one, two] = [await createHousehold(world), await createHousehold(world)]
    const mine = await recordTransaction(one.person, { ...one.expense(), client_id: 'phone-1' })
    const theirs = await two.person.post('/api/transactions', { ...two.expense(), client_id: 'phone-1' })
    expect(theirs.status).toBe(201)
    expect(theirs.body.id).not.toBe(mine.id)
  })

  test('has up to 64 characters', async () => {
    const { person, expense } = await createHousehold(createWorld())
    const fits = await person.post('/api/transactions', { ...expense(), client_id: '🆔'.repeat(64) })
    expect(fits.status).toBe(201)
    expectInvalid(await person.post('/api/transactions', { ...expense(), client_id: 'x'.repeat(65) }), {
      client_id: ['The client id field must not be greater than 64 characters.'],
    })
  })
})
