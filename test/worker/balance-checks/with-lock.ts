import { expect } from 'vitest'
import { createWorld, type Json, recordTransaction } from '../fixtures/world.ts'
import { createHousehold, type Household } from '../laws/every-route.ts'

/** The last day of the period that `withLock` reconciles. */
export const lastDay = '2026-10-31'
export const text = 'The account is reconciled through 31 October 2026.'

/** A household whose first account has a row of 12 October and is reconciled through the end of that month. */
export async function withLock() {
  const household = await createHousehold(createWorld())
  const { person, checking, expense } = household
  const row = await recordTransaction(person, { ...expense(), transaction_date: '2026-10-12' })
  const added = { account_id: checking.id, date: lastDay, balance: '87.50' }
  const check: Json = (await person.post('/api/balance-checks', added)).body
  const account = `/api/accounts/${checking.id}`
  const locked = await person.put(account, { reconciled_through: lastDay })
  expect([locked.status, locked.body.reconciled_through]).toEqual([200, lastDay])
  const balance = async () => (await person.get(account)).body.balance
  return { ...household, row, check, account, balance }
}

/** Expects the 422 of a change in that period. */
export const expectLocked = (response: { status: number; body: Json }, field = 'transaction_date') =>
  expect([response.status, response.body]).toEqual([
    422,
    {
      message: 'The given data was invalid.',
      errors: { [field]: [text] },
      code: 'reconciled',
      reconciled_through: lastDay,
    },
  ])

/** A check as a read of it alone shows it, with what broke it. */
export const broken = async ({ person }: Household, { id }: Json): Promise<Json> =>
  (await person.get(`/api/balance-checks/${id}`)).body
