import { describe, expect, test } from 'vitest'
import { maxRowsSearched } from '../../../src/transactions/contract.ts'
import {
  aCategory,
  createWorld,
  expectInvalid,
  type Json,
  openAccount,
  recordTransaction,
} from '../fixtures/world.ts'
import { createHousehold, writeCopies, writeHistory } from '../laws/every-route.ts'

const list = 'http://purse.test/api/transactions'

describe('the list of transactions', () => {
  test('shows each row with its account, the other account and its category', async () => {
    const { person, checking, cash, category, expense } = await createHousehold(createWorld())
    const spent = await recordTransaction(person, { ...expense(), transaction_date: '2026-11-21' })
    const moved = await recordTransaction(person, {
      account_id: checking.id,
      to_account_id: cash.id,
      type: 'transfer',
      amount: 5,
      transaction_date: '2026-11-20',
    })
    const { status, body } = await person.get('/api/transactions')
    expect(status).toBe(200)
    expect(body.data).toEqual([
      {
        ...spent,
        account: { id: checking.id, name: 'Checking', type: 'bank' },
        to_account: null,
        category: { id: category.id, name: category.name, type: 'expense' },
      },
      {
        ...moved,
        account: { id: checking.id, name: 'Checking', type: 'bank' },
        to_account: { id: cash.id, name: 'Cash', type: 'cash' },
        category: null,
      },
    ])
  })

  test('is an empty first page for a user without transactions', async () => {
    const person = await createWorld().register()
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
    const { person, expense } = await createHousehold(createWorld())
    const ids: number[] = []
    for (const transaction_date of ['2026-11-20', '2026-11-22', '2026-11-20', '2025-12-31', '2026-11-22']) {
      ids.push((await recordTransaction(person, { ...expense(), transaction_date, force: true })).id)
    }
    const { body } = await person.get('/api/transactions')
    expect(body.data.map((row: Json) => row.id)).toEqual([ids[4], ids[1], ids[2], ids[0], ids[3]])
  })
})

describe('the pages', () => {
  const pages = (body: Json) => {
    const { data, ...page } = body
    return { ...page, rows: data.length }
  }

  test('hold fifty rows each, and link to one another', async () => {
    const household = await createHousehold(createWorld())
    await writeHistory(household, 120)
    const { person } = household
    const links = { first_page_url: `${list}?page=1`, last_page_url: `${list}?page=3`, path: list }
    expect(pages((await person.get('/api/transactions')).body)).toEqual({
      ...links,
      current_page: 1,
      rows: 50,
      per_page: 50,
      total: 120,
      last_page: 3,
      from: 1,
      to: 50,
      prev_page_url: null,
      next_page_url: `${list}?page=2`,
    })
    expect(pages((await person.get('/api/transactions?page=2')).body)).toMatchObject({
      ...links,
      current_page: 2,
      rows: 50,
      from: 51,
      to: 100,
      prev_page_url: `${list}?page=1`,
      next_page_url: `${list}?page=3`,
    })
    expect(pages((await person.get('/api/transactions?page=3')).body)).toMatchObject({
      ...links,
      current_page: 3,
      rows: 20,
      from: 101,
      to: 120,
      prev_page_url: `${list}?page=2`,
      next_page_url: null,
    })
  })

  test('of exactly fifty rows are one', async () => {
    const household = await createHousehold(createWorld())
    await writeHistory(household, 50)
    const { body } = await household.person.get('/api/transactions')
    expect(pages(body)).toMatchObject({ rows: 50, last_page: 1, to: 50, next_page_url: null })
  })

  test.each(['0', '-1', 'abc', '1.5', '', '1e1', '%20', 'null'])(
    'start at the first for page=%s',
    async (page) => {
      const household = await createHousehold(createWorld())
      await writeHistory(household, 51)
      const { status, body } = await household.person.get(`/api/transactions?page=${page}`)
      expect(status).toBe(200)
      expect(pages(body)).toMatchObject({ current_page: 1, rows: 50, from: 1 })
    },
  )

  test.each([3, 1000, Number.MAX_SAFE_INTEGER])('past the end are empty: page %i', async (page) => {
    const household = await createHousehold(createWorld())
    await writeHistory(household, 51)
    const { status, body } = await household.person.get(`/api/transactions?page=${page}`)
    expect(status).toBe(200)
    expect(pages(body)).toMatchObject({
      current_page: page,
      rows: 0,
      total: 51,
      last_page: 2,
      from: null,
      to: null,
      next_page_url: null,
    })
  })

  test('respond with 200 for a page number beyond all safe integers', async () => {
    const person = await createWorld().register()
    const { status, body } = await person.get(`/api/transactions?page=${'9'.repeat(30)}`)
    expect([status, body.data]).toEqual([200, []])
  })

  test.each([1, 7, 120, 500])(
    'hold %i rows each if that many are asked for, and so do their links',
    async (size) => {
      const household = await createHousehold(createWorld())
      await writeHistory(household, 120)
      const { person } = household
      const all = (await person.get('/api/transactions?per_page=500')).body.data.map((row: Json) => row.id)
      expect(all).toHaveLength(120)
      const lastPage = Math.ceil(120 / size)
      const middle = Math.ceil(lastPage / 2)
      const { status, body } = await person.get(`/api/transactions?per_page=${size}&page=${middle}`)
      const before = (middle - 1) * size
      expect(body.data.map((row: Json) => row.id)).toEqual(all.slice(before, before + size))
      const link = (page: number) => `${list}?per_page=${size}&page=${page}`
      expect([status, pages(body)]).toEqual([
        200,
        {
          current_page: middle,
          rows: body.data.length,
          per_page: size,
          total: 120,
          last_page: lastPage,
          from: before + 1,
          to: before + body.data.length,
          first_page_url: link(1),
          last_page_url: link(lastPage),
          prev_page_url: middle > 1 ? link(middle - 1) : null,
          next_page_url: middle < lastPage ? link(middle + 1) : null,
          path: list,
        },
      ])
    },
  )

  test.each(['0', '-1', '501', '1.5', '1e2', 'all', '9'.repeat(30), '0x10'])(
    'of %s rows there are none: a 422',
    async (size) => {
      const person = await createWorld().register()
      expectInvalid(await person.get(`/api/transactions?per_page=${size}`), {
        per_page: ['The per page field must be an integer from 1 to 500.'],
      })
    },
  )

  test('begin their links with the service’s own address, whatever host the request names', async () => {
    const world = createWorld({
      APP_URL: 'https://api.example.com/money/',
      FRONTEND_URL: 'https://example.com',
      MAIL_FROM: 'a@example.com',
    })
    const { token } = await world.register()
    const { text, body } = await world.call('GET', '/api/transactions?type=expense', { token })
    expect(text).not.toContain('purse.test')
    expect(body).toMatchObject({
      path: 'https://api.example.com/money/api/transactions',
      first_page_url: 'https://api.example.com/money/api/transactions?type=expense&page=1',
    })
  })

  test('keep the filters in their links', async () => {
    const household = await createHousehold(createWorld())
    await writeHistory(household, 150) // 30 transfers, 30 rows of income, 90 expenses
    const first = (await household.person.get('/api/transactions?type=expense')).body
    expect(first).toMatchObject({ total: 90, last_page: 2 })
    const { pathname, search } = new URL(first.next_page_url)
    const second = (await household.person.get(`${pathname}${search}`)).body
    expect(pages(second)).toMatchObject({ current_page: 2, total: 90, rows: 40 })
    expect(second.data.every((row: Json) => row.type === 'expense')).toBe(true)
    expect(new URL(second.prev_page_url).searchParams.get('type')).toBe('expense')
  })
})

