import { beforeAll, expect, test } from 'vitest'
import { create, createLedger, remove, update, upload, uploadOne, wallet } from '../fixtures/uploads.ts'
import {
  balanceOf,
  createWorld,
  expectInvalid,
  type Json,
  openAccount,
  type Person,
} from '../fixtures/world.ts'

const gone = { outcome: 'gone' }
const outcomes = (results: { outcome: string }[]) => results.map(({ outcome }) => outcome)

/** A user for whom nothing is ever done. */
let bystander: Person
beforeAll(async () => {
  bystander = await createWorld().register()
})

test('what was made offline is created, in whatever order it is sent, and refers to what was made with it', async () => {
  const world = createWorld()
  const person = await world.register()
  const spent = { type: 'expense', amount: '3.20', transaction_date: '2026-11-21' }
  const results = await upload(person, [
    create('transaction', 't1', { ...spent, account_id: '#a1', category_id: '#c1' }),
    create('transaction', 't2', { ...spent, account_id: '#a1', to_account_id: '#a2', type: 'transfer' }),
    create('account', 'a1', wallet),
    create('category', 'c1', { name: 'Coffee', type: 'expense' }),
    create('account', 'a2', { ...wallet, name: 'Savings', notes: 'Rainy days' }),
  ])
  expect(results).toEqual(results.map(({ id }, index) => ({ index, outcome: 'created', id, version: 1 })))
  const ids = results.map(({ id }) => id)
  const { body: first } = await person.get(`/api/transactions/${ids[0]}`)
  expect(first).toMatchObject({ account_id: ids[2], category_id: ids[3], amount: '3.20', is_synced: true })
  const { body: accounts } = await person.get('/api/accounts')
  expect(accounts).toMatchObject([
    { id: ids[2], name: 'Wallet', balance: 14.1, notes: null },
    { id: ids[4], name: 'Savings', balance: 23.7, notes: 'Rainy days' },
  ])
})

test('a reference without a client id names no row, not one that has none', async () => {
  const { person, fields } = await createLedger(createWorld())
  const result = await uploadOne(person, create('transaction', 't1', { ...fields, account_id: '#' }))
  expect(result).toMatchObject({
    outcome: 'invalid',
    errors: { account_id: ['The selected account id is invalid.'] },
  })
})

test('references reach rows that were created before, by an upload or by a request with a key', async () => {
  const { world, person, fields } = await createLedger(createWorld())
  await upload(person, [create('account', 'a1', wallet)])
  const { body: second } = await world.call('POST', '/api/accounts', {
    token: person.token,
    body: { ...wallet, name: 'Keyed' },
    headers: { 'Idempotency-Key': 'a2' },
  })
  const set = { ...fields, account_id: '#a1', to_account_id: '#a2', type: 'transfer', category_id: null }
  const { id } = await uploadOne(person, create('transaction', 't1', set))
  expect((await person.get(`/api/transactions/${id}`)).body.to_account_id).toBe(second.id)
  const moved = { type: 'expense', account_id: '#a2', to_account_id: null }
  expect(await uploadOne(person, update('transaction', 't1', moved))).toEqual({
    outcome: 'updated',
    id,
    version: 2,
  })
  expect((await person.get(`/api/transactions/${id}`)).body.account_id).toBe(second.id)
})

test.each([
  ['the longest key', 'k'.repeat(255)],
  ['a quoted key with blanks at its ends', '" a2 "'],
])('what a request with %s has made can be named by the client id that the feed shows', async (_, key) => {
  const { world, person, fields } = await createLedger(createWorld())
  const made = (path: string, body: object) =>
    world.call('POST', path, { token: person.token, body, headers: { 'Idempotency-Key': key } })
  const { body: account } = await made('/api/accounts', { ...wallet, name: 'Keyed' })
  const { body: category } = await made('/api/categories', { name: 'Keyed', type: 'expense' })
  const { body: feed } = await person.get('/api/changes')
  const shown = (noun: string, { id }: Json): string =>
    feed.changes.find((one: Json) => one.noun === noun && one.id === id).data.client_id
  const [accountName, categoryName] = [shown('account', account), shown('category', category)]

  const set = { ...fields, account_id: `#${accountName}`, category_id: `#${categoryName}` }
  const { id } = await uploadOne(person, create('transaction', 't1', set))
  const referring = { account_id: account.id, category_id: category.id }
  expect((await person.get(`/api/transactions/${id}`)).body).toMatchObject(referring)
  const named = [
    update('account', accountName, { name: 'Renamed' }),
    update('category', categoryName, { name: 'Renamed' }),
  ]
  const updated = { outcome: 'updated', version: 2 }
  expect(await upload(person, named)).toMatchObject([updated, updated])
  const removed = await upload(person, [remove('account', accountName), remove('category', categoryName)])
  expect(removed).toMatchObject([{ outcome: 'deleted' }, { outcome: 'deleted' }])
})

