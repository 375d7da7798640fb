import { expect, test, vi } from 'vitest'
import { createClient, memoryTokens, restore } from '../../../client/index.ts'
import { findDifferences } from '../../../src/database/check.ts'
import { fetchOf } from '../client/client-world.ts'
import { create, remove, update, upload, uploadOne } from '../fixtures/uploads.ts'
import { createWorld, type Json } from '../fixtures/world.ts'
import { createHousehold, openWorldDatabase } from '../laws/every-route.ts'

vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T12:00:00Z') })

async function createHome() {
  const home = await createHousehold(createWorld())
  const { person, checking, category } = home
  const rent = {
    account_id: checking.id,
    category_id: category.id,
    type: 'expense',
    amount: '950.00',
    description: 'Rent',
    starts_on: '2026-10-31',
    rrule: 'FREQ=MONTHLY',
  }
  const { id } = (await person.post('/api/recurring', rent)).body
  const paid = (recurring_id: number | string, occurrence_date: string) => ({
    ...{ account_id: checking.id, category_id: category.id, type: 'expense', amount: '950.00' },
    ...{ transaction_date: occurrence_date, recurring_id, occurrence_date },
  })
  const rule = async (of = id) => (await person.get(`/api/recurring/${of}`)).body
  return { ...home, rent, id, paid, rule, send: (op: Json) => uploadOne(person, op) }
}

test('an upload creates a rule on a new account, and records its occurrence', async () => {
  const { person, rent, paid, world } = await createHome()
  const { category_id, ...rest } = rent
  const results = await upload(person, [
    create('transaction', 't1', { ...paid('#r1', '2026-11-30'), account_id: '#a1', category_id: '#c1' }),
    create('recurring', 'r1', {
      ...rest,
      ...{ account_id: '#a1', category_id: '#c1', weekend: 'after', auto_record: true },
      exceptions: {
        '2026-12-31': { amount: '980', description: ' Rent + heating ' },
        '2027-01-31': { skip: true },
      },
    }),
    create('category', 'c1', { name: 'Rent', type: 'expense' }),
    create('account', 'a1', { name: 'New', type: 'bank', starting_balance: 100 }),
  ])
  expect(results.map(({ outcome, version }) => [outcome, version])).toEqual([
    ['created', 1],
    ['created', 1],
    ['created', 1],
    ['created', 1],
  ])
  const id = results.find(({ index }) => index === 1)?.id
  const { body } = await person.get(`/api/recurring/${id}`)
  expect(body).toMatchObject({
    ...{ client_id: 'r1', weekend: 'after', auto_record: true, paused: false, amount_tolerance: 0 },
    ...{ open_from: '2026-11-20', next: '2026-12-31', version: 1, amount: '950.00', rrule: 'FREQ=MONTHLY' },
    exceptions: {
      '2026-12-31': { amount: '980.00', description: 'Rent + heating' },
      '2027-01-31': { skip: true },
    },
  })
  const { data } = (await person.get('/api/transactions')).body
  expect(data).toMatchObject([{ recurring_id: id, occurrence_date: '2026-11-30', is_synced: true }])
  expect(await uploadOne(person, create('recurring', 'r1', rent))).toMatchObject({
    outcome: 'duplicate',
    id,
    data: { id, client_id: 'r1', amount: '950.00' },
  })
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
})

