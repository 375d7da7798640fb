import { expect, test } from 'vitest'
import { createLedger, remove, update, upload, uploadOne } from '../fixtures/uploads.ts'
import { createWorld, type Json } from '../fixtures/world.ts'

type Ledger = Awaited<ReturnType<typeof createLedger>>

/** What one device changes, what another changed before, and what the first believes the row to have been. */
const fieldCases: [field: string, of: (ledger: Ledger) => { was: Json; theirs: Json; mine: Json }][] = [
  ['amount', () => ({ was: '12.00', theirs: '11.00', mine: 13 })],
  ['transaction_date', () => ({ was: '2026-11-20', theirs: '2026-11-01', mine: '2026-11-21' })],
  ['description', () => ({ was: 'Coffee beans', theirs: 'Tea', mine: ' Milk ' })],
  ['reference', () => ({ was: '', theirs: 'R1', mine: 'R2' })],
  ['category_id', ({ category }) => ({ was: category.id, theirs: null, mine: category.id + 1 })],
]

test.each(fieldCases)('a conflict about %s is reported, and neither side is lost', async (field, of) => {
  const ledger = await createLedger(createWorld())
  const { person, transaction, read } = ledger
  const { was, theirs, mine } = of(ledger)
  const op = update('transaction', transaction.id, { [field]: mine }, { [field]: was })
  await person.put(`/api/transactions/${transaction.id}`, { [field]: theirs })
  const now = await read()

  const { data, ...result } = await uploadOne(person, op)
  expect(result).toEqual({ outcome: 'conflict', id: transaction.id, version: 2, fields: [field] })
  expect(data).toMatchObject({ id: transaction.id, version: 2, client_id: null, [field]: now[field] })
  expect(await read()).toEqual(now)

  const keepMine = update('transaction', transaction.id, { [field]: mine }, { [field]: data[field] })
  expect(await uploadOne(person, keepMine)).toEqual({ outcome: 'updated', id: transaction.id, version: 3 })
  const unchanged = { outcome: 'unchanged', id: transaction.id, version: 3 }
  expect(await uploadOne(person, keepMine)).toMatchObject(unchanged)
  expect(await uploadOne(person, op)).toMatchObject(unchanged)
})

test('the type and the accounts of a transaction conflict as one', async () => {
  const { person, checking, cash, transaction, read } = await createLedger(createWorld())
  const was = { type: 'expense', account_id: checking.id, to_account_id: null }
  const transfer = { type: 'transfer', account_id: checking.id, to_account_id: cash.id }
  await person.put(`/api/transactions/${transaction.id}`, { account_id: cash.id })
  expect(await uploadOne(person, update('transaction', transaction.id, transfer, was))).toMatchObject({
    outcome: 'conflict',
    fields: ['type', 'account_id', 'to_account_id'],
    data: { ...was, account_id: cash.id },
  })
  expect(await read()).toMatchObject({ ...was, account_id: cash.id })
})

test('changes to different fields are merged, whatever else the client believes about the row', async () => {
  const { person, transaction, read, fields } = await createLedger(createWorld())
  await person.put(`/api/transactions/${transaction.id}`, {
    description: 'Tea',
    transaction_date: '2026-11-01',
  })
  const was = { ...fields, to_account_id: null }
  expect(await uploadOne(person, update('transaction', transaction.id, { amount: 13 }, was))).toEqual({
    outcome: 'updated',
    id: transaction.id,
    version: 3,
  })
  expect(await read()).toMatchObject({ amount: '13.00', description: 'Tea', transaction_date: '2026-11-01' })
})

test('an operation is done whole or not at all: one field that conflicts holds back the others', async () => {
  const { person, transaction, read } = await createLedger(createWorld())
  await person.put(`/api/transactions/${transaction.id}`, { amount: 11 })
  const set = { amount: 13, description: 'Tea' }
  const was = { amount: 12, description: 'Coffee beans' }
  const result = await uploadOne(person, update('transaction', transaction.id, set, was))
  expect(result).toMatchObject({ outcome: 'conflict', fields: ['amount'] })
  expect(await read()).toMatchObject({ amount: '11.00', description: 'Coffee beans', version: 2 })
})

test('without what a field was, the last write wins', async () => {
  const { person, transaction, read } = await createLedger(createWorld())
  await person.put(`/api/transactions/${transaction.id}`, { amount: 11 })
  await uploadOne(person, update('transaction', transaction.id, { amount: 13 }, {}))
  expect((await read()).amount).toBe('13.00')
})

test('an update that is sent again is done again if the old value has been put back', async () => {
  const { person, transaction, read } = await createLedger(createWorld())
  const op = update('transaction', transaction.id, { amount: '13.00' }, { amount: '12.00' })
  expect((await uploadOne(person, op)).outcome).toBe('updated')
  expect((await uploadOne(person, op)).outcome).toBe('unchanged')
  await person.put(`/api/transactions/${transaction.id}`, { amount: '12.00' })
  expect(await uploadOne(person, op)).toEqual({ outcome: 'updated', id: transaction.id, version: 4 })
  expect((await read()).amount).toBe('13.00')
})

