import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { findDifferences } from '../../src/database/check.ts'
import { createHousehold, type Household, openWorldDatabase } from './laws/every-route.ts'
import { picker } from './picker.ts'
import { aCategory, createWorld, type Json, openAccount } from './world.ts'

type Row = {
  id: number
  account_id: number
  to_account_id: number | null
  category_id: number | null
  type: string
  transaction_date: string
}

/** The last days of the months that have rows: most are in the first, and there are years without. */
const lastDays = [
  '2024-02-29',
  '2024-02-29',
  '2024-02-29',
  '2025-11-30',
  '2025-12-31',
  '2026-01-31',
  '2026-02-28',
]
let household: Household
let ids: Record<'checking' | 'cash' | 'savings' | 'food' | 'salary', number>
/** Newest first. */
let rows: Row[]

/** Fifteen hundred rows of all kinds, crowded on few days, and a neighbour who has some too. */
beforeAll(async () => {
  const world = createWorld()
  household = await createHousehold(world)
  const { person, checking, cash, category } = household
  const [savings, salary] = [
    await openAccount(person, { name: 'Savings' }),
    await aCategory(person, 'income'),
  ]
  ids = { checking: checking.id, cash: cash.id, savings: savings.id, food: category.id, salary: salary.id }
  await (await createHousehold(world)).spend()

  const pick = picker(7)
  rows = Array.from({ length: 1_500 }, (_, index) => {
    const type = pick('income', 'expense', 'expense', 'expense', 'transfer')
    const account_id = pick(ids.checking, ids.checking, ids.cash)
    const others = [ids.savings, ids.checking, ids.cash].filter((id) => id !== account_id)
    const lastDay = pick(...lastDays)
    return {
      id: 1_000 + index,
      account_id,
      to_account_id: type === 'transfer' ? pick(...others) : null,
      category_id: pick(null, ...Array(4).fill(type === 'income' ? ids.salary : ids.food)),
      type,
      transaction_date: pick(...['01', '02', '15', '15'].map((day) => lastDay.slice(0, 8) + day), lastDay),
    }
  })
  const db = openWorldDatabase(world)
  await db.batch([
    db.run(sql`
      insert into transactions (id, user_id, account_id, to_account_id, category_id, type, amount, transaction_date,
                                is_synced, created_at, updated_at)
      select value ->> 'id', ${person.id}, value ->> 'account_id', value ->> 'to_account_id', value ->> 'category_id',
             value ->> 'type', 100, value ->> 'transaction_date', 0, 0, 0
        from json_each(${JSON.stringify(rows)})`),
  ])
  expect(await findDifferences(db)).toEqual([])
  rows.sort((a, b) => b.transaction_date.localeCompare(a.transaction_date) || b.id - a.id)
})

const touches = (row: Row, id: number) => row.account_id === id || row.to_account_id === id
const isWithin = ({ transaction_date: date }: Row, from: string, to: string) => date >= from && date <= to

/** A query, and which rows it matches. Ids are known once the rows exist. */
const filters: [name: string, ask: () => object, has: (row: Row) => boolean][] = [
  ['everything', () => ({}), () => true],
  ['expenses', () => ({ type: 'expense' }), ({ type }) => type === 'expense'],
  ['transfers', () => ({ type: 'transfer' }), ({ type }) => type === 'transfer'],
  ['a category', () => ({ category_id: ids.food }), (row) => row.category_id === ids.food],
  ['no category', () => ({ category_id: 'none' }), (row) => row.category_id === null],
  [
    'transfers of a category',
    () => ({ type: 'transfer', category_id: ids.food }),
    (row) => row.type === 'transfer' && row.category_id === ids.food,
  ],
  [
    'income of no category until a day',
    () => ({ type: 'income', category_id: 'none', to: '2025-12-14' }),
    (row) => row.type === 'income' && row.category_id === null && isWithin(row, '', '2025-12-14'),
  ],
  ...(
    [
      ['a month', '2024-02-01', '2024-02-29'],
      ['a month but its last day', '2024-02-01', '2024-02-28'],
      ['a month but its first day', '2024-02-02', '2024-02-29'],
      ['one day', '2024-02-15', '2024-02-15'],
      ['cut months at both ends', '2024-02-15', '2026-01-30'],
      ['neighbouring cut months', '2025-12-02', '2026-01-15'],
      ['all of time', '1900-01-01', '2100-12-31'],
      ['a span that ends before it begins', '2026-01-15', '2024-02-15'],
    ] as const
  ).map(([name, from, to]): (typeof filters)[number] => [
    name,
    () => ({ from, to }),
    (row) => isWithin(row, from, to),
  ]),
  ['all from a first day', () => ({ from: '2025-12-01' }), (row) => isWithin(row, '2025-12-01', '9')],
  ['all until a last day', () => ({ to: '2025-11-30' }), (row) => isWithin(row, '', '2025-11-30')],
  ['an account', () => ({ account_id: ids.checking }), (row) => touches(row, ids.checking)],
  ['an account that only receives', () => ({ account_id: ids.savings }), (row) => touches(row, ids.savings)],
  [
    'transfers of an account in a span',
    () => ({ account_id: ids.cash, from: '2024-02-15', to: '2025-12-31', type: 'transfer' }),
    (row) => touches(row, ids.cash) && row.type === 'transfer' && isWithin(row, '2024-02-15', '2025-12-31'),
  ],
]

test.each(filters.flatMap((filter) => [37, 500].map((size) => [size, ...filter] as const)))(
  'the pages of %i of %s hold each row once, in order, and say how many there are',
  async (size, _, ask, has) => {
    const expected = rows.filter(has).map(({ id }) => id)
    const read = async (page: number) => {
      const query = new URLSearchParams(
        Object.entries({ ...ask(), page, per_page: size }).map(([name, value]) => [name, `${value}`]),
      )
      const { status, body } = await household.person.get(`/api/transactions?${query}`)
      expect([status, body.total]).toEqual([200, expected.length])
      return body
    }
    const found: number[] = []
    for (let page = 1, lastPage = 1; page <= lastPage; page++) {
      const body = await read(page)
      lastPage = body.last_page
      found.push(...body.data.map((row: Json) => row.id))
    }
    expect(found).toEqual(expected)
    expect((await read(1_000)).data).toEqual([])
  },
)