test('a new rule that breaks a rule of the contract is invalid', async () => {
  const { rent, send } = await createHome()
  const errorsOf = async (fields: Json) =>
    (await send(create('recurring', 'r1', { ...rent, ...fields }))).errors
  expect(await errorsOf({ account_id: 77 })).toEqual({ account_id: ['The selected account id is invalid.'] })
  expect(await errorsOf({ account_id: '#none' })).toEqual({
    account_id: ['The selected account id is invalid.'],
  })
  expect(await errorsOf({ rrule: 'FREQ=DAILY;BYHOUR=1' })).toEqual({
    rrule: ['The rrule field must not have BYHOUR.'],
  })
  expect(await errorsOf({ rrule: 'FREQ=DAILY;UNTIL=20260101' })).toEqual({
    rrule: ['The rrule field must have an occurrence on or after starts on.'],
  })
  expect(await errorsOf({ auto_record: true, amount_tolerance: 5 })).toEqual({
    amount_tolerance: ['The amount tolerance field must be 0 if auto record is true.'],
  })
  expect(await errorsOf({ exceptions: { '2026-13-01': { skip: true } } })).toEqual({
    'exceptions.2026-13-01': ['The selected exceptions.2026-13-01 is invalid.'],
  })
  expect(await errorsOf({ exceptions: { '2026-12-31': { amount: -1 } } })).toEqual({
    'exceptions.2026-12-31.amount': ['The exceptions.2026-12-31.amount field must be greater than 0.'],
  })
  expect(await errorsOf({ exceptions: { '2026-12-31': { transaction_date: '2027-06-01' } } })).toEqual({
    'exceptions.2026-12-31.transaction_date': [
      'The exceptions.2026-12-31.transaction date field must be within 62 days of the occurrence.',
    ],
  })
})

test('fields of a rule conflict as those of a transaction do, and exceptions by date', async () => {
  const { id, send, rule } = await createHome()
  const was = { amount: '950.00', exceptions: { '2026-11-30': null, '2026-12-31': null } }
  expect(
    await send(update('recurring', id, { amount: 960, exceptions: { '2026-11-30': { skip: true } } }, was)),
  ).toEqual({ outcome: 'updated', id, version: 2 })
  expect(
    await send(update('recurring', id, { amount: 970, exceptions: { '2026-12-31': { amount: 5 } } }, was)),
  ).toMatchObject({
    outcome: 'conflict',
    fields: ['amount'],
    data: { id, amount: '960.00', version: 2 },
  })
  // Other dates do not meet.
  expect(await send(update('recurring', id, { exceptions: { '2026-12-31': { amount: 5 } } }, was))).toEqual({
    outcome: 'updated',
    id,
    version: 3,
  })
  const later = { exceptions: { '2026-12-31': { amount: 6 } } }
  expect(await send(update('recurring', id, later, was))).toMatchObject({
    outcome: 'conflict',
    fields: ['exceptions.2026-12-31'],
    data: { exceptions: { '2026-11-30': { skip: true }, '2026-12-31': { amount: '5.00' } } },
  })
  // Sent again, and last write wins without `was`.
  expect(
    await send(update('recurring', id, { exceptions: { '2026-11-30': { skip: true } } }, was)),
  ).toMatchObject({
    outcome: 'unchanged',
    version: 3,
  })
  expect(
    await send(
      update('recurring', id, { exceptions: { '2026-11-30': null, '2026-12-31': { description: 'x' } } }),
    ),
  ).toMatchObject({
    outcome: 'updated',
  })
  expect((await rule()).exceptions).toEqual({ '2026-12-31': { description: 'x' } })
  expect(await send(update('recurring', id, { exceptions: { '2026-11-29': { skip: true } } }))).toMatchObject(
    {
      outcome: 'invalid',
      errors: { 'exceptions.2026-11-29': ['The selected exceptions.2026-11-29 is invalid.'] },
    },
  )
  expect(
    await send(update('recurring', id, { account_id: 77, type: 'expense', to_account_id: null })),
  ).toMatchObject({
    outcome: 'invalid',
    errors: { account_id: ['The selected account id is invalid.'] },
  })
  expect(await send(update('recurring', id, { account_id: 1 }))).toMatchObject({
    outcome: 'invalid',
    errors: { type: ['The type field is required.'] },
  })
  expect(await send(remove('recurring', id, { amount: '950.00' }))).toMatchObject({
    outcome: 'conflict',
    fields: ['amount'],
  })
  expect(await send(remove('recurring', id, { amount: '960.00' }))).toMatchObject({ outcome: 'deleted', id })
  expect(await send(remove('recurring', id))).toEqual({ outcome: 'gone' })
  expect(await send(update('recurring', id, { amount: 1 }))).toEqual({ outcome: 'gone' })
})

