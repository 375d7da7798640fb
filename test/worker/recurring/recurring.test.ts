import { beforeEach, describe, expect, test } from 'vitest'
import { noon, setClock } from '../fixtures/clock.ts'
import {
  expectInvalid,
  expectInvalidFields,
  type Json,
  openAccount,
  recordTransaction,
} from '../fixtures/world.ts'
import { createHome, type Home } from './home.ts'

let world: Home['world']
let person: Home['person']
let account: Home['account']
let rent: Home['rent']
let create: Home['create']

beforeEach(async () => {
  ;({ world, person, account, rent, create } = await createHome())
})

describe('a recurring transaction', () => {
  test('is created with what it leaves out, and says what is past and what is next', async () => {
    const rule = await create()
    expect(rule).toEqual({
      ...rent,
      id: expect.any(Number),
      to_account_id: null,
      amount_tolerance: 0,
      reference: null,
      weekend: 'keep',
      auto_record: false,
      remind_days: null,
      paused: false,
      open_from: '2026-11-20',
      exceptions: {},
      next: '2026-11-30',
      successor_id: null,
      client_id: null,
      version: 1,
      past: { count: 10, first: '2026-01-31', last: '2026-10-31' },
    })
    const { past: _, ...shown } = rule
    expect((await person.get(`/api/recurring/${rule.id}`)).body).toEqual(shown)
    expect((await person.get('/api/recurring')).body).toEqual([shown])
  })

  test('opens on the day of its user, wherever that is', async () => {
    setClock(Date.parse('2026-11-20T23:30:00Z'))
    await person.put('/api/me', { timezone: 'Asia/Tokyo' })
    expect((await create()).open_from).toBe('2026-11-21')
    await person.put('/api/me', { timezone: 'America/Los_Angeles' })
    expect((await create()).open_from).toBe('2026-11-20')
    expect((await person.get('/api/recurring')).body.map((one: Json) => one.open_from)).toEqual([
      '2026-11-21',
      '2026-11-20',
    ])
  })

  test('is created once with an Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'rent-1' }
    const send = (body: Json) => world.call('POST', '/api/recurring', { token: person.token, headers, body })
    const first = await send(rent)
    const second = await send({ ...rent, amount: 1 })
    expect([first.status, second.status]).toEqual([201, 200])
    expect(second.body).toEqual(first.body)
    expect(first.body.client_id).toBe('rent-1')
    await person.delete(`/api/recurring/${first.body.id}`)
    expectInvalid(await send(rent), {
      'Idempotency-Key': ['The Idempotency-Key belongs to a recurring transaction that was deleted.'],
    })
  })

  test.each([
    [{ rrule: 'FREQ=MONTHLY;BYHOUR=3' }, { rrule: ['The rrule field must not have BYHOUR.'] }],
    [{ rrule: null }, { rrule: ['The rrule field is required.'] }],
    [
      { rrule: 'FREQ=MONTHLY;UNTIL=20260101' },
      { rrule: ['The rrule field must have an occurrence on or after starts on.'] },
    ],
    [
      { auto_record: true, amount_tolerance: 5 },
      { amount_tolerance: ['The amount tolerance field must be 0 if auto record is true.'] },
    ],
    [
      { amount_tolerance: 51 },
      { amount_tolerance: ['The amount tolerance field must be an integer from 0 to 50.'] },
    ],
    [{ remind_days: 15 }, { remind_days: ['The remind days field must be an integer from 0 to 14.'] }],
    [{ weekend: 'never' }, { weekend: ['The selected weekend is invalid.'] }],
    [{ category_id: null }, { category_id: ['The category id field is required.'] }],
    [{ account_id: 999_999 }, { account_id: ['The selected account id is invalid.'] }],
    [{ type: 'transfer' }, { to_account_id: ['The to account id field is required.'] }],
  ])('with %j is refused', async (details, errors) => {
    expectInvalid(await person.post('/api/recurring', { ...rent, ...details }), errors)
  })

  test('changes as a whole, and refuses a version that it no longer has', async () => {
    const { id } = await create()
    const headers = { 'If-Match': '"1"' }
    const call = (body: Json) =>
      world.call('PUT', `/api/recurring/${id}`, { token: person.token, headers, body })
    const changed = await call({ amount: 960, rrule: 'freq=monthly;bymonthday=3' })
    expect(changed.body).toMatchObject({
      amount: '960.00',
      rrule: 'FREQ=MONTHLY;BYMONTHDAY=3',
      next: '2026-12-03',
      version: 2,
    })
    const refused = await call({ amount: 970 })
    expect(refused.status).toBe(412)
    expect(refused.body.current).toEqual(changed.body)
    expectInvalidFields(await person.put(`/api/recurring/${id}`, { rrule: 'x', amount: 0 }), [
      'amount',
      'rrule',
    ])
    expectInvalidFields(await person.put(`/api/recurring/${id}`, { account_id: 999_999 }), ['account_id'])
  })

  test('opens anew when it is resumed or begins to record by itself, and not otherwise', async () => {
    const { id } = await create()
    setClock(noon + 30 * 86_400_000)
    const put = async (body: Json) => (await person.put(`/api/recurring/${id}`, body)).body
    expect(await put({ amount: 3 })).toMatchObject({ open_from: '2026-11-20', next: '2026-11-30' })
    expect(await put({ paused: true })).toMatchObject({ open_from: '2026-11-20', next: null })
    expect(await put({ paused: false })).toMatchObject({ open_from: '2026-12-20', next: '2026-12-31' })
    setClock(noon + 60 * 86_400_000)
    expect(await put({ auto_record: true })).toMatchObject({ open_from: '2027-01-19' })
  })

  test('is deleted alone, and its transactions lose their links', async () => {
    const { id } = await create()
    const { body } = await person.post(`/api/recurring/${id}/occurrences/2026-11-30/record`)
    expect(body).toMatchObject({ recurring_id: id, occurrence_date: '2026-11-30' })
    expect((await person.delete(`/api/recurring/${id}`)).status).toBe(204)
    expect((await person.get(`/api/transactions/${body.id}`)).body).toMatchObject({
      amount: '950.00',
      recurring_id: null,
      occurrence_date: null,
    })
    expect((await person.get(`/api/recurring/${id}`)).status).toBe(404)
  })

  test('is deleted with either of its accounts, and loses a deleted category', async () => {
    const savings = await openAccount(person, { name: 'Savings' })
    const kept = await create()
    await create({ type: 'transfer', to_account_id: savings.id, category_id: null })
    await person.delete(`/api/accounts/${savings.id}`)
    await person.delete(`/api/categories/${rent.category_id}`)
    const { body } = await person.get('/api/recurring')
    expect(body).toEqual([expect.objectContaining({ id: kept.id, category_id: null })])
    await person.delete(`/api/accounts/${account.id}`)
    await world.removeDeleted()
    expect((await person.get('/api/recurring')).body).toEqual([])
  })

  test('belongs to its user', async () => {
    const { id } = await create()
    const other = await world.register()
    for (const path of [`/api/recurring/${id}`, `/api/recurring/${id}/occurrences/2026-11-30`])
      expect((await other.put(path, { amount: 5 })).status).toBe(403)
    expect((await other.post(`/api/recurring/${id}/occurrences/2026-11-30/record`)).status).toBe(403)
    expect((await other.delete(`/api/recurring/${id}`)).status).toBe(403)
    expect((await person.get('/api/recurring/999999')).body).toEqual({
      message: 'Recurring transaction not found.',
    })
  })
})

