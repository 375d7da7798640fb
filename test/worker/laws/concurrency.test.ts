import { expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { createWorld, openAccount } from '../fixtures/world.ts'
import { sendFile } from '../imports/send-file.ts'
import { createHousehold, openWorldDatabase } from './every-route.ts'

const hundred = Array.from({ length: 100 }, (_, index) => index)

test('a hundred parallel creates on one account leave the exact balance', async () => {
  const world = createWorld()
  const { person, checking, expense } = await createHousehold(world)
  const responses = await Promise.all(
    hundred.map((i) =>
      person.post('/api/transactions', { ...expense(), amount: (i + 1) / 100, force: true }),
    ),
  )
  expect(responses.map(({ status }) => status)).toEqual(hundred.map(() => 201))
  // 0.01 + 0.02 + … + 1.00 = 50.50
  expect((await person.get(`/api/accounts/${checking.id}`)).body.balance).toBe(49.5)
  expect((await person.get('/api/transactions')).body.total).toBe(100)
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
})

test('a hundred parallel identical creates leave one row, and 99 are told so', async () => {
  const world = createWorld()
  const { person, checking, expense } = await createHousehold(world)
  const responses = await Promise.all(hundred.map(() => person.post('/api/transactions', expense())))
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(responses.filter(({ status }) => status === 409)).toHaveLength(99)
  expect((await person.get('/api/transactions')).body.total).toBe(1)
  expect((await person.get(`/api/accounts/${checking.id}`)).body.balance).toBe(87.5)
})

test('a hundred parallel creates with one client_id all get the one row', async () => {
  const world = createWorld()
  const { person, expense } = await createHousehold(world)
  const body = { ...expense(), client_id: 'phone-7', force: true }
  const responses = await Promise.all(hundred.map(() => person.post('/api/transactions', body)))
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(99)
  expect(new Set(responses.map((response) => response.body.id)).size).toBe(1)
  expect((await person.get('/api/transactions')).body.total).toBe(1)
})

test('parallel registers of one address leave one user, whatever the case of its letters', async () => {
  const world = createWorld()
  const password = 'correct horse battery'
  const register = (email: string) =>
    world.call('POST', '/api/register', {
      body: { name: 'P', email, password, password_confirmation: password },
    })
  const responses = await Promise.all(
    hundred.slice(0, 20).map((i) => register(i % 2 ? 'same@example.com' : 'SAME@Example.com')),
  )
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(1)
  const refused = responses.filter(({ status }) => status === 422)
  expect(refused).toHaveLength(19)
  expect(refused[0]?.body.errors).toEqual({ email: ['The email has already been taken.'] })
})

test('parallel categories of one name leave one', async () => {
  const world = createWorld()
  const person = await world.register()
  const responses = await Promise.all(
    hundred.slice(0, 20).map(() => person.post('/api/categories', { name: 'Pets', type: 'expense' })),
  )
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(responses.filter(({ status }) => status === 422)).toHaveLength(19)
})

test('creates, changes, moves and deletes all at once leave every kept figure exact', async () => {
  const world = createWorld()
  const household = await createHousehold(world)
  const { person, checking, cash, category } = household
  const savings = await openAccount(person, { name: 'Savings', starting_balance: 0 })
  const rows = []
  for (const _ of hundred.slice(0, 20)) rows.push(await household.spend())
  const work = rows.flatMap((row, i) => [
    person.put(`/api/transactions/${row.id}`, { amount: i + 1, transaction_date: `2026-0${(i % 9) + 1}-01` }),
    person.put(`/api/transactions/${row.id}`, { type: 'transfer', to_account_id: cash.id }),
    person.put(`/api/transactions/${row.id}`, { account_id: savings.id, type: 'income' }),
    i % 3 === 0 ? person.delete(`/api/transactions/${row.id}`) : person.get('/api/summary'),
    person.post('/api/transactions', { ...household.expense(), amount: i + 1, force: true }),
    i === 10 ? person.delete(`/api/accounts/${checking.id}`) : person.get('/api/accounts'),
    i === 15 ? person.delete(`/api/categories/${category.id}`) : person.get('/api/categories'),
  ])
  const responses = await Promise.all(work)
  expect(responses.filter(({ status }) => status >= 500)).toEqual([])
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
  const summary = (await person.get('/api/summary')).body
  const balances = (await person.get('/api/accounts')).body.map(
    (account: { balance: number }) => account.balance,
  )
  expect(Math.round(summary.total_balance * 100)).toBe(
    balances.reduce((sum: number, balance: number) => sum + Math.round(balance * 100), 0),
  )
})

test('parallel imports of one file store it once with its account, also beside the undo of an earlier one', async () => {
  const world = createWorld()
  const { person } = await createHousehold(world)
  const file =
    'date,amount,type,account,category\n2026-11-01,5,expense,Wallet,Food\n2026-11-02,7,income,Wallet,Pay\n'
  const upload = () => sendFile({ world, person }, 'store?create_accounts=true', file)
  const created = async (imports: ReturnType<typeof upload>[]) => {
    const bodies = (await Promise.all(imports)).map(({ body }) => body.import)
    return {
      ids: bodies.map(({ id }) => id),
      rows: bodies.reduce((sum, { counts }) => sum + counts.created, 0),
    }
  }
  const total = async () => (await person.get('/api/transactions')).body.total
  const { ids, rows } = await created([upload(), upload(), upload()])
  expect([rows, await total()]).toEqual([2, 2])
  const wallets = (await person.get('/api/accounts')).body.filter(
    ({ name }: { name: string }) => name === 'Wallet',
  )
  expect(wallets).toMatchObject([{ balance: 2 }])

  const again = created([upload(), upload()])
  const undone = await Promise.all(ids.map((id) => person.delete(`/api/imports/${id}`)))
  expect(undone.map(({ status }) => status)).toEqual([204, 204, 204])
  const { rows: left } = await again
  expect(await total()).toBe(left)
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
})
