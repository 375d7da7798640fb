import { beforeEach, expect, test } from 'vitest'
import { addDays } from '../../../src/domain/dates.ts'
import { noon, setClock } from '../fixtures/clock.ts'
import {
  aCategory,
  createWorld,
  expectInvalid,
  type Json,
  openAccount,
  type Person,
  recordTransaction,
} from '../fixtures/world.ts'

const dayMs = 86_400_000

let world: ReturnType<typeof createWorld>
let person: Person
let account: Json
let savings: Json
let expense: Json

beforeEach(async () => {
  setClock(noon)
  world = createWorld()
  person = await world.register()
  account = await openAccount(person, { starting_balance: 1_000 })
  savings = await openAccount(person, { name: 'Savings', starting_balance: 50 })
  expense = { account_id: account.id, category_id: (await aCategory(person)).id, type: 'expense' }
})

const repeat = async (details: Json) => {
  const { status, body } = await person.post('/api/recurring', {
    ...expense,
    starts_on: '2026-11-20',
    rrule: 'FREQ=MONTHLY',
    ...details,
  })
  expect(status).toBe(201)
  return body
}
const forecast = async (query = ''): Promise<Json> => (await person.get(`/api/reports/forecast${query}`)).body
const salary = async () => ({ type: 'income', category_id: (await aCategory(person, 'income')).id })

test('begins with the balances of today, and has the lowest day of each account', async () => {
  await recordTransaction(person, { ...expense, amount: 10, transaction_date: '2026-11-20' })
  await recordTransaction(person, { ...expense, amount: 100, transaction_date: '2026-12-05' })
  await repeat({ amount: 950, starts_on: '2026-11-30' })
  await repeat({ ...(await salary()), amount: 2_000, starts_on: '2026-12-15' })
  await repeat({
    type: 'transfer',
    to_account_id: savings.id,
    category_id: null,
    amount: 5,
    starts_on: '2026-12-01',
  })
  const found = await forecast('?to=2026-12-31')
  const { body: balances } = await person.get('/api/reports/balances?from=2026-11-20&to=2026-11-20')
  expect(found.points[0]).toEqual(balances.points[0])
  expect(found.points).toHaveLength(42)
  expect(found.points.at(-1)).toEqual({
    date: '2026-12-31',
    total: 1_000 - 10 - 100 - 950 - 950 + 2_000 + 50,
    accounts: [
      { account_id: account.id, balance: 1_000 - 10 - 100 - 950 - 950 + 2_000 - 5 },
      { account_id: savings.id, balance: 55 },
    ],
  })
  expect(found.lowest).toEqual([
    { account_id: account.id, date: '2026-12-05', balance: 1_000 - 10 - 100 - 950 - 5 },
    { account_id: savings.id, date: '2026-11-20', balance: 50 },
  ])
  expect(found).toMatchObject({ from: '2026-11-20', due: [], expected: 4, recorded_ahead: 0 })
})

test('counts what is due tomorrow, and what is recorded ahead once', async () => {
  const rent = await repeat({ amount: 950 })
  await person.post(`/api/recurring/${rent.id}/occurrences/2026-12-20/record`)
  setClock(noon + 2 * dayMs)
  const found = await forecast('?to=2027-01-19&every=month')
  expect(found.points.map(({ date, total }: Json) => [date, total])).toEqual([
    ['2026-11-22', 1_050],
    ['2026-11-30', 100],
    ['2026-12-31', -850],
    ['2027-01-19', -850],
  ])
  expect(found.due).toMatchObject([{ occurrence_date: '2026-11-20', state: 'due', days_late: 2 }])
  expect(found).toMatchObject({ expected: 1, recorded_ahead: 1 })
  await person.put(`/api/recurring/${rent.id}`, { paused: true })
  expect(await forecast('?to=2026-12-01')).toMatchObject({ due: [], expected: 0 })
})

