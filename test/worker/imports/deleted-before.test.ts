import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { rowsOf } from '../../databases/work.ts'
import { remove, upload } from '../fixtures/uploads.ts'
import { createWorld, type Json, openAccount } from '../fixtures/world.ts'
import { askDatabase, createHousehold, openWorldDatabase } from '../laws/every-route.ts'
import { countsOf, sendFile } from './send-file.ts'

type Row = [day: number, amount: string, reference?: string]
const five: Row = [1, '-5.00']
const six: Row = [2, '-6.00']

/** A household that imports its bank's CSV: each row a day of November, an amount and a reference. */
async function createImporter() {
  const home = await createHousehold(createWorld())
  const importRows = async (rows: Row[], options = '') => {
    const lines = rows.map(([day, amount, reference = '']) => `2026-11-${10 + day},${amount},${reference}`)
    const file = ['date,amount,reference', ...lines].join('\n')
    const response = await sendFile(home, `store?account_id=${home.checking.id}${options}`, file)
    expect(response.status).toBe(200)
    return response.body.import
  }
  const list = async (): Promise<Json[]> => (await home.person.get('/api/transactions')).body.data
  const memories = async () => (await askDatabase(home.world, sql`select * from imported_originals`))?.length
  return { ...home, importRows, list, memories }
}

test('a row that an import brought and the user deleted does not come back with the next file', async () => {
  const { person, world, importRows, list } = await createImporter()
  const overlapping: Row[] = [five, [2, '-6.00', 'A'], [3, '7.00'], [4, '8.00']]
  await importRows(overlapping.slice(0, 3))
  const [, second, first] = await list()
  expect((await person.delete(`/api/transactions/${first?.id}`)).status).toBe(204)
  await upload(person, [remove('transaction', second?.id, {})])

  const counts = { rows: 4, created: 1, duplicate: 1, deleted_before: 2 }
  expect((await importRows(overlapping, '&dry_run=1')).counts).toEqual(countsOf(counts))
  const { id } = await importRows(overlapping)
  expect((await person.get(`/api/imports/${id}`)).body.counts).toEqual(counts)
  expect((await list()).map(({ amount }) => amount)).toEqual(['8.00', '7.00'])
  // Each of them stands for one row: a second equal one, or one with a different reference, is another purchase.
  const { counts: others } = await importRows([five, five, [2, '-6.00', 'B']])
  expect(others).toEqual(countsOf({ rows: 3, created: 2, deleted_before: 1 }))
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
})

test('`reimport_deleted` imports a row that was deleted, and it is a row like any other from then on', async () => {
  const { person, importRows, list, memories } = await createImporter()
  await importRows([five])
  await person.delete(`/api/transactions/${(await list())[0]?.id}`)
  expect((await importRows([five], '&reimport_deleted=true&dry_run=true')).counts.created).toBe(1)
  expect((await importRows([five])).counts.deleted_before).toBe(1)
  expect((await importRows([five], '&reimport_deleted=true')).counts.created).toBe(1)
  expect(await memories()).toBe(0)
  expect((await importRows([five, five])).counts).toMatchObject({ created: 1, duplicate: 1 })
})

test.each(['', 'R'])(
  'the work of reimporting rows that equal each other grows no faster than their number (reference: %j)',
  async (mark) => {
    const workOf = async (count: number) => {
      const { person, world, importRows, memories } = await createImporter()
      const rows = (file: string) =>
        Array.from({ length: count }, (_, i): Row => [1, '-5.00', mark && `${file}${i}`])
      await importRows(rows('first'))
      const { data } = (await person.get('/api/transactions?per_page=500')).body
      await upload(
        person,
        data.map(({ id }: Json) => remove('transaction', id, {})),
      )
      expect(await memories()).toBe(count)
      await world.resetDatabaseWork()
      expect((await importRows(rows('second'), '&match=off&reimport_deleted=1')).counts.created).toBe(count)
      const worked = rowsOf(await world.databaseWork())
      expect(await memories()).toBe(mark ? count : 0)
      return worked
    }
    expect(await workOf(400)).toBeLessThan(6 * (await workOf(100)))
  },
)

