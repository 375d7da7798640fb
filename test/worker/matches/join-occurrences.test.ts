import { beforeEach, expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { createFaultyWorld } from '../faults/faulty-world.ts'
import { noon, setClock } from '../fixtures/clock.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import { aCategory, type Json, openAccount, registerVerified } from '../fixtures/world.ts'
import { openWorldDatabase } from '../laws/every-route.ts'

const date = '2026-11-20'

beforeEach(() => {
  setClock(noon)
  muteLog()
})

/** A household whose rent was typed, and then imported as the occurrence of a rule. */
async function begin() {
  const world = createFaultyWorld()
  const person = await registerVerified(world)
  const account = await openAccount(person)
  const { id: category_id } = await aCategory(person)
  const rent = { account_id: account.id, type: 'expense', amount: '950.00', description: 'Rent Meier' }
  const { body: rule } = await person.post('/api/recurring', {
    ...{ ...rent, category_id, rrule: 'FREQ=MONTHLY', starts_on: '2026-01-20' },
  })
  const type = async (transaction_date: string, details: Json = {}): Promise<Json> => {
    const row = { ...rent, category_id, transaction_date, force: true, ...details }
    return (await person.post('/api/transactions', row)).body
  }
  const typed = await type('2026-11-18')
  const transactions = [{ ...rent, transaction_date: date, description: 'SEPA MEIER' }]
  const { body } = await person.post('/api/import/store', { transactions })
  const [linked] = body.import.occurrences
  const join = (...ids: number[]) => person.post('/api/matches/join', { kind: 'duplicate', ids })
  const separate = (id: number) => person.post('/api/matches/separate', { id })
  /** The transactions, with the occurrence that each is. */
  const rows = async (): Promise<[number, string | null][]> =>
    (await person.get('/api/transactions')).body.data
      .map(({ id, occurrence_date }: Json) => [id, occurrence_date])
      .sort(([a]: [number], [b]: [number]) => a - b)
  const isExact = async () => expect(await findDifferences(openWorldDatabase(world))).toEqual([])
  return { world, person, rule, type, typed, imported: linked.transaction_id, join, separate, rows, isExact }
}

test('a join hands the occurrence over to the row that remains, a separation takes it back, again and again', async () => {
  const { typed, imported, join, separate, rows, isExact } = await begin()
  expect(await rows()).toEqual([
    [typed.id, null],
    [imported, date],
  ])
  for (let repeat = 0; repeat < 2; repeat++) {
    expect((await join(typed.id, imported)).body).toMatchObject({ id: typed.id, occurrence_date: date })
    expect(await rows()).toEqual([[typed.id, date]])
    expect((await separate(typed.id)).status).toBe(200)
    expect(await rows()).toEqual([
      [typed.id, null],
      [imported, date],
    ])
  }
  await isExact()
})

test('two rows that are different occurrences are a 422 under ids, and stay as they are', async () => {
  const { person, rule, type, typed, imported, join, rows, isExact } = await begin()
  const path = `/api/recurring/${rule.id}/occurrences`
  const october = await type('2026-11-19')
  expect((await person.put(`${path}/2026-10-20`, { transaction_id: october.id })).status).toBe(200)
  const refused = await join(october.id, imported)
  expect([refused.status, refused.body.errors]).toEqual([
    422,
    { ids: ['The ids must not be those of two occurrences of recurring transactions.'] },
  ])
  expect(await rows()).toEqual([
    [typed.id, null],
    [imported, date],
    [october.id, '2026-10-20'],
  ])
  await isExact()
})

test('joins, separations, links and the undo of an import at once leave one transaction for the occurrence', async () => {
  const { person, rule, typed, imported, join, separate, rows, isExact } = await begin()
  const path = `/api/recurring/${rule.id}/occurrences/${date}`
  for (let round = 0; round < 3; round++) {
    await Promise.all([
      join(typed.id, imported),
      separate(typed.id),
      person.put(path, { transaction_id: typed.id }),
      join(imported, typed.id),
      ...(round === 2 ? [person.delete('/api/imports/1?force=true')] : []),
    ])
    const found = await rows()
    expect(found.filter(([, occurrence]) => occurrence === date).length).toBeLessThanOrEqual(1)
    await isExact()
  }
})

test.each([true, false])(
  'a database that is cut off at a join or a separation, executed or not (%s), leaves one of the two states',
  async (executed) => {
    const { world, typed, imported, join, separate, rows, isExact } = await begin()
    const apart = [
      [typed.id, null],
      [imported, date],
    ]
    const together = [[typed.id, date]]
    const cut = (does: () => Promise<unknown>) =>
      world.whileBroken({ gets: 'cut', executed, only: 1 }, () => Promise.allSettled([does()]))
    await cut(() => join(typed.id, imported))
    expect([apart, together]).toContainEqual(await rows())
    await isExact()
    expect((await join(typed.id, imported)).status).toBe(200)
    await cut(() => separate(typed.id))
    expect([apart, together]).toContainEqual(await rows())
    await isExact()
  },
)