test('equals the balances after the days in which just that happens', async () => {
  const transfer = { type: 'transfer', to_account_id: savings.id, category_id: null }
  await repeat({ amount: 3, rrule: 'FREQ=WEEKLY;BYDAY=SA,MO', weekend: 'after', auto_record: true })
  await repeat({ ...(await salary()), amount: 70, rrule: 'FREQ=MONTHLY;BYMONTHDAY=-1', auto_record: true })
  await repeat({ ...transfer, amount: 5, starts_on: '2026-11-21', rrule: 'FREQ=DAILY;INTERVAL=3;COUNT=9' })
  const rent = await repeat({ amount: 40, starts_on: '2026-10-31' })
  const path = (date: string) => `/api/recurring/${rent.id}/occurrences/${date}`
  await person.put(path('2026-11-30'), { amount: 44, transaction_date: '2026-12-02' })
  await person.put(path('2026-12-31'), { skip: true })
  await person.post(`${path('2027-01-31')}/record`)
  await recordTransaction(person, { ...expense, amount: 8, transaction_date: '2026-12-24' })
  await world.runCron('*/5 * * * *')
  const { points } = await forecast('?to=2027-02-10&every=week')
  const found: Json[] = []
  for (const { date } of points) {
    setClock(Date.parse(`${date}T12:00:00Z`))
    await world.runCron('*/5 * * * *')
    const { body } = await person.get('/api/recurring/upcoming?days=1')
    for (const { state, recurring_id, occurrence_date } of body.occurrences)
      if (state === 'due')
        await person.post(`/api/recurring/${recurring_id}/occurrences/${occurrence_date}/record`)
    found.push((await person.get(`/api/reports/balances?to=${date}&from=${date}`)).body.points[0])
  }
  expect(found).toEqual(points)
})

/** A payment of a rent of 950.00, so many days from it, and whether it is expected again. */
const payments: [string, number, Json, boolean][] = [
  ...[-3, -1, 0, 2, 3].map((away): [string, number, Json, boolean] => ['950.00', away, {}, false]),
  ...[-4, 4].map((away): [string, number, Json, boolean] => ['950.00', away, {}, true]),
  ['1000.00', 1, { description: 'MEIER 4711' }, false],
  ['475.00', -2, { description: 'MEIER 4711' }, false],
  ['1425.00', 0, { description: 'MEIER 4711' }, false],
  ['1425.01', 0, { description: 'MEIER 4711' }, true],
  ['1000.00', 1, { description: 'SEPA 4711' }, true],
  ['950.00', 0, { type: 'income' }, true],
]

test.each(['due', 'upcoming'].flatMap((state) => payments.map((payment) => [state, ...payment] as const)))(
  'a payment of a rent that is %s: %s, %i days away, %o; expected again: %s',
  async (state, amount, away, details, isAgain) => {
    const day = state === 'due' ? '2026-11-18' : '2026-11-28'
    setClock(noon - 5 * dayMs)
    const { id } = await repeat({ amount: 950, description: 'Rent Meier', starts_on: day })
    setClock(noon)
    const paid = await recordTransaction(person, {
      ...{ ...expense, amount, transaction_date: addDays(day, away), ...details },
      ...(details.type && (await salary())),
    })
    const { occurrences } = (await person.get('/api/recurring/upcoming?days=10')).body
    expect(occurrences).toMatchObject([{ recurring_id: id, state, possible: isAgain ? null : paid.id }])
    const found = await forecast('?to=2026-12-10')
    const effect = paid.type === 'income' ? Number(amount) : -Number(amount)
    expect(found.points.at(-1).accounts[0].balance).toBe(1_000 + effect - (isAgain ? 950 : 0))
    expect(found.expected).toBe(isAgain ? 1 : 0)
    expect(found.due).toHaveLength(isAgain && state === 'due' ? 1 : 0)
  },
)

test('one payment is one of two equal occurrences', async () => {
  for (const starts_on of ['2026-11-24', '2026-11-25']) await repeat({ amount: 9, starts_on })
  const paid = await recordTransaction(person, { ...expense, amount: 9, transaction_date: '2026-11-25' })
  const { occurrences } = (await person.get('/api/recurring/upcoming?days=10')).body
  expect(occurrences.map(({ possible }: Json) => possible)).toEqual([null, paid.id])
  expect(await forecast('?to=2026-12-10')).toMatchObject({ expected: 1 })
})

test('is of one account alone, if that is asked for', async () => {
  await repeat({
    type: 'transfer',
    to_account_id: savings.id,
    category_id: null,
    amount: 5,
    starts_on: '2026-12-01',
  })
  await repeat({ amount: 3, starts_on: '2026-12-01' })
  const found = await forecast(`?account_id=${savings.id}&to=2026-12-02`)
  expect(found.points.at(-1)).toEqual({
    date: '2026-12-02',
    total: 55,
    accounts: [{ account_id: savings.id, balance: 55 }],
  })
  expect(found.expected).toBe(1)
})

test.each([
  ['2026-11-19', 'The to field must not be before today.'],
  ['2027-11-22', 'The to field must be a date within 366 days.'],
])('to %s is refused', async (to, text) => {
  expectInvalid(await person.get(`/api/reports/forecast?to=${to}`), { to: [text] })
})
