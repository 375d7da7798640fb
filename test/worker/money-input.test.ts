import { beforeAll, describe, expect, test } from 'vitest'
import { createHousehold, type Household } from './laws/every-route.ts'
import {
  balanceOf,
  createWorld,
  expectInvalid,
  expectInvalidFields,
  openAccount,
  type Person,
} from './world.ts'

const largest = '9999999999999.99'

/** Reads what JSON says before a client's floats get at it: the digits of a number field. */
const digitsOf = (text: string, field: string) => new RegExp(`"${field}":(-?[0-9.]+)[,}]`).exec(text)?.[1]

describe('an amount of money', () => {
  let household: Household
  beforeAll(async () => {
    household = await createHousehold(createWorld())
  })

  test.each([
    [12, '12.00'],
    [12.5, '12.50'],
    [12.34, '12.34'],
    [0.01, '0.01'],
    [0.29, '0.29'],
    [1.005e2, '100.50'],
    [1e3, '1000.00'],
    [4.35, '4.35'],
    [1.1, '1.10'],
    [0.30000000000000004, '0.30'],
    [0.1 + 0.7, '0.80'],
    [1.1 + 2.2, '3.30'],
    [4.35 * 100, '435.00'],
    [19.99 * 3, '59.97'],
    [9_999_999_999_999.99, largest],
    ['12', '12.00'],
    ['12.5', '12.50'],
    ['12.50', '12.50'],
    [' 12.50 ', '12.50'],
    ['0.01', '0.01'],
    ['007.10', '7.10'],
    [largest, largest],
  ])('of %j is %s', async (input, expected) => {
    const { person, expense } = household
    const fields = { ...expense(), amount: input, force: true }
    const { status, body } = await person.post('/api/transactions', fields)
    expect([status, body.amount]).toEqual([201, expected])
    const opened = await openAccount(person, { starting_balance: input })
    expect(opened.starting_balance).toBe(expected)
  })

  test.each([
    0.001,
    0.005,
    12.345,
    1.999,
    99.999,
    1234567.891,
    '0.001',
    '12.345',
    '12.340',
    '1,50',
    '1.234,50',
    '1 000',
    '$5',
    '5 €',
    '12.5.0',
    'NaN',
    'Infinity',
    '0x10',
    'twelve',
    true,
    false,
    [12],
    { amount: 12 },
  ])('is never %j: it is refused, not rounded', async (input) => {
    const { person, checking, expense } = household
    expectInvalidFields(await person.post('/api/transactions', { ...expense(), amount: input }), ['amount'])
    const account = { name: 'New', type: 'bank', starting_balance: input }
    expectInvalidFields(await person.post('/api/accounts', account), ['starting_balance'])
    const change = await person.put(`/api/accounts/${checking.id}`, { starting_balance: input })
    expectInvalidFields(change, ['starting_balance'])
  })

  test.each([10_000_000_000_000, '10000000000000', '10000000000000.00', 1e300, '9'.repeat(400)])(
    'is refused beyond 9,999,999,999,999.99: %j',
    async (input) => {
      const { person, expense } = household
      expectInvalidFields(await person.post('/api/transactions', { ...expense(), amount: input }), ['amount'])
      for (const starting_balance of [input, typeof input === 'number' ? -input : `-${input}`]) {
        const account = { name: 'New', type: 'bank', starting_balance }
        expectInvalidFields(await person.post('/api/accounts', account), ['starting_balance'])
      }
    },
  )

  test.each([0, -0, '0', '0.00', '-0', -0.01, '-12.50', -5])(
    'of a transaction is greater than 0: %j is refused',
    async (amount) => {
      const { person, expense } = household
      expectInvalid(await person.post('/api/transactions', { ...expense(), amount }), {
        amount: ['The amount field must be greater than 0.'],
      })
    },
  )

  test.each([
    [0, '0.00', 0],
    [-0, '0.00', 0],
    ['-0.00', '0.00', 0],
    [-12.5, '-12.50', -12.5],
    ['-0.01', '-0.01', -0.01],
    [`-${largest}`, `-${largest}`, -9_999_999_999_999.99],
  ])('to start with may be zero or negative: %j', async (input, starting_balance, balance) => {
    const person = await createWorld().register()
    const answer = await person.post('/api/accounts', { name: 'N', type: 'bank', starting_balance: input })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({ starting_balance, balance })
    expect(answer.text).not.toContain(':-0,')
    expect(answer.text).not.toContain(':-0}')
  })
})