test('an occurrence is recorded once, whoever does so, and not at all if it is skipped or none', async () => {
  const { person, id, paid, send, world } = await createHome()
  const { body } = await person.post(`/api/recurring/${id}/occurrences/2026-11-30/record`)
  const again = await send(create('transaction', 't1', paid(id, '2026-11-30')))
  expect(again).toMatchObject({ outcome: 'duplicate', id: body.id, data: { id: body.id, client_id: null } })
  await person.put(`/api/recurring/${id}/occurrences/2026-12-31`, { skip: true })
  expect(await send(create('transaction', 't2', paid(id, '2026-12-31')))).toEqual({ outcome: 'gone' })
  const none = {
    outcome: 'invalid',
    errors: { occurrence_date: ['The selected occurrence date is invalid.'] },
  }
  expect(await send(create('transaction', 't3', paid(id, '2027-01-30')))).toEqual(none)
  expect(await send(create('transaction', 't4', paid(77, '2027-01-31')))).toEqual({
    outcome: 'invalid',
    errors: { recurring_id: ['The selected recurring id is invalid.'] },
  })
  const { occurrence_date: _, ...half } = paid(id, '2027-01-31')
  expect(await send(create('transaction', 't5', half))).toEqual({
    outcome: 'invalid',
    errors: { occurrence_date: ['The occurrence date field is required.'] },
  })
  const both = await upload(person, [
    create('transaction', 't6', paid(id, '2027-01-31')),
    create('transaction', 't7', paid(id, '2027-01-31')),
  ])
  expect(both.map(({ outcome }) => outcome)).toEqual(['created', 'duplicate'])
  expect(both[1]?.id).toBe(both[0]?.id)
  // A retry is known by its client id, even if the rule has other dates by now.
  await person.put(`/api/recurring/${id}`, { rrule: 'FREQ=MONTHLY;BYMONTHDAY=1' })
  expect(await send(create('transaction', 't6', paid(id, '2027-01-31')))).toMatchObject({
    outcome: 'duplicate',
    data: { client_id: 't6', occurrence_date: '2027-01-31' },
  })
  await person.delete(`/api/transactions/${both[0]?.id}`)
  expect(await send(create('transaction', 't6', paid(id, '2027-01-31')))).toEqual({ outcome: 'gone' })
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
})

