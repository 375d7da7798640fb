import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { maxAmount } from '../../../src/domain/money.ts'
import { update } from '../fixtures/uploads.ts'
import {
  type ApiResponse,
  aCategory,
  createWorld,
  expectInvalid,
  type Json,
  openAccount,
  type Person,
} from '../fixtures/world.ts'
import { sendFile } from '../imports/send-file.ts'
import { askDatabase, openWorldDatabase, verify } from './every-route.ts'

/** The largest amount there is. Nine of them, 89,999,999,999,999.91, stay within the bounds, and ten do not. */
const most = '9999999999999.99'
const nineDays = ['01', '02', '03', '04', '05', '06', '07', '08', '09']

/** What comes in or goes out in three months, so that its sum passes the bounds if the first is left out. */
const orders = [
  ['expense', 'income', 'income'],
  ['income', 'expense', 'expense'],
]

describe('deleting an account', () => {
  test.each(orders)(
    'succeeds even if removing %s, %s and %s in this order would pass the bounds',
    async (...types) => {
      const { person, open, fill, check } = await createRich()
      const { id } = await open()
      for (const [nth, type] of types.entries()) await fill(`2026-0${nth + 1}`, { type, account_id: id })
      const most = types[2] === 'income' ? '89999999999999.91' : '-89999999999999.91'
      expect((await person.get(`/api/accounts/${id}`)).text).toContain(`"balance":${most}`)
      expect((await person.delete(`/api/accounts/${id}`)).status).toBe(204)
      expect((await person.get('/api/transactions')).body.total).toBe(0)
      expect((await person.get('/api/summary?month=2026-02')).body).toMatchObject({
        total_balance: 0,
        monthly_summary: { income: 0, expense: 0, net: 0 },
      })
      await check()
    },
  )

  test('gives the other account of its transfers what it started with, whatever their order', async () => {
    const { person, open, fill, check } = await createRich()
    const from = await open({ starting_balance: '0.07' })
    const to = await open({ starting_balance: '0.05' })
    await fill('2026-02', { type: 'transfer', account_id: from.id, to_account_id: to.id })
    await fill('2026-01', { type: 'transfer', account_id: to.id, to_account_id: from.id })
    await fill('2026-03', { type: 'transfer', account_id: from.id, to_account_id: to.id })
    expect((await person.get(`/api/accounts/${to.id}`)).text).toContain('"balance":89999999999999.96')
    expect((await person.delete(`/api/accounts/${from.id}`)).status).toBe(204)
    expect((await person.get(`/api/accounts/${to.id}`)).body.balance).toBe(0.05)
    expect((await person.get('/api/summary')).body.total_balance).toBe(0.05)
    await check()
  })

  test('is refused if another account would be left out of bounds', async () => {
    const { person, open, fill, record, expectRefused } = await createRich()
    const from = await open()
    const to = await open()
    await fill('2026-01', { type: 'income', account_id: to.id })
    await record({ type: 'transfer', account_id: to.id, to_account_id: from.id })
    await record({ type: 'expense', account_id: from.id, transaction_date: '2026-02-01' })
    await record({ type: 'income', account_id: to.id, transaction_date: '2026-02-01' })
    await expectRefused(() => person.delete(`/api/accounts/${from.id}`))
  })

  test('is refused if the total of the remaining accounts would be out of bounds', async () => {
    const { person, open, fill, expectRefused } = await createRich()
    const debts = await open()
    const hoard = await open()
    await open({ starting_balance: most })
    await fill('2026-01', { type: 'expense', account_id: debts.id })
    await fill('2026-01', { type: 'income', account_id: hoard.id })
    await expectRefused(() => person.delete(`/api/accounts/${debts.id}`))
  })
})

test('a change to a transfer, which no longer counts as spent, is refused if the total balance has no room for it', async () => {
  const { person, open, fill, record, expectRefused } = await createRich()
  const hoard = await open()
  await fill('2026-01', { type: 'income', account_id: hoard.id })
  const small = await open({ starting_balance: '0.09' })
  const spent = await record({ type: 'expense', account_id: small.id, amount: '1.00' })
  const other = await open({ starting_balance: '1.00' })
  const change = { type: 'transfer', to_account_id: other.id }
  for (const _ of ['once', 'again'])
    await expectRefused(() => person.put(`/api/transactions/${spent.id}`, change))
})

