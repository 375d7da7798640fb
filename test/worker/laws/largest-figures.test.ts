import { beforeAll, describe, expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { createWorld, openAccount, type Person } from '../fixtures/world.ts'
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

  test.each(protectedRoutes)('%s responds as ever', async (route) => {
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
