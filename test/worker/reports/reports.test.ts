import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { rowsOf } from '../../databases/work.ts'
import { setClock } from '../fixtures/clock.ts'
import { aCategory, createWorld, expectInvalid, type Json, recordTransaction } from '../fixtures/world.ts'
import { askDatabase, createHousehold, writeHistory } from '../laws/every-route.ts'

// Random histories are in model/reports.ts.

const world = createWorld()

describe('the monthly report', () => {
  test('has every month, with income and expenses by category, the largest first, without transfers', async () => {
    const { person, cash, category, expense } = await createHousehold(world)
    const salary = await aCategory(person, 'income')
    const make = async (name: string) =>
      (await person.post('/api/categories', { name, type: 'expense' })).body
    const gone = [await make('Gone'), await make('Also gone')]
    const record = (fields: Json) => recordTransaction(person, { ...expense(), ...fields })
    await record({ transaction_date: '2024-02-29', amount: 3 })
    await record({ transaction_date: '2024-02-01', amount: 5, category_id: gone[0].id })
    await record({ transaction_date: '2024-02-02', amount: '5.50', category_id: gone[1].id })
    await record({ transaction_date: '2024-02-29', amount: 1000, type: 'income', category_id: salary.id })
    await record({ transaction_date: '2024-02-29', amount: 3, type: 'income' })
    await record({ transaction_date: '2024-02-29', amount: 70, type: 'transfer', to_account_id: cash.id })
    await record({ transaction_date: '2024-03-01', amount: 9 })
    for (const { id } of gone) await person.delete(`/api/categories/${id}`)
    const { status, body } = await person.get('/api/reports/monthly?from=2024-01&to=2024-02')
    const of = ({ id, name }: Json) => ({ category_id: id, category_name: name })
    expect([status, body]).toEqual([
      200,
      {
        months: [
          { month: '2024-01', income: 0, expense: 0, net: 0, returned: 0, categories: [], spending: [] },
          {
            ...{ month: '2024-02', income: 1003, expense: 13.5, net: 989.5, returned: 3 },
            categories: [
              { ...of(salary), type: 'income', total: 1000 },
              { ...of({ id: null, name: 'Uncategorized' }), type: 'expense', total: 10.5 },
              { ...of(category), type: 'income', total: 3 },
              { ...of(category), type: 'expense', total: 3 },
            ],
            spending: [
              { ...of({ id: null, name: 'Uncategorized' }), spent: 10.5, returned: 0, net: 10.5 },
              { ...of(category), spent: 3, returned: 3, net: 0 },
            ],
          },
        ],
      },
    ])
  })

  test('has what came back under a category of expenses, in a month of its own too, and the net', async () => {
    const { person, category, expense } = await createHousehold(world)
    const salary = await aCategory(person, 'income')
    const coats = (await person.post('/api/categories', { name: 'Coats', type: 'expense' })).body
    const record = (transaction_date: string, { id }: Json, type: string, amount: number | string) =>
      recordTransaction(person, { ...expense(), transaction_date, type, amount, category_id: id })
    await record('2024-02-10', coats, 'expense', 149)
    await record('2024-02-20', coats, 'income', 149)
    await record('2024-02-20', category, 'expense', 10)
    await record('2024-02-27', salary, 'income', 2000)
    await record('2024-02-28', salary, 'expense', 4)
    await record('2024-03-02', category, 'income', '2.50')
    const { months } = (await person.get('/api/reports/monthly?from=2024-02&to=2024-03')).body
    const figures = months.map(({ income, expense, net, returned, spending }: Json) => [
      [income, expense, net, returned],
      ...spending.map((one: Json) => [one.category_id, one.spent, one.returned, one.net]),
    ])
    expect(figures).toEqual([
      [
        [2149, 163, 1986, 149],
        [category.id, 10, 0, 10],
        [salary.id, 4, 0, 4],
        [coats.id, 149, 149, 0],
      ],
      [
        [2.5, 0, 2.5, 2.5],
        [category.id, 0, 2.5, -2.5],
      ],
    ])
  })

  test.each([
    ['UTC', '2026-12-01T00:00:00Z', ['2026-01', '2026-12']],
    ['America/Los_Angeles', '2026-12-01T07:59:59Z', ['2025-12', '2026-11']],
    ['Pacific/Kiritimati', '2026-10-31T10:00:00Z', ['2025-12', '2026-11']],
  ])('is that of the last twelve months of %s at %s', async (timezone, now, ends) => {
    setClock(Date.parse(now))
    const { person } = await createHousehold(world)
    await person.patch('/api/me', { timezone })
    const months = async (query: string) =>
      (await person.get(`/api/reports/monthly${query}`)).body.months.map(({ month }: Json) => month)
    const last = await months('')
    expect([last.length, last[0], last.at(-1)]).toEqual([12, ...ends])
    expect(await months(`?from=${ends[0]}`)).toEqual(last)
    expect(await months(`?to=${ends[1]}`)).toEqual(last)
    expect(await months('?from=2040-03')).toEqual(['2040-03'])
  })
})