describe('deleting an account through which more than 2^63 went in all', () => {
  /** Sends the largest amount round and round, from each account to the next, 2,500 times each in four months. */
  function circulate(person: Person, accounts: Json[]) {
    const ids = JSON.stringify(accounts.map(({ id }) => id))
    return sql`
      insert into transactions (user_id, account_id, to_account_id, type, amount, transaction_date, is_synced,
                                created_at, updated_at)
      with recursive step(i) as (select 0 union all select i + 1 from step where i < 10000 * json_array_length(${ids}) - 1),
           place(account, i) as (select value, key from json_each(${ids}))
      select ${person.id}, here.account, next.account, 'transfer', ${maxAmount},
             '2026-0' || (1 + step.i % 4) || '-01', 0, 0, 0
        from step join place here on here.i = step.i % json_array_length(${ids})
                  join place next on next.i = (step.i + 1) % json_array_length(${ids})
       order by step.i`
  }

  test('leaves another account as it began if as much came back', async () => {
    const { world, person, open, check } = await createRich()
    const [left, right] = [await open({ starting_balance: '0.07' }), await open({ starting_balance: '0.05' })]
    await askDatabase(world, circulate(person, [left, right]))
    await check()
    expect((await person.delete(`/api/accounts/${left.id}`)).status).toBe(204)
    expect((await person.get('/api/accounts')).body).toMatchObject([{ id: right.id, balance: 0.05 }])
    expect((await person.get('/api/summary')).body.total_balance).toBe(0.05)
    await check()
  })

  test('is refused if others would be left with money from nowhere', async () => {
    const { world, person, open, expectRefused } = await createRich()
    const accounts = [await open(), await open(), await open()]
    await askDatabase(world, circulate(person, accounts))
    await expectRefused(() => person.delete(`/api/accounts/${accounts[0].id}`))
  })
})

test('deleting a category is refused if more would go back and forth without one than can be added up', async () => {
  const { world, person, open, expectRefused } = await createRich()
  const accounts = [await open(), await open()]
  const [first, second] = (await person.get('/api/categories')).body
  await askDatabase(
    world,
    sql`
    insert into transactions (user_id, account_id, to_account_id, category_id, type, amount, transaction_date,
                              is_synced, created_at, updated_at)
    with recursive step(i) as (select 0 union all select i + 1 from step where i < 20000 - 1)
    select ${person.id}, iif(i & 1, ${accounts[0].id}, ${accounts[1].id}), iif(i & 1, ${accounts[1].id}, ${accounts[0].id}),
           iif(i < 10000, ${first.id}, ${second.id}), 'transfer', ${maxAmount}, '2026-05-01', 0, 0, 0 from step`,
  )
  expect((await person.delete(`/api/categories/${first.id}`)).status).toBe(204)
  await expectRefused(() => person.delete(`/api/categories/${second.id}`))
})

test('deleting a user succeeds even if removing transactions and transfers in their order would pass the bounds', async () => {
  const { person, open, fill, world, check } = await createRich()
  const [hoard, from, to] = [await open(), await open(), await open()]
  await fill('2026-01', { type: 'expense', account_id: hoard.id })
  await fill('2026-02', { type: 'income', account_id: hoard.id })
  await fill('2026-03', { type: 'income', account_id: hoard.id })
  await fill('2026-02', { type: 'transfer', account_id: from.id, to_account_id: to.id })
  await fill('2026-01', { type: 'transfer', account_id: to.id, to_account_id: from.id })
  await fill('2026-03', { type: 'transfer', account_id: from.id, to_account_id: to.id })
  expect((await person.delete('/api/me', { password: person.password })).status).toBe(204)
  expect((await world.call('GET', '/api/me', { token: person.token })).status).toBe(401)
  await check()
})

describe('a single change that would leave the bounds is a 422 and changes nothing:', () => {
  /** Spent in January what came in in February, and as much again in March: at the upper bound. */
  async function createFull() {
    const rich = await createRich()
    const hoard = await rich.open()
    const [spent] = await rich.fill('2026-01', { type: 'expense', account_id: hoard.id })
    await rich.fill('2026-02', { type: 'income', account_id: hoard.id })
    const [earned] = await rich.fill('2026-03', { type: 'income', account_id: hoard.id })
    const poor = await rich.open({ name: 'Poor', starting_balance: `-${most}` })
    return { ...rich, hoard, poor, spent, earned }
  }
  type Full = Awaited<ReturnType<typeof createFull>>

  test.each<[string, string, (full: Full) => Promise<ApiResponse>]>([
    ['deleting an expense', 'amount', ({ person, spent }) => person.delete(`/api/transactions/${spent.id}`)],
    [
      'an expense that becomes an income',
      'amount',
      ({ person, spent }) => person.put(`/api/transactions/${spent.id}`, { type: 'income' }),
    ],
    [
      'an expense of less',
      'amount',
      ({ person, spent }) => person.put(`/api/transactions/${spent.id}`, { amount: '9999999999999.89' }),
    ],
    [
      'an expense that moves to another account',
      'amount',
      ({ person, spent, poor }) => person.put(`/api/transactions/${spent.id}`, { account_id: poor.id }),
    ],
    [
      'an income that moves to a month that is full',
      'amount',
      ({ person, earned }) =>
        person.put(`/api/transactions/${earned.id}`, { transaction_date: '2026-02-28' }),
    ],
    [
      'an upload by which an income moves to a month that is full, and to another total of it',
      'batch',
      ({ person, earned }) =>
        person.post('/api/changes', {
          ops: [update('transaction', earned.id, { transaction_date: '2026-02-28', category_id: null })],
        }),
    ],
    [
      'a new income',
      'amount',
      ({ person, hoard, category }) =>
        person.post('/api/transactions', {
          account_id: hoard.id,
          category_id: category.id,
          type: 'income',
          amount: '0.10',
          transaction_date: '2026-04-01',
        }),
    ],
    [
      'a starting balance',
      'starting_balance',
      ({ person, hoard }) => person.put(`/api/accounts/${hoard.id}`, { starting_balance: '0.10' }),
    ],
    [
      'a starting balance that the total has no room for',
      'starting_balance',
      ({ person, poor }) => person.put(`/api/accounts/${poor.id}`, { starting_balance: '0.10' }),
    ],
  ])('%s', async (_, field, change) => {
    const full = await createFull()
    await full.expectRefused(() => change(full), field)
  })

  test('and what just fits is accepted', async () => {
    const { person, hoard, spent, check } = await createFull()
    const response = await person.put(`/api/transactions/${spent.id}`, { amount: '9999999999999.90' })
    expect(response.status).toBe(200)
    expect((await person.get(`/api/accounts/${hoard.id}`)).text).toContain('"balance":90000000000000')
    await check()
  })
})