test('an upload divides a rule once, and what names the old rule with a later date means the successor', async () => {
  const { person, id, paid, send, rule } = await createHome()
  await person.post(`/api/recurring/${id}/occurrences/2026-12-31/record`)
  await person.put(`/api/recurring/${id}/occurrences/2027-01-31`, { amount: 1 })
  const from = { from: '2026-12-31', successor_client_id: 's1' }
  const divided = update('recurring', id, { ...from, amount: '990.00' }, { amount: '950.00' })
  const [first, recorded] = await upload(person, [
    divided,
    create('transaction', 't1', paid('#s1', '2027-02-28')),
  ])
  expect(first).toMatchObject({ outcome: 'updated', id })
  expect(recorded).toMatchObject({ outcome: 'created' })
  const old = await rule()
  expect(old).toMatchObject({ amount: '950.00', rrule: 'FREQ=MONTHLY;UNTIL=20261230', exceptions: {} })
  const successor = await rule(old.successor_id)
  expect(successor).toMatchObject({
    ...{ amount: '990.00', client_id: 's1', rrule: 'FREQ=MONTHLY;BYMONTHDAY=31', starts_on: '2026-12-31' },
    exceptions: { '2027-01-31': { amount: '1.00' } },
  })
  const { data } = (await person.get('/api/transactions')).body
  expect(data.map((row: Json) => [row.recurring_id, row.occurrence_date])).toEqual([
    [successor.id, '2027-02-28'],
    [successor.id, '2026-12-31'],
  ])
  // The response was lost, or another device has done the same.
  expect(await send(divided)).toMatchObject({
    outcome: 'duplicate',
    id: successor.id,
    data: { client_id: 's1' },
  })
  expect(
    await send(update('recurring', id, { ...from, successor_client_id: 's2', amount: 1 })),
  ).toMatchObject({ outcome: 'duplicate', id: successor.id, data: { client_id: 's1', amount: '990.00' } })
  expect(await send(create('transaction', 't2', paid(id, '2027-03-31')))).toMatchObject({
    outcome: 'created',
  })
  expect((await person.get('/api/transactions')).body.data[0]).toMatchObject({
    recurring_id: successor.id,
    occurrence_date: '2027-03-31',
  })
  const exceptions = {
    '2026-11-30': { skip: true },
    '2027-01-31': { amount: 2 },
    '2027-04-30': { skip: true },
  }
  expect(
    await send(update('recurring', id, { exceptions }, { exceptions: { '2027-01-31': { amount: 1 } } })),
  ).toMatchObject({ outcome: 'updated', id })
  expect((await rule()).exceptions).toEqual({ '2026-11-30': { skip: true } })
  expect((await rule(successor.id)).exceptions).toEqual({
    '2027-01-31': { amount: '2.00' },
    '2027-04-30': { skip: true },
  })
  expect(
    await send(
      update(
        'recurring',
        id,
        { exceptions: { '2027-01-31': null } },
        { exceptions: { '2027-01-31': { amount: 1 } } },
      ),
    ),
  ).toMatchObject({
    outcome: 'conflict',
    id: successor.id,
    fields: ['exceptions.2027-01-31'],
    data: { id: successor.id },
  })
  expect(
    await send(update('recurring', id, { from: '2026-11-29', successor_client_id: 's3' })),
  ).toMatchObject({
    outcome: 'invalid',
    errors: { from: ['The selected from is invalid.'] },
  })
  expect(await send(update('recurring', id, { from: '2026-11-30' }))).toMatchObject({
    outcome: 'invalid',
    errors: { successor_client_id: ['The successor client id field is required.'] },
  })
  await send(remove('recurring', 's1'))
  expect(await send(update('recurring', id, { ...from, from: '2026-11-30' }))).toEqual({ outcome: 'gone' })
})

test('a division drops what differs in its first occurrence, unless it says so itself', async () => {
  const { person, id, send, rule } = await createHome()
  const both = { amount: '980.00', description: 'Rent + heating' }
  await person.put(`/api/recurring/${id}/occurrences/2026-12-31`, both)
  await person.put(`/api/recurring/${id}/occurrences/2027-01-31`, both)
  const divide = async (from: string, set: Json) => {
    await send(update('recurring', id, { from, successor_client_id: `from ${from}`, ...set }))
    return (await rule((await rule()).successor_id)).exceptions
  }
  const told = { '2027-01-31': { amount: '985.00' } }
  expect(await divide('2027-01-31', { amount: 990, exceptions: told })).toEqual(told)
  expect(await divide('2026-12-31', { amount: 990 })).toEqual({
    '2026-12-31': { description: 'Rent + heating' },
  })
})

test('a division of another device at a date that its successor does not have is a duplicate', async () => {
  const { person, id, send } = await createHome()
  const set = { from: '2026-12-31', rrule: 'FREQ=MONTHLY;BYMONTHDAY=15' }
  const { body } = await person.put(`/api/recurring/${id}`, set)
  expect(await send(update('recurring', id, { ...set, successor_client_id: 's1' }))).toMatchObject({
    outcome: 'duplicate',
    id: body.successor.id,
  })
})

test('an occurrence of a rule of another user is invalid, recorded or not', async () => {
  const { person, id, world } = await createHome()
  await person.post(`/api/recurring/${id}/occurrences/2026-11-30/record`)
  const other = await createHousehold(world)
  for (const occurrence_date of ['2026-11-30', '2026-12-31']) {
    const set = {
      ...{ account_id: other.checking.id, category_id: other.category.id, type: 'expense', amount: '950.00' },
      ...{ transaction_date: occurrence_date, recurring_id: id, occurrence_date },
    }
    for (const fields of [set, { ...set, restore: true }])
      expect(await uploadOne(other.person, create('transaction', crypto.randomUUID(), fields))).toEqual({
        outcome: 'invalid',
        errors: { recurring_id: ['The selected recurring id is invalid.'] },
      })
  }
})