test('an upload that is sent again does nothing twice, whatever others did meanwhile', async () => {
  const { world, person, cash, fields, transaction, read } = await createLedger(createWorld())
  const old = await uploadOne(person, create('transaction', 'old', { ...fields, amount: 7 }))
  const ops = [
    create('account', 'a1', wallet),
    create('category', 'c1', { name: 'Coffee', type: 'expense' }),
    create('transaction', 't1', { ...fields, account_id: '#a1', category_id: '#c1' }),
    update('transaction', transaction.id, { amount: '13.00' }, { amount: '12.00' }),
    update('account', cash.id, { name: 'Purse' }, { name: 'Cash' }),
    remove('transaction', 'old', { amount: '7.00' }),
    { op: 'update', noun: 'profile', set: { name: 'Mary' } },
  ]
  const first = await upload(person, ops)
  const done = ['created', 'created', 'created', 'updated', 'updated', 'deleted', 'updated']
  expect(outcomes(first)).toEqual(done)
  expect(first[5]).toEqual({ index: 5, outcome: 'deleted', id: old.id, version: 1 })

  const again = await upload(person, ops)
  const repeated = ['duplicate', 'duplicate', 'duplicate', 'unchanged', 'unchanged', 'gone', 'unchanged']
  expect(outcomes(again)).toEqual(repeated)
  expect(again.map(({ id }) => id)).toEqual([...first.map(({ id }) => id).slice(0, 5), undefined, person.id])
  expect(again[2]?.data).toMatchObject({ id: first[2]?.id, client_id: 't1', version: 1, amount: '12.00' })
  expect((await read()).version).toBe(2)

  await person.delete(`/api/accounts/${first[0]?.id}`)
  await person.delete(`/api/categories/${first[1]?.id}`)
  await person.put(`/api/transactions/${transaction.id}`, { amount: 99 })
  const late = ['gone', 'gone', 'gone', 'conflict', 'unchanged', 'gone', 'unchanged']
  expect(outcomes(await upload(person, ops))).toEqual(late)
  await world.removeDeleted()
  expect(outcomes(await upload(person, ops))).toEqual(late)
  expect((await read()).amount).toBe('99.00')
})

test('a field that was not sent stays as it is, and every field can be changed', async () => {
  const { person, checking, cash, category, transaction, read } = await createLedger(createWorld())
  const words = { description: 'Tea', reference: 'R1' }
  expect(await uploadOne(person, update('transaction', transaction.id, words))).toEqual({
    outcome: 'updated',
    id: transaction.id,
    version: 2,
  })
  expect(await read()).toMatchObject({ ...words, amount: '12.00', category_id: category.id })
  const rest = { amount: 5, transaction_date: '2026-01-02', category_id: null }
  const moved = { type: 'transfer', account_id: cash.id, to_account_id: checking.id }
  await uploadOne(person, update('transaction', transaction.id, { ...rest, ...moved, description: null }))
  expect(await read()).toMatchObject({
    ...rest,
    ...moved,
    amount: '5.00',
    description: null,
    reference: 'R1',
  })
  expect([await balanceOf(person, checking), await balanceOf(person, cash)]).toEqual([105, 95])

  const account = { name: 'Purse', type: 'mobile', starting_balance: '-1.00', notes: 'Found' }
  await uploadOne(person, update('account', cash.id, account))
  expect((await person.get(`/api/accounts/${cash.id}`)).body).toMatchObject({
    ...account,
    balance: -6,
    version: 2,
  })
  await uploadOne(person, update('account', cash.id, { notes: '' }))
  expect((await person.get(`/api/accounts/${cash.id}`)).body).toMatchObject({ ...account, notes: null })
  await uploadOne(person, update('category', category.id, { name: 'FOOD', type: 'income' }))
  expect((await person.get(`/api/categories/${category.id}`)).body).toMatchObject({
    name: 'FOOD',
    type: 'income',
  })
  const profile = { name: 'Mary', timezone: 'Asia/Tokyo', reminder_time: null, email: person.email }
  const { outcome } = await uploadOne(person, { op: 'update', noun: 'profile', set: profile })
  expect(outcome).toBe('updated')
  expect((await person.get('/api/me')).body).toMatchObject(profile)
})

