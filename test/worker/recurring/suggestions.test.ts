import { beforeEach, describe, expect, test } from 'vitest'
import { holdDatabase } from '../fixtures/held-requests.ts'
import { expectInvalid, type Json, recordTransaction } from '../fixtures/world.ts'
import { createHome, type Home } from './home.ts'

let world: Home['world']
let person: Home['person']
let account: Home['account']
let category: Home['category']

beforeEach(async () => {
  ;({ world, person, account, category } = await createHome())
})

const spend = (transaction_date: string, details: Json = {}) =>
  recordTransaction(person, {
    account_id: account.id,
    category_id: category.id,
    type: 'expense',
    amount: '9.99',
    description: 'NETFLIX.COM',
    transaction_date,
    ...details,
  })

const netflix = async () => {
  const rows = []
  for (const day of ['2026-08-03', '2026-09-03', '2026-10-04', '2026-11-03']) rows.push(await spend(day))
  return rows.map(({ id }) => id)
}

const suggested = async (): Promise<Json[]> =>
  (await person.get('/api/recurring/suggestions')).body.suggestions

describe('suggestions', () => {
  test('say what repeats, why, and how to make a rule of it', async () => {
    const ids = await netflix()
    await spend('2026-11-04', { description: 'BAKERY', amount: '3.20' })
    expect(await suggested()).toEqual([
      {
        key: `${account.id} expense netfl month`,
        because: '4 payments of 9.99 around the 3rd of each month, the last on 3 November',
        transaction_ids: ids,
        body: {
          account_id: account.id,
          to_account_id: null,
          category_id: category.id,
          type: 'expense',
          amount: '9.99',
          amount_tolerance: 0,
          description: 'NETFLIX.COM',
          starts_on: '2026-08-03',
          rrule: 'FREQ=MONTHLY;BYMONTHDAY=3',
          weekend: 'keep',
          link_past: true,
        },
      },
    ])
  })

  test('become rules whose occurrences the rows are, and are not made again', async () => {
    const ids = await netflix()
    const [one] = await suggested()
    const { status, body: rule } = await person.post('/api/recurring', one?.body)
    expect([status, rule.next]).toEqual([201, '2026-12-03'])
    const rows: Json[] = (await person.get('/api/transactions')).body.data
    expect(rows.map((row) => [row.id, row.recurring_id, row.occurrence_date])).toEqual(
      ids.map((id, nth) => [id, rule.id, `2026-${String(8 + nth).padStart(2, '0')}-03`]).reverse(),
    )
    expect(await suggested()).toEqual([])
  })

  test('must exist to link their rows, unless the rule was created by an earlier request with the key', async () => {
    await netflix()
    const [one] = await suggested()
    const post = (body: Json) =>
      world.call('POST', '/api/recurring', {
        token: person.token,
        headers: { 'Idempotency-Key': 'netflix' },
        body,
      })
    const text = 'The link past field needs a suggestion with this account, type, rrule and starts_on.'
    for (const other of [{ rrule: 'FREQ=WEEKLY' }, { starts_on: '2026-08-04' }, { type: 'income' }])
      expectInvalid(await post({ ...one?.body, ...other }), { link_past: [text] })
    expect((await person.get('/api/recurring')).body).toEqual([])
    const first = await post(one?.body)
    expect(first.status).toBe(201)
    const repeat = await post(one?.body)
    expect([repeat.status, repeat.body.id]).toEqual([200, first.body.id])
    expectInvalid(await person.post('/api/recurring', one?.body), { link_past: [text] })
  })

  test('become one rule where two devices accept them at once', async () => {
    await netflix()
    const [one] = await suggested()
    const { release, areHeld } = holdDatabase(1)
    const late = person.post('/api/recurring', one?.body)
    await areHeld()
    expect((await person.post('/api/recurring', one?.body)).status).toBe(201)
    release()
    const text = 'The link past field needs a suggestion with this account, type, rrule and starts_on.'
    expectInvalid(await late, { link_past: [text] })
    expect((await person.get('/api/recurring')).body).toHaveLength(1)
  })

  test('are not made where a rule for the payee exists without links', async () => {
    await netflix()
    const [one] = await suggested()
    const body = { ...one?.body, link_past: false }
    await person.post('/api/recurring', body)
    expect(await suggested()).toEqual([])
  })

  test('are dismissed for good, again and again', async () => {
    await netflix()
    const { key } = (await suggested())[0] as Json
    for (let repeat = 0; repeat < 2; repeat++) {
      const { status, body } = await person.post('/api/recurring/suggestions/dismiss', { key })
      expect([status, body]).toEqual([200, { key }])
    }
    await spend('2026-11-20')
    expect(await suggested()).toEqual([])
    expectInvalid(await person.post('/api/recurring/suggestions/dismiss', {}), {
      key: ['The key field is required.'],
    })
  })

  test('are the user’s own, and of accounts that exist', async () => {
    await netflix()
    const other = await world.register()
    expect((await other.get('/api/recurring/suggestions')).body.suggestions).toEqual([])
    const { key } = (await suggested())[0] as Json
    await other.post('/api/recurring/suggestions/dismiss', { key })
    expect(await suggested()).toHaveLength(1)
    await person.delete(`/api/accounts/${account.id}`)
    expect(await suggested()).toEqual([])
  })

  test('need at least three payments, the last not long ago, of about one amount', async () => {
    for (const day of ['2026-10-03', '2026-11-03']) await spend(day)
    for (const day of ['2026-06-03', '2026-07-03', '2026-08-03']) await spend(day, { description: 'GYM' })
    for (const [nth, day] of ['2026-09-03', '2026-10-03', '2026-11-03'].entries())
      await spend(day, { description: 'MARKET', amount: 20 + 10 * nth })
    expect(await suggested()).toEqual([])
  })

  test('have a tolerance where bills vary', async () => {
    for (const [nth, day] of ['2026-09-15', '2026-10-15', '2026-11-15'].entries())
      await spend(day, { description: 'STADTWERKE', amount: 60 + nth })
    const [one] = await suggested()
    expect(one?.body).toMatchObject({ amount: '61.00', amount_tolerance: 10 })
    expect(one?.because).toBe(
      '3 payments of 60.00 to 62.00 around the 15th of each month, the last on 15 November',
    )
  })
})
