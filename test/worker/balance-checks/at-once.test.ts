import { expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { createWorld, type Json, logIn, recordTransaction } from '../fixtures/world.ts'
import { createHousehold, openWorldDatabase } from '../laws/every-route.ts'

const transfers = 30

/** A user with two devices, transfers between two accounts, and a check of each account that is ok. */
async function createTwoDevices() {
  const household = await createHousehold(createWorld())
  const { world, person, checking, cash } = household
  const phone = world.as((await logIn(world, person)).body.access_token)
  const rows: Json[] = []
  for (let nth = 1; nth <= transfers; nth++)
    rows.push(
      await recordTransaction(person, {
        ...{ type: 'transfer', account_id: checking.id, to_account_id: cash.id, amount: nth },
        transaction_date: `2026-09-${String(nth).padStart(2, '0')}`,
      }),
    )
  const moved = (transfers * (transfers + 1)) / 2
  const date = '2026-10-31'
  for (const [account, balance] of [
    [checking, 100 - moved],
    [cash, 20 + moved],
  ])
    await person.post('/api/balance-checks', { account_id: account.id, date, balance })
  const checks = async (): Promise<Json[]> => (await person.get('/api/balance-checks')).body
  expect((await checks()).map(({ state }) => state)).toEqual(['ok', 'ok'])
  const isExact = async () => expect(await findDifferences(openWorldDatabase(world))).toEqual([])
  return { ...household, phone, rows, checks, isExact }
}

test('two devices that break checks and mend them at once leave them ok, and the log exact', async () => {
  const { person, phone, rows, checks, isExact } = await createTwoDevices()
  await Promise.all(
    rows.map(({ id }, nth) => (nth % 2 ? person : phone).put(`/api/transactions/${id}`, { amount: 1 })),
  )
  const broken = await checks()
  expect(broken.map(({ difference }) => difference)).toEqual([435, -435])
  for (const { id, difference } of broken) {
    const { broken_by } = (await person.get(`/api/balance-checks/${id}`)).body
    expect(broken_by.reduce((sum: number, { effect }: Json) => sum + effect, 0)).toBe(difference)
    expect(new Set(broken_by.map(({ by }: Json) => by.token_id)).size).toBe(2)
  }
  await Promise.all(
    rows.flatMap(({ id, amount }) => [
      person.put(`/api/transactions/${id}`, { amount }),
      phone.put(`/api/transactions/${id}`, { amount }),
    ]),
  )
  expect((await checks()).map(({ state, broken_at }) => [state, broken_at])).toEqual([
    ['ok', null],
    ['ok', null],
  ])
  await isExact()
})

test('an account that is deleted while its transfers change is named once by the other account, and all figures stay exact', async () => {
  const { world, person, phone, cash, checking, rows, checks, isExact } = await createTwoDevices()
  await Promise.all([
    ...rows.map(({ id, amount }) => phone.put(`/api/transactions/${id}`, { amount: Number(amount) + 1 })),
    person.delete(`/api/accounts/${cash.id}`),
    ...rows.slice(0, 9).map(({ id }) => phone.delete(`/api/transactions/${id}`)),
    phone.post('/api/balance-checks', { account_id: cash.id, date: '2026-10-30', balance: 1 }),
  ])
  const [check, ...others] = await checks()
  expect(others).toEqual([])
  expect(check).toMatchObject({ account_id: checking.id, ledger_balance: 100, difference: 465 })
  const { broken_by } = (await person.get(`/api/balance-checks/${check?.id}`)).body
  const deleted = broken_by.filter(({ op }: Json) => op === 'account_deleted')
  expect(deleted).toMatchObject([{ by: { kind: 'session' } }])
  await isExact()
  await world.removeDeleted()
  await isExact()
})