test('what is deleted takes with it all that a single deletion does', async () => {
  const { world, person, checking, cash, category, transaction, fields } = await createLedger(createWorld())
  const other = await uploadOne(
    person,
    create('transaction', 't1', { ...fields, account_id: cash.id, amount: 1 }),
  )
  const results = await upload(person, [
    remove('account', checking.id),
    remove('category', category.id, { name: category.name }),
  ])
  expect(outcomes(results)).toEqual(['deleted', 'deleted'])
  expect(world.queuedRemovals).toHaveLength(1)
  expect((await person.get(`/api/transactions/${transaction.id}`)).status).toBe(404)
  expect((await person.get(`/api/transactions/${other.id}`)).body.category_id).toBe(null)
  expect(
    await upload(person, [remove('account', checking.id), remove('transaction', transaction.id)]),
  ).toEqual([
    { index: 0, outcome: 'gone' },
    { index: 1, outcome: 'gone' },
  ])
})

test('an invalid operation affects no other, but what refers to it is invalid too', async () => {
  const { person, fields, category, transaction } = await createLedger(createWorld())
  const invalid = (errors: object) => ({ outcome: 'invalid', errors })
  const selected = (field: string) => ({
    [field]: [`The selected ${field.replaceAll('_', ' ')} is invalid.`],
  })
  const required = (field: string) => ({ [field]: [`The ${field.replaceAll('_', ' ')} field is required.`] })
  const results = await upload(person, [
    create('account', 'a1', { ...wallet, type: 'purse' }),
    create('transaction', 't1', { ...fields, account_id: '#a1' }),
    create('transaction', 't2', { ...fields, category_id: '#nothing' }),
    create('transaction', 't3', { ...fields, category_id: undefined }),
    create('transaction', 't4', { ...fields, amount: 0, transaction_date: 'today' }),
    create('transaction', 't5', { ...fields, to_account_id: 1 }),
    create('category', 'c1', { name: category.name.toUpperCase(), type: category.type }),
    create('category', 'c2', { name: 'New', type: 'expense' }),
    create('category', 'c3', { name: 'new', type: 'expense' }),
    create('category', 'c4', { name: 'new', type: 'income' }),
    update('transaction', transaction.id, { account_id: '#a1', type: 'expense', to_account_id: null }),
    create('transaction', 't6', { ...fields, category_id: '#c2' }),
  ])
  const created = { outcome: 'created' }
  expect(results).toMatchObject([
    invalid(selected('type')),
    invalid(selected('account_id')),
    { ...created, uncategorised: true },
    invalid(required('category_id')),
    invalid({
      amount: ['The amount field must be greater than 0.'],
      transaction_date: ['The transaction date field must match the format YYYY-MM-DD.'],
    }),
    {
      outcome: 'invalid',
      errors: { to_account_id: expect.arrayContaining([expect.stringContaining('must be empty')]) },
    },
    { outcome: 'duplicate', id: category.id },
    created,
    { outcome: 'duplicate' },
    created,
    invalid(selected('account_id')),
    created,
  ])
})

test('a creation may say that it has no category', async () => {
  const { person, fields, read } = await createLedger(createWorld())
  const op = create('transaction', 't1', { ...fields, category_id: null })
  const { outcome, id } = await uploadOne(person, op)
  expect([outcome, (await read(id)).category_id]).toEqual(['created', null])
  const { category_id, ...absent } = fields
  expect(await uploadOne(person, create('transaction', 't1', absent))).toMatchObject({ outcome: 'duplicate' })
  expect(await uploadOne(person, create('transaction', 't2', absent))).toMatchObject({ outcome: 'invalid' })
  const { status } = await person.post('/api/transactions', { ...fields, category_id: null, force: true })
  expect(status).toBe(422)
})

