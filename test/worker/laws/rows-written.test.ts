import { expect, test } from 'vitest'
import { create, update, upload } from '../fixtures/uploads.ts'
import { createWorld, recordTransaction } from '../fixtures/world.ts'
import { createHousehold, goodCall, type Household, protectedRoutes, writeHistory } from './every-route.ts'

/*
 * Rows written are most of what a request costs, and an index entry is one of them (docs/scale.md). Whoever adds an index,
 * a trigger or a kept figure finds it here, and has to decide whether it is worth that.
 */

/** Rows that a valid call of each route writes, by the server's own count. Routes that are not listed write none. */
const written: Record<string, number> = {
  'DELETE /api/accounts/:id': 4,
  'DELETE /api/balance-checks/:id': 3,
  'DELETE /api/categories/:id': 3,
  'DELETE /api/imports/:id': 9,
  'DELETE /api/imports/layouts/:id': 1,
  'DELETE /api/matches/reject': 1,
  'DELETE /api/me': 11,
  'DELETE /api/recurring/:id': 2,
  'DELETE /api/tokens/:id': 1,
  'DELETE /api/transactions/:id': 5,
  'PATCH /api/accounts/:id': 2,
  'PATCH /api/balance-checks/:id': 5,
  'PATCH /api/categories/:id': 3,
  'PATCH /api/me': 3,
  'PATCH /api/me/email': 14,
  'PATCH /api/me/password': 5,
  'PATCH /api/recurring/:id': 6,
  'PATCH /api/recurring/:id/occurrences/:date': 3,
  'PATCH /api/transactions/:id': 12,
  'POST /api/accounts': 4,
  'POST /api/balance-checks': 5,
  'POST /api/categories': 4,
  'POST /api/changes': 19,
  'POST /api/email/verification-notification': 4,
  'POST /api/import/bank/store': 20,
  'POST /api/import/store': 22,
  'POST /api/logout': 1,
  'POST /api/logout-all': 1,
  // One of them is the bank's day, in its index.
  'POST /api/matches/join': 13,
  'POST /api/matches/reject': 2,
  'POST /api/matches/separate': 15,
  'POST /api/recurring': 5,
  // One more than a transaction of another kind: the key of the occurrence.
  'POST /api/recurring/:id/occurrences/:date/record': 10,
  'POST /api/recurring/suggestions/dismiss': 2,
  'POST /api/tokens': 10,
  'POST /api/transactions': 8,
  'POST /api/transactions/sync': 23,
  'PUT /api/accounts/:id': 2,
  'PUT /api/balance-checks/:id': 2,
  'PUT /api/categories/:id': 3,
  'PUT /api/me': 2,
  'PUT /api/me/email': 14,
  'PUT /api/me/password': 5,
  'PUT /api/recurring/:id': 2,
  'PUT /api/recurring/:id/occurrences/:date': 2,
  'PUT /api/transactions/:id': 10,
}

test('every route writes as many rows as expected, index entries and triggers included', async () => {
  const world = createWorld()
  const household = await createHousehold(world)
  const found: Record<string, number> = {}
  for (const route of protectedRoutes) {
    const { call, status } = await goodCall(route, household)
    await world.resetDatabaseWork()
    expect((await call(household.person)).status, route).toBe(status)
    const { rowsWritten } = await world.databaseWork()
    if (rowsWritten > 0) found[route] = rowsWritten
  }
  expect(found).toEqual(written)
})

test('in a month that has totals, a transaction is seven rows, its client id one more, a new amount five and new words two', async () => {
  const { world, person, expense } = await createHousehold(createWorld())
  const { id } = await recordTransaction(person, expense())
  const steps = [
    () => person.post('/api/transactions', { ...expense(), amount: 2 }),
    () => person.post('/api/transactions', { ...expense(), amount: 3, client_id: 'phone-1' }),
    () => person.put(`/api/transactions/${id}`, { amount: 4 }),
    // The row, and its entry in the index of changes.
    () => person.put(`/api/transactions/${id}`, { description: 'Dinner' }),
  ]
  const rows: number[] = []
  for (const step of steps) {
    await world.resetDatabaseWork()
    expect((await step()).status).toBeLessThan(300)
    rows.push((await world.databaseWork()).rowsWritten)
  }
  expect(rows).toEqual([7, 8, 5, 2])
})