describe('the report of balances', () => {
  /** Somebody with rows before, in, after and far after a range around a leap day. */
  async function createSaver() {
    const household = await createHousehold(world)
    const { person, cash, expense } = household
    const record = (transaction_date: string, fields: Json) =>
      recordTransaction(person, { ...expense(), transaction_date, ...fields })
    await record('2023-12-31', { amount: 1 })
    await record('2024-02-28', { amount: 2 })
    await record('2024-02-29', { amount: 4, type: 'income' })
    await record('2024-03-01', { amount: 8, type: 'transfer', to_account_id: cash.id })
    await record('2024-03-31', { amount: 16 })
    await record('2030-01-01', { amount: 32 })
    /** As `date checking cash total`. */
    const points = async (query: string) => {
      const { status, body, text } = await person.get(`/api/reports/balances?${query}`)
      expect(status, text).toBe(200)
      return body.points.map(({ date, accounts, total }: Json) =>
        [date, ...accounts.map(({ balance }: Json) => balance), total].join(' '),
      )
    }
    return { ...household, points }
  }

  test('has the end of every day, of each seventh day back from the last, or of every month', async () => {
    const { points } = await createSaver()
    expect(await points('from=2024-02-27&to=2024-03-01')).toEqual([
      '2024-02-27 99 20 119',
      '2024-02-28 97 20 117',
      '2024-02-29 101 20 121',
      '2024-03-01 93 28 121',
    ])
    expect(await points('from=2024-02-22&to=2024-03-08&every=week')).toEqual([
      '2024-02-23 99 20 119',
      '2024-03-01 93 28 121',
      '2024-03-08 93 28 121',
    ])
    const months = [
      '2023-11-30 100 20 120',
      '2023-12-31 99 20 119',
      '2024-01-31 99 20 119',
      '2024-02-29 101 20 121',
      '2024-03-31 77 28 105',
    ]
    expect(await points('from=2023-11-30&to=2024-03-01&every=month')).toEqual(months)
    expect(await points('from=2023-11-01&to=2024-03-31&every=month')).toEqual(months)
  })

  test('has one account if it names one, and none of another user', async () => {
    const { cash, points } = await createSaver()
    const days = 'from=2024-02-29&to=2024-03-01'
    expect(await points(`${days}&account_id=${cash.id}`)).toEqual(['2024-02-29 20 20', '2024-03-01 28 28'])
    const stranger = await createHousehold(world)
    const { body } = await stranger.person.get(`/api/reports/balances?${days}&account_id=${cash.id}`)
    expect(body.points).toMatchObject([
      { total: 0, accounts: [] },
      { total: 0, accounts: [] },
    ])
  })

  test.each(['day', 'week', 'month'])(
    'is up to today in the user’s time zone: with what lies ahead, its last point is the list of accounts (%s)',
    async (every) => {
      setClock(Date.parse('2024-02-28T12:00:00Z'))
      const { person, cash, points } = await createSaver()
      await person.patch('/api/me', { timezone: 'Pacific/Kiritimati' })
      const report = await points(`every=${every}`)
      expect(report).toHaveLength(every === 'day' ? 30 : 12)
      expect(report.at(-1)).toBe('2024-02-29 101 20 121')
      expect(await points(`every=${every}&from=2024-02-29`)).toEqual(report.slice(-1))
      expect(await points(`every=${every}&from=2024-03-31`)).toEqual(['2024-03-31 77 28 105'])
      const { body } = await person.get('/api/transactions?from=2024-03-01')
      const ahead = { checking: 0, cash: 0 }
      for (const { type, amount, to_account_id } of body.data as Json[]) {
        ahead.checking += (type === 'income' ? 1 : -1) * Number(amount)
        if (to_account_id === cash.id) ahead.cash += Number(amount)
      }
      const accounts = (await person.get('/api/accounts')).body.map(({ balance }: Json) => balance)
      expect([101 + ahead.checking, 20 + ahead.cash]).toEqual(accounts)
    },
  )
})

