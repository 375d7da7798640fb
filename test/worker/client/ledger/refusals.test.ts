import { expect, test } from 'vitest'
import { memoryStorage } from '../../../../client/index.ts'
import { Dice } from '../../../dice.ts'
import { type ApiResponse, openAccount, type Person } from '../../fixtures/world.ts'
import { type Errors, newWorld, openDevice, refusalOf } from './ledger-world.ts'
import { expectTruth, twoDevices } from './two-devices.ts'

type Input = Record<string, unknown>

const long = (length: number) => 'x'.repeat(length)
const never = [{}, [], [1], true, 'nul\0', '\ud800']
const missing = [undefined, null, '', '   ']
const texts = [...never, ...missing, 7, long(255), long(256), '🫖'.repeat(255), ' tea ', '\ttea\n']
const types = [...never, ...missing, 'gift', 'EXPENSE', ' expense ', 1]
const amounts = [
  ...[...never, ...missing, 0, -1, '0', '-0.01', '1,5', '1.234', 0.1 + 0.2, 12.345, '.5', '5.', '+5'],
  ...['1e3', 1e15, '9999999999999.99', '10000000000000', '-10000000000000', '007', ' 5 ', 5],
]
const dates = [
  ...[...never, ...missing, 20_261_120, '1899-01-01', '1899-12-31', '1900-01-01', '2026-02-31', '2024-02-29'],
  ...['2026-02-29', '2100-12-31', '2101-01-01', '2026-1-1', '20261120', '2026-11-20T00:00:00Z'],
  ...[' 2026-11-20 '],
]
const noIds = [...never, ...missing, 0, -1, 1.5, 'abc', '1e3', '9'.repeat(20), 999_999, '#nobody']
const times = [...never, null, '', '24:00', '8:00', '20:60', '08:00', ' 20:00 ', 2000]
const zones = [...never, ...missing, 'Mars/Olympus', '+02:00', 'Europe/Paris', ' UTC ', 7]

/** The errors of a response: none if it is a success. */
function errorsIn({ status, body, text }: ApiResponse): Errors {
  expect([200, 201, 422], text).toContain(status)
  return status === 422 ? body.errors : {}
}

/** Unlike a POST, an operation, which a ledger sends, may say that there is no category. */
function withoutNullCategory({ category_id, ...errors }: Errors, input: Input): Errors {
  const isNull = input.category_id !== undefined && missing.includes(input.category_id as null)
  return category_id && !isNull ? { ...errors, category_id } : errors
}

const shown = (input: Input) =>
  JSON.stringify(input, (_, value) => (value === undefined ? 'undefined' : value))

/** A user with two accounts and a category, whose ledger is complete, and rows that do not exist for them. */
async function household() {
  const { world, person, account, category, expense, tea, one } = await twoDevices()
  const other = await openAccount(person, { name: 'Other' })
  const gone = await openAccount(person, { name: 'Gone' })
  await person.delete(`/api/accounts/${gone.id}`)
  const stranger = await openAccount(await world.register())
  await one.ledger.sync()
  const accounts = [account.id, String(other.id), gone.id, stranger.id]
  return {
    person,
    account,
    other,
    category,
    expense,
    tea,
    ledger: one.ledger,
    accounts,
    storage: one.storage,
  }
}