describe('the closing balance of a statement, of a day in the past that no bounds hold for,', () => {
  async function createAccount() {
    const { world, person, open, fill, record, check } = await createRich()
    await verify(world, person)
    const { id } = await open()
    const importUpTo = (date: string) =>
      sendFile({ world, person }, `bank/store?account_id=${id}`, statementUpTo(date), {
        'Content-Type': 'application/x-ofx',
      })
    return {
      importUpTo,
      earn: (month: string) => fill(month, { type: 'income', account_id: id }),
      spend: (month: string) => fill(month, { type: 'expense', account_id: id }),
      spendACent: (day: string) =>
        record({ type: 'expense', account_id: id, amount: '0.01', transaction_date: day }),
      total: async () => (await person.get('/api/transactions')).body.total,
      check,
    }
  }

  test('is null past the bounds, and the rows are imported', async () => {
    const { earn, spend, importUpTo, total, check } = await createAccount()
    await earn('2001-01')
    await spend('2011-01')
    await earn('2002-01')
    await spend('2012-01')
    const { status, body } = await importUpTo('20050131')
    expect([status, body.import]).toMatchObject([200, { counts: { created: 1 }, closing_balance: null }])
    expect(await total()).toBe(4 * nineDays.length + 1)
    await check()
  })

  test('is exact within them, however much was spent since', async () => {
    const { earn, spend, spendACent, importUpTo, check } = await createAccount()
    await earn('2001-01')
    await spend('2011-01')
    await spend('2012-01')
    await spendACent('2012-02-01')
    const { status, text } = await importUpTo('20010131')
    expect([status, text]).toEqual([
      200,
      expect.stringContaining('"account":89999999999999.86,"agrees":false'),
    ])
    await check()
  })

  /** A bank statement of one expense, 0.05 on its closing date, with a balance of 100. */
  const statementUpTo = (date: string) => `OFXHEADER:100
DATA:OFXSGML
VERSION:102
ENCODING:USASCII
CHARSET:1252

<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR
<BANKACCTFROM><BANKID>1<ACCTID>4711<ACCTTYPE>CHECKING</BANKACCTFROM>
<BANKTRANLIST><STMTTRN><TRNTYPE>DEBIT<DTPOSTED>${date}<TRNAMT>-0.05<FITID>A1<NAME>Bakery</STMTTRN></BANKTRANLIST>
<LEDGERBAL><BALAMT>100.00<DTASOF>${date}</LEDGERBAL>
</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
`
})

/** A user who moves the largest amounts allowed. */
async function createRich() {
  const world = createWorld()
  const person = await world.register()
  const category = await aCategory(person)
  const open = (details: Json = {}) => openAccount(person, { name: 'Hoard', starting_balance: 0, ...details })
  async function record(fields: Json): Promise<Json> {
    const whole = { category_id: category.id, amount: most, transaction_date: '2026-01-31', ...fields }
    const { status, text, body } = await person.post('/api/transactions', whole)
    expect([status, text]).toEqual([201, text])
    return body
  }
  /** Records the largest amount nine times in a month; returns the transactions. */
  async function fill(month: string, fields: Json): Promise<Json[]> {
    const rows = []
    for (const day of nineDays) rows.push(await record({ ...fields, transaction_date: `${month}-${day}` }))
    return rows
  }
  const check = async () => expect(await findDifferences(openWorldDatabase(world))).toEqual([])
  /** Expects that a change would leave the bounds, and changes nothing. */
  async function expectRefused(change: () => Promise<ApiResponse>, field = 'amount'): Promise<void> {
    const before = await stateOf(person)
    const text = `The ${field.replace('_', ' ')} field would push a balance or total past 90000000000000.00.`
    expectInvalid(await change(), { [field]: [text] })
    expect(await stateOf(person)).toEqual(before)
    await check()
  }
  return { world, person, category, open, record, fill, check, expectRefused }
}

async function stateOf(person: Person): Promise<string[]> {
  const months = ['2026-01', '2026-02', '2026-03'].map((month) => `summary?month=${month}`)
  const paths = ['accounts', 'transactions', ...months]
  return Promise.all(paths.map(async (path) => (await person.get(`/api/${path}`)).text))
}
