import { expect, test } from 'vitest'
import { create, upload } from '../fixtures/uploads.ts'
import { createWorld, expectInvalid, type Json } from '../fixtures/world.ts'
import { createHousehold, type Household } from '../laws/every-route.ts'

/** Imports one row, dated as the bank books it, and returns it. */
async function importRow({ person, expense }: Household, fields: object): Promise<Json> {
  const row = { ...expense(), ...fields }
  const { body } = await person.post('/api/import/store', { transactions: [row] })
  expect(body.import.counts.created).toBe(1)
  const { data } = (await person.get('/api/transactions?per_page=500')).body
  return data.find((one: Json) => one.transaction_date === row.transaction_date && one.type === row.type)
}
const days = ({ transaction_date, booked_on, to_booked_on }: Json) => [
  transaction_date,
  booked_on,
  to_booked_on,
]

test('a row of a file keeps the day of the file when its date is edited, until its account is', async () => {
  const household = await createHousehold(createWorld())
  const { person, cash } = household
  const { id } = await importRow(household, { transaction_date: '2026-11-03' })
  const put = async (body: object) => days((await person.put(`/api/transactions/${id}`, body)).body)
  expect(await put({ description: 'Words' })).toEqual(['2026-11-03', null, null])
  expect(await put({ transaction_date: '2026-10-30' })).toEqual(['2026-10-30', '2026-11-03', null])
  expect(await put({ transaction_date: '2026-10-29', amount: 3 })).toEqual(['2026-10-29', '2026-11-03', null])
  expect(await put({ transaction_date: '2026-11-03' })).toEqual(['2026-11-03', null, null])
  expect(await put({ transaction_date: '2026-10-30' })).toEqual(['2026-10-30', '2026-11-03', null])
  expect(await put({ account_id: cash.id })).toEqual(['2026-10-30', null, null])
})

test('a typed row has no other day, however it is edited', async () => {
  const { person, spend } = await createHousehold(createWorld())
  const { id } = await spend()
  const { body } = await person.put(`/api/transactions/${id}`, { transaction_date: '2026-10-30' })
  expect(days(body)).toEqual(['2026-10-30', null, null])
})

test('a joined duplicate and a joined transfer keep the days of the bank, and lose them when separated', async () => {
  const household = await createHousehold(createWorld())
  const { person, cash, expense } = household
  const typed = (await person.post('/api/transactions', { ...expense(), transaction_date: '2026-10-30' }))
    .body
  const booked = await importRow(household, { transaction_date: '2026-11-02' })
  const joined = await person.post('/api/matches/join', { kind: 'duplicate', ids: [typed.id, booked.id] })
  expect(days(joined.body)).toEqual(['2026-10-30', '2026-11-02', null])
  const arrived = await importRow(household, {
    account_id: cash.id,
    type: 'income',
    transaction_date: '2026-11-04',
  })
  const transfer = await person.post('/api/matches/join', { kind: 'transfer', ids: [typed.id, arrived.id] })
  expect(days(transfer.body)).toEqual(['2026-10-30', '2026-11-02', '2026-11-04'])
  const edited = await person.put(`/api/transactions/${typed.id}`, { transaction_date: '2026-10-29' })
  expect(days(edited.body)).toEqual(['2026-10-29', '2026-11-02', '2026-11-04'])
  const { body } = await person.post('/api/matches/separate', { id: typed.id })
  expect(body.transactions.map(days)).toEqual([
    ['2026-10-29', '2026-11-02', null],
    ['2026-11-04', null, null],
  ])
  const again = await person.post('/api/matches/separate', { id: typed.id })
  expect(again.body.transactions.map(days)).toEqual([
    ['2026-10-29', null, null],
    ['2026-11-02', null, null],
  ])
})

test('balance checks count a row on the day of the bank', async () => {
  const household = await createHousehold(createWorld())
  const { person, checking } = household
  const { id } = await importRow(household, { transaction_date: '2026-11-03' })
  await person.put(`/api/transactions/${id}`, { transaction_date: '2026-10-30' })
  const check = async (date: string) =>
    (await person.post('/api/balance-checks', { account_id: checking.id, date, balance: 100 })).body
      .ledger_balance
  expect([await check('2026-10-31'), await check('2026-11-03')]).toEqual([100, 87.5])
})

test('only the creations of an upload set the days of the bank', async () => {
  const { person, expense } = await createHousehold(createWorld())
  const set = { ...expense(), booked_on: '2026-11-22' }
  await upload(person, [create('transaction', 'c1', set)])
  const refused = await person.post('/api/transactions', { ...set, amount: 3 })
  expectInvalid(refused, { booked_on: ['The booked on field is set by imports.'] })
  await person.post('/api/transactions/sync', { transactions: [{ ...set, amount: 4 }] })
  const { data } = (await person.get('/api/transactions')).body
  expect(data.map(({ amount, booked_on }: Json) => [amount, booked_on]).sort()).toEqual([
    ['12.50', '2026-11-22'],
    ['4.00', null],
  ])
})
