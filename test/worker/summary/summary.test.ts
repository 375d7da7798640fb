import { describe, expect, test } from 'vitest'
import { setClock } from '../fixtures/clock.ts'
import {
  aCategory,
  createWorld,
  expectInvalid,
  expectInvalidFields,
  type Json,
  recordTransaction,
} from '../fixtures/world.ts'
import { createHousehold } from '../laws/every-route.ts'

describe('the summary', () => {
  test('is all zeros for a new user', async () => {
    const person = await createWorld().register()
    const { status, body } = await person.get('/api/summary')
    expect(status).toBe(200)
    expect(body).toEqual({
      total_balance: 0,
      accounts: [],
      monthly_summary: { income: 0, expense: 0, net: 0 },
      category_breakdown: [],
    })
  })

  test('adds up the balances of all dates, and the income and expenses of this month', async () => {
    setClock(Date.parse('2026-11-15T12:00:00Z'))
    const { person, checking, cash, category, expense } = await createHousehold(createWorld())
    const salary = await aCategory(person, 'income')
    const record = (fields: Json) => recordTransaction(person, { ...expense(), ...fields })
    await record({ type: 'income', category_id: salary.id, amount: 1000, transaction_date: '2026-11-01' })
    await record({ amount: '250.10', transaction_date: '2026-11-30' })
    await record({ amount: '0.20', account_id: cash.id })
    await record({ type: 'transfer', to_account_id: cash.id, category_id: category.id, amount: 77 })
    await record({ amount: 3, transaction_date: '2026-10-31' })
    await record({ amount: 4, transaction_date: '2026-12-01' })
    await record({ amount: 5, transaction_date: '2025-11-15' })
    const { body } = await person.get('/api/summary')
    expect(body).toEqual({
      total_balance: 857.7,
      accounts: [
        { id: checking.id, name: 'Checking', type: 'bank', starting_balance: '100.00', balance: 760.9 },
        { id: cash.id, name: 'Cash', type: 'cash', starting_balance: '20.00', balance: 96.8 },
      ],
      monthly_summary: { income: 1000, expense: 250.3, net: 749.7 },
      category_breakdown: [{ category_id: category.id, category_name: category.name, total: 250.3 }],
    })
  })

  test('breaks the expenses down by category, the largest first, then by name', async () => {
    setClock(Date.parse('2026-11-15T12:00:00Z'))
    const { person, expense } = await createHousehold(createWorld())
    const spend = async (name: string, amount: string) => {
      const created = await person.post('/api/categories', { name, type: 'expense' })
      const { body } = await person.get('/api/categories')
      const category = created.status === 201 ? created.body : body.find((c: Json) => c.name === name)
      await recordTransaction(person, { ...expense(), category_id: category.id, amount, force: true })
      return category.id
    }
    await spend('Zoo', '10.00')
    await spend('Ants', '10.00')
    await spend('Bees', '99.90')
    await spend('Zoo', '0.01')
    await spend('Cats', '10.00')
    const gone = [await spend('Gone', '4.00'), await spend('Also gone', '5.00')]
    const { body: categories } = await person.get('/api/categories')
    const idOf = (name: string) => categories.find((one: Json) => one.name === name).id
    for (const id of gone) await person.delete(`/api/categories/${id}`)
    expect((await person.get('/api/summary')).body.category_breakdown).toEqual([
      { category_id: idOf('Bees'), category_name: 'Bees', total: 99.9 },
      { category_id: idOf('Zoo'), category_name: 'Zoo', total: 10.01 },
      { category_id: idOf('Ants'), category_name: 'Ants', total: 10 },
      { category_id: idOf('Cats'), category_name: 'Cats', total: 10 },
      { category_id: null, category_name: 'Uncategorized', total: 9 },
    ])
  })

  test('counts a refund as income, and an expense under an income category in the breakdown', async () => {
    setClock(Date.parse('2026-11-15T12:00:00Z'))
    const { person, expense } = await createHousehold(createWorld())
    const salary = await aCategory(person, 'income')
    await recordTransaction(person, { ...expense(), type: 'income', amount: 8 })
    await recordTransaction(person, { ...expense(), category_id: salary.id, amount: 3 })
    const { body } = await person.get('/api/summary')
    expect(body.monthly_summary).toEqual({ income: 8, expense: 3, net: 5 })
    expect(body.category_breakdown).toEqual([
      { category_id: salary.id, category_name: salary.name, total: 3 },
    ])
  })

  test('follows changes and deletions', async () => {
    setClock(Date.parse('2026-11-15T12:00:00Z'))
    const { person, category, expense } = await createHousehold(createWorld())
    const { id } = await recordTransaction(person, expense())
    const monthly = async () => {
      const { body } = await person.get('/api/summary')
      return [body.monthly_summary.income, body.monthly_summary.expense, body.category_breakdown]
    }
    expect(await monthly()).toEqual([
      0,
      12.5,
      [{ category_id: category.id, category_name: category.name, total: 12.5 }],
    ])
    await person.put(`/api/transactions/${id}`, { amount: 20 })
    expect(await monthly()).toEqual([
      0,
      20,
      [{ category_id: category.id, category_name: category.name, total: 20 }],
    ])
    await person.put(`/api/categories/${category.id}`, { name: 'Renamed' })
    expect(await monthly()).toEqual([
      0,
      20,
      [{ category_id: category.id, category_name: 'Renamed', total: 20 }],
    ])
    await person.put(`/api/transactions/${id}`, { type: 'income' })
    expect(await monthly()).toEqual([20, 0, []])
    await person.put(`/api/transactions/${id}`, { transaction_date: '2026-10-31' })
    expect(await monthly()).toEqual([0, 0, []])
    await person.put(`/api/transactions/${id}`, { type: 'expense', transaction_date: '2026-11-01' })
    await person.delete(`/api/transactions/${id}`)
    expect(await monthly()).toEqual([0, 0, []])
  })
})