test('two rules of an upload with one client id are one rule and an error', async () => {
  const { person, id, rent } = await createHome()
  const division = (of: number) =>
    update('recurring', of, { from: '2026-12-31', successor_client_id: 'twin', amount: 960 }, {})
  const second = (await person.post('/api/recurring', rent)).body.id
  const outcomes = async (ops: Json[]) => (await upload(person, ops)).map(({ outcome }) => outcome)
  expect(await outcomes([create('recurring', 'twin', rent), division(id)])).toEqual(['created', 'invalid'])
  const twice = [division(id), division(second)].map((one) => ({
    ...one,
    set: { ...one.set, successor_client_id: 'twins' },
  }))
  expect(await outcomes(twice)).toEqual(['updated', 'invalid'])
})

test('a refused change leaves the version as it is', async () => {
  const { id, send } = await createHome()
  const nowhere = { type: 'expense', account_id: 999, to_account_id: null }
  expect(await send(update('recurring', id, nowhere, {}))).toMatchObject({
    outcome: 'invalid',
    version: 1,
  })
})

test('two uploads at once that change other occurrences of a rule are both done', async () => {
  const { id, send, rule } = await createHome()
  const skip = (date: string) => send(update('recurring', id, { exceptions: { [date]: { skip: true } } }))
  const dates = ['2026-11-30', '2026-12-31', '2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30']
  for (const [nth, date] of dates.entries())
    if (nth % 2 === 0) await Promise.all([skip(date), skip(dates[nth + 1] as string)])
  expect(Object.keys((await rule()).exceptions)).toEqual(dates)
})

test('an export is restored with its rules, what continues them, their exceptions and occurrences', async () => {
  const { world, person, id, rule } = await createHome()
  const occurrence = `/api/recurring/${id}/occurrences`
  await person.post(`${occurrence}/2026-10-31/record`)
  await person.put(`${occurrence}/2026-12-31`, { amount: 980 })
  await person.put(`/api/recurring/${id}`, { from: '2027-01-31', amount: 990, auto_record: true })
  await person.post(`${occurrence}/2027-01-31/record`)
  await person.put(`${occurrence}/2027-02-28`, { skip: true })
  // The first recorded one is no date of the rule any more.
  await person.put(`/api/recurring/${id}`, { starts_on: '2026-11-15', rrule: 'FREQ=MONTHLY;UNTIL=20270115' })
  expect(await rule()).toMatchObject({ next: '2026-12-15' })
  await person.delete(
    `/api/transactions/${(await person.get('/api/transactions?to=2026-10-31')).body.data[0].id}`,
  )
  await person.post(`${occurrence}/2026-11-15/record`)
  const file = (await person.get('/api/export')).body

  vi.setSystemTime('2027-01-31T12:00:00Z')
  const other = await world.register()
  const restoreIt = () =>
    restore(
      createClient({
        baseUrl: 'http://purse.test',
        tokens: memoryTokens(other.token),
        fetch: fetchOf(world).fetch,
      }),
      file,
    )
  expect(await restoreIt()).toMatchObject({ matched: true, differences: [] })
  const { body: again } = await other.get('/api/export')
  const named = ({ recurring, transactions }: Json) => {
    const nth = (of: number | null) => recurring.findIndex(({ id }: Json) => id === of)
    return {
      rules: recurring.map((row: Json) => [
        row.rrule,
        row.starts_on,
        row.amount,
        row.auto_record,
        row.exceptions,
        nth(row.successor_id),
      ]),
      occurrences: transactions.map((row: Json) => [nth(row.recurring_id), row.occurrence_date, row.amount]),
    }
  }
  expect(named(again)).toEqual(named(file))
  expect(again.recurring.map((row: Json) => row.open_from)).toEqual(['2027-01-31', '2027-01-31'])
  // Nothing is recorded that the file has, and nothing changes once more.
  await world.runCron('*/5 * * * *')
  expect((await other.get('/api/export')).body.counts).toEqual(again.counts)
  expect(await restoreIt()).toMatchObject({ matched: true, differences: [] })
})