test('what a ledger refuses to create, and why, is what the API refuses', async () => {
  const { person, account, category, expense, ledger, accounts } = await household()
  const wallet = { name: 'Wallet', type: 'cash', starting_balance: '1.00', notes: 'x' }
  const food = { name: 'Books', type: 'expense' }
  const movement = { ...expense, reference: 'r', to_account_id: null, force: true }
  const inputs: ['account' | 'category' | 'transaction', string, Input, Record<string, unknown[]>][] = [
    [
      ...(['account', '/api/accounts', wallet] as const),
      { name: texts, type: types, starting_balance: amounts, notes: [...texts, long(65_535), long(65_536)] },
    ],
    [...(['category', '/api/categories', food] as const), { name: texts, type: types }],
    [
      ...(['transaction', '/api/transactions', movement] as const),
      {
        ...{ type: [...types, 'transfer', 'income'], amount: amounts, transaction_date: dates },
        ...{ description: texts, reference: texts },
        ...{ account_id: [...noIds, ...accounts], to_account_id: [...noIds, ...accounts] },
        category_id: [...noIds, category.id, String(category.id)],
      },
    ],
  ]
  let refused = 0
  for (const [noun, path, base, fields] of inputs)
    for (const [field, values] of Object.entries(fields))
      for (const value of values) {
        const input = { ...base, ...(noun === 'category' && { name: crypto.randomUUID() }), [field]: value }
        // Only a ledger knows names by which rows have no id yet.
        if (value === '#nobody') continue
        const response = withoutNullCategory(errorsIn(await person.post(path, input)), input)
        expect(await refusalOf(() => ledger.create(noun, input as never)), shown(input)).toEqual(response)
        refused += Object.keys(response).length
      }
  expect(refused).toBeGreaterThan(150)
  const references = [null, account.id, ...accounts, category.id, 999_999]
  const dice = new Dice(1)
  for (let times = 0; times < 80; times++) {
    const input: Input = {
      type: dice.of(['income', 'expense', 'transfer', 'gift']),
      account_id: dice.of(references),
      to_account_id: dice.of(references),
      category_id: dice.of([null, category.id, 999_999, undefined]),
      amount: dice.of(['1.00', 0]),
      ...{ transaction_date: '2026-11-20', force: true },
    }
    const response = withoutNullCategory(errorsIn(await person.post('/api/transactions', input)), input)
    expect(await refusalOf(() => ledger.create('transaction', input as never)), shown(input)).toEqual(
      response,
    )
  }
})

test('what a ledger refuses to change, and what it changes, is what the API does', async () => {
  const { person, account, other, category, tea, ledger, accounts } = await household()
  const books = (await person.post('/api/categories', { name: 'Books', type: 'expense' })).body
  await ledger.sync()
  const values: Record<string, Record<string, unknown[]>> = {
    profile: {
      ...{ name: texts, timezone: zones, reminder_time: times },
      ...{
        email: [null, '', person.email, 'other@example.com', 'nobody'],
        password: ['', null, 'secret', 7],
      },
    },
    account: { name: texts, type: types, starting_balance: amounts, notes: texts },
    category: { name: [...texts, 'Books', 'BOOKS', category.name], type: [...types, 'income', 'expense'] },
    transaction: {
      ...{ type: [...types, 'transfer', 'transfer', 'income', 'expense'], amount: amounts },
      ...{ transaction_date: dates, description: texts, reference: texts },
      ...{ account_id: [...noIds, ...accounts], to_account_id: [...noIds, ...accounts] },
      category_id: [...noIds, category.id, books.id],
    },
  }
  const rows = {
    profile: { key: 'me', path: '/api/me', read: () => ledger.profile() },
    account: {
      ...{ key: account.id, path: `/api/accounts/${account.id}` },
      read: () => ledger.accounts().find(({ id }) => id === account.id),
    },
    category: {
      ...{ key: books.id, path: `/api/categories/${books.id}` },
      read: () => ledger.categories().find(({ id }) => id === books.id),
    },
    transaction: { key: tea, path: `/api/transactions/${tea}`, read: () => ledger.transaction(tea) },
  }
  const dice = new Dice(2)
  const tally = { refused: 0, changed: 0 }
  for (const [noun, { key, path, read }] of Object.entries(rows)) {
    const fields = values[noun] as Record<string, unknown[]>
    const isKnown = (value: unknown) => value !== undefined && value !== '#nobody'
    const single = Object.entries(fields).flatMap(([field, all]) =>
      all.filter(isKnown).map((value): Input => ({ [field]: value })),
    )
    const several = Array.from({ length: noun === 'transaction' ? 60 : 10 }, () =>
      Object.fromEntries(
        Object.entries(fields)
          .filter(() => dice.isOnceIn(3))
          .map(([field, all]) => [field, dice.of(all.filter(isKnown))]),
      ),
    )
    for (const input of [...single, ...several]) {
      const response = await person.patch(path, input)
      const refusal = await refusalOf(() => ledger.update(noun as 'account', key, input))
      const errors = errorsIn(response)
      expect(refusal, `${noun} ${shown(input)}`).toEqual(errors)
      tally[response.status === 422 ? 'refused' : 'changed']++
      if (response.status !== 422)
        for (const field of Object.keys(input))
          expect([field, read()?.[field as never]], shown(input)).toEqual([field, response.body[field]])
    }
  }
  expect(tally.refused).toBeGreaterThan(100)
  expect(tally.changed).toBeGreaterThan(50)
  expect(await ledger.sync()).toMatchObject({ conflicts: 0, rejected: 0, stopped: null })
  await expectTruth(person, ledger)
  expect(other.id).toBeGreaterThan(0)
})

