import { expect, test } from 'vitest'
import { scopeOf } from '../../../src/http/authenticate.ts'
import { setClock } from '../fixtures/clock.ts'
import { createWorld, expectInvalid, recordTransaction } from '../fixtures/world.ts'
import { createHousehold, everyRoute, storedIn } from './every-route.ts'

const world = createWorld()
const household = await createHousehold(world)
const { person, cash, checking, category, expense } = household
await recordTransaction(person, { ...expense(), amount: 3 })
await recordTransaction(person, { ...expense(), amount: 5, account_id: cash.id })
const transfer = { type: 'transfer', category_id: null, to_account_id: cash.id }
await recordTransaction(person, { ...expense(), ...transfer, amount: 7 })

const days = { from: '2026-11-21', to: '2026-11-19' }
const months = { from: '2026-01', to: '2026-12' }
const filters: Record<string, string> = {
  ...{ account_id: cash.id, category_id: category.id, type: 'income', q: 'tea', month: '2026-10' },
}
/** Each route of figures or files, with the filters that it has. */
const routes: [path: string, supported: Record<string, string>, other?: string][] = [
  ['/api/summary', { ...days, month: '2026-10' }],
  ['/api/reports/monthly', { ...months, account_id: cash.id }],
  ['/api/reports/balances', { ...days, account_id: cash.id }],
  ['/api/export', {}],
  ['/api/export', { ...days, account_id: cash.id }, 'format=csv'],
  ['/api/export', {}, 'format=hledger'],
]

test.each(routes)('no filter of figures or files is ignored: %s %j', async (path, supported, other = '') => {
  setClock(Date.parse('2026-11-20T12:00:00Z'))
  const textOf = async (query: Record<string, string>) => {
    const { status, text, body } = await person.get(`${path}?${other}&${new URLSearchParams(query)}`)
    return { status, text, errors: Object.keys(body?.errors ?? {}) }
  }
  const all = await textOf({})
  expect(all.status).toBe(200)
  for (const [name, value] of Object.entries({ ...filters, ...days, ...supported })) {
    const filtered = await textOf({ [name]: value })
    if (name in supported)
      expect([name, filtered.status, filtered.text !== all.text]).toEqual([name, 200, true])
    else expect([name, filtered.status, filtered.errors]).toEqual([name, 422, [name]])
    expect(await textOf({ [name]: '' })).toEqual(all)
  }
})

test('an account_id chooses the income and expenses of one account, and its rows in a CSV', async () => {
  const report = async (query: string) => {
    const { body } = await person.get(`/api/reports/monthly?from=2026-11&to=2026-11${query}`)
    return body.months[0].expense
  }
  expect([await report(''), await report(`&account_id=${cash.id}`)]).toEqual([8, 5])
  expect(await report('&account_id=999999')).toBe(0)
  const amounts = async (id: string | number) =>
    (await person.get(`/api/export?format=csv&account_id=${id}`)).text
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',')[1])
  expect(await amounts(cash.id)).toEqual(['5.00', '7.00'])
  expect(await amounts(checking.id)).toEqual(['3.00', '7.00'])
  expect(await amounts(999_999)).toEqual([])
})

const writing = everyRoute.filter((route) => scopeOf(route) !== 'read' && !route.includes('/import/'))

test.each(writing)('a dry run of %s is a 422, and nothing is stored', async (route) => {
  const [method = '', path = ''] = route.split(' ')
  const target = path.replace('accounts/:id', `accounts/${cash.id}`).replaceAll(/:\w+/g, '1')
  const errors = { dry_run: ['The dry run field must be empty: only imports have dry runs.'] }
  const before = await storedIn(world)
  for (const value of ['true', '1', 'yes', 'false&dry_run=true'])
    expectInvalid(await world.call(method, `${target}?dry_run=${value}`, { token: person.token }), errors)
  expect(await storedIn(world)).toEqual(before)
})

test('a dry run in a body is a 422 as well, once the token is valid', async () => {
  const errors = { dry_run: ['The dry run field must be empty: only imports have dry runs.'] }
  const before = await storedIn(world)
  const calls: [method: string, path: string, body: object][] = [
    ['POST', '/api/transactions', { ...expense(), amount: 9 }],
    ['POST', '/api/transactions/sync', { transactions: [{ ...expense(), amount: 9 }] }],
    ['PATCH', `/api/accounts/${cash.id}`, { name: 'Purse' }],
    ['DELETE', '/api/me', { password: person.password }],
  ]
  for (const [method, path, body] of calls) {
    const call = (token: string, dryRun: unknown) =>
      world.call(method, path, { token, body: { ...body, dry_run: dryRun } })
    expectInvalid(await call(person.token, true), errors)
    expectInvalid(await call(person.token, 'true'), errors)
    expect((await call('999999|unknown', true)).status).toBe(401)
  }
  expect(await storedIn(world)).toEqual(before)
  const { status } = await person.post('/api/transactions', { ...expense(), amount: 9, dry_run: false })
  expect(status).toBe(201)
})

test('a dry run with a token that may only read is a 403', async () => {
  const { body } = await person.post('/api/tokens', { name: 'Report', abilities: ['read'] })
  const { status } = await world.as(body.access_token ?? body.token).delete('/api/accounts/1?dry_run=true')
  expect(status).toBe(403)
})