describe('an occurrence', () => {
  test('is recorded once, whoever asks', async () => {
    const { id } = await create({ weekend: 'before', starts_on: '2026-11-28' })
    const path = `/api/recurring/${id}/occurrences/2026-11-28/record`
    const [first, second] = await Promise.all([person.post(path), person.post(path)])
    expect([first.status, second.status].sort()).toEqual([200, 201])
    expect(first.body).toEqual(second.body)
    expect(first.body).toMatchObject({
      amount: '950.00',
      description: 'Rent',
      transaction_date: '2026-11-27',
      occurrence_date: '2026-11-28',
      recurring_id: id,
    })
    expect((await person.get(`/api/recurring/${id}`)).body.next).toBe('2026-12-28')
  })

  test.each(['2026-11-29', '2026-02-31', 'tomorrow', '2025-12-31'])('on %s does not exist', async (date) => {
    const { id } = await create()
    for (const { status, body } of [
      await person.put(`/api/recurring/${id}/occurrences/${date}`, { skip: true }),
      await person.post(`/api/recurring/${id}/occurrences/${date}/record`),
    ])
      expect([status, body]).toEqual([404, { message: 'Occurrence not found.' }])
  })

  test('is skipped, changed and restored, and what is different is recorded', async () => {
    const { id } = await create()
    const path = `/api/recurring/${id}/occurrences/2026-11-30`
    expect((await person.put(path, { skip: true })).body).toMatchObject({
      exceptions: { '2026-11-30': { skip: true } },
      next: '2026-12-31',
      version: 2,
    })
    expectInvalid(await person.post(`${path}/record`), { date: ['The occurrence is skipped.'] })
    const different = { amount: '980.00', transaction_date: '2026-12-01', description: 'Rent + heating' }
    expect((await person.put(path, { skip: null, ...different })).body).toMatchObject({
      exceptions: { '2026-11-30': different },
      next: '2026-11-30',
    })
    expect((await person.put(path, { transaction_date: null })).body.exceptions).toEqual({
      '2026-11-30': { amount: '980.00', description: 'Rent + heating' },
    })
    expect((await person.post(`${path}/record`)).body).toMatchObject({
      amount: '980.00',
      description: 'Rent + heating',
      transaction_date: '2026-11-30',
    })
  })

  test('that is recorded is changed by its transaction alone', async () => {
    const { id } = await create()
    const path = `/api/recurring/${id}/occurrences/2026-11-30`
    const { body } = await person.post(`${path}/record`)
    for (const change of [{ skip: true }, { amount: 5 }, { transaction_id: body.id + 1 }]) {
      const refused = await person.put(path, change)
      expect([refused.status, refused.body]).toEqual([
        409,
        { message: 'The occurrence is already recorded.', code: 'already_recorded', transaction_id: body.id },
      ])
    }
    expect((await person.put(path, { transaction_id: body.id })).status).toBe(200)
  })

  test('is moved by at most 62 days', async () => {
    const { id } = await create()
    const path = `/api/recurring/${id}/occurrences/2026-11-30`
    expectInvalid(await person.put(path, { transaction_date: '2027-02-01' }), {
      transaction_date: ['The transaction date field must be within 62 days of the occurrence.'],
    })
    expectInvalid(await person.put(path, { transaction_id: 1, skip: true }), {
      transaction_id: ['The transaction id field must be the only one.'],
    })
  })

  test('is a transaction of the same account and type that a person links, and no longer when it is unlinked', async () => {
    const { id } = await create()
    const path = `/api/recurring/${id}/occurrences/2026-11-30`
    const other = await openAccount(person, { name: 'Cash' })
    const expense = { ...rent, amount: 955, transaction_date: '2026-11-29' }
    const paid = await recordTransaction(person, expense)
    const elsewhere = await recordTransaction(person, { ...expense, account_id: other.id })
    for (const transaction_id of [elsewhere.id, 999_999])
      expectInvalid(await person.put(path, { transaction_id }), {
        transaction_id: ['The selected transaction id is invalid.'],
      })
    expect((await person.put(path, { transaction_id: paid.id })).body.next).toBe('2026-12-31')
    const linked = (await person.get(`/api/transactions/${paid.id}`)).body
    expect(linked).toMatchObject({ recurring_id: id, occurrence_date: '2026-11-30', version: 2 })
    expectInvalid(await person.put(path.replace('11-30', '12-31'), { transaction_id: paid.id }), {
      transaction_id: ['The selected transaction id is invalid.'],
    })
    expect((await person.put(path, { transaction_id: null })).body.next).toBe('2026-11-30')
    expect((await person.get(`/api/transactions/${paid.id}`)).body).toMatchObject({
      recurring_id: null,
      version: 3,
    })
  })

  test('is unlinked even if the rule has other dates by now', async () => {
    const { id } = await create()
    const path = `/api/recurring/${id}/occurrences`
    const recorded = (await person.post(`${path}/2026-11-30/record`)).body
    await person.put(`/api/recurring/${id}`, { rrule: 'FREQ=MONTHLY;BYMONTHDAY=15' })
    expect((await person.put(`${path}/2026-11-30`, { amount: 5 })).status).toBe(404)
    expect((await person.put(`${path}/2026-11-30`, { transaction_id: null })).status).toBe(200)
    expect((await person.get(`/api/transactions/${recorded.id}`)).body).toMatchObject({ recurring_id: null })
  })

  test('whose transaction is deleted is skipped', async () => {
    const { id } = await create()
    const { body } = await person.post(`/api/recurring/${id}/occurrences/2026-11-30/record`)
    await person.delete(`/api/transactions/${body.id}`)
    expect((await person.get(`/api/recurring/${id}`)).body).toMatchObject({
      exceptions: { '2026-11-30': { skip: true } },
      next: '2026-12-31',
      version: 2,
    })
  })

  test('goes from one duplicate to the other that remains, and back', async () => {
    const { id } = await create()
    const typed = await recordTransaction(person, { ...rent, transaction_date: '2026-11-29' })
    const { body } = await person.post(`/api/recurring/${id}/occurrences/2026-11-30/record`)
    const joined = await person.post('/api/matches/join', { kind: 'duplicate', ids: [typed.id, body.id] })
    expect(joined.body).toMatchObject({ id: typed.id, recurring_id: id, occurrence_date: '2026-11-30' })
    expect((await person.get(`/api/recurring/${id}`)).body).toMatchObject({
      exceptions: {},
      next: '2026-12-31',
    })
    await person.post('/api/matches/separate', { id: typed.id })
    expect((await person.get(`/api/transactions/${typed.id}`)).body.recurring_id).toBe(null)
    expect((await person.get(`/api/transactions/${body.id}`)).body).toMatchObject({ recurring_id: id })
    const next = await person.post(`/api/recurring/${id}/occurrences/2026-12-31/record`)
    expectInvalid(
      await person.post('/api/matches/join', { kind: 'duplicate', ids: [next.body.id, body.id] }),
      {
        ids: ['The ids must not be those of two occurrences of recurring transactions.'],
      },
    )
  })

  test('goes back to the rule that continues its own by now, and what a deleted rule had can be another’s', async () => {
    const { id } = await create()
    const typed = await recordTransaction(person, { ...rent, transaction_date: '2027-01-30' })
    const { body } = await person.post(`/api/recurring/${id}/occurrences/2027-01-31/record`)
    await person.post('/api/matches/join', { kind: 'duplicate', ids: [typed.id, body.id] })
    const { successor } = (await person.put(`/api/recurring/${id}`, { from: '2026-12-31', amount: 1 })).body
    await person.post('/api/matches/separate', { id: typed.id })
    const occurrenceOf = async (row: number) =>
      (await person.get(`/api/transactions/${row}`)).body.recurring_id
    expect([await occurrenceOf(typed.id), await occurrenceOf(body.id)]).toEqual([null, successor.id])
    await person.delete(`/api/recurring/${successor.id}`)
    const other = (await create()).id
    const path = `/api/recurring/${other}/occurrences/2027-01-31`
    expect((await person.put(path, { transaction_id: body.id })).status).toBe(200)
    expect(await occurrenceOf(body.id)).toBe(other)
  })

  test('has at most a hundred exceptions beside it, and old ones go first', async () => {
    const { id } = await create({ starts_on: '2026-08-01', rrule: 'FREQ=DAILY' })
    const day = (nth: number) => new Date(noon + nth * 86_400_000).toISOString().slice(0, 10)
    const skip = (nth: number) => person.put(`/api/recurring/${id}/occurrences/${day(nth)}`, { skip: true })
    for (let nth = -110; nth < -10; nth++) expect((await skip(nth)).status).toBe(200)
    expectInvalid(await skip(-10), {
      exceptions: ['A recurring transaction cannot have more than 100 exceptions.'],
    })
    setClock(noon + 60 * 86_400_000)
    expect(Object.keys((await skip(70)).body.exceptions)).toHaveLength(55)
  })
})