test('only a row that an import brought and the user deleted is remembered, and only a file is held against it', async () => {
  const { world, person, importRows, list, memories, spend, expense } = await createImporter()
  const { id } = await importRows([five, six])
  await person.delete(`/api/imports/${id}`)
  const typed = await spend()
  await person.delete(`/api/transactions/${typed.id}`)
  expect([await list(), await memories()]).toEqual([[], 0])
  expect((await importRows([five, six])).counts).toMatchObject({ created: 2 })

  // An item of a phone's batch is not a row of a file.
  await person.delete(`/api/transactions/${(await list())[0]?.id}`)
  expect(await memories()).toBe(1)
  const item = { ...expense(), amount: 6, transaction_date: '2026-11-12' }
  await person.post('/api/transactions/sync', { transactions: [item] })
  await world.deliverSyncs()
  expect((await list()).map(({ amount }) => amount)).toEqual(['6.00', '5.00'])
})

test('an imported original is forgotten with its account, and with its user', async () => {
  const { person, world, importRows, list, memories, checking } = await createImporter()
  await importRows([five, six])
  for (const { id } of await list()) await person.delete(`/api/transactions/${id}`)
  expect(await memories()).toBe(2)
  await person.delete(`/api/accounts/${checking.id}`)
  await world.removeDeleted()
  expect(await memories()).toBe(0)

  const other = await createImporter()
  await other.importRows([five])
  await other.person.delete(`/api/transactions/${(await other.list())[0]?.id}`)
  await other.person.delete('/api/me', { password: other.person.password })
  await other.world.removeDeleted()
  expect(await other.memories()).toBe(0)
})

test('deleting a row of a file writes two rows more than deleting a typed one', async () => {
  const { person, world, list, spend, expense } = await createImporter()
  const typed = await spend()
  const transactions = [{ ...expense(), transaction_date: '2020-01-20' }]
  await person.post('/api/import/store', { transactions })
  const [imported] = await list()
  // So that neither of them is the newest, or the last of its month.
  await spend()
  const writtenFor = async ({ id }: Json) => {
    await world.resetDatabaseWork()
    await person.delete(`/api/transactions/${id}`)
    return (await world.databaseWork()).rowsWritten
  }
  expect((await writtenFor(imported as Json)) - (await writtenFor(typed))).toBe(2)
})

test('a row that was moved away from an account is compared as it is now, even once that account is removed', async () => {
  const world = createWorld()
  const { person, checking, cash, expense } = await createHousehold(world)
  const row = { ...expense(), transaction_date: '2026-01-31' }
  await person.post('/api/import/store', { transactions: [row] })
  const [{ id }] = (await person.get('/api/transactions')).body.data
  await person.put(`/api/transactions/${id}`, { account_id: cash.id })
  await person.delete(`/api/accounts/${checking.id}`)
  await world.removeDeleted()
  const moved = { account_id: cash.id, transaction_date: '2025-12-31' }
  await person.put(`/api/transactions/${id}`, moved)
  const { body } = await person.post('/api/import/store', { transactions: [{ ...row, ...moved }] })
  expect(body.import.counts).toMatchObject({ created: 0, duplicate: 1 })
})

test('the work of removing an account whose rows were all edited grows no faster than their number', async () => {
  const workOf = async (count: number) => {
    const { person, world, checking, importRows } = await createImporter()
    await importRows(Array.from({ length: count }, (_, i) => [i % 19, `-${i + 1}.00`]))
    await askDatabase(world, sql`update transactions set amount = amount + 1`)
    await person.delete(`/api/accounts/${checking.id}`)
    await world.resetDatabaseWork()
    await world.removeDeleted()
    return rowsOf(await world.databaseWork())
  }
  expect(await workOf(8_000)).toBeLessThan(5 * (await workOf(2_000)))
})

test('removing accounts passes over the imported originals of the others', async () => {
  const workOf = async (count: number) => {
    const { person, world, importRows } = await createImporter()
    await importRows(Array.from({ length: count }, (_, i) => [i % 19, `-${i + 1}.00`]))
    await askDatabase(world, sql`delete from transactions`)
    const accounts = await Promise.all(Array.from({ length: 20 }, () => openAccount(person)))
    for (const { id } of accounts) await person.delete(`/api/accounts/${id}`)
    await world.resetDatabaseWork()
    await world.removeDeleted()
    return rowsOf(await world.databaseWork())
  }
  expect(await workOf(2_000)).toBeLessThan(1.2 * (await workOf(200)))
})
