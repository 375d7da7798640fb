import { beforeAll, describe, expect, test } from 'vitest'
import {
  balanceOf,
  createWorld,
  expectInvalidFields,
  openAccount,
  recordTransaction,
} from '../fixtures/world.ts'
import { createHousehold, type Household } from '../laws/every-route.ts'

const world = createWorld()
const largest = '9999999999999.99'

/** Reads what JSON says before a client's floats get at it: the digits of a number field. */
const digitsOf = (text: string, field: string) => new RegExp(`"${field}":(-?[0-9.]+)[,}]`).exec(text)?.[1]

describe('an amount of money', () => {
  let household: Household
  beforeAll(async () => {
    household = await createHousehold(world)
  })

  test.each([
    [12, '12.00'],
    [12.5, '12.50'],
    [0.01, '0.01'],
    [0.1 + 0.7, '0.80'],
    [9_999_999_999_999.99, largest],
    ['12', '12.00'],
    ['12.5', '12.50'],
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

  test.each([
    [0, '0.00', 0],
    [-0, '0.00', 0],
    ['-0.00', '0.00', 0],
    [-12.5, '-12.50', -12.5],
    ['-0.01', '-0.01', -0.01],
    [`-${largest}`, `-${largest}`, -9_999_999_999_999.99],
  ])('to start with may be zero or negative: %j', async (input, starting_balance, balance) => {
    const account = { name: 'N', type: 'bank', starting_balance: input }
    const { status, body, text } = await (await world.register()).post('/api/accounts', account)
    expect([status, body]).toMatchObject([201, { starting_balance, balance }])
    expect(text).not.toMatch(/:-0[,}]/)
  })
})

describe('a total', () => {
  /** A user with nine accounts that start with as much. */
  async function withNine(starting_balance: string) {
    const person = await world.register()
    for (let i = 1; i <= 9; i++) await openAccount(person, { starting_balance })
    const total = async () => digitsOf((await person.get('/api/summary')).text, 'total_balance')
    const open = (balance: unknown) =>
      person.post('/api/accounts', { name: 'Tenth', type: 'bank', starting_balance: balance })
    return { person, total, open }
  }

  test('of nine full accounts is exact to the cent, reaches 90,000,000,000,000.00 and goes no further', async () => {
    const { total, open } = await withNine(largest)
    expect(await total()).toBe('89999999999999.91')
    expectInvalidFields(await open('0.10'), ['starting_balance'])
    expect((await open('0.09')).status).toBe(201)
    expect(await total()).toMatch(/^90000000000000(\.0+)?$/)
  })

  test('is kept in bounds below zero as well', async () => {
    const { total, open } = await withNine(`-${largest}`)
    expect(await total()).toBe('-89999999999999.91')
    expectInvalidFields(await open(-1), ['starting_balance'])
  })

  test('that a transfer leaves as it is may be at its bound', async () => {
    const { person } = await withNine(largest)
    const [from, to] = (await person.get('/api/accounts')).body
    const accounts = { account_id: from.id, to_account_id: to.id }
    const transfer = { type: 'transfer', amount: largest, transaction_date: '2026-11-20' }
    await recordTransaction(person, { ...accounts, ...transfer })
    expect([await balanceOf(person, from), await balanceOf(person, to)]).toEqual([0, 19_999_999_999_999.98])
  })
})