describe('the month of the summary', () => {
  /** A user in a time zone who spent 1, 2, 4 and 8 around the ends of two months. */
  async function createSpender(timezone: string) {
    const { person, expense } = await createHousehold(createWorld())
    await person.patch('/api/me', { timezone })
    const days = { '2026-10-31': 1, '2026-11-01': 2, '2026-11-30': 4, '2026-12-01': 8 }
    for (const [transaction_date, amount] of Object.entries(days)) {
      await recordTransaction(person, { ...expense(), transaction_date, amount })
    }
    const spentIn = async (query = '') =>
      (await person.get(`/api/summary${query}`)).body.monthly_summary.expense
    return { person, spentIn }
  }

  test.each([
    ['UTC', '2026-11-30T23:59:59Z', 6],
    ['UTC', '2026-12-01T00:00:00Z', 8],
    ['Asia/Tokyo', '2026-11-30T14:59:59Z', 6],
    ['Asia/Tokyo', '2026-11-30T15:00:00Z', 8],
    ['America/Los_Angeles', '2026-12-01T07:59:59Z', 6],
    ['America/Los_Angeles', '2026-12-01T08:00:00Z', 8],
    ['Pacific/Kiritimati', '2026-10-31T10:00:00Z', 6],
    ['Pacific/Pago_Pago', '2026-12-01T10:59:59Z', 6],
    ['Europe/Berlin', '2026-10-31T23:00:00Z', 6],
  ])('is that of %s at %s', async (timezone, now, expected) => {
    setClock(Date.parse(now))
    const { spentIn } = await createSpender(timezone)
    expect(await spentIn()).toBe(expected)
  })

  test('is UTC’s for those who named no time zone', async () => {
    setClock(Date.parse('2026-12-01T00:00:00Z'))
    const { person, expense } = await createHousehold(createWorld())
    await recordTransaction(person, { ...expense(), transaction_date: '2026-12-01', amount: 8 })
    expect((await person.get('/api/summary')).body.monthly_summary.expense).toBe(8)
  })

  test('can be named, whatever the time zone', async () => {
    setClock(Date.parse('2026-12-15T12:00:00Z'))
    const { person, spentIn } = await createSpender('Asia/Tokyo')
    expect(await spentIn('?month=2026-10')).toBe(1)
    expect(await spentIn('?month=2026-11')).toBe(6)
    expect(await spentIn('?month=2026-12')).toBe(8)
    expect(await spentIn('?month=2025-11')).toBe(0)
    const [now, then] = [await person.get('/api/summary'), await person.get('/api/summary?month=2026-11')]
    expect(then.body.total_balance).toBe(105)
    expect(then.body.accounts).toEqual(now.body.accounts)
    expect(then.body.category_breakdown).toMatchObject([{ total: 6 }])
  })

  test.each(['2026', '2026-13', '2026-00', '2026-1', '2026-11-15', 'november'])(
    'is refused if it is not one: %s',
    async (month) => {
      const person = await createWorld().register()
      expectInvalidFields(await person.get(`/api/summary?month=${month}`), ['month'])
    },
  )
})

