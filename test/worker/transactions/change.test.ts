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

const world = createWorld()

/** A household with an expense of 12.50 on checking, a transfer of 30 from there to cash, and a third account. */
async function createLedger() {
  const household = await createHousehold(world)
  const { person, checking, cash, expense } = household
  const savings = await openAccount(person, { name: 'Savings', starting_balance: 0 })
  const spent = await recordTransaction(person, { ...expense(), description: 'Lunch', reference: 'R-1' })
  const transfer = { type: 'transfer', to_account_id: cash.id, category_id: null, amount: 30 }
  const moved = await recordTransaction(person, { ...expense(), ...transfer })
  const change = (row: Json, fields: Json) => person.put(`/api/transactions/${row.id}`, fields)
  const show = async (row: Json): Promise<Json> => (await person.get(`/api/transactions/${row.id}`)).body
  const balances = () => Promise.all([checking, cash, savings].map((account) => balanceOf(person, account)))
  return { ...household, savings, spent, moved, change, show, balances }
}

test('a transaction is shown with its accounts and its category', async () => {
  const { checking, cash, category, spent, moved, show } = await createLedger()
  const account = { id: checking.id, name: 'Checking', type: 'bank' }
  expect(await show(spent)).toMatchObject({
    ...spent,
    account,
    to_account: null,
    category: { id: category.id, name: category.name, type: 'expense' },
  })
  const to_account = { id: cash.id, name: 'Cash', type: 'cash' }
  expect(await show(moved)).toMatchObject({ ...moved, account, to_account, category: null })
})

describe('changing a transaction', () => {
  test.each(['put', 'patch'] as const)(
    'responds to %s with the row, without its accounts and category',
    async (verb) => {
      const { person, savings, spent, show } = await createLedger()
      const fields = {
        account_id: savings.id,
        category_id: (await aCategory(person, 'income')).id,
        type: 'income',
        amount: '7.25',
        description: 'Repaid',
        reference: 'R-2',
        transaction_date: '2025-12-31',
      }
      const { status, body } = await person[verb](`/api/transactions/${spent.id}`, fields)
      const changed = { ...spent, ...fields, version: 2, updated_at: aTimestamp }
      expect([status, body]).toEqual([200, changed])
      expect(await show(spent)).toMatchObject(fields)
    },
  )

  test.each([
    [{ amount: '1.00' }],
    [{ description: 'Dinner' }],
    [{ reference: null }],
    [{ description: null }],
    [{ transaction_date: '2026-01-01' }],
    [{ type: 'income' }],
    [{}],
  ])('leaves what is not in %j as it was', async (fields) => {
    const { spent, change } = await createLedger()
    const { status, body } = await change(spent, fields)
    expect([status, body]).toEqual([200, { ...spent, ...fields, version: 2, updated_at: aTimestamp }])
  })

  test('lets the balances follow the amount, the type and the account', async () => {
    const { checking, cash, savings, spent, moved, change, balances } = await createLedger()
    expect(await balances()).toEqual([57.5, 50, 0])
    await change(spent, { amount: 20 })
    expect(await balances()).toEqual([50, 50, 0])
    await change(spent, { type: 'income' })
    expect(await balances()).toEqual([90, 50, 0])
    await change(spent, { account_id: savings.id })
    expect(await balances()).toEqual([70, 50, 20])
    await change(moved, { to_account_id: savings.id })
    expect(await balances()).toEqual([70, 20, 50])
    await change(moved, { account_id: cash.id })
    expect(await balances()).toEqual([100, -10, 50])
    await change(moved, { account_id: savings.id, to_account_id: checking.id, amount: 0.5 })
    expect(await balances()).toEqual([100.5, 20, 19.5])
    await change(spent, { transaction_date: '2030-01-01', description: 'later' })
    expect(await balances()).toEqual([100.5, 20, 19.5])
  })

  test('reverses a transfer when both accounts are sent', async () => {
    const { checking, cash, moved, change, balances } = await createLedger()
    expect((await change(moved, { account_id: cash.id, to_account_id: checking.id })).status).toBe(200)
    expect(await balances()).toEqual([117.5, -10, 0])
  })

  test('clears the destination when the type is no longer transfer, and refuses another', async () => {
    const { category, cash, moved, change, show, balances } = await createLedger()
    const fields = { type: 'expense', category_id: category.id }
    expectInvalidFields(await change(moved, { ...fields, to_account_id: cash.id }), ['to_account_id'])
    expect((await show(moved)).type).toBe('transfer')
    const { status, body } = await change(moved, fields)
    expect([status, body]).toMatchObject([200, { ...fields, to_account_id: null }])
    expect(await show(moved)).toMatchObject({ to_account_id: null, to_account: null })
    expect(await balances()).toEqual([57.5, 20, 0])
  })

  test('requires a destination when the type becomes transfer', async () => {
    const { cash, spent, change, balances } = await createLedger()
    expectInvalid(await change(spent, { type: 'transfer' }), {
      to_account_id: ['The to account id field is required.'],
    })
    const fields = { type: 'transfer', to_account_id: cash.id }
    const { status, body } = await change(spent, fields)
    expect([status, body]).toMatchObject([200, fields])
    expect(await balances()).toEqual([57.5, 62.5, 0])
  })

  test('refuses a destination on a row that is not a transfer', async () => {
    const { cash, spent, change } = await createLedger()
    expectInvalidFields(await change(spent, { to_account_id: cash.id }), ['to_account_id'])
    expect((await change(spent, { to_account_id: null })).status).toBe(200)
  })

  test('refuses a transfer from an account to itself, whichever side is sent', async () => {
    const { checking, cash, moved, change, balances } = await createLedger()
    expectInvalidFields(await change(moved, { to_account_id: checking.id }), ['to_account_id'])
    expect((await change(moved, { account_id: cash.id })).status).toBe(422)
    const same = { account_id: cash.id, to_account_id: cash.id }
    expectInvalidFields(await change(moved, same), ['to_account_id'])
    expect(await balances()).toEqual([57.5, 50, 0])
  })

  test('refuses to empty a required field', async () => {
    const { spent, change } = await createLedger()
    const fields = { account_id: null, type: '', amount: ' ', transaction_date: null }
    expectInvalid(await change(spent, fields), {
      account_id: ['The account id field is required.'],
      type: ['The type field is required.'],
      amount: ['The amount field is required.'],
      transaction_date: ['The transaction date field is required.'],
    })
  })

  test('never looks for duplicates', async () => {
    const { person, expense, change } = await createLedger()
    const other = await recordTransaction(person, { ...expense(), amount: 99 })
    expect((await change(other, { amount: '12.50' })).status).toBe(200)
  })
})

test('a deleted transaction responds with 204 and an empty body, and the balances are as if it had never been', async () => {
  const { person, spent, moved, balances } = await createLedger()
  const { status, text } = await person.delete(`/api/transactions/${moved.id}`)
  expect([status, text]).toEqual([204, ''])
  expect(await balances()).toEqual([87.5, 20, 0])
  await person.delete(`/api/transactions/${spent.id}`)
  expect(await balances()).toEqual([100, 20, 0])
  const gone = await person.get(`/api/transactions/${spent.id}`)
  expect([gone.status, gone.body]).toEqual([404, { message: 'Transaction not found.' }])
  expect((await person.delete(`/api/transactions/${spent.id}`)).status).toBe(404)
  expect((await person.get('/api/transactions')).body.total).toBe(0)
})