const get = (person: Person, path: string, query: Input) =>
  person.get(
    `${path}?${new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]))}`,
  )

test('the filters and periods that a ledger refuses, and why, are those that the API refuses', async () => {
  const { person, account, category, ledger } = await household()
  const days = dates.filter((value) => typeof value === 'string')
  const filters: Record<string, unknown[]> = {
    ...{ from: days, to: days, type: ['gift', 'expense', ' income ', 'EXPENSE', '\0', '', '\u200b'] },
    per_page: [0, 1, 500, 501, -1, 1.5, 'x', '7', ''],
    page: [0, 1, -1, 'x', 1.5, 1e21, '2', ''],
    account_id: [0, -1, 'abc', 1.5, 999_999, account.id, String(account.id), ''],
    category_id: ['none', 'None', 'abc', 0, 999_999, category.id, ''],
    amount_from: [0, '1.00', 2.5, ' 3 ', -1, '1.001', 'much', '1e999', ''],
    amount_to: [7, '7.00', '999999999999999', '٣', 'NaN', ''],
    q: ['tea', ' tea ', long(255), long(256), 'nul\0', '%', '', '\u200b'],
  }
  const months = ['2026-11', '2026-13', '2026-1', '11', '2026-00', '1899-12', 'November', '2026-11-20', '']
  /** Filters that figures have not all of. */
  const others = { category_id: [category.id], type: ['income'], q: ['tea'], account_id: [account.id, 0, ''] }
  const periods: Record<string, unknown[]> = {
    ...others,
    month: months,
    from: days,
    to: days,
    daily: [true, false, 'no'],
  }
  const reported = { ...others, from: [...months, '2000-01'], to: months, month: months }
  const ranges = {
    ...others,
    from: days,
    to: days,
    every: ['day', 'week', 'month', 'year', ''],
    account_id: [0, 'abc', account.id],
  }
  const reads: [string, Record<string, unknown[]>, (query: Input) => unknown][] = [
    ['/api/transactions', filters, (query) => ledger.transactions(query)],
    ['/api/summary', periods, (query) => ledger.summary(query)],
    ['/api/reports/monthly', reported, (query) => ledger.monthlyReport(query)],
    ['/api/reports/balances', ranges, (query) => ledger.balancesReport(query)],
  ]
  const dice = new Dice(3)
  let refused = 0
  for (const [path, fields, read] of reads) {
    const single = Object.entries(fields).flatMap(([name, all]) =>
      all.map((value): Input => ({ [name]: value })),
    )
    const several = Array.from({ length: 30 }, () =>
      Object.fromEntries(Object.entries(fields).map(([name, all]) => [name, dice.of(all)])),
    )
    for (const query of [...single, ...several]) {
      const response = errorsIn(await get(person, path, query))
      expect(await refusalOf(() => read(query)), `${path} ${shown(query)}`).toEqual(response)
      refused += Object.keys(response).length
    }
  }
  expect(refused).toBeGreaterThan(100)
})

test('until all rows have been received, an account that is unknown on the device may exist', async () => {
  const world = newWorld()
  const person = await world.register()
  const account = await openAccount(person)
  const [category] = (await person.get('/api/categories')).body
  const { ledger } = await openDevice(world, person, { storage: memoryStorage() })
  const tea = {
    ...{ account_id: account.id, category_id: category.id, type: 'expense' as const },
    ...{ amount: '3.00', transaction_date: '2026-11-20' },
  }
  await ledger.create('transaction', tea)
  expect(await ledger.sync()).toMatchObject({ sent: 1, rejected: 0, stopped: null })
  await expectTruth(person, ledger)
  expect(await refusalOf(() => ledger.create('transaction', { ...tea, account_id: 999_999 }))).toEqual({
    account_id: ['The selected account id is invalid.'],
  })
})

test('a change that removes the category of a row that has not been sent is stored', async () => {
  const { person, expense, ledger } = await household()
  const key = await ledger.create('transaction', { ...expense, reference: 'unsent' })
  await ledger.update('transaction', key, { category_id: null })
  for (let run = 0; run < 2; run++) expect(await ledger.sync()).toMatchObject({ rejected: 0, stopped: null })
  expect(ledger.transaction(key)).toMatchObject({ reference: 'unsent', category: null })
  await expectTruth(person, ledger)
})