test.each([
  [7, { item: ['The item must be an object.'] }],
  [{}, { op: ['The op field is required.'], noun: ['The noun field is required.'] }],
  [
    { op: 'merge', noun: 'budget' },
    { op: ['The selected op is invalid.'], noun: ['The selected noun is invalid.'] },
  ],
  [{ op: 'create', noun: 'profile', client_id: 'p', set: {} }, { op: ['The selected op is invalid.'] }],
  [{ op: 'delete', noun: 'profile' }, { op: ['The selected op is invalid.'] }],
  [create('account', '', wallet), { client_id: ['The client id field is required.'] }],
  [
    create('account', 'x'.repeat(65), wallet),
    { client_id: ['The client id field must not be greater than 64 characters.'] },
  ],
  [
    update('account', 'x'.repeat(256), { name: 'x' }),
    { client_id: ['The client id field must not be greater than 255 characters.'] },
  ],
  [{ op: 'update', noun: 'account', set: {} }, { id: ['The id field is required.'] }],
  [{ op: 'update', noun: 'account', id: 'seven', set: {} }, { id: ['The id field must be an integer.'] }],
  [{ op: 'update', noun: 'account', id: 1 }, { set: ['The set field is required.'] }],
  [{ op: 'update', noun: 'account', id: 1, set: [] }, { set: ['The set field must be an object.'] }],
  [remove('account', 1, []), { was: ['The was field must be an object.'] }],
  [update('account', 1, { name: '' }), { name: ['The name field is required.'] }],
  [
    update('account', 1, { name: 'x' }, { starting_balance: 'ten' }),
    { 'was.starting_balance': ['The starting balance field must be a number.'] },
  ],
  [
    update('transaction', 1, { type: 'income' }, { account_id: 1, to_account_id: null }),
    {
      account_id: ['The account id field is required.'],
      to_account_id: ['The to account id field is required.'],
      'was.type': ['The type field is required.'],
    },
  ],
  [
    { op: 'update', noun: 'profile', set: { email: 'other@example.com' } },
    { email: ['The email field is changed by PUT /api/me/email.'] },
  ],
  [
    { op: 'update', noun: 'profile', set: { password: 'secret' } },
    { password: ['The password field is changed by PUT /api/me/password.'] },
  ],
])('%j is invalid by itself', async (op, errors) => {
  const result = await uploadOne(bystander, op)
  expect([result.outcome, result.errors]).toEqual(['invalid', errors])
})

test.each([
  [undefined, { ops: ['The ops field is required.'] }],
  [[], { ops: ['The ops field is required.'] }],
  [{}, { ops: ['The ops field must be an array.'] }],
  [Array(501).fill({}), { ops: ['The ops field must not have more than 500 items.'] }],
])('an upload of %j as a whole is refused', async (ops, errors) => {
  expectInvalid(await bystander.post('/api/changes', { ops }), errors)
})

test('a row may appear only once in an upload, or nothing is done', async () => {
  const { person, cash, transaction } = await createLedger(createWorld())
  const twice = ['The row already appears in an earlier operation.']
  const ops = [
    create('account', 'a1', wallet),
    update('account', cash.id, { name: 'Purse' }),
    update('transaction', cash.id, { amount: 1 }),
    update('account', 'a1', { name: 'Other' }),
    remove('account', cash.id),
  ]
  expectInvalid(await person.post('/api/changes', { ops }), { 'ops.3': twice, 'ops.4': twice })
  expect((await person.get('/api/accounts')).body.map(({ name }: { name: string }) => name)).toEqual([
    'Checking',
    'Cash',
  ])
  await upload(person, [create('account', 'a1', wallet)])
  const { body: accounts } = await person.get('/api/accounts')
  const mixed = [update('account', 'a1', { name: 'One' }), update('account', accounts[2].id, { name: 'Two' })]
  expectInvalid(await person.post('/api/changes', { ops: mixed }), { 'ops.1': twice })
  expect((await person.get(`/api/transactions/${transaction.id}`)).body.amount).toBe('12.00')
})

test('where a bound would be passed, nothing is done', async () => {
  const { person, fields, checking } = await createLedger(createWorld())
  const largest = { ...fields, type: 'income', amount: '9999999999999.99' }
  const ops = [
    create('category', 'c1', { name: 'Coffee', type: 'expense' }),
    ...Array.from({ length: 10 }, (_, nth) => create('transaction', `t${nth}`, largest)),
  ]
  expectInvalid(await person.post('/api/changes', { ops }), {
    batch: ['The batch field would push a balance or total past 90000000000000.00.'],
  })
  expect(await balanceOf(person, checking)).toBe(88)
  expect((await upload(person, ops.slice(0, 5))).every(({ outcome }) => outcome === 'created')).toBe(true)
})

test('two categories cannot swap names in one upload, but a name that an update frees can be taken in it', async () => {
  const person = await createWorld().register()
  const { body: categories } = await person.get('/api/categories')
  const [one, two] = categories.filter(({ type }: { type: string }) => type === 'expense')
  const swap = [
    update('category', one.id, { name: two.name }),
    update('category', two.id, { name: one.name }),
  ]
  const taken = { outcome: 'invalid', errors: { name: ['The name has already been taken.'] } }
  expect(await upload(person, swap)).toMatchObject([taken, taken])
  const freed = [
    create('category', 'c1', { name: one.name, type: 'expense' }),
    update('category', one.id, { name: 'Old' }),
  ]
  expect(await upload(person, freed)).toMatchObject([{ outcome: 'created' }, { outcome: 'updated' }])
  expect(await upload(person, [update('category', two.id, { name: two.name.toUpperCase() })])).toMatchObject([
    { outcome: 'updated' },
  ])
})

