import { expect, test } from 'vitest'
import { create, type Result, update, upload } from '../fixtures/uploads.ts'
import { createWorld, expectInvalid, recordTransaction } from '../fixtures/world.ts'
import { createHousehold, type Household } from '../laws/every-route.ts'
import { broken, expectLocked, lastDay, text, withLock } from './with-lock.ts'

const ofResult = ({ outcome, errors }: Result) => errors ?? outcome

/** A household with a row that the bank has on 30 October, and nothing reconciled yet. */
async function withBankRow() {
  const household = await createHousehold(createWorld())
  const { person, expense } = household
  const transactions = [{ ...expense(), amount: 4, transaction_date: '2026-10-30' }]
  await person.post('/api/import/store', { transactions })
  const [row] = (await person.get('/api/transactions')).body.data
  const edit = (body: object) => person.put(`/api/transactions/${row.id}`, body)
  const uploadOne = async (set: object) => {
    const [result] = await upload(person, [update('transaction', row.id, set)])
    return result && ofResult(result)
  }
  return { ...household, row, edit, uploadOne, reconcile: (balance: string) => reconcile(household, balance) }
}

/** Reconciles the first account through the end of October, where it must have the balance. */
async function reconcile({ person, checking }: Household, balance: string) {
  await person.post('/api/balance-checks', { account_id: checking.id, date: lastDay, balance })
  const locked = await person.put(`/api/accounts/${checking.id}`, { reconciled_through: lastDay })
  expect(locked.status).toBe(200)
}

test('a row is in the period by the day of the bank, wherever its own date is', async () => {
  const { edit, uploadOne, reconcile } = await withBankRow()
  expect((await edit({ transaction_date: '2026-11-03' })).body.booked_on).toBe('2026-10-30')
  await reconcile('96.00')
  expectLocked(await edit({ amount: 5 }))
  expect(await uploadOne({ amount: 5 })).toEqual({ transaction_date: [text] })
  // The bank has it on the same day as before.
  expect((await edit({ transaction_date: '2026-10-02' })).status).toBe(200)
  expect(await uploadOne({ transaction_date: '2026-11-20' })).toBe('updated')
})

test('a row that the bank has later may be dated in the period', async () => {
  const { person, expense, reconcile, edit } = await withBankRow()
  await reconcile('96.00')
  const transactions = [{ ...expense(), amount: 6, transaction_date: '2026-11-02' }]
  await person.post('/api/import/store', { transactions })
  const [late] = (await person.get('/api/transactions')).body.data
  const dated = await person.put(`/api/transactions/${late.id}`, { transaction_date: lastDay })
  expect([dated.status, dated.body.booked_on]).toEqual([200, '2026-11-02'])
  expect((await person.put(`/api/transactions/${late.id}`, { amount: 7 })).status).toBe(200)
  expectLocked(await edit({ amount: 7 }))
})

test('an upload is refused for the day that it gives a row, as a request is', async () => {
  const { edit, uploadOne, reconcile, cash, checking } = await withBankRow()
  // On another account and back, the row has no day of the bank, until its account or date is set again.
  await edit({ transaction_date: '2026-11-03' })
  await edit({ account_id: cash.id })
  expect((await edit({ account_id: checking.id })).body.booked_on).toBe(null)
  await reconcile('100.00')
  expect(await uploadOne({ amount: 5 })).toBe('updated')
  expect((await edit({ amount: 6 })).status).toBe(200)
  const set = { description: 'Beans', transaction_date: '2026-11-03' }
  expectLocked(await edit(set))
  expect(await uploadOne(set)).toEqual({ transaction_date: [text] })
})

test('a period is not reconciled in the upload that breaks its check', async () => {
  const { person, checking, row, account, check } = await withLock()
  await person.put(account, { reconciled_through: null })
  const operations = [
    update('account', checking.id, { reconciled_through: lastDay }),
    update('transaction', row.id, { amount: 10 }),
  ]
  expect((await upload(person, operations)).map(ofResult)).toEqual([
    { reconciled_through: ['There is no matching balance check on this day.'] },
    'updated',
  ])
  const mended = [...operations.slice(0, 1), update('transaction', row.id, { amount: row.amount })]
  expect((await upload(person, mended)).map(ofResult)).toEqual(['updated', 'updated'])
  expect((await person.get(`/api/balance-checks/${check.id}`)).body.state).toBe('ok')
})

test('the period of another user is not shown, and binds nobody else', async () => {
  const owner = await withLock()
  const { world, checking, row, check } = owner
  const stranger = await createHousehold(world)
  const { person, expense } = stranger
  const fields = { ...expense(), account_id: checking.id, transaction_date: '2026-10-12' }
  const invalid = { account_id: ['The selected account id is invalid.'] }
  const unknown = { ...fields, account_id: 999_999 }
  for (const one of [fields, unknown]) {
    expectInvalid(await person.post('/api/transactions', one), invalid)
    const [result] = await upload(person, [create('transaction', `t${one.account_id}`, one)])
    expect(result?.errors).toEqual(invalid)
    const imported = await person.post('/api/import/store', { transactions: [one] })
    expectInvalid(imported, { 'transactions.0.account_id': invalid.account_id })
  }
  const operations = [
    update('transaction', row.id, { amount: 1 }),
    update('account', checking.id, { reconciled_through: null }),
    update('balance_check', check.id, { balance: 1 }),
  ]
  expect((await upload(person, operations)).map(ofResult)).toEqual(['gone', 'gone', 'gone'])
  const own = await recordTransaction(person, { ...expense(), transaction_date: '2026-10-12' })
  expectInvalid(await person.post('/api/matches/join', { kind: 'duplicate', ids: [own.id, row.id] }), {
    'ids.1': ['The selected id is invalid.'],
  })
  expect((await broken(owner, check)).state).toBe('ok')
})

test('links to a rule, its division, and a deleted category leave the period as it is', async () => {
  const household = await withLock()
  const { person, row, category, check, expense } = household
  const { transaction_date: _, ...template } = expense()
  const rule = { ...template, starts_on: '2026-10-12', rrule: 'FREQ=MONTHLY' }
  const { id } = (await person.post('/api/recurring', rule)).body
  const occurrence = `/api/recurring/${id}/occurrences/2026-10-12`
  expect((await person.put(occurrence, { transaction_id: row.id })).status).toBe(200)
  expectLocked(await person.put(`/api/transactions/${row.id}`, { amount: 1 }))
  const divided = await person.put(`/api/recurring/${id}`, { amount: 99, from: '2026-10-12' })
  expect(divided.status).toBe(200)
  expect((await person.delete(`/api/categories/${category.id}`)).status).toBe(204)
  expect((await person.delete(`/api/recurring/${id}`)).status).toBe(204)
  expect((await broken(household, check)).state).toBe('ok')
})
