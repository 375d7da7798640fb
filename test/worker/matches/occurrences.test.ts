import { beforeEach, describe, expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { noon, setClock } from '../fixtures/clock.ts'
import { create as upload } from '../fixtures/uploads.ts'
import {
  aCategory,
  createWorld,
  expectInvalid,
  type Json,
  openAccount,
  type Person,
  recordTransaction,
  registerVerified,
} from '../fixtures/world.ts'
import { openWorldDatabase } from '../laws/every-route.ts'

let world: ReturnType<typeof createWorld>
let person: Person
let account: Json
let rule: Json

beforeEach(async () => {
  setClock(noon)
  world = createWorld()
  person = await registerVerified(world)
  account = await openAccount(person)
  rule = await create({})
})

async function create(details: Json): Promise<Json> {
  const { status, body, text } = await person.post('/api/recurring', {
    account_id: account.id,
    category_id: (await aCategory(person)).id,
    type: 'expense',
    amount: '950.00',
    description: 'Rent Meier',
    rrule: 'FREQ=MONTHLY',
    starts_on: '2026-01-20',
    ...details,
  })
  expect(status, text).toBe(201)
  return body
}

const pay = async (details: Json = {}) =>
  recordTransaction(person, {
    account_id: account.id,
    category_id: (await aCategory(person)).id,
    type: 'expense',
    amount: '950.00',
    transaction_date: '2026-11-19',
    description: 'Bank transfer 4711',
    ...details,
  })

async function listed(query = '', who = person): Promise<Json[]> {
  const { status, body, text } = await who.get(`/api/matches?kind=occurrence${query}`)
  expect(status, text).toBe(200)
  expect(body.matches).toEqual([])
  return body.occurrences
}

const found = async (query = '&from=2026-11-01&to=2026-11-30') =>
  (await listed(query)).map((one) => [
    one.transaction.id,
    one.recurring_id,
    one.occurrence_date,
    one.certainty,
  ])

const reject = (transaction: Json, occurrence_date = '2026-11-20', of = rule) => ({
  kind: 'occurrence',
  transaction_id: transaction.id,
  recurring_id: of.id,
  occurrence_date,
})

describe('open occurrences that a transaction may be', () => {
  test('are listed only if they are asked for, sure where both name the payee', async () => {
    const plain = await pay()
    expect(await listed()).toEqual([
      {
        kind: 'occurrence',
        transaction: expect.objectContaining({ id: plain.id, recurring_id: null, amount: '950.00' }),
        recurring_id: rule.id,
        occurrence_date: '2026-11-20',
        recorded_id: null,
        certainty: 'likely',
      },
    ])
    for (const query of ['', '?kind=duplicate', '?kind=transfer']) {
      const { body } = await person.get(`/api/matches${query}`)
      expect(body).toEqual({ matches: [], searched_back_to: null })
    }
    const named = await pay({ description: 'STANDING ORDER MEIER', transaction_date: '2026-11-24' })
    expect(await found()).toEqual([[named.id, rule.id, '2026-11-20', 'sure']])
  })

  test('end with the days, the account, the direction and the amount of the rule', async () => {
    const other = await openAccount(person, { name: 'Other' })
    for (const details of [
      { amount: '950.01' },
      { type: 'income' },
      { account_id: other.id },
      { transaction_date: '2026-11-16' },
      { transaction_date: '2026-11-27' },
    ])
      await pay(details)
    expect(await found()).toEqual([])
    const [early, late] = [
      await pay({ transaction_date: '2026-11-17' }),
      await pay({ transaction_date: '2026-11-26' }),
    ]
    expect(await found()).toEqual([[early.id, rule.id, '2026-11-20', 'likely']])
    await person.delete(`/api/transactions/${early.id}`)
    expect(await found()).toEqual([[late.id, rule.id, '2026-11-20', 'likely']])
  })

  test('are those of the nearest day, each once, and of a tolerance and an exception', async () => {
    const [far, near] = [
      await pay({ transaction_date: '2026-11-23' }),
      await pay({ transaction_date: '2026-11-21' }),
    ]
    const power = await create({
      amount: '60.00',
      amount_tolerance: 10,
      description: 'Power',
      starts_on: '2026-11-22',
    })
    const bill = await pay({ amount: '66.00', transaction_date: '2026-11-22' })
    await pay({ amount: '66.01', transaction_date: '2026-11-22' })
    expect(await found()).toEqual([
      [bill.id, power.id, '2026-11-22', 'likely'],
      [near.id, rule.id, '2026-11-20', 'likely'],
    ])
    await person.put(`/api/recurring/${rule.id}/occurrences/2026-11-20`, { amount: '980.00' })
    const dearer = await pay({ amount: '980.00' })
    expect(await found()).toContainEqual([dearer.id, rule.id, '2026-11-20', 'likely'])
    expect((await found()).map(([id]) => id)).not.toContain(far.id)
  })

  test('are neither recorded, skipped, paused nor missed, and never beyond half the interval', async () => {
    await pay()
    const path = `/api/recurring/${rule.id}/occurrences/2026-11-20`
    await person.put(path, { skip: true })
    expect(await found()).toEqual([])
    await person.put(path, { skip: null })
    await person.put(`/api/recurring/${rule.id}`, { paused: true })
    expect(await found()).toEqual([])
    await person.put(`/api/recurring/${rule.id}`, { paused: false })
    expect(await found()).toHaveLength(1)
    await person.post(`${path}/record`)
    expect(await found()).toEqual([])
    const weekly = await create({ rrule: 'FREQ=WEEKLY', amount: '12.50', starts_on: '2026-11-20' })
    for (const [day, date] of [
      ['2026-11-24', '2026-11-27'],
      ['2026-11-23', '2026-11-20'],
    ]) {
      const { id } = await pay({ amount: '12.50', transaction_date: day })
      expect(await found()).toContainEqual([id, weekly.id, date, 'likely'])
    }
    setClock(noon + 63 * 86_400_000)
    expect(
      (await found('&from=2026-11-01&to=2027-03-01')).filter(([, , date]) => date === '2026-11-20'),
    ).toEqual([])
  })

  test('are settled by linking the transaction, on either side of a transfer, or by a rejection', async () => {
    const savings = await openAccount(person, { name: 'Savings' })
    const move = await create({
      ...{ type: 'transfer', to_account_id: savings.id, category_id: null },
      ...{ amount: '200', description: 'Savings plan' },
    })
    const side = await pay({ account_id: savings.id, type: 'income', amount: '200' })
    expect(await found()).toEqual([[side.id, move.id, '2026-11-20', 'likely']])
    const path = `/api/recurring/${move.id}/occurrences/2026-11-20`
    const other = await pay({ account_id: savings.id, type: 'expense', amount: '200' })
    expectInvalid(await person.put(path, { transaction_id: other.id }), {
      transaction_id: ['The selected transaction id is invalid.'],
    })
    expect((await person.put(path, { transaction_id: side.id })).status).toBe(200)
    expect(await found()).toEqual([])

    const rent = await pay()
    expect((await person.post('/api/matches/reject', reject(rent))).status).toBe(204)
    expect((await person.post('/api/matches/reject', reject(rent))).status).toBe(204)
    expect(await found()).toEqual([])
    expect((await person.get('/api/export')).body.rejected_occurrences).toEqual([
      { transaction_id: rent.id, recurring_id: rule.id, occurrence_date: '2026-11-20' },
    ])
    expect((await person.delete('/api/matches/reject', reject(rent))).status).toBe(204)
    expect(await found()).toEqual([[rent.id, rule.id, '2026-11-20', 'likely']])
  })

  test('are the user’s own, of rules and accounts that exist, and so are rejections', async () => {
    const rent = await pay()
    const other = await world.register()
    expect(await listed('', other)).toEqual([])
    for (const call of [other.post, other.delete])
      expectInvalid(await call('/api/matches/reject', reject(rent)), {
        transaction_id: ['The selected transaction id is invalid.'],
        recurring_id: ['The selected recurring id is invalid.'],
      })
    expectInvalid(await person.post('/api/matches/reject', { kind: 'occurrence', occurrence_date: 'soon' }), {
      transaction_id: ['The transaction id field is required.'],
      recurring_id: ['The recurring id field is required.'],
      occurrence_date: ['The occurrence date field must match the format YYYY-MM-DD.'],
    })
    expectInvalid(await person.post('/api/matches/join', { kind: 'occurrence', ids: [1, 2] }), {
      kind: ['The selected kind is invalid.'],
    })
    await person.post('/api/matches/reject', reject(rent))
    const exported = async () => (await person.get('/api/export')).body.rejected_occurrences
    await person.delete(`/api/recurring/${rule.id}`)
    expect(await exported()).toEqual([])
    rule = await create({})
    await person.post('/api/matches/reject', reject(rent))
    await person.delete(`/api/transactions/${rent.id}`)
    expect(await exported()).toEqual([])
    await pay()
    await person.delete(`/api/accounts/${account.id}`)
    expect(await found()).toEqual([])
    expect(await findDifferences(openWorldDatabase(world))).toEqual([])
  })

  test('of a deleted rule are open to others, and the list continues where it was cut', async () => {
    const rent = await pay()
    await person.put(`/api/recurring/${rule.id}/occurrences/2026-11-20`, { transaction_id: rent.id })
    await person.delete(`/api/recurring/${rule.id}`)
    rule = await create({})
    expect(await found()).toEqual([[rent.id, rule.id, '2026-11-20', 'likely']])
    expect(await found('&from=2026-11-19&to=2026-11-19')).toHaveLength(1)
    expect(await found('&from=2026-11-20&to=2026-11-30')).toEqual([])
    const many = Array.from({ length: 1_000 }, (_, nth) => ({
      ...{ account_id: account.id, type: 'expense', amount: '950.00', description: `Rent ${nth}` },
      transaction_date: '2026-11-22',
    }))
    const { status } = await person.post('/api/import/store?match=off', { transactions: many })
    expect(status).toBe(200)
    const query = '?kind=occurrence&from=2026-11-01&to=2026-11-30'
    const { body } = await person.get(`/api/matches${query}`)
    expect(body.searched_back_to).toBe('2026-11-29')
  })
})

test('a list takes one round trip, with a token that only reads', async () => {
  await pay()
  const { body } = await person.post('/api/tokens', { name: 'Report', abilities: ['read'] })
  const token = body.access_token
  await world.resetDatabaseWork()
  const response = await world.call('GET', '/api/matches?kind=occurrence', {
    token: token,
  })
  expect([response.status, response.body.occurrences.length]).toEqual([200, 1])
  expect((await world.databaseWork()).requests).toBe(1)
  const refused = await world.call('POST', '/api/matches/reject', { token, body: reject({ id: 1 }) })
  expect(refused.status).toBe(403)
})

describe('the bank’s row of an occurrence that is recorded already', () => {
  const record = async (of: Json, date = '2026-11-20') => {
    const { status, body, text } = await person.post(`/api/recurring/${of.id}/occurrences/${date}/record`)
    expect(status, text).toBe(201)
    return body as Json
  }
  const book = async (transaction_date: string, description: string, details: Json = {}) => {
    const row = { account_id: account.id, type: 'expense', amount: '950.00', transaction_date, description }
    const transactions = [{ ...row, ...details }]
    expect((await person.post('/api/import/store', { transactions })).status).toBe(200)
    return (await person.get('/api/transactions?per_page=500')).body.data.find(
      (one: Json) => one.description === description,
    ) as Json
  }
  const matches = async () =>
    (await person.get('/api/matches?from=2026-11-01&to=2026-12-31')).body.matches.map((one: Json) => [
      ...one.ids,
      one.certainty,
    ])

  test.each([
    ['2026-11-17', 'SEPA MEIER FLAT 4', 'sure'],
    ['2026-11-26', 'SEPA MEIER FLAT 4', 'sure'],
    ['2026-11-17', 'SEPA 4711', 'likely'],
    ['2026-11-26', 'SEPA 4711', 'likely'],
  ])('is a duplicate: on %s, as %s, it is %s', async (day, description, certainty) => {
    const recorded = await record(rule)
    const booked = await book(day, description)
    expect(await matches()).toEqual([[recorded.id, booked.id, certainty]])
  })

  test('is sure by the text of an earlier one', async () => {
    const october = await book('2026-10-20', 'IMMO GMBH 12')
    await person.put(`/api/recurring/${rule.id}/occurrences/2026-10-20`, { transaction_id: october.id })
    const recorded = await record(rule)
    const booked = await book('2026-11-22', 'IMMO GMBH 13')
    expect(await matches()).toEqual([[recorded.id, booked.id, 'sure']])
  })

  test('is sure beside another rule of the same amount and day, and no row is if both name one payee', async () => {
    const other = await create({ description: 'Parking Seidel' })
    const [rent, parking] = [await record(rule), await record(other)]
    const [meier, seidel] = [await book('2026-11-21', 'SEPA MEIER'), await book('2026-11-22', 'SEPA SEIDEL')]
    const found = await matches()
    expect(found).toHaveLength(2)
    expect(found).toEqual(
      expect.arrayContaining([
        [rent.id, meier.id, 'sure'],
        [parking.id, seidel.id, 'sure'],
      ]),
    )
    await book('2026-11-23', 'SEPA MEIER 2')
    expect((await matches()).filter(([id]: [number]) => id === rent.id)).toMatchObject([
      [rent.id, expect.any(Number), 'likely'],
    ])
  })

  test('is not sure beyond half the interval of the rule', async () => {
    const weekly = await create({
      rrule: 'FREQ=WEEKLY',
      amount: '12.50',
      description: 'Gym',
      starts_on: '2026-11-20',
    })
    const recorded = await record(weekly)
    await person.put(`/api/recurring/${weekly.id}/occurrences/2026-11-27`, { skip: true })
    const booked = await book('2026-11-24', 'GYM', { amount: '12.50' })
    expect(await matches()).toEqual([[recorded.id, booked.id, 'likely']])
  })
})

describe('a payment whose amount has changed', () => {
  const path = () => `/api/recurring/${rule.id}/occurrences/2026-11-20`
  /** How the occurrence may stand when the bank's row comes; each returns the transaction that it is recorded as. */
  const states: Record<string, () => Promise<Json | null>> = {
    open: async () => null,
    'recorded by a person': async () => (await person.post(`${path()}/record`)).body,
    'recorded by the job': async () => {
      await person.put(`/api/recurring/${rule.id}`, { auto_record: true })
      setClock(noon + 86_400_000)
      await world.runCron('*/5 * * * *')
      return (await person.get('/api/transactions')).body.data.find(
        (one: Json) => one.recurring_id === rule.id,
      )
    },
    'recorded on a device': async () => {
      const set = {
        ...{ type: 'expense', account_id: account.id, category_id: null, amount: '950.00' },
        ...{ description: 'Rent Meier', transaction_date: '2026-11-20' },
        ...{ recurring_id: rule.id, occurrence_date: '2026-11-20' },
      }
      const ops = [upload('transaction', 'r', set)]
      return (await person.post('/api/changes', { ops })).body.results[0]
    },
  }
  const dearer: Json = { amount: '995.00', description: 'STANDING ORDER MEIER' }

  test.each(Object.keys(states))('is listed, never as sure, if the occurrence is %s', async (state) => {
    const recorded = (await states[state]?.()) ?? null
    const paid = await pay(dearer)
    const [match, ...others] = await listed('&from=2026-11-01&to=2026-11-30')
    expect(others).toEqual([])
    expect(match).toMatchObject({
      ...{ transaction: { id: paid.id }, recurring_id: rule.id, occurrence_date: '2026-11-20' },
      ...{ recorded_id: recorded?.id ?? null, certainty: 'likely' },
    })
    // Both ways to settle it end the question.
    await person.post('/api/matches/reject', reject(paid))
    expect(await found()).toEqual([])
    await person.delete('/api/matches/reject', reject(paid))
    if (recorded) {
      await person.put(`/api/transactions/${recorded.id}`, { amount: '995.00' })
      const pair = { kind: 'duplicate', ids: [recorded.id, paid.id] }
      expect((await person.post('/api/matches/join', pair)).status).toBe(200)
    } else expect((await person.put(path(), { transaction_id: paid.id })).status).toBe(200)
    expect(await found()).toEqual([])
    const { data } = (await person.get('/api/transactions')).body
    expect(data).toMatchObject([{ amount: '995.00', recurring_id: rule.id, occurrence_date: '2026-11-20' }])
  })

  test.each([
    ['475.00', 'MEIER', '2026-11-20', true],
    ['474.99', 'MEIER', '2026-11-20', false],
    ['1425.00', 'MEIER', '2026-11-20', true],
    ['1425.01', 'MEIER', '2026-11-20', false],
    ['995.00', 'SEPA 4711', '2026-11-20', false],
    ['995.00', 'SEPA SEIDEL', '2026-11-20', false],
    ['995.00', 'MEIER', '2026-11-17', true],
    ['995.00', 'MEIER', '2026-11-16', false],
    ['995.00', 'MEIER', '2026-11-26', true],
    ['995.00', 'MEIER', '2026-11-27', false],
  ])('of %s as %s on %s: %s', async (amount, description, transaction_date, isListed) => {
    for (const state of ['open', 'recorded by a person']) {
      await states[state]?.()
      const paid = await pay({ amount, description, transaction_date })
      expect((await found()).map(([id]) => id)).toEqual(isListed ? [paid.id] : [])
      await person.delete(`/api/transactions/${paid.id}`)
    }
  })

  test('is none if the row or the occurrence has a counterpart of its own amount, or a bank’s row', async () => {
    const parking = await create({ amount: '995.00', description: 'Parking Meier', starts_on: '2026-11-21' })
    const paid = await pay(dearer)
    expect(await found()).toEqual([[paid.id, parking.id, '2026-11-21', 'sure']])
    await person.delete(`/api/recurring/${parking.id}`)
    const exact = await pay({ description: 'MEIER 11' })
    expect(await found()).toEqual([[exact.id, rule.id, '2026-11-20', 'sure']])
    await person.delete(`/api/transactions/${exact.id}`)
    expect(await found()).toEqual([[paid.id, rule.id, '2026-11-20', 'likely']])
    await states['recorded by a person']?.()
    const row = { account_id: account.id, type: 'expense', amount: '950.00', description: 'MEIER' }
    const transactions = [{ ...row, transaction_date: '2026-11-20' }]
    expect((await person.post('/api/import/store', { transactions })).body.import.counts.duplicate).toBe(1)
    expect(await found()).toEqual([])
  })
})