describe('all following occurrences', () => {
  test('are changed by a successor, which keeps the day of the month and what comes later', async () => {
    const { id } = await create({ rrule: 'FREQ=MONTHLY;COUNT=20' })
    const ahead = await person.post(`/api/recurring/${id}/occurrences/2027-03-31/record`)
    const path = (date: string) => `/api/recurring/${id}/occurrences/${date}`
    await person.put(path('2026-12-31'), { amount: 1 })
    await person.put(path('2027-04-30'), { skip: true })
    const { status, body } = await person.put(`/api/recurring/${id}`, { amount: 990, from: '2027-02-28' })
    expect(status).toBe(200)
    expect(body.recurring).toMatchObject({
      id,
      amount: '950.00',
      rrule: 'FREQ=MONTHLY;UNTIL=20270227',
      exceptions: { '2026-12-31': { amount: '1.00' } },
      next: '2026-11-30',
      successor_id: body.successor.id,
      version: 4,
    })
    expect(body.successor).toMatchObject({
      amount: '990.00',
      starts_on: '2027-02-28',
      rrule: 'FREQ=MONTHLY;BYMONTHDAY=31;COUNT=7',
      exceptions: { '2027-04-30': { skip: true } },
      next: '2027-02-28',
      version: 1,
    })
    expect((await person.get(`/api/transactions/${ahead.body.id}`)).body).toEqual({
      ...(await person.get(`/api/transactions/${ahead.body.id}`)).body,
      amount: '950.00',
      recurring_id: body.successor.id,
      occurrence_date: '2027-03-31',
      version: 2,
    })
    // The old rule stands for the new one.
    const skipped = await person.put(path('2027-05-31'), { skip: true })
    expect(skipped.body.id).toBe(body.successor.id)
    const again = await person.put(`/api/recurring/${id}`, { amount: 995, from: '2027-02-28' })
    expect(again.body).toMatchObject({
      recurring: { id },
      successor: { id: body.successor.id, amount: '995.00' },
    })
    expect((await person.get('/api/recurring')).body).toHaveLength(2)
  })

  test('may get other days, which begin on that of the change', async () => {
    const { id } = await create()
    const put = (changes: Json) => person.put(`/api/recurring/${id}`, { from: '2026-12-31', ...changes })
    expectInvalid(await put({ starts_on: '2026-12-01' }), {
      starts_on: ['The starts on field must be a date after or equal to from.'],
    })
    const { body } = await put({ starts_on: '2027-01-05' })
    expect(body.successor).toMatchObject({ rrule: 'FREQ=MONTHLY', next: '2027-01-05' })
  })

  test('that begin on another day are changed again if the request is repeated', async () => {
    const { id } = await create()
    const repeated = async (body: Json) => {
      const both = [
        await person.put(`/api/recurring/${id}`, body),
        await person.put(`/api/recurring/${id}`, body),
      ]
      for (const { status, text } of both) expect(status, text).toBe(200)
      const [first, second] = both.map((one) => one.body)
      expect(second).toEqual({
        recurring: first.recurring,
        successor: { ...first.successor, version: first.successor.version + 1 },
      })
      return second.successor
    }
    expect(await repeated({ from: '2027-03-31', starts_on: '2027-04-05' })).toMatchObject({
      next: '2027-04-05',
    })
    const body = { from: '2026-12-31', rrule: 'FREQ=MONTHLY;BYMONTHDAY=15;UNTIL=20270330' }
    expect(await repeated(body)).toMatchObject({ next: '2027-01-15' })
  })

  test('have no difference left in the first one of what is changed', async () => {
    const { id } = await create({ starts_on: '2026-11-30' })
    const path = `/api/recurring/${id}`
    for (const date of ['2026-11-30', '2026-12-30'])
      await person.put(`${path}/occurrences/${date}`, { amount: 980, description: 'Rent + heating' })
    const { body } = await person.put(path, { from: '2026-12-30', amount: 990 })
    expect(body.successor.exceptions).toEqual({ '2026-12-30': { description: 'Rent + heating' } })
    const again = await person.put(path, { from: '2026-12-30', description: null })
    expect(again.body.successor.exceptions).toEqual({})
    const first = await person.put(path, { from: '2026-11-30', amount: 960 })
    expect(first.body.recurring.exceptions).toEqual({ '2026-11-30': { description: 'Rent + heating' } })
  })

  test('are changed by four requests at once', async () => {
    const { id } = await create()
    const change = (amount: number) => person.put(`/api/recurring/${id}`, { from: '2026-12-31', amount })
    const responses = await Promise.all([1, 2, 3, 4].map(change))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await person.get('/api/recurring')).body).toHaveLength(2)
  })

  test('are of one rule alone: neither the one that ended nor its successor takes days of the other', async () => {
    const { id } = await create()
    const { body } = await person.put(`/api/recurring/${id}`, { amount: 990, from: '2026-12-31' })
    const put = (rule: number, changes: Json) => person.put(`/api/recurring/${rule}`, changes)
    const text = 'must end before 2026-12-31, when another rule continues this one.'
    expectInvalid(await put(id, { rrule: 'FREQ=WEEKLY' }), { rrule: [`The rrule field ${text}`] })
    expectInvalid(await put(id, { rrule: 'FREQ=WEEKLY', from: '2026-11-30' }), {
      rrule: [`The rrule field ${text}`],
    })
    expect((await put(id, { rrule: 'FREQ=MONTHLY;UNTIL=20261130' })).status).toBe(200)
    expectInvalid(await put(body.successor.id, { starts_on: '2026-11-01' }), {
      starts_on: ['The starts on field must be a date after 2026-11-30.'],
    })
    expect((await put(body.successor.id, { starts_on: '2026-12-15' })).status).toBe(200)
  })

  test('are all of them at the first', async () => {
    const { id } = await create()
    const { body } = await person.put(`/api/recurring/${id}`, { amount: 5, from: '2026-01-31' })
    expectInvalid({ status: 422, body } as never, body.errors)
    const started = await create({ starts_on: '2026-11-30' })
    const changed = await person.put(`/api/recurring/${started.id}`, { amount: 5, from: '2026-11-30' })
    expect(changed.body).toMatchObject({ recurring: { id: started.id, amount: '5.00' }, successor: null })
  })

  test('begin at an occurrence that is not missed', async () => {
    const { id } = await create()
    const from = async (date: string) =>
      (await person.put(`/api/recurring/${id}`, { from: date })).body.errors.from
    expect(await from('2026-12-30')).toEqual(['The selected from is invalid.'])
    expect(await from('2026-08-31')).toEqual(['The from field must be a date of the last 62 days, or later.'])
  })
})
