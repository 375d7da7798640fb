import { expect, test, vi } from 'vitest'
import { createClient, memoryTokens, restore } from '../../../client/index.ts'
import { findDifferences } from '../../../src/database/check.ts'
import { fetchOf } from '../client/client-world.ts'
import { openDevice } from '../client/ledger/ledger-world.ts'
import { create, remove, update, upload, uploadOne } from '../fixtures/uploads.ts'
import { createWorld, type Json } from '../fixtures/world.ts'
import { createHousehold, openWorldDatabase } from '../laws/every-route.ts'

const october = { date: '2026-10-31', balance: '87.50' }

test('checks go through uploads and the feed, beside the account and the transactions that they are about', async () => {
  const world = createWorld()
  const { person } = await createHousehold(world)
  const { cursor } = (await person.get('/api/changes?start=now')).body
  const results = await upload(person, [
    create('balance_check', 'k1', { account_id: '#a1', ...october }),
    create('account', 'a1', { name: 'New', type: 'bank', starting_balance: 100 }),
    create('transaction', 't1', {
      account_id: '#a1',
      category_id: null,
      type: 'expense',
      amount: '12.50',
      transaction_date: '2026-10-12',
    }),
  ])
  expect(results.map(({ outcome }) => outcome)).toEqual(['created', 'created', 'created'])
  const [{ id, account_id }] = (await person.get('/api/balance-checks?state=ok')).body
  const fed = async (from: string): Promise<Json[]> =>
    (await person.get(`/api/changes?${from}`)).body.changes.filter(
      ({ noun }: Json) => noun === 'balance_check',
    )
  const data = { id, account_id, ...october, source: 'manual', import_id: null, client_id: 'k1', version: 1 }
  expect(await fed(`cursor=${cursor}`)).toEqual([{ noun: 'balance_check', id, data }])
  expect(await fed('limit=3')).toEqual([])
  expect(await fed('')).toEqual([{ noun: 'balance_check', id, data }])
  // Two devices add the same check.
  expect(await uploadOne(person, create('balance_check', 'k2', { account_id, ...october }))).toMatchObject({
    outcome: 'duplicate',
    id,
    data,
  })
  expect(
    await uploadOne(person, create('balance_check', 'k3', { account_id, ...october, balance: 1 })),
  ).toMatchObject({
    outcome: 'invalid',
    errors: { date: ['The account already has another balance on this day.'] },
  })
  expect(
    await uploadOne(person, create('balance_check', 'k4', { account_id, ...october, date: '2100-01-01' })),
  ).toMatchObject({ outcome: 'invalid', errors: { date: ['The date field must not be after today.'] } })
  expect(
    await uploadOne(person, update('balance_check', 'k1', { balance: '80.00' }, { balance: '1.00' })),
  ).toMatchObject({ outcome: 'conflict', fields: ['balance'], data })
  expect(await uploadOne(person, update('balance_check', 'k1', { balance: '80.00' }))).toMatchObject({
    outcome: 'updated',
    version: 2,
  })
  expect((await person.get('/api/balance-checks?state=broken')).body).toMatchObject([{ id, difference: 7.5 }])
  expect(await uploadOne(person, remove('balance_check', id))).toMatchObject({ outcome: 'deleted' })
  expect(await uploadOne(person, create('balance_check', 'k1', { account_id, ...october }))).toMatchObject({
    outcome: 'gone',
  })
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
})

test('a restored export has the same checks, and broken ones stay broken', async () => {
  const world = createWorld()
  const { person, checking, expense, checkBalance } = await createHousehold(world)
  await person.post('/api/transactions', { ...expense(), transaction_date: '2026-10-12' })
  await person.post('/api/balance-checks', { account_id: checking.id, ...october })
  await checkBalance()
  const other = await world.register()
  const client = createClient({
    baseUrl: 'http://purse.test',
    tokens: memoryTokens(other.token),
    fetch: fetchOf(world).fetch,
  })
  const restored = await restore(client, (await person.get('/api/export')).body)
  expect(restored).toMatchObject({ matched: true, differences: [] })
  const checksOf = async (one: typeof other) =>
    (await one.get('/api/balance-checks')).body.map(({ date, balance, difference }: Json) => [
      date,
      balance,
      difference,
    ])
  expect(await checksOf(other)).toEqual(await checksOf(person))
  expect(await checksOf(other)).toHaveLength(2)
})

test('on the device, a check turns red at once, names what was not sent, and equals that of the API', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T12:00:00Z') })
  const world = createWorld()
  const { person, checking, expense } = await createHousehold(world)
  const row = (await person.post('/api/transactions', { ...expense(), transaction_date: '2026-10-12' })).body
  const { ledger } = await openDevice(world, person)
  const { ledger: other } = await openDevice(world, person)
  await ledger.sync()
  await other.sync()
  await expect(
    ledger.addCheck({ account_id: checking.id, ...october, date: '2026-11-21' }),
  ).rejects.toMatchObject({
    errors: { date: ['The date field must not be after today.'] },
  })
  const key = await ledger.addCheck({ account_id: checking.id, ...october })
  const otherKey = await other.addCheck({ account_id: checking.id, ...october })
  expect(ledger.check(key)).toMatchObject({ state: 'ok', difference: 0, waits: 'waiting', pending: [] })
  expect(await ledger.addCheck({ account_id: checking.id, ...october })).toBe(key)
  await expect(ledger.addCheck({ account_id: checking.id, ...october, balance: 1 })).rejects.toMatchObject({
    errors: { date: ['The account already has another balance on this day.'] },
  })
  await ledger.sync()
  // The other device's is the same: it takes the first one's.
  await other.update('balance_check', otherKey, { balance: '87.5' })
  await other.sync()
  expect(other.checks().map(({ key }) => key)).toEqual([key])
  expect(other.waiting()).toEqual([])
  await other.remove('transaction', row.id)
  expect(other.check(key)).toMatchObject({
    state: 'broken',
    difference: 12.5,
    pending: [{ op: 'deleted', effect: 12.5, before: { amount: '12.50' }, after: null }],
  })
  await other.sync()
  await ledger.sync()
  for (const { id, ledger_balance, difference, state } of ledger.checks(checking.id))
    expect((await person.get(`/api/balance-checks/${id}`)).body).toMatchObject({
      ledger_balance,
      difference,
      state,
    })
  expect(ledger.check(key)).toMatchObject({ state: 'broken', pending: [] })
  await ledger.remove('balance_check', key)
  await ledger.undo()
  expect(ledger.checks()).toHaveLength(1)
  vi.useRealTimers()
})
