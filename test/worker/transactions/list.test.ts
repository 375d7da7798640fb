import { beforeAll, describe, expect, test } from 'vitest'
import { maxRowsSearched } from '../../../src/transactions/contract.ts'
import {
  aCategory,
  createWorld,
  expectInvalid,
  type Json,
  openAccount,
  recordTransaction,
} from '../fixtures/world.ts'
import { createHousehold, type Household, writeCopies, writeHistory } from '../laws/every-route.ts'

const list = 'http://purse.test/api/transactions'
const world = createWorld()

/** A household with that many transactions. */
async function withHistory(count: number) {
  const household = await createHousehold(world)
  await writeHistory(household, count)
  return household
}

describe('the list of transactions', () => {
  test('shows each row with its account, the other account and its category', async () => {
    const { person, checking, cash, category, expense } = await createHousehold(world)
    const spent = await recordTransaction(person, { ...expense(), transaction_date: '2026-11-21' })
    const transfer = { type: 'transfer', to_account_id: cash.id, category_id: null, amount: 5 }
    const moved = await recordTransaction(person, { ...expense(), ...transfer })
    const account = { id: checking.id, name: 'Checking', type: 'bank' }
    const { status, body } = await person.get('/api/transactions')
    expect(status).toBe(200)
    expect(body.data).toEqual([
      {
        ...spent,
        account,
        to_account: null,
        category: { id: category.id, name: category.name, type: 'expense' },
      },
      { ...moved, account, to_account: { id: cash.id, name: 'Cash', type: 'cash' }, category: null },
    ])
  })

  test('is an empty first page for a user without transactions', async () => {
    const person = await world.register()
    const { status, body } = await person.get('/api/transactions')
    expect(status).toBe(200)
    expect(body).toEqual({
      current_page: 1,
      data: [],
      per_page: 50,
      total: 0,
      last_page: 1,
      from: null,
      to: null,
      first_page_url: `${list}?page=1`,
      last_page_url: `${list}?page=1`,
      next_page_url: null,
      prev_page_url: null,
      path: list,
    })
  })

  test('is ordered by day and then by id, newest first', async () => {
    const { person, expense } = await createHousehold(world)
    const ids: number[] = []
    for (const transaction_date of ['2026-11-20', '2026-11-22', '2026-11-20', '2025-12-31', '2026-11-22'])
      ids.push((await recordTransaction(person, { ...expense(), transaction_date, force: true })).id)
    const { body } = await person.get('/api/transactions')
    expect(body.data.map((row: Json) => row.id)).toEqual([ids[4], ids[1], ids[2], ids[0], ids[3]])
  })
})