/** Items of a batch or file, each an expense of its own, with a client id if they come from a phone. */
function rowsOf({ expense }: Household, count: number, isOfPhone: boolean) {
  return Array.from({ length: count }, (_, nth) => ({
    ...expense(),
    amount: nth + 1,
    ...(isOfPhone && { client_id: `phone-${nth}` }),
  }))
}

test.each([
  [1, 20],
  [20, 134],
  [1_000, 6_014],
])('a batch of %i writes %i rows, from its upload until it is processed', async (count, rows) => {
  const household = await createHousehold(createWorld())
  const { world, person } = household
  const transactions = rowsOf(household, count, true)
  await world.resetDatabaseWork()
  expect((await person.post('/api/transactions/sync', { transactions })).status).toBe(200)
  await world.deliverSyncs()
  expect((await world.databaseWork()).rowsWritten).toBe(rows)
  expect((await person.get('/api/transactions')).body.total).toBe(count)
})

test.each([
  [1, 22],
  [1_000, 5_017],
])('a file of %i transactions writes %i rows', async (count, rows) => {
  const household = await createHousehold(createWorld())
  const { world, person } = household
  const transactions = rowsOf(household, count, false)
  await world.resetDatabaseWork()
  expect((await person.post('/api/import/store', { transactions })).body.import.counts.created).toBe(count)
  expect((await world.databaseWork()).rowsWritten).toBe(rows)
})

test.each([
  [1, 12],
  [20, 126],
  [500, 3_006],
])('an upload that creates %i transactions writes %i rows', async (count, rows) => {
  const household = await createHousehold(createWorld())
  const { world, person } = household
  const ops = rowsOf(household, count, false).map((set, nth) => create('transaction', `phone-${nth}`, set))
  await world.resetDatabaseWork()
  await upload(person, ops)
  expect((await world.databaseWork()).rowsWritten).toBe(rows)
})

test.each([
  ['the amount', { amount: 700 }],
  ['the date', { transaction_date: '2025-12-03' }],
  ['the words', { description: 'Tea', reference: 'R1' }],
  ['the category', { category_id: null }],
])(
  'each of 500 updates of %s in an upload writes no more than a single PUT, and reads at most twice as much',
  async (_, set) => {
    const household = await createHousehold(createWorld())
    const { world, person } = household
    await writeHistory(household, 20_000)
    const ops = rowsOf(household, 501, false).map((set, nth) => create('transaction', `phone-${nth}`, set))
    const [one] = await upload(person, ops.splice(0, 1))
    const ids = (await upload(person, ops)).map(({ id }) => id)
    await world.resetDatabaseWork()
    expect((await person.put(`/api/transactions/${one?.id}`, set)).status).toBe(200)
    const single = await world.databaseWork()
    await world.resetDatabaseWork()
    const results = await upload(
      person,
      ids.map((id) => update('transaction', id, set, {})),
    )
    const many = await world.databaseWork()
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['updated']))
    // What surrounds the operations, such as the row of the upload, is written once.
    expect(many.rowsWritten / 500).toBeLessThan(single.rowsWritten + 0.05)
    expect(many.rowsRead / 500).toBeLessThan(2 * single.rowsRead)
  },
)

test('an upload that is sent again writes nothing', async () => {
  const household = await createHousehold(createWorld())
  const { world, person } = household
  const ops = rowsOf(household, 100, false).map((set, nth) => create('transaction', `phone-${nth}`, set))
  await upload(person, ops)
  const updates = ops.map(({ client_id }) =>
    update('transaction', client_id, { description: 'Tea' }, { description: null }),
  )
  const outcomes = async (sent: unknown[]) => [
    ...new Set((await upload(person, sent)).map(({ outcome }) => outcome)),
  ]
  expect(await outcomes(updates)).toEqual(['updated'])
  for (const [again, outcome] of [
    [ops, 'duplicate'],
    [updates, 'unchanged'],
  ] as const) {
    await world.resetDatabaseWork()
    expect(await outcomes(again)).toEqual([outcome])
    expect((await world.databaseWork()).rowsWritten).toBe(0)
  }
})