describe('the daily breakdown of the summary', () => {
  test('has every day of a month or a range of at most 366 days', async () => {
    setClock(Date.parse('2024-03-01T02:00:00Z'))
    const { person, cash, expense } = await createHousehold(world)
    const record = (fields: Json) => recordTransaction(person, { ...expense(), ...fields })
    await record({ transaction_date: '2024-02-29', amount: 3 })
    await record({ transaction_date: '2024-02-29', amount: 4 })
    await record({ transaction_date: '2024-02-28', amount: 5, type: 'income' })
    await record({ transaction_date: '2024-02-28', amount: 6, type: 'transfer', to_account_id: cash.id })
    await record({ transaction_date: '2024-03-01', amount: 7 })
    const days = async (query: string) =>
      (await person.get(`/api/summary?daily=true${query}`)).body.daily_breakdown
    const month = await days('&month=2024-02')
    expect(month).toHaveLength(29)
    expect(month.slice(-3)).toEqual([
      { date: '2024-02-27', income: 0, expense: 0 },
      { date: '2024-02-28', income: 5, expense: 0 },
      { date: '2024-02-29', income: 0, expense: 7 },
    ])
    expect(await days('')).toEqual(await days('&month=2024-03'))
    await person.patch('/api/me', { timezone: 'America/Los_Angeles' })
    expect(await days('')).toEqual(month)
    expect(await days('&from=2024-02-29&to=2025-02-28')).toHaveLength(366)
    const { body } = await person.get('/api/summary?daily=false')
    expect(body.daily_breakdown).toBe(undefined)
  })
})

const after = { to: ['The to field must be a date after or equal to from.'] }
const within = (what: string) => ({ to: [`The to field must be a ${what} from from.`] })
const days = within('date within 366 days')

test.each<[string, Record<string, string[]>]>([
  ['reports/monthly?from=2026-02&to=2026-01', after],
  ['reports/monthly?from=2026-01-01', { from: ['The from field must match the format YYYY-MM.'] }],
  ['reports/monthly?to=2101-01', { to: ['The to field must be a month from 1900-01 to 2100-12.'] }],
  ['reports/monthly?from=2016-01&to=2026-01', within('month within 120 months')],
  ['reports/monthly?from=1999-01', within('month within 120 months')],
  ['reports/balances?from=2026-02-02&to=2026-02-01', after],
  ['reports/balances?from=2024-01-01&to=2025-01-01', days],
  ['reports/balances?from=2024-01-01&to=2025-01-01&every=week', days],
  ['reports/balances?from=2016-01-31&to=2026-01-01&every=month', within('date within 120 months')],
  [
    'reports/balances?account_id=none&every=year',
    { account_id: ['The account id field must be an integer.'], every: ['The selected every is invalid.'] },
  ],
  ['summary?daily=true&from=2024-02-29&to=2025-03-01', days],
  ['summary?daily=true&from=2024-02-29', days],
  ['summary?daily=true&to=2024-02-29', days],
])('%s is refused', async (path, errors) => {
  expectInvalid(await (await world.register()).get(`/api/${path}`), errors)
})