describe('a total', () => {
  const nearlyFull = { starting_balance: largest }
  const openNine = async (person: Person) => {
    for (let i = 1; i <= 9; i++) await openAccount(person, { name: `Hoard ${i}`, ...nearlyFull })
  }

  test('of nine full accounts is exact to the cent', async () => {
    const person = await createWorld().register()
    await openNine(person)
    const { text } = await person.get('/api/summary')
    expect(digitsOf(text, 'total_balance')).toBe('89999999999999.91')
  })

  test('reaches 90,000,000,000,000.00 and goes no further', async () => {
    const person = await createWorld().register()
    await openNine(person)
    const tenth = { name: 'Tenth', type: 'bank' }
    const refused = await person.post('/api/accounts', { ...tenth, starting_balance: '0.10' })
    expectInvalidFields(refused, ['starting_balance'])
    expect((await person.post('/api/accounts', { ...tenth, starting_balance: '0.09' })).status).toBe(201)
    expect(digitsOf((await person.get('/api/summary')).text, 'total_balance')).toMatch(
      /^90000000000000(\.0+)?$/,
    )
  })

  test('is kept in bounds by a change of a starting balance, too', async () => {
    const person = await createWorld().register()
    await openNine(person)
    const { id } = await openAccount(person, { starting_balance: 0 })
    const refused = await person.put(`/api/accounts/${id}`, { starting_balance: 1 })
    expectInvalidFields(refused, ['starting_balance'])
    expect((await person.get(`/api/accounts/${id}`)).body.starting_balance).toBe('0.00')
  })

  test('is kept in bounds below zero as well', async () => {
    const person = await createWorld().register()
    for (let i = 1; i <= 9; i++) await openAccount(person, { starting_balance: `-${largest}` })
    expect(digitsOf((await person.get('/api/summary')).text, 'total_balance')).toBe('-89999999999999.91')
    const refused = await person.post('/api/accounts', { name: 'N', type: 'bank', starting_balance: -1 })
    expectInvalidFields(refused, ['starting_balance'])
  })

  test('that a transaction would push past its bound is a 422 on the amount, and nothing is recorded', async () => {
    const { person, checking, cash, expense } = await createHousehold(createWorld())
    for (let day = 1; day <= 9; day++) {
      const income = { ...expense(), type: 'income', amount: largest, transaction_date: `2020-0${day}-01` }
      const { status } = await person.post('/api/transactions', income)
      expect(status).toBe(day < 9 ? 201 : 422)
    }
    await person.put(`/api/accounts/${checking.id}`, { starting_balance: 0 })
    await person.put(`/api/accounts/${cash.id}`, { starting_balance: 0 })
    const ninth = { ...expense(), type: 'income', amount: largest }
    expect((await person.post('/api/transactions', ninth)).status).toBe(201)
    const before = (await person.get(`/api/accounts/${checking.id}`)).text
    expect(digitsOf(before, 'balance')).toBe('89999999999999.91')

    const small = { ...expense(), type: 'income', amount: 1 }
    expectInvalidFields(await person.post('/api/transactions', small), ['amount'])
    expect((await person.get(`/api/accounts/${checking.id}`)).text).toBe(before)
    expect((await person.get('/api/transactions')).body.total).toBe(9)

    const spent = await person.post('/api/transactions', { ...small, type: 'expense' })
    expect(spent.status).toBe(201)
    expectInvalidFields(await person.put(`/api/transactions/${spent.body.id}`, { type: 'income' }), [
      'amount',
    ])
    expect((await person.get(`/api/transactions/${spent.body.id}`)).body.type).toBe('expense')
  })

  test('that a transfer leaves as it is may be at its bound', async () => {
    const person = await createWorld().register()
    await openNine(person)
    const [from, to] = (await person.get('/api/accounts')).body
    const { status } = await person.post('/api/transactions', {
      account_id: from.id,
      to_account_id: to.id,
      type: 'transfer',
      amount: largest,
      transaction_date: '2026-11-20',
    })
    expect(status).toBe(201)
    expect(await balanceOf(person, from)).toBe(0)
    expect(await balanceOf(person, to)).toBe(19_999_999_999_999.98)
  })
})
