import { expect, test } from 'vitest'
import { create as creation, update, upload, uploadOne } from '../fixtures/uploads.ts'
import { type Json, recordTransaction } from '../fixtures/world.ts'
import { createHome } from './home.ts'

const amounts = { '2026-12-31': 910, '2027-02-28': 920, '2027-04-30': 930 }
const [first, second, third] = Object.keys(amounts)
const orders = [
  [first, second, third],
  [first, third, second],
  [second, first, third],
  [second, third, first],
  [third, first, second],
  [third, second, first],
]

test.for(orders)(
  'divided at %s, %s and %s, a rule has each date once, and a device that knows only the first rule is heard',
  async (order) => {
    const { person, rent, create } = await createHome()
    const { id } = await create()
    for (const from of order) {
      const amount = amounts[from as keyof typeof amounts]
      const { status, text } = await person.put(`/api/recurring/${id}`, { from, amount })
      expect(status, text).toBe(200)
    }
    const amountOn = (date: string) =>
      Object.entries(amounts).findLast(([from]) => from <= date)?.[1] ?? Number(rent.amount)
    const { occurrences } = (await person.get('/api/recurring/upcoming?days=240')).body
    const dates: string[] = occurrences.map(({ occurrence_date }: Json) => occurrence_date)
    expect(dates).toEqual([...new Set(dates)].sort())
    expect(occurrences.map(({ amount }: Json) => Number(amount))).toEqual(dates.map(amountOn))

    for (const date of ['2026-12-31', '2027-03-31', '2027-05-31']) {
      const path = `/api/recurring/${id}/occurrences/${date}/record`
      const recorded = await person.post(path)
      expect([recorded.status, Number(recorded.body.amount)], recorded.text).toEqual([201, amountOn(date)])
      const again = await person.post(path)
      expect([again.status, again.body.id], again.text).toEqual([200, recorded.body.id])
    }
    // An offline device has paid and skipped what it knows as occurrences of the first rule.
    const { starts_on: _, rrule: __, ...fields } = rent
    const payment = {
      ...fields,
      transaction_date: '2027-06-30',
      recurring_id: id,
      occurrence_date: '2027-06-30',
    }
    const paid = await uploadOne(person, creation('transaction', 'paid', payment))
    expect(paid.outcome, JSON.stringify(paid)).toBe('created')
    const skip = { exceptions: { '2027-07-31': { skip: true } } }
    const skipped = await uploadOne(person, { op: 'update', noun: 'recurring', id, set: skip })
    expect(skipped.outcome, JSON.stringify(skipped)).toBe('updated')
    const later = (await person.get('/api/recurring/upcoming?days=260')).body.occurrences
    const states = new Map(later.map(({ occurrence_date, state }: Json) => [occurrence_date, state]))
    expect([states.get('2027-06-30'), states.get('2027-07-31')]).toEqual(['recorded', 'skipped'])

    // A recorded occurrence that was joined comes back as what it was.
    const typed = { ...fields, amount: amountOn('2027-05-31'), transaction_date: '2027-06-01', force: true }
    const other = await recordTransaction(person, typed)
    const { body: listed } = await person.get('/api/transactions?from=2027-05-31&to=2027-05-31')
    const [occurrence] = listed.data
    const joined = await person.post('/api/matches/join', {
      kind: 'duplicate',
      ids: [occurrence.id, other.id],
    })
    expect(joined.status, joined.text).toBe(200)
    await person.post('/api/matches/separate', { id: joined.body.id ?? joined.body.transaction?.id })
    const { body: again } = await person.get('/api/transactions?from=2027-05-31&to=2027-06-01')
    expect(again.data.map(({ id, recurring_id }: Json) => [id, recurring_id]).sort()).toEqual(
      [
        [occurrence.id, occurrence.recurring_id],
        [other.id, null],
      ].sort(),
    )
  },
)

test('an upload that divides a rule and records what another device has recorded already is a duplicate there', async () => {
  const { person, rent, create } = await createHome()
  const { id } = await create()
  const date = '2027-01-31'
  const recorded = await person.post(`/api/recurring/${id}/occurrences/${date}/record`)
  const { starts_on: _, rrule: __, ...fields } = rent
  const payment = { ...fields, transaction_date: date, recurring_id: '#s', occurrence_date: date }
  const results = await upload(person, [
    update('recurring', id, { from: '2026-12-31', successor_client_id: 's', amount: 910 }),
    creation('transaction', 't', payment),
  ])
  expect(results).toMatchObject([{ outcome: 'updated' }, { outcome: 'duplicate', id: recorded.body.id }])
})

test('an upload divides a rule once, and changes it before, in whatever order the operations are', async () => {
  const { person, create } = await createHome()
  const { id } = await create()
  const { body } = await person.put(`/api/recurring/${id}`, { from: '2026-12-31', amount: 910 })
  const divide = (row: number, from: string, successor_client_id: string) =>
    update('recurring', row, { from, successor_client_id })
  const twice = await upload(person, [
    divide(id, '2027-03-31', 'n1'),
    divide(body.successor.id, '2027-01-31', 'n2'),
  ])
  expect(twice).toMatchObject([{ outcome: 'updated' }, { outcome: 'invalid' }])
  expect(Object.keys(twice[1]?.errors ?? {})).toEqual(['from'])

  const skipped = await upload(person, [
    divide(body.successor.id, '2027-01-31', 'n3'),
    update('recurring', id, { exceptions: { '2027-02-28': { skip: true } } }),
  ])
  expect(skipped).toMatchObject([{ outcome: 'updated' }, { outcome: 'updated' }])
  const { occurrences } = (await person.get('/api/recurring/upcoming?days=120')).body
  const february = occurrences.find(({ occurrence_date }: Json) => occurrence_date === '2027-02-28')
  expect(february.state).toBe('skipped')
})
