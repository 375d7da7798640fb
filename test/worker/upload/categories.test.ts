import { expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { create, createLedger, type Result, remove, update, upload } from '../fixtures/uploads.ts'
import { createWorld, type Json } from '../fixtures/world.ts'
import { openWorldDatabase } from '../laws/every-route.ts'

/*
 * A row of money is never refused because of a category, nor does it have to wait for one.
 */

async function createHome() {
  const home = await createLedger(createWorld())
  const { world, person, fields } = home
  const { transaction_date: starts_on, ...template } = fields
  const rule = { ...template, starts_on, rrule: 'FREQ=MONTHLY' }
  const { body } = await person.post('/api/recurring', rule)
  const stranger = await createLedger(world)
  const made = await upload(person, [create('category', 'spent', { name: 'Spent', type: 'expense' })])
  await person.delete(`/api/categories/${made[0]?.id}`)
  return { ...home, rule, ruleId: body.id, foreign: stranger.category.id }
}
type Home = Awaited<ReturnType<typeof createHome>>

const lost: Record<string, (home: Home) => { category_id: number | string; ops?: Json[] }> = {
  'that does not exist': () => ({ category_id: 999_999 }),
  'of another user': ({ foreign }) => ({ category_id: foreign }),
  'that was never created': () => ({ category_id: '#nothing' }),
  'whose client id is spent': () => ({
    category_id: '#spent',
    ops: [create('category', 'spent', { name: 'Again', type: 'expense' })],
  }),
  'that is invalid': () => ({
    category_id: '#c1',
    ops: [create('category', 'c1', { name: '', type: 'expense' })],
  }),
}

test.each(Object.entries(lost))('with a category %s, a row of money has none, and says so', async (_, of) => {
  const home = await createHome()
  const { world, person, fields, rule, ruleId, transaction, read } = home
  const { category_id, ops = [] } = of(home)
  const results = await upload(person, [
    create('transaction', 't1', { ...fields, category_id }),
    update('transaction', transaction.id, { category_id, amount: 3 }),
    create('recurring', 'r1', { ...rule, category_id }),
    update('recurring', ruleId, { category_id, amount: 3 }),
    create('transaction', 't2', {
      ...{ ...fields, category_id, transaction_date: '2026-12-20' },
      ...{ recurring_id: '#r1', occurrence_date: '2026-12-20' },
    }),
    ...ops,
  ])
  const done = (outcome: string) => expect.objectContaining({ outcome, uncategorised: true })
  const expected = ['created', 'updated', 'created', 'updated', 'created'].map(done)
  expect(results.slice(0, 5)).toEqual(expected)
  for (const nth of [0, 1, 4]) expect((await read(results[nth]?.id)).category_id).toBe(null)
  for (const nth of [2, 3])
    expect((await person.get(`/api/recurring/${results[nth]?.id}`)).body.category_id).toBe(null)
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
})

test('what is recorded in a category that the upload deletes has none in the end', async () => {
  const { world, person, fields, category, transaction, read } = await createHome()
  const [made, , moved] = (await upload(person, [
    create('transaction', 't1', fields),
    remove('category', category.id),
    update('transaction', transaction.id, { amount: 3 }, { category_id: category.id }),
  ])) as [Result, Result, Result]
  expect([made.outcome, moved.outcome]).toEqual(['created', 'updated'])
  for (const { id } of [made, moved]) expect((await read(id)).category_id).toBe(null)
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
})

test('a new category whose name exists is that one, for all that the upload records in it', async () => {
  const { person, fields, category, read } = await createHome()
  const named = (name: string) => ({ name, type: 'expense' })
  const results = await upload(person, [
    create('category', 'c1', named(category.name.toUpperCase())),
    create('transaction', 't1', { ...fields, category_id: '#c1' }),
    create('category', 'c2', named('New')),
    create('category', 'c3', named('new')),
    create('transaction', 't2', { ...fields, category_id: '#c3' }),
  ])
  const { id } = results[2] as Result
  expect(results).toMatchObject([
    { outcome: 'duplicate', id: category.id, data: { id: category.id, name: category.name } },
    { outcome: 'created' },
    { outcome: 'created' },
    { outcome: 'duplicate', id, version: 1, data: { id, name: 'New', client_id: 'c2' } },
    { outcome: 'created' },
  ])
  expect((await read(results[1]?.id)).category_id).toBe(category.id)
  expect((await read(results[4]?.id)).category_id).toBe(id)
})

test('a name that a deletion frees is free in the same upload', async () => {
  const { person, fields, category, read } = await createHome()
  const { body: other } = await person.post('/api/categories', { name: 'Other', type: 'expense' })
  const { name } = category
  const results = await upload(person, [
    create('transaction', 't1', { ...fields, category_id: '#c1' }),
    create('category', 'c1', { name, type: 'expense' }),
    remove('category', category.id, { name }),
  ])
  expect(results.map(({ outcome }) => outcome)).toEqual(['created', 'created', 'deleted'])
  expect((await read(results[0]?.id)).category_id).toBe(results[1]?.id)
  const renamed = await upload(person, [
    update('category', other.id, { name }),
    remove('category', results[1]?.id as number),
  ])
  expect(renamed.map(({ outcome }) => outcome)).toEqual(['updated', 'deleted'])
})