describe('the summary of a range', () => {
  const days = [
    '2025-12-31',
    '2026-01-01',
    '2026-01-15',
    '2026-01-31',
    '2026-02-01',
    '2026-02-28',
    '2026-03-01',
  ]
  const ends = ['1900-01-01', ...days, '2026-02-14', '2026-03-31', '2100-12-31']

  /** A user with income, expenses of three kinds and a transfer on each of the days, and a neighbour with as much. */
  async function createLedger() {
    const world = createWorld()
    let rows: Json[] = []
    let household = await createHousehold(world)
    for (const one of [household, await createHousehold(world)]) {
      household = one
      const { person, checking, cash, category } = household
      const salary = await aCategory(person, 'income')
      const kinds = [
        { type: 'income', category_id: salary.id },
        { type: 'expense', category_id: category.id },
        { type: 'expense', category_id: salary.id },
        { type: 'transfer', category_id: category.id, to_account_id: cash.id },
        { type: 'expense' },
      ]
      rows = days.flatMap((transaction_date, day) =>
        kinds.map((kind, nth) => ({
          category_id: null,
          ...kind,
          transaction_date,
          account_id: checking.id,
          amount: (1 << day) + 200 * nth,
        })),
      )
      await person.post('/api/import/store', { transactions: rows })
    }
    const { body: categories } = await household.person.get('/api/categories')
    return { ...household, rows, nameOf: (id: number) => categories.find((one: Json) => one.id === id)?.name }
  }

  test('is what a plain sum over its rows says, wherever it begins and ends', async () => {
    const { person, rows, nameOf } = await createLedger()
    for (const from of ends) {
      for (const to of ends.filter((end) => end >= from)) {
        const found = rows.filter(({ transaction_date: date }) => date >= from && date <= to)
        const sum = (has: (row: Json) => boolean) =>
          found.filter(has).reduce((total, { amount }) => total + amount, 0)
        const [income, expense] = ['income', 'expense'].map((kind) => sum(({ type }) => type === kind))
        const ids = [...new Set(found.filter(({ type }) => type === 'expense').map((row) => row.category_id))]
        const breakdown = ids.map((id) => ({
          category_id: id,
          category_name: nameOf(id) ?? 'Uncategorized',
          total: sum((row) => row.type === 'expense' && row.category_id === id),
        }))
        const { body } = await person.get(`/api/summary?from=${from}&to=${to}`)
        expect([from, to, body.monthly_summary, body.category_breakdown]).toEqual([
          from,
          to,
          { income, expense, net: (income ?? 0) - (expense ?? 0) },
          breakdown.sort((a, b) => b.total - a.total),
        ])
      }
    }
  })

  test('may be open at either end, and is the month if it is one', async () => {
    const { person } = await createLedger()
    const figures = async (query: string) => (await person.get(`/api/summary?${query}`)).body
    const all = await figures('from=1900-01-01&to=2100-12-31')
    expect(all.monthly_summary.income).toBe(127)
    expect(await figures('from=2026-01-15')).toEqual(await figures('from=2026-01-15&to=2100-12-31'))
    expect(await figures('to=2026-01-15&from=')).toEqual(await figures('from=1900-01-01&to=2026-01-15'))
    expect(await figures('from=2026-02-01&to=2026-02-28')).toEqual(await figures('month=2026-02'))
    expect(await figures('month=2026-02&from=&to=')).toEqual(await figures('month=2026-02'))
  })

  test.each([
    [
      'month=2026-01&from=2026-01-01',
      { month: ['The month field must not be given together with from or to.'] },
    ],
    [
      'month=2026-01&to=2026-01-01',
      { month: ['The month field must not be given together with from or to.'] },
    ],
    ['from=2026-01-02&to=2026-01-01', { to: ['The to field must be a date after or equal to from.'] }],
    ['from=2026-02-30', { from: ['The from field must be a valid date.'] }],
    [
      'from=yesterday&to=2101-01-01&month=13',
      {
        from: ['The from field must match the format YYYY-MM-DD.'],
        to: ['The to field must be a date before or equal to 2100-12-31.'],
        month: ['The month field must match the format YYYY-MM.'],
      },
    ],
  ])('is refused if it is not one: %s', async (query, errors) => {
    const person = await createWorld().register()
    expectInvalid(await person.get(`/api/summary?${query}`), errors)
  })
})