describe('the pages', () => {
  const pages = ({ data, ...page }: Json) => ({ ...page, rows: data.length })
  let household: Household
  beforeAll(async () => {
    household = await withHistory(120)
  })

  const noPages = ['0', '-1', 'abc', '1.5', '', '1e1', '%20', 'null', '9'.repeat(30)]
  test.each<[query: string, page: number, perPage?: number]>([
    ['', 1],
    ['page=2', 2],
    ['page=3', 3],
    ['per_page=1&page=60', 60, 1],
    ['per_page=7&page=9', 9, 7],
    ['per_page=120', 1, 120],
    ['per_page=500', 1, 500],
    ...noPages.map((page): [string, number] => [`page=${page}`, 1]),
  ])(
    'hold fifty rows, or as many as are requested, and link to one another: %s is page %i',
    async (query, page, perPage) => {
      const { get } = household.person
      const all = (await get('/api/transactions?per_page=500')).body.data.map((row: Json) => row.id)
      expect(all).toHaveLength(120)
      const size = perPage ?? 50
      const [before, lastPage] = [(page - 1) * size, Math.ceil(120 / size)]
      const { status, body } = await get(`/api/transactions?${query}`)
      const rows = all.slice(before, before + size)
      expect(body.data.map((row: Json) => row.id)).toEqual(rows)
      const link = (nth: number) => `${list}?${perPage ? `per_page=${perPage}&` : ''}page=${nth}`
      expect([status, pages(body)]).toEqual([
        200,
        {
          current_page: page,
          rows: rows.length,
          per_page: size,
          total: 120,
          last_page: lastPage,
          from: before + 1,
          to: before + rows.length,
          first_page_url: link(1),
          last_page_url: link(lastPage),
          prev_page_url: page > 1 ? link(page - 1) : null,
          next_page_url: page < lastPage ? link(page + 1) : null,
          path: list,
        },
      ])
    },
  )

  test('of exactly fifty rows are one', async () => {
    const { body } = await (await withHistory(50)).person.get('/api/transactions')
    expect(pages(body)).toMatchObject({ rows: 50, last_page: 1, to: 50, next_page_url: null })
  })

  test.each([4, 1000, Number.MAX_SAFE_INTEGER])('past the end are empty: page %i', async (page) => {
    const { status, body } = await household.person.get(`/api/transactions?page=${page}`)
    expect([status, pages(body)]).toMatchObject([
      200,
      { current_page: page, rows: 0, total: 120, last_page: 3, from: null, to: null, next_page_url: null },
    ])
  })

  test.each(['0', '-1', '501', '1.5', '1e2', 'all', '9'.repeat(30), '0x10'])(
    'of %s rows there are none: a 422',
    async (size) => {
      expectInvalid(await household.person.get(`/api/transactions?per_page=${size}`), {
        per_page: ['The per page field must be an integer from 1 to 500.'],
      })
    },
  )

  test('begin their links with the service’s own address, whatever host the request names', async () => {
    const { get } = await createWorld({
      APP_URL: 'https://api.example.com/money/',
      FRONTEND_URL: 'https://example.com',
      MAIL_FROM: 'a@example.com',
    }).register()
    const { text, body } = await get('/api/transactions?type=expense')
    expect(text).not.toContain('purse.test')
    expect(body).toMatchObject({
      path: 'https://api.example.com/money/api/transactions',
      first_page_url: 'https://api.example.com/money/api/transactions?type=expense&page=1',
    })
  })

  test('keep the filters in their links', async () => {
    // 30 transfers, 30 rows of income, 90 expenses
    const { get } = (await withHistory(150)).person
    const first = (await get('/api/transactions?type=expense')).body
    expect(first).toMatchObject({ total: 90, last_page: 2 })
    const { pathname, search } = new URL(first.next_page_url)
    const second = (await get(`${pathname}${search}`)).body
    expect(pages(second)).toMatchObject({ current_page: 2, total: 90, rows: 40 })
    expect(second.data.every((row: Json) => row.type === 'expense')).toBe(true)
    expect(new URL(second.prev_page_url).searchParams.get('type')).toBe('expense')
  })
})