describe('the work of a report', () => {
  async function readsIn(history: number) {
    const household = await createHousehold(createWorld())
    const { world } = household
    await writeHistory(household, history)
    return async (path: string) => {
      await world.resetDatabaseWork()
      expect((await household.person.get(`/api/${path}`)).status).toBe(200)
      const work = await world.databaseWork()
      expect(work.requests).toBe(1)
      return rowsOf(work)
    }
  }
  let short: Awaited<ReturnType<typeof readsIn>>
  let long: typeof short
  beforeAll(async () => {
    short = await readsIn(3_650)
    long = await readsIn(36_500)
  })

  test.each([
    'reports/monthly?from=2020-01&to=2025-12',
    'reports/balances?from=2020-01-15&to=2025-12-10&every=month',
    'reports/balances?from=2020-01-15&to=2025-12-10&every=month&account_id=1',
  ])('of months is the same for ten times the transactions: %s', async (path) => {
    expect(await long(path)).toBe(await short(path))
  })

  // Nine rows more on each day. Balances read an index entry for each, and for a transfer two.
  test.each([
    ['reports/balances?from=2020-02-02&to=2020-03-31', 59, 2],
    ['reports/balances?from=2020-02-02&to=2020-03-10&every=week', 59, 2],
    ['summary?month=2020-03&daily=true', 31, 4],
    ['summary?from=2020-03-01&to=2020-03-31&daily=true', 31, 4],
  ])(
    'of days or weeks is that of the rows from the first day to the end of the last month: %s',
    async (path, days, readsOfRow) => {
      const more = (await long(path)) - (await short(path))
      expect(more).toBeGreaterThan(9 * (days - 2))
      expect(more).toBeLessThanOrEqual(9 * days * readsOfRow)
    },
  )
})

test('a report may have 50,000 figures, and is refused with more', async () => {
  const { person, checking } = await createHousehold(world)
  await askDatabase(
    world,
    sql`insert into accounts (user_id, name, type, starting_balance, created_at, updated_at)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 498)
        select ${person.id}, 'Account', 'bank', 100, 0, 0 from n`,
  )
  const addTotals = (months: number, categories: number) =>
    askDatabase(
      world,
      sql`insert or ignore into totals
          with recursive n(i) as (select 1 union all select i + 1 from n where i < ${months}),
            kinds(c) as (select 1000 union all select c + 1 from kinds where c < ${999 + categories})
          select ${person.id}, substr(date('2011-12-31', 'start of month', i || ' months'), 1, 7), 'expense', c,
                 ${checking.id}, 0, 100, 1
            from n, kinds`,
    )
  await addTotals(100, 500)
  const years = 'from=2012-01&to=2020-05'
  const { body } = await person.get(`/api/reports/monthly?${years}`)
  expect(body.months[99]).toMatchObject({ month: '2020-04', expense: 500 })
  const balances = (to: string) => person.get(`/api/reports/balances?every=month&from=2012-01-01&to=${to}`)
  const { points } = (await balances('2020-04-01')).body
  expect(points.map(({ accounts }: Json) => accounts.length)).toEqual(Array(100).fill(500))
  await addTotals(101, 1)
  const errors = { from: ['The report must not have more than 50,000 figures.'] }
  expectInvalid(await person.get(`/api/reports/monthly?${years}`), errors)
  expectInvalid(await balances('2020-05-01'), errors)
})
