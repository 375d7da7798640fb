import { describe, expect, test } from 'vitest'
import { type Answer, createWorld, type Json, type Person } from '../world.ts'
import { createHousehold } from './every-route.ts'

const tooLong = (max: number) => 'x'.repeat(max + 1)
const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}1${']'.repeat(depth)}`)

/** What no field takes, whatever it is for. */
const never: unknown[] = [{}, [], [1], { id: 1 }, nested(2_000)]
const noText: unknown[] = [...never, true, 7, 'nul\0', '\ud800']
const noId: unknown[] = [...never, true, 0, -1, 1.5, 1e20, '1e3', 'abc', '-1', '9'.repeat(20), '0x1', 999_999]
const noMoney: unknown[] = [
  ...never,
  true,
  'abc',
  '1e3',
  '1,5',
  '1.234',
  0.001,
  12.345,
  1e15,
  1e300,
  '9'.repeat(40),
  'NaN',
  'Infinity',
  '--1',
  '٣',
]
const noAmount: unknown[] = [...noMoney, 0, -1, '0', '-0.01', '0.00', -0]
const noDate: unknown[] = [
  ...never,
  true,
  20_261_120,
  'today',
  '2026-02-30',
  '2026-13-01',
  '1899-12-31',
  '2101-01-01',
  '2026-1-1',
  '20261120',
  '2026-11-20T00:00:00Z',
  '0000-00-00',
]
const noEnum: unknown[] = [...never, true, 1, 'BANK', 'refund', 'income ;', '\0']
const missing: unknown[] = [undefined, null, '', '   ']

type WrongFields = Record<string, unknown[]>

const account: WrongFields = {
  name: [...noText, tooLong(255)],
  type: noEnum,
  starting_balance: noMoney,
  notes: [...noText, tooLong(65_535)],
}
const category: WrongFields = { name: [...noText, tooLong(255)], type: [...noEnum, 'transfer'] }
const transaction: WrongFields = {
  account_id: noId,
  to_account_id: noId,
  category_id: noId,
  type: noEnum,
  amount: noAmount,
  description: [...noText, tooLong(255)],
  reference: [...noText, tooLong(255)],
  transaction_date: noDate,
}
const profile: WrongFields = {
  name: [...noText, tooLong(255)],
  timezone: [...never, true, 1, 'Mars/Olympus', '+02:00', tooLong(5_000), '\0'],
  reminder_time: [...never, true, 2000, '24:00', '8:00', '20:60', '20:00:00', 'evening'],
}
const withMissing = (fields: WrongFields, required: string[]) =>
  Object.fromEntries(
    Object.entries(fields).map(([field, values]) => [
      field,
      required.includes(field) ? [...values, ...missing] : values,
    ]),
  )
/** An absent field is no error on an update; an emptied one is. */
const withEmptied = (fields: WrongFields, required: string[]) =>
  Object.fromEntries(
    Object.entries(withMissing(fields, required)).map(([field, values]) => [
      field,
      values.filter((v) => v !== undefined),
    ]),
  )

const cases: [route: string, fields: WrongFields][] = [
  ['POST /api/accounts', withMissing(account, ['name', 'type', 'starting_balance'])],
  ['PUT /api/accounts/:account', withEmptied(account, ['name', 'type', 'starting_balance'])],
  ['POST /api/categories', withMissing(category, ['name', 'type'])],
  ['PUT /api/categories/:category', withEmptied(category, ['name', 'type'])],
  [
    'POST /api/transactions',
    {
      ...withMissing(transaction, ['account_id', 'category_id', 'type', 'amount', 'transaction_date']),
      force: [...never, 'yes', 2, -1],
      client_id: [...noText, tooLong(64)],
    },
  ],
  [
    'PUT /api/transactions/:transaction',
    withEmptied(transaction, ['account_id', 'type', 'amount', 'transaction_date']),
  ],
  ['PATCH /api/me', withEmptied(profile, ['name', 'timezone'])],
]

const good: Record<string, Json> = {
  'POST /api/accounts': { name: 'New', type: 'bank', starting_balance: 1, notes: 'x' },
  'POST /api/categories': { name: 'New', type: 'income' },
}

describe.each(cases)('%s', (route, fields) => {
  test.each(Object.entries(fields))(
    'refuses every wrong %s with an error of that field, and changes nothing',
    async (field, values) => {
      const { person, call, state, expense } = await createVictim()
      const before = await state()
      for (const value of values) {
        const body = { ...(good[route] ?? (route.startsWith('POST') ? expense() : {})), [field]: value }
        const { status, body: answer } = await call(route, body)
        const shown = `${field} = ${JSON.stringify(value)?.slice(0, 60)}`
        expect([status, shown]).toEqual([422, shown])
        expect(answer.message).toBe('The given data was invalid.')
        expect(Object.keys(answer.errors), shown).toContain(field)
      }
      expect(await state()).toEqual(before)
      expect((await person.get('/api/transactions')).status).toBe(200)
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
    ['a very deep array', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'application/json', 422],
  ])('refuses %s as a body, and changes nothing', async (_, rawBody, contentType, expected) => {
    const { rawCall, state } = await createVictim()
    const before = await state()
    const answer = await rawCall(route, rawBody, contentType)
    expect(answer.status).toBe(expected)
    expect(answer.body.message).toEqual(expect.any(String))
    expect(await state()).toEqual(before)
  })
})

test('an input with many mistakes is told of all of them at once, those that the database finds too', async () => {
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

/** Somebody who owns a row of each kind, and a way to look whether any of it has changed. */
async function createVictim() {
  const world = createWorld()
  const household = await createHousehold(world)
  const { person, cash, category } = household
  const { id } = await household.spend()
  const pathOf = (path: string) =>
    path.replace(':account', cash.id).replace(':category', category.id).replace(':transaction', id)
  const call = (route: string, body: unknown): Promise<Answer> => {
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
  return { person, call, rawCall, state: () => stateOf(person), expense: household.expense }
}

async function stateOf(person: Person): Promise<Json> {
  const paths = ['me', 'accounts', 'categories', 'transactions', 'summary?month=2020-01']
  return Promise.all(paths.map(async (path) => (await person.get(`/api/${path}`)).body))
}