describe('the filters', () => {
  type Five = Awaited<ReturnType<typeof createFiveRows>>
  let five: Five
  beforeAll(async () => {
    five = await createFiveRows()
  })

  /** Five rows by name, and the names of those that a query finds, oldest first. */
  async function createFiveRows() {
    const { person, checking, cash, category } = await createHousehold(world)
    const savings = await openAccount(person, { name: 'Savings' })
    const salary = await aCategory(person, 'income')
    const [account_id, category_id] = [checking.id, category.id]
    const rows: Record<string, Json> = {
      pay: { account_id, type: 'income', category_id: salary.id, transaction_date: '2026-01-31' },
      lunch: { account_id: cash.id, type: 'expense', category_id, transaction_date: '2026-02-01' },
      draw: { account_id, to_account_id: cash.id, type: 'transfer', transaction_date: '2026-02-15' },
      save: {
        ...{ account_id, to_account_id: savings.id, type: 'transfer', category_id },
        transaction_date: '2026-02-28',
      },
      rent: {
        ...{ account_id, type: 'expense', category_id, transaction_date: '2026-03-01' },
        ...{ description: 'Flat, 100% of it', reference: 'INV_42' },
      },
    }
    const names = new Map<number, string>()
    for (const [name, fields] of Object.entries(rows)) {
      const amount = ['12.50', '100.00', '250.00', '250.01', '900.00'][names.size]
      const { id } = await recordTransaction(person, { description: `the ${name}`, amount, ...fields })
      names.set(id, name)
    }
    const find = async (query: string): Promise<(string | undefined)[]> => {
      const { status, body } = await person.get(`/api/transactions?${query}`)
      if (status !== 200 || body.total !== body.data.length)
        throw new Error(`${query} responded with ${status}`)
      return body.data.map((row: Json) => names.get(row.id)).reverse()
    }
    return { person, checking, cash, savings, category, salary, find }
  }

  test('find an account on either side of a transfer', async () => {
    const { checking, cash, savings, find } = five
    expect(await find(`account_id=${checking.id}`)).toEqual(['pay', 'draw', 'save', 'rent'])
    expect(await find(`account_id=${cash.id}`)).toEqual(['lunch', 'draw'])
    expect(await find(`account_id=${savings.id}`)).toEqual(['save'])
  })

  test('find a category or, with `none`, transactions without one', async () => {
    const { category, salary, find } = five
    expect(await find(`category_id=${category.id}`)).toEqual(['lunch', 'save', 'rent'])
    expect(await find(`category_id=${salary.id}`)).toEqual(['pay'])
    expect(await find('category_id=none')).toEqual(['draw'])
  })

  test('find a type', async () => {
    const { find } = five
    expect(await find('type=income')).toEqual(['pay'])
    expect(await find('type=expense')).toEqual(['lunch', 'rent'])
    expect(await find('type=transfer')).toEqual(['draw', 'save'])
  })

  test('find a span of days, both ends included', async () => {
    const { find } = five
    expect(await find('from=2026-02-01&to=2026-02-28')).toEqual(['lunch', 'draw', 'save'])
    expect(await find('from=2026-02-28')).toEqual(['save', 'rent'])
    expect(await find('to=2026-02-01')).toEqual(['pay', 'lunch'])
    expect(await find('from=2026-02-15&to=2026-02-15')).toEqual(['draw'])
    expect(await find('from=2026-04-01')).toEqual([])
  })

  test('find amounts, both ends included, and say how far back they have looked', async () => {
    const { person, checking, find } = five
    expect(await find('amount_from=250')).toEqual(['draw', 'save', 'rent'])
    expect(await find('amount_from=12.50&amount_to=250.00')).toEqual(['pay', 'lunch', 'draw'])
    expect(await find('amount_to=12.49')).toEqual([])
    expect(await find('amount_from=250.01&amount_to=250.01')).toEqual(['save'])
    expect(await find('amount_from=900&amount_to=100')).toEqual([])
    expect(await find(`amount_from=100&type=transfer&q=the&account_id=${checking.id}`)).toEqual([
      'draw',
      'save',
    ])
    expect(await find('amount_from=&amount_to=')).toHaveLength(5)
    expect((await person.get('/api/transactions?amount_from=0')).body.searched_back_to).toBe(null)
    expectInvalid(await person.get('/api/transactions?amount_from=much&amount_to=1.001'), {
      amount_from: ['The amount from field must be a number.'],
      amount_to: ['The amount to field must have 0-2 decimal places.'],
    })
  })

  test('find a text in description and reference, as it is written', async () => {
    const { find } = five
    expect(await find('q=the')).toEqual(['pay', 'lunch', 'draw', 'save'])
    expect(await find('q=FLAT')).toEqual(['rent'])
    expect(await find('q=inv_42')).toEqual(['rent'])
    expect(await find(`q=${encodeURIComponent('100%')}`)).toEqual(['rent'])
    for (const wildcard of ['%25%25', 'INV%2542', 'INV-42', '_lat', '*', '%5C', 'l%25h']) {
      expect(await find(`q=${wildcard}`), wildcard).toEqual([])
    }
    expect(await find("q=' or 1=1 --")).toEqual([])
  })

  test('narrow one another', async () => {
    const { cash, category, checking, find } = five
    expect(await find(`account_id=${cash.id}&type=transfer`)).toEqual(['draw'])
    expect(await find(`account_id=${checking.id}&category_id=${category.id}&to=2026-02-28`)).toEqual(['save'])
    expect(await find('type=expense&q=the&from=2026-01-01')).toEqual(['lunch'])
    expect(await find('type=income&category_id=none')).toEqual([])
  })

  test('ignore anything that is not one of them', async () => {
    const { find } = five
    expect(await find('colour=red&limit=1&sort=amount')).toEqual(['pay', 'lunch', 'draw', 'save', 'rent'])
  })
})

test('a search gets past a day with more rows than it looks at', async () => {
  const { person, checking, expense } = await createHousehold(world)
  const row = await recordTransaction(person, { ...expense(), transaction_date: '2026-03-05' })
  const ancient = { ...expense(), transaction_date: '2026-01-31', description: 'ancient' }
  const old = await recordTransaction(person, ancient)
  await writeCopies(world, [row.id], maxRowsSearched + 1)
  const search = async (more: string) => {
    const { body } = await person.get(`/api/transactions?q=ancient&account_id=${checking.id}${more}`)
    return [body.searched_back_to, body.data.map(({ id }: Json) => id)]
  }
  expect(await search('')).toEqual(['2026-03-05', []])
  expect(await search('&to=2026-03-05')).toEqual(['2026-03-04', []])
  expect(await search('&to=2026-03-04')).toEqual([null, [old.id]])
  expect(await search('&to=2026-03-05&from=2026-03-05')).toEqual([null, []])
})
