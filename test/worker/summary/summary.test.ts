import { beforeAll, describe, expect, test } from 'vitest'
import { setClock } from '../fixtures/clock.ts'
import { aCategory, createWorld, expectInvalid, type Json, recordTransaction } from '../fixtures/world.ts'
import { createHousehold } from '../laws/every-route.ts'

const world = createWorld()
const noon = (day: string) => setClock(Date.parse(`${day}T12:00:00Z`))

describe('the summary', () => {
  test('is all zeros for a new user', async () => {
    const { status, body } = await (await world.register()).get('/api/summary')
    const monthly_summary = { income: 0, expense: 0, net: 0 }
    const nothing = { total_balance: 0, accounts: [], monthly_summary, category_breakdown: [] }
    expect([status, body]).toEqual([200, nothing])
  })

  test('adds up the balances of all dates, and the income and expenses of this month', async () => {
    noon('2026-11-15')
    const { person, checking, cash, category, expense } = await createHousehold(world)
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
    noon('2026-11-15')
    const { person, expense } = await createHousehold(world)
    const names = ['Zoo', 'Ants', 'Bees', 'Cats', 'Gone', 'Also gone']
    const ids = new Map<string, number>()
    for (const name of names)
      ids.set(name, (await person.post('/api/categories', { name, type: 'expense' })).body.id)
    const amounts = [
      ...[10, 10, '99.90', 10, 4, 5].map((amount, nth) => [names[nth], amount]),
      ['Zoo', '0.01'],
    ]
    for (const [name, amount] of amounts)
      await recordTransaction(person, {
        ...expense(),
        category_id: ids.get(String(name)),
        amount,
        force: true,
      })
    for (const name of ['Gone', 'Also gone']) await person.delete(`/api/categories/${ids.get(name)}`)
    const of = (name: string, total: number) => ({ category_id: ids.get(name), category_name: name, total })
    expect((await person.get('/api/summary')).body.category_breakdown).toEqual([
      of('Bees', 99.9),
      of('Zoo', 10.01),
      of('Ants', 10),
      of('Cats', 10),
      { category_id: null, category_name: 'Uncategorized', total: 9 },
    ])
  })

  test('counts a refund as income, and an expense under an income category in the breakdown', async () => {
    noon('2026-11-15')
    const { person, expense } = await createHousehold(world)
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
    noon('2026-11-15')
    const { person, category, expense } = await createHousehold(world)
    const { id } = await recordTransaction(person, expense())
    const change = (fields: Json) => person.put(`/api/transactions/${id}`, fields)
    const steps: [step: () => Promise<unknown>, income: number, expense: number, name?: string][] = [
      [async () => undefined, 0, 12.5, category.name],
      [() => change({ amount: 20 }), 0, 20, category.name],
      [() => person.put(`/api/categories/${category.id}`, { name: 'Renamed' }), 0, 20, 'Renamed'],
      [() => change({ type: 'income' }), 20, 0],
      [() => change({ transaction_date: '2026-10-31' }), 0, 0],
      [() => change({ type: 'expense', transaction_date: '2026-11-01' }), 0, 20, 'Renamed'],
      [() => person.delete(`/api/transactions/${id}`), 0, 0],
    ]
    for (const [step, income, expense, category_name] of steps) {
      await step()
      const { monthly_summary, category_breakdown } = (await person.get('/api/summary')).body
      expect(monthly_summary).toEqual({ income, expense, net: income - expense })
      const breakdown = [{ category_id: category.id, category_name, total: expense }]
      expect(category_breakdown).toEqual(category_name ? breakdown : [])
    }
  })
})

describe('the month of the summary', () => {
  /** A user in a time zone who spent 1, 2, 4 and 8 around the ends of two months. */
  async function createSpender(timezone?: string) {
    const { person, expense } = await createHousehold(world)
    if (timezone) await person.patch('/api/me', { timezone })
    const days = { '2026-10-31': 1, '2026-11-01': 2, '2026-11-30': 4, '2026-12-01': 8 }
    for (const [transaction_date, amount] of Object.entries(days))
      await recordTransaction(person, { ...expense(), transaction_date, amount })
    const spentIn = async (query = '') =>
      (await person.get(`/api/summary${query}`)).body.monthly_summary.expense
    return { person, spentIn }
  }

  test.each([
    ['UTC', '2026-11-30T23:59:59Z', 6],
    ['UTC', '2026-12-01T00:00:00Z', 8],
    // For those who named no time zone.
    [undefined, '2026-12-01T00:00:00Z', 8],
    ['America/Los_Angeles', '2026-12-01T07:59:59Z', 6],
    ['America/Los_Angeles', '2026-12-01T08:00:00Z', 8],
  ])('is that of %s at %s', async (timezone, now, expected) => {
    setClock(Date.parse(now))
    expect(await (await createSpender(timezone)).spentIn()).toBe(expected)
  })

  test('can be named, whatever the time zone', async () => {
    noon('2026-12-15')
    const { person, spentIn } = await createSpender('Asia/Tokyo')
    const months = { '2026-10': 1, '2026-11': 6, '2026-12': 8, '2025-11': 0 }
    for (const [month, spent] of Object.entries(months)) expect(await spentIn(`?month=${month}`)).toBe(spent)
    const [now, then] = [await person.get('/api/summary'), await person.get('/api/summary?month=2026-11')]
    expect(then.body.total_balance).toBe(105)
    expect(then.body.accounts).toEqual(now.body.accounts)
    expect(then.body.category_breakdown).toMatchObject([{ total: 6 }])
  })
})

describe('the summary of a range', () => {
  const january = ['2026-01-01', '2026-01-15', '2026-01-31']
  const days = ['2025-12-31', ...january, '2026-02-01', '2026-02-28', '2026-03-01']
  const ends = ['1900-01-01', ...days, '2026-02-14', '2026-03-31', '2100-12-31']

  let ledger: Awaited<ReturnType<typeof createLedger>>
  beforeAll(async () => {
    ledger = await createLedger()
  })

  /** A user with income, expenses of three kinds and a transfer on each of the days, and a neighbour with as much. */
  async function createLedger() {
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
    const { person, rows, nameOf } = ledger
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
    const { person } = ledger
    const figures = async (query: string) => (await person.get(`/api/summary?${query}`)).body
    const all = await figures('from=1900-01-01&to=2100-12-31')
    expect(all.monthly_summary.income).toBe(127)
    expect(await figures('from=2026-01-15')).toEqual(await figures('from=2026-01-15&to=2100-12-31'))
    expect(await figures('to=2026-01-15&from=')).toEqual(await figures('from=1900-01-01&to=2026-01-15'))
    expect(await figures('from=2026-02-01&to=2026-02-28')).toEqual(await figures('month=2026-02'))
    expect(await figures('month=2026-02&from=&to=')).toEqual(await figures('month=2026-02'))
  })

  const both = { month: ['The month field must not be given together with from or to.'] }
  test.each<[string, Record<string, string[]>]>([
    ['month=2026-01&from=2026-01-01', both],
    ['month=2026-01&to=2026-01-01', both],
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
    expectInvalid(await (await world.register()).get(`/api/summary?${query}`), errors)
  })
})
