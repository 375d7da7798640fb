import { beforeAll, describe, expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { picker } from '../picker.ts'
import { createWorld, openAccount, type Person } from '../world.ts'
import {
  createHousehold,
  goodCall,
  type Household,
  openWorldDatabase,
  protectedRoutes,
} from './every-route.ts'

/** The largest amount, in minor units and as a client sends it. */
const most = 999_999_999_999_999n
const decimal = (minor: bigint) => {
  const digits = String(minor < 0n ? -minor : minor).padStart(3, '0')
  return `${minor < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/**
 * Opens two accounts on which more has moved than JavaScript can count, though no balance and no total is out of
 * bounds: one began rich and spent ten times the largest amount, the other began poor and earned it.
 */
async function addExtremes(person: Person, categoryId: number) {
  const spender = await openAccount(person, { name: 'Spender', starting_balance: decimal(most) })
  const earner = await openAccount(person, { name: 'Earner', starting_balance: decimal(-most) })
  for (let day = 1; day <= 10; day++) {
    const month = day % 2 ? '2015-01' : '2015-02'
    for (const [account, type] of [
      [spender, 'expense'],
      [earner, 'income'],
    ] as const) {
      const { status, text } = await person.post('/api/transactions', {
        account_id: account.id,
        category_id: categoryId,
        type,
        amount: decimal(most),
        transaction_date: `${month}-${String(day).padStart(2, '0')}`,
      })
      expect([status, text]).toEqual([201, text])
    }
  }
  return { spender, earner }
}

describe('beside accounts on which more than 2^53 has moved', () => {
  let household: Household
  beforeAll(async () => {
    household = await createHousehold(createWorld())
    await addExtremes(household.person, household.category.id)
  })

  test.each(protectedRoutes)('%s answers as ever', async (route) => {
    const { call, status } = await goodCall(route, household)
    expect((await call(household.person)).status).toBe(status)
  })
})

test('an account on which more than 2^53 has moved can be shown, listed, changed and deleted', async () => {
  const world = createWorld()
  const { person, category } = await createHousehold(world)
  const { spender, earner } = await addExtremes(person, category.id)
  const path = `/api/accounts/${spender.id}`
  const balance = '"balance":-89999999999999.91'
  expect((await person.get(path)).text).toContain(balance)
  expect((await person.get('/api/accounts')).text).toContain(balance)
  expect((await person.get('/api/summary')).text).toContain(balance)
  const renamed = await person.put(path, { name: 'Renamed', starting_balance: decimal(most - 1n) })
  expect([renamed.status, renamed.text]).toEqual([
    200,
    expect.stringContaining('"balance":-89999999999999.92'),
  ])
  expect((await person.get(`/api/transactions?account_id=${spender.id}`)).body.total).toBe(10)
  // Without the spender, the total would be out of bounds.
  expect((await person.delete(`/api/accounts/${earner.id}`)).status).toBe(204)
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
})

test('an account that was opened with a key is found again by it, whatever has happened to it since', async () => {
  const world = createWorld()
  const { person, category } = await createHousehold(world)
  const open = () =>
    world.call('POST', '/api/accounts', {
      token: person.token,
      headers: { 'Idempotency-Key': 'first' },
      body: { name: 'Keyed', type: 'bank', starting_balance: decimal(most) },
    })
  const { body: account } = await open()
  for (let day = 10; day < 20; day++) {
    const fields = {
      account_id: account.id,
      category_id: category.id,
      type: 'expense',
      amount: decimal(most),
    }
    await person.post('/api/transactions', { ...fields, transaction_date: `2015-0${(day % 2) + 1}-${day}` })
  }
  const { status, text } = await open()
  expect([status, text]).toEqual([200, expect.stringContaining('"balance":-89999999999999.91')])
})

/** Some of the largest amounts, and some of the smallest. */
const amounts = [most, most, most, most - 1n, most / 2n, 1n]
const bound = 9_000_000_000_000_000n

test('whatever moves near the bounds, every figure is a plain sum over the rows and no answer is a 500', async () => {
  const world = createWorld()
  const { person, category } = await createHousehold(world)
  const pick = picker(11)
  const accounts = new Map<number, bigint>()
  const rows: { type: string; account: number; to: number | null; amount: bigint; date: string }[] = []
  for (const start of [most, -most, most - 1n]) {
    accounts.set((await openAccount(person, { starting_balance: decimal(start) })).id, start)
  }
  const ids = [...accounts.keys()]
  for (let step = 0; step < 160; step++) {
    // Long enough in one direction that more moves than a balance alone could have.
    const type = pick(
      ...(step % 80 < 40 ? ['expense', 'expense', 'transfer'] : ['income', 'income', 'transfer']),
    )
    const account = pick(...ids)
    const to = type === 'transfer' ? pick(...ids.filter((id) => id !== account)) : null
    const amount = pick(...amounts)
    const date = `2015-${pick('01', '02', '03', '04', '05', '06')}-${pick('01', '14', '28')}`
    const { status } = await person.post('/api/transactions', {
      account_id: account,
      to_account_id: to,
      category_id: category.id,
      type,
      amount: decimal(amount),
      transaction_date: date,
      force: true,
    })
    expect([201, 422]).toContain(status)
    if (status === 201) rows.push({ type, account, to, amount, date })
    if (step % 8 === 0) await expectFigures()
  }
  expect(rows.length).toBeGreaterThan(60)
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])

  async function expectFigures() {
    for (const [id, start] of accounts) {
      let moved = 0n
      for (const { type, account, to, amount } of rows) {
        if (account === id) moved += type === 'income' ? amount : -amount
        if (to === id) moved += amount
      }
      expect(start + moved <= bound && start + moved >= -bound).toBe(true)
      const shown = await person.get(`/api/accounts/${id}`)
      expect(shown.text).toContain(`"balance":${numeral(start + moved)}}`)
      expect((await person.put(`/api/accounts/${id}`, { name: 'Another' })).status).toBe(200)
    }
    expect((await person.get('/api/accounts')).status).toBe(200)
    const income = sum('income')
    const expense = sum('expense')
    for (const query of ['?from=2015-01-01&to=2015-06-30', '?from=2014-12-31', '?to=2015-06-29']) {
      const { status, text } = await person.get(`/api/summary${query}`)
      expect([status, text]).toEqual([
        200,
        expect.stringContaining(
          `"monthly_summary":{"income":${numeral(income)},"expense":${numeral(expense)},"net":${numeral(income - expense)}}`,
        ),
      ])
    }
  }
  function sum(kind: string): bigint {
    return rows.reduce((total, { type, amount }) => (type === kind ? total + amount : total), 0n)
  }
})

/** An exact amount as the JSON numeral that answers have: without needless zeros below 2^46, with two decimals above. */
function numeral(minor: bigint): string {
  const float = Number(minor) / 100
  return Math.abs(float) < 2 ** 46 ? String(float) : decimal(minor)
}
