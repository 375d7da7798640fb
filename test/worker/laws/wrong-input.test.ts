import { beforeAll, describe, expect, test } from 'vitest'
import type { NewAccount } from '../../../src/accounts/contract.ts'
import type { Registration } from '../../../src/auth/contract.ts'
import type { NewCategory } from '../../../src/categories/contract.ts'
import type { NewTransaction } from '../../../src/transactions/contract.ts'
import type { ProfileChanges } from '../../../src/users/contract.ts'
import {
  type ApiResponse,
  createWorld,
  expectInvalid,
  type Json,
  type Person,
  recordTransaction,
} from '../fixtures/world.ts'
import { createHousehold } from './every-route.ts'

const tooLong = (max: number) => 'x'.repeat(max + 1)
const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}1${']'.repeat(depth)}`)

/** What no field accepts, whatever it is for. */
const never: unknown[] = [{}, [], [1], { id: 1 }, nested(2_000)]
const noText: unknown[] = [...never, true, 7, 'nul\0', '\ud800']
const noId: unknown[] = [...never, true, 0, -1, 1.5, 1e20, '1e3', 'abc', '-1', '9'.repeat(20), '0x1', 999_999]
const noMoney: unknown[] = [
  ...never,
  ...[true, 'abc', '1e3', '1,5', '1.234', 0.001, 12.345, 1e15, 1e300, '9'.repeat(40), 'NaN', 'Infinity'],
  ...['--1', '٣'],
]
const noAmount: unknown[] = [...noMoney, 0, -1, '0', '-0.01', '0.00', -0]
const noDate: unknown[] = [
  ...never,
  ...[true, 20_261_120, 'today', '2026-02-30', '2026-13-01', '1899-12-31', '2101-01-01', '2026-1-1'],
  ...['20261120', '2026-11-20T00:00:00Z', '0000-00-00'],
]
const noEnum: unknown[] = [...never, true, 1, 'BANK', 'refund', 'income ;', '\0']
const noTimezone: unknown[] = [...never, true, 1, 'Mars/Olympus', '+02:00', tooLong(5_000), '\0']
const noEmail: unknown[] = [
  ...never,
  ...[true, 7, 'nobody', 'a@b', '@example.com', 'a b@example.com', `${'x'.repeat(250)}@a.example`],
]
const missing: unknown[] = [undefined, null, '', '   ']

type WrongFields = Record<string, unknown[]>
/** Wrong values for every field of an input, so that `tsc` asks for those of a new one. */
type WrongFieldsOf<Input, Others = never> = Record<Exclude<keyof Input, Others>, unknown[]>

const account: WrongFieldsOf<NewAccount> = {
  name: [...noText, tooLong(255)],
  type: noEnum,
  kind: [...noEnum, 'checking'],
  starting_balance: noMoney,
  notes: [...noText, tooLong(65_535)],
  closed_on: noDate,
}
const category: WrongFieldsOf<NewCategory> = {
  name: [...noText, tooLong(255)],
  type: [...noEnum, 'transfer'],
}
const transaction: WrongFieldsOf<NewTransaction, keyof typeof transfer | keyof typeof onlyNew> = {
  account_id: noId,
  category_id: noId,
  type: noEnum,
  amount: noAmount,
  description: [...noText, tooLong(255)],
  reference: [...noText, tooLong(255)],
  transaction_date: noDate,
}
/** Only a transfer has a destination, and it must have one. */
const transfer = { to_account_id: [...noId, ...missing] }
/** What cannot be changed later. */
const onlyNew = { force: [...never, 'yes', 2, -1], client_id: [...noText, tooLong(64)] }
const profile: WrongFieldsOf<ProfileChanges> = {
  name: [...noText, tooLong(255)],
  timezone: noTimezone,
  reminder_time: [...never, true, 2000, '24:00', '8:00', '20:60', '20:00:00', 'evening'],
  due_reminders: [...never, 'yes', 2, -1],
  currency: [...never, true, 1, 'eur', 'EU', 'EURO', '€', 'É00', '\0'],
  email: [...noEmail, 'somebody-else@example.com'],
  password: [...never, true, 'another horse battery'],
}
const withMissing = (fields: WrongFields, required: string[], also = missing) => ({
  ...fields,
  ...Object.fromEntries(required.map((field) => [field, [...(fields[field] ?? []), ...also]])),
})
const registration: WrongFieldsOf<Registration> = {
  name: [...noText, tooLong(255)],
  email: noEmail,
  password: [...never, true, 12_345_678, 'short', tooLong(1024)],
  // Passwords are not trimmed: one of only blanks is a different password.
  password_confirmation: [...never, true, 12_345_678, undefined, null, ''],
  // Browsers report zones that are unknown here, so any text will do.
  timezone: [...never, true, 1],
}

/** A missing field is not an error on an update; an emptied one is. */
const withEmptied = (fields: WrongFields, required: string[]) =>
  withMissing(fields, required, missing.slice(1))

const cases: [route: string, fields: WrongFields, kind?: 'transfer'][] = [
  ['POST /api/register', withMissing(registration, ['name', 'email', 'password'])],
  ['POST /api/accounts', withMissing(account, ['name', 'type', 'starting_balance'])],
  ['PUT /api/accounts/:account', withEmptied(account, ['name', 'type', 'starting_balance'])],
  ['POST /api/categories', withMissing(category, ['name', 'type'])],
  ['PUT /api/categories/:category', withEmptied(category, ['name', 'type'])],
  [
    'POST /api/transactions',
    {
      ...withMissing(transaction, ['account_id', 'category_id', 'type', 'amount', 'transaction_date']),
      ...onlyNew,
    },
  ],
  [
    'PUT /api/transactions/:transaction',
    withEmptied(transaction, ['account_id', 'type', 'amount', 'transaction_date']),
  ],
  ['POST /api/transactions', transfer, 'transfer'],
  ['PUT /api/transactions/:transaction', transfer, 'transfer'],
  ['PATCH /api/me', withEmptied(profile, ['name', 'timezone'])],
]

const good: Record<string, Json> = {
  'POST /api/register': {
    name: 'New',
    email: 'new@example.com',
    password: 'correct horse battery',
    password_confirmation: 'correct horse battery',
  },
  'POST /api/accounts': { name: 'New', type: 'bank', starting_balance: 1, notes: 'x' },
  'POST /api/categories': { name: 'New', type: 'income' },
}

/** No response may use the validation library's own words. */
const libraryText = 'Invalid input'

describe.each(cases)('%s', (route, fields, kind) => {
  // Refused requests change nothing, so one victim is enough.
  let victim: Awaited<ReturnType<typeof createVictim>>
  let before: Json
  beforeAll(async () => {
    victim = await createVictim()
    before = await victim.state()
  })

  test.each(Object.entries(fields))(
    'refuses every wrong %s with an error of that field',
    async (field, values) => {
      const { call, expense } = victim
      const rest = good[route] ?? (route.startsWith('POST') ? expense() : {})
      for (const value of values) {
        const body = { ...rest, ...(kind && { type: kind }), [field]: value }
        const { status, text, body: response } = await call(route, body)
        const shown = `${field} = ${JSON.stringify(value)?.slice(0, 60)}`
        expect([status, shown]).toEqual([422, shown])
        expect(response.message).toBe('The given data was invalid.')
        expect(Object.keys(response.errors), shown).toContain(field)
        expect(text).not.toContain(libraryText)
      }
    },
  )

  test.each([
    ['malformed JSON', '{"name":', 'application/json', 400],
    ['two JSON values', '{}{}', 'application/json', 400],
    ['a form', 'name=x&amount=1', 'application/x-www-form-urlencoded', 415],
    ['text', '{"name":"x"}', 'text/plain', 415],
    ['JSON of no type', '{"name":"x"}', '', 415],
    ['more than the limit', JSON.stringify({ notes: 'x'.repeat(600_000) }), 'application/json', 413],
    ['an array', '[1,2]', 'application/json', 422],
    ['null', 'null', 'application/json', 422],
    ['a string', '"name"', 'application/json', 422],
    ['a very deep array', `${'['.repeat(30_000)}${']'.repeat(30_000)}`, 'application/json', 422],
  ])('refuses %s as a body', async (_, rawBody, contentType, expected) => {
    const response = await victim.rawCall(route, rawBody, contentType)
    expect(response.status).toBe(expected)
    expect(response.body.message).toEqual(expect.any(String))
    expect(response.text).not.toContain(libraryText)
  })

  test('none of that has changed anything', async () => {
    expect(await victim.state()).toEqual(before)
    expect((await victim.person.get('/api/transactions')).status).toBe(200)
  })
})

test('all mistakes in an input are reported at once, including those that the database finds', async () => {
  const { call } = await createVictim()
  const { body } = await call('POST /api/transactions', {
    account_id: 999_999,
    category_id: 999_998,
    type: 'income',
    amount: 'lots',
    transaction_date: '2026-02-30',
    description: tooLong(255),
  })
  expect(body).toEqual({
    message: 'The given data was invalid.',
    errors: {
      account_id: ['The selected account id is invalid.'],
      category_id: ['The selected category id is invalid.'],
      amount: ['The amount field must be a number.'],
      transaction_date: ['The transaction date field must be a valid date.'],
      description: ['The description field must not be greater than 255 characters.'],
    },
  })
})

test('every negative amount is not greater than 0, however large', async () => {
  const { call, expense } = await createVictim()
  const errors = { amount: ['The amount field must be greater than 0.'] }
  for (const amount of [-1e20, '-10000000000000', '-10000000000000.00', -0.01]) {
    expectInvalid(await call('POST /api/transactions', { ...expense(), amount }), errors)
    expectInvalid(await call('PUT /api/transactions/:transaction', { amount }), errors)
  }
})

describe.each(['', '   ', '\t\n'])('an optional field that is %j counts as null:', (blank) => {
  test('notes of an account', async () => {
    const { call } = await createVictim()
    const account = { name: 'New', type: 'bank', starting_balance: 1 }
    const opened = await call('POST /api/accounts', { ...account, notes: blank })
    expect([opened.status, opened.body.notes]).toEqual([201, null])
    await call('PUT /api/accounts/:account', { notes: 'something' })
    const changed = await call('PUT /api/accounts/:account', { notes: blank })
    expect([changed.status, changed.body.notes]).toEqual([200, null])
  })

  test('description, reference, client_id and to_account_id of a new expense', async () => {
    const { call, expense } = await createVictim()
    const blanks = { description: blank, reference: blank, client_id: blank, to_account_id: blank }
    const { status, body } = await call('POST /api/transactions', { ...expense(), ...blanks })
    expect(status).toBe(201)
    expect(body).toMatchObject({ description: null, reference: null, to_account_id: null })
    // With a client id it would be a repetition, responded with 200; with a reference of its own, no duplicate.
    const again = { ...expense(), ...blanks, reference: 'another' }
    expect((await call('POST /api/transactions', again)).status).toBe(409)
  })

  test('force of a new expense', async () => {
    const { call, expense } = await createVictim()
    expect((await call('POST /api/transactions', { ...expense(), force: blank })).status).toBe(201)
    expect((await call('POST /api/transactions', { ...expense(), force: blank })).status).toBe(409)
  })

  test('description, reference, category_id and to_account_id on an update', async () => {
    const { call } = await createVictim()
    const blanks = { description: blank, reference: blank, category_id: blank, to_account_id: blank }
    await call('PUT /api/transactions/:transaction', { description: 'a', reference: 'b' })
    const { status, body } = await call('PUT /api/transactions/:transaction', blanks)
    expect(status).toBe(200)
    expect(body).toMatchObject({ description: null, reference: null, category_id: null, to_account_id: null })
  })

  test('category_id of a transfer', async () => {
    const { call, expense, cash } = await createVictim()
    const transfer = { ...expense(), type: 'transfer', to_account_id: cash.id, category_id: blank }
    const { status, body } = await call('POST /api/transactions', transfer)
    expect([status, body.category_id, body.to_account_id]).toEqual([201, null, cash.id])
  })

  test('the same in an item of a batch', async () => {
    const { call, person, expense } = await createVictim()
    const blanks = { description: blank, reference: blank, client_id: blank, category_id: blank }
    const item = { ...expense(), ...blanks, to_account_id: blank }
    const { status, body } = await call('POST /api/transactions/sync', { transactions: [item, item] })
    expect(status).toBe(200)
    const sync = (await person.get(`/api/transactions/sync/${body.sync_id}`)).body
    expect(sync.items.map((stored: Json) => [stored.client_id, stored.outcome])).toEqual([
      [null, 'created'],
      [null, 'created'],
    ])
  })

  test('timezone at register', async () => {
    const { call, world } = await createVictim()
    const { body } = await call('POST /api/register', { ...good['POST /api/register'], timezone: blank })
    const me = await world.call('GET', '/api/me', { token: body.access_token })
    expect(me.body.timezone).toBe('UTC')
  })

  test('reminder_time', async () => {
    const { call } = await createVictim()
    const { status, body } = await call('PATCH /api/me', { reminder_time: blank })
    expect([status, body.reminder_time]).toEqual([200, null])
  })
})

describe('a query parameter', () => {
  let person: Person
  /** Spent 12.50 in January, got 30.00 in February. */
  beforeAll(async () => {
    const victim = await createVictim()
    const income = { ...victim.expense(), type: 'income', amount: 30, transaction_date: '2020-02-03' }
    await recordTransaction(victim.person, income)
    person = victim.person
  })

  test.each(['q', 'type', 'account_id', 'category_id', 'from', 'to', 'page'])(
    '%s of the list that is blank counts as absent',
    async (name) => {
      for (const blank of ['', '%20', '%20%09%20']) {
        const { status, body } = await person.get(`/api/transactions?${name}=${blank}`)
        expect([blank, status, body.total, body.current_page]).toEqual([blank, 200, 2, 1])
      }
    },
  )

  test('month of the summary that is blank counts as absent', async () => {
    const thisMonth = await person.get('/api/summary')
    for (const blank of ['', '%20', '%20%09%20']) {
      const { status, body } = await person.get(`/api/summary?month=${blank}`)
      expect([blank, status, body]).toEqual([blank, 200, thisMonth.body])
    }
  })

  test('that is repeated takes the last', async () => {
    const types = async (query: string) =>
      (await person.get(`/api/transactions?${query}`)).body.data.map(({ type }: Json) => type)
    expect(await types('type=expense&type=income')).toEqual(['income'])
    expect(await types('type=income&type=expense')).toEqual(['expense'])
    const months = async (query: string) => (await person.get(`/api/summary?${query}`)).body.monthly_summary
    expect(await months('month=2020-01&month=2020-02')).toEqual({ income: 30, expense: 0, net: 30 })
    expect(await months('month=2020-02&month=2020-01')).toEqual({ income: 0, expense: 12.5, net: -12.5 })
  })

  test('page that is repeated counts as the last', async () => {
    expect((await person.get('/api/transactions?page=2&page=1')).body.current_page).toBe(1)
    expect((await person.get('/api/transactions?page=1&page=2')).body.current_page).toBe(2)
  })

  test.each([
    ['month', 'summary', ['2026-13', '2026', '2026-01-01', 'now', '%00']],
    ['daily', 'summary', ['yes', '2', '%00']],
    ['from', 'reports/monthly', ['2026-13', '1899-12', '2101-01', 'now', '%00']],
    ['to', 'reports/monthly', ['2026', '2026-01-01', '%00']],
    ['from', 'reports/balances', ['yesterday', '2026-02-30', '1899-12-31', '%00']],
    ['to', 'reports/balances', ['tomorrow', '2101-01-01', '%00']],
    ['every', 'reports/balances', ['year', 'DAY', '1', '%00']],
    ['account_id', 'reports/balances', ['abc', '0', '-1', 'none', '%00']],
    ['type', 'transactions', ['refund', 'INCOME', '1', '%00']],
    ['account_id', 'transactions', ['abc', '0', '-1', '1.5', 'none', '%00']],
    ['category_id', 'transactions', ['abc', '0', '-1', '1.5', '%00']],
    ['from', 'transactions', ['yesterday', '2026-02-30', '1899-12-31', '%00']],
    ['to', 'transactions', ['tomorrow', '2026-13-01', '2101-01-01', '%00']],
    ['q', 'transactions', ['%00', 'x'.repeat(256)]],
  ])('%s that is wrong is a 422 with an error of that name', async (name, path, values) => {
    for (const value of values) {
      const { status, text, body } = await person.get(`/api/${path}?${name}=${value}`)
      expect([value, status, Object.keys(body.errors ?? {})]).toEqual([value, 422, [name]])
      expect(text).not.toContain(libraryText)
    }
  })
})

/** A user who owns a row of each kind, and a way to see whether any of them has changed. */
async function createVictim() {
  const world = createWorld()
  const household = await createHousehold(world)
  const { person, cash, category } = household
  const { id } = await household.spend()
  const pathOf = (path: string) =>
    path.replace(':account', cash.id).replace(':category', category.id).replace(':transaction', id)
  const call = (route: string, body: unknown): Promise<ApiResponse> => {
    const [method = '', path = ''] = route.split(' ')
    return world.call(method, pathOf(path), { token: person.token, body })
  }
  const rawCall = (route: string, rawBody: string, contentType: string) => {
    const [method = '', path = ''] = route.split(' ')
    const headers: Record<string, string> = contentType ? { 'Content-Type': contentType } : {}
    return world.call(method, pathOf(path), {
      token: person.token,
      rawBody: new TextEncoder().encode(rawBody),
      headers,
    })
  }
  return { world, person, cash, call, rawCall, state: () => stateOf(person), expense: household.expense }
}

async function stateOf(person: Person): Promise<Json> {
  const reports = [
    'summary?month=2020-01',
    'reports/monthly?to=2026-11',
    'reports/balances?to=2026-11-30&every=month',
  ]
  const paths = ['me', 'accounts', 'categories', 'transactions', ...reports]
  return Promise.all(paths.map(async (path) => (await person.get(`/api/${path}`)).body))
}