test('another user’s rows are gone, whatever the operation knows about them, and cannot be referred to', async () => {
  const { world, person, checking, category, transaction } = await createLedger(createWorld())
  const keyed = await uploadOne(person, create('account', 'a1', wallet))
  const stranger = await world.register()
  const own = await openAccount(stranger, { name: 'Own' })
  const results = await upload(stranger, [
    update('account', checking.id, { name: 'Mine' }, { name: 'Checking' }),
    update('account', 'a1', { name: 'Mine' }),
    update('category', category.id, { name: 'Mine' }),
    remove('transaction', transaction.id, { amount: '12.00' }),
    remove('account', keyed.id),
    remove('category', category.id + 1_000_000),
    update('profile', person.id, { name: 'Mine' }),
  ])
  expect(results).toEqual(results.map((_, index) => ({ index, ...gone })))
  const fields = { type: 'transfer', amount: 1, transaction_date: '2026-11-20', account_id: own.id }
  const referring = await upload(stranger, [
    create('transaction', 't1', { ...fields, to_account_id: checking.id }),
    create('transaction', 't2', { ...fields, to_account_id: '#a1' }),
    create('transaction', 't3', { ...fields, type: 'income', category_id: category.id }),
    create('account', 'a1', wallet),
  ])
  expect(outcomes(referring)).toEqual(['invalid', 'created', 'created', 'created'])
  expect(referring[2]?.uncategorised).toBe(true)
  expect((await person.get('/api/accounts')).body).toMatchObject([
    { name: 'Checking' },
    { name: 'Cash' },
    { name: 'Wallet' },
  ])
})

test('a quota that is reached in the middle of an upload admits what still fits', async () => {
  const person = await createWorld().register()
  const accounts = Array.from({ length: 500 }, (_, nth) => create('account', `a${nth}`, wallet))
  await upload(person, accounts.slice(0, 498))
  const results = await upload(person, [...accounts.slice(496), create('account', 'more', wallet)])
  expect(outcomes(results)).toEqual(['duplicate', 'duplicate', 'created', 'created', 'invalid'])
  expect(results[4]?.errors).toEqual({ name: ['You cannot have more than 500 accounts.'] })

  const notes = (length: number) => ({ notes: 'x'.repeat(length) })
  const long = await upload(
    person,
    [0, 1, 2, 3, 4].map((nth) => update('account', `a${nth}`, notes(60_000))),
  )
  expect(outcomes(long)).toEqual(['updated', 'updated', 'updated', 'updated', 'invalid'])
  expect((await uploadOne(person, update('account', 'a4', notes(10_000)))).outcome).toBe('updated')
  expect((await uploadOne(person, update('account', 'a4', notes(10_001)))).errors).toHaveProperty('notes')
  expect((await uploadOne(person, update('account', 'a4', notes(9_999)))).outcome).toBe('updated')
})

test('an upload may have a megabyte, and not a byte more', async () => {
  const { person, fields } = await createLedger(createWorld())
  const words = { description: '😀'.repeat(255), reference: '€'.repeat(200) }
  const ops = Array.from({ length: 500 }, (_, nth) =>
    create('transaction', `t${nth}`, { ...fields, ...words }),
  )
  const body = { ops, padding: '' }
  const bytes = new TextEncoder().encode(JSON.stringify(body)).byteLength
  body.padding = ' '.repeat(1024 * 1024 - bytes)
  const { status, body: response } = await person.post('/api/changes', body)
  expect(status).toBe(200)
  expect(new Set(outcomes(response.results))).toEqual(new Set(['created']))
  expect((await person.post('/api/changes', { ...body, padding: `${body.padding} ` })).status).toBe(413)
})

test('whatever is wrong with an upload, a bad token comes first', async () => {
  const world = createWorld()
  for (const body of [
    {},
    { ops: [] },
    { cursor: 7, ops: [{}] },
    { ops: [update('account', 1, { name: 'x' })] },
  ])
    expect((await world.call('POST', '/api/changes', { token: `1|${'x'.repeat(40)}`, body })).status).toBe(
      401,
    )
})