test('two devices that made the same change agree, and the second is told the rest of the row', async () => {
  const { person, cash, category, transaction } = await createLedger(createWorld())
  const changes = [
    ['transaction', transaction.id, { amount: '13.00' }, { description: 'Tea' }, { amount: '12.00' }],
    ['account', cash.id, { name: 'Purse' }, { notes: 'Brown leather' }, { name: 'Cash' }],
    ['category', category.id, { name: 'Sweets' }, { type: 'income' }, { name: category.name }],
    ['profile', undefined, { name: 'Mary' }, { timezone: 'Europe/Berlin' }, {}],
  ] as const
  for (const [noun, id, same, rest, was] of changes) {
    const first = { op: 'update', noun, ...(id && { id }), set: { ...same, ...rest } }
    expect((await uploadOne(person, first)).outcome).toBe('updated')
    const second = { op: 'update', noun, ...(id && { id }), set: same, was }
    const { data, ...result } = await uploadOne(person, second)
    expect(result).toEqual({ outcome: 'unchanged', id: id ?? person.id, ...(id && { version: 2 }) })
    expect(data).toMatchObject({ id: id ?? person.id, ...same, ...rest })
  }
})

test('a deletion does not remove an edit that was not seen', async () => {
  const { person, transaction, fields, read } = await createLedger(createWorld())
  const was = { ...fields, to_account_id: null, reference: null }
  await person.put(`/api/transactions/${transaction.id}`, { amount: 11, reference: 'R1' })
  expect(await uploadOne(person, remove('transaction', transaction.id, was))).toMatchObject({
    outcome: 'conflict',
    fields: ['amount', 'reference'],
    data: { amount: '11.00', reference: 'R1' },
  })
  const seen = { ...was, amount: 11, reference: 'R1' }
  expect((await uploadOne(person, remove('transaction', transaction.id, seen))).outcome).toBe('deleted')
  expect(await read()).toEqual({ message: 'Transaction not found.' })
})

test('deleting a category conflicts with replacing it in a transaction', async () => {
  const { person, transaction, category } = await createLedger(createWorld())
  await person.delete(`/api/categories/${category.id}`)
  const op = update(
    'transaction',
    transaction.id,
    { category_id: category.id + 1 },
    { category_id: category.id },
  )
  expect(await uploadOne(person, op)).toMatchObject({
    outcome: 'conflict',
    fields: ['category_id'],
    data: { category_id: null },
  })
})

test('accounts, categories and the profile conflict by field as well', async () => {
  const { person, cash, category } = await createLedger(createWorld())
  await person.put(`/api/accounts/${cash.id}`, { name: 'Purse', notes: 'Old' })
  await person.put(`/api/categories/${category.id}`, { name: 'Food' })
  await person.put('/api/me', { timezone: 'Asia/Tokyo' })
  const results = await upload(person, [
    update('account', cash.id, { name: 'Till', notes: null }, { name: 'Cash', notes: null }),
    update(
      'category',
      category.id,
      { name: 'Meals', type: 'income' },
      { name: category.name, type: 'expense' },
    ),
    { op: 'update', noun: 'profile', set: { timezone: 'Europe/Rome' }, was: { timezone: 'UTC' } },
  ])
  expect(results).toMatchObject([
    {
      outcome: 'conflict',
      fields: ['name', 'notes'],
      data: { name: 'Purse', notes: 'Old', client_id: null },
    },
    { outcome: 'conflict', fields: ['name'], data: { name: 'Food', type: 'expense' } },
    { outcome: 'conflict', id: person.id, fields: ['timezone'], data: { timezone: 'Asia/Tokyo' } },
  ])
  expect(results[0]?.data).not.toHaveProperty('balance')
  expect((await uploadOne(person, remove('account', cash.id, { name: 'Cash' }))).fields).toEqual(['name'])
  expect((await uploadOne(person, remove('category', category.id, { name: 'food' }))).fields).toEqual([
    'name',
  ])
})

test('all conflicts that were planted in a large upload are found, and nothing else', async () => {
  const { person, fields } = await createLedger(createWorld())
  const count = 300
  const creations = Array.from({ length: count }, (_, nth) => ({
    op: 'create',
    noun: 'transaction',
    client_id: `t${nth}`,
    set: { ...fields, amount: nth + 1 },
  }))
  const ids = (await upload(person, creations)).map(({ id }) => id)
  const planted = ids.filter((_, nth) => nth % 7 === 3)
  await upload(
    person,
    planted.map((id) => update('transaction', id, { amount: 5_000 })),
  )
  const results = await upload(
    person,
    ids.map((id, nth) => update('transaction', id, { amount: 1_000 + nth }, { amount: nth + 1 })),
  )
  const conflicting = results.filter(({ outcome }) => outcome === 'conflict').map(({ id }) => id)
  expect(conflicting).toEqual(planted)
  expect(results.filter(({ outcome }) => outcome === 'updated')).toHaveLength(count - planted.length)
})