describe('the filters', () => {
  /** Five rows by name, and the names of those that a query finds, oldest first. */
  async function createFiveRows() {
    const { person, checking, cash, category } = await createHousehold(createWorld())
    const savings = await openAccount(person, { name: 'Savings' })
    const salary = await aCategory(person, 'income')
    const rows: Record<string, Json> = {
      pay: {
        account_id: checking.id,
        type: 'income',
        category_id: salary.id,
        transaction_date: '2026-01-31',
      },
      lunch: {
        account_id: cash.id,
        type: 'expense',
        category_id: category.id,
        transaction_date: '2026-02-01',
      },
      draw: {
        account_id: checking.id,
        to_account_id: cash.id,
        type: 'transfer',
        transaction_date: '2026-02-15',
      },
      save: {
        account_id: checking.id,
        to_account_id: savings.id,
        type: 'transfer',
        category_id: category.id,
        transaction_date: '2026-02-28',
      },
      rent: {
        account_id: checking.id,
        type: 'expense',
        category_id: category.id,
        transaction_date: '2026-03-01',
        description: 'Flat, 100% of it',
        reference: 'INV_42',
      },
    }
    const names = new Map<number, string>()
    for (const [name, fields] of Object.entries(rows)) {
      const { id } = await recordTransaction(person, { description: `the ${name}`, amount: 1, ...fields })
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
    const { checking, cash, savings, find } = await createFiveRows()
    expect(await find(`account_id=${checking.id}`)).toEqual(['pay', 'draw', 'save', 'rent'])
    expect(await find(`account_id=${cash.id}`)).toEqual(['lunch', 'draw'])
    expect(await find(`account_id=${savings.id}`)).toEqual(['save'])
  })

  test('find a category or, with `none`, transactions without one', async () => {
    const { category, salary, find } = await createFiveRows()
    expect(await find(`category_id=${category.id}`)).toEqual(['lunch', 'save', 'rent'])
    expect(await find(`category_id=${salary.id}`)).toEqual(['pay'])
    expect(await find('category_id=none')).toEqual(['draw'])
  })

  test('find a type', async () => {
    const { find } = await createFiveRows()
    expect(await find('type=income')).toEqual(['pay'])
    expect(await find('type=expense')).toEqual(['lunch', 'rent'])
    expect(await find('type=transfer')).toEqual(['draw', 'save'])
  })

  test('find a span of days, both ends included', async () => {
    const { find } = await createFiveRows()
    expect(await find('from=2026-02-01&to=2026-02-28')).toEqual(['lunch', 'draw', 'save'])
    expect(await find('from=2026-02-28')).toEqual(['save', 'rent'])
    expect(await find('to=2026-02-01')).toEqual(['pay', 'lunch'])
    expect(await find('from=2026-02-15&to=2026-02-15')).toEqual(['draw'])
    expect(await find('from=2026-04-01')).toEqual([])
  })

  test('find a text in description and reference, as it is written', async () => {
    const { find } = await createFiveRows()
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
    const { cash, category, checking, find } = await createFiveRows()
    expect(await find(`account_id=${cash.id}&type=transfer`)).toEqual(['draw'])
    expect(await find(`account_id=${checking.id}&category_id=${category.id}&to=2026-02-28`)).toEqual(['save'])
    expect(await find('type=expense&q=the&from=2026-01-01')).toEqual(['lunch'])
    expect(await find('type=income&category_id=none')).toEqual([])
  })

  test('ignore anything that is not one of them', async () => {
    const { find } = await createFiveRows()
    expect(await find('colour=red&limit=1&sort=amount')).toEqual(['pay', 'lunch', 'draw', 'save', 'rent'])
  })
})

test('a search gets past a day with more rows than it looks at', async () => {
  const { world, person, checking, expense } = await createHousehold(createWorld())
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
