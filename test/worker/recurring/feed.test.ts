import { expect, test } from 'vitest'
import { createWorld, type Json, openAccount, type Person } from '../fixtures/world.ts'
import { createHousehold } from '../laws/every-route.ts'

const { world, person, checking, repeat } = await createHousehold(createWorld())

/** All changes after a cursor, or the snapshot, read in pages of two; and the cursor at the end. */
async function pull(reader: Person, from?: string): Promise<{ changes: Json[]; cursor: string }> {
  const query = from ? `&cursor=${from}` : ''
  const { body } = await reader.get(`/api/changes?limit=2${query}`)
  if (!body.has_more) return body
  const rest = await pull(reader, body.cursor)
  return { ...rest, changes: [...body.changes, ...rest.changes] }
}

const stored = ({ next: _, ...rule }: Json) => rule

test('the feed has rules as they are stored, after the categories, and then their changes and deletions', async () => {
  const id = await repeat()
  const other = await repeat()
  const { changes, cursor } = await pull(person)
  const nouns = changes.map(({ noun }) => noun)
  expect(nouns.filter((noun, nth) => noun !== nouns[nth - 1])).toEqual([
    'profile',
    'account',
    'category',
    'recurring',
  ])
  const rule = stored((await person.get(`/api/recurring/${id}`)).body)
  expect(changes.filter(({ noun }) => noun === 'recurring')[0]).toEqual({ noun: 'recurring', id, data: rule })

  await person.put(`/api/recurring/${id}`, { amount: 4 })
  const { body } = await person.post(`/api/recurring/${id}/occurrences/2026-12-20/record`)
  await person.delete(`/api/transactions/${body.id}`)
  await person.delete(`/api/recurring/${other}`)
  const later = await pull(person, cursor)
  expect(later.changes.toSorted((a, b) => a.noun.localeCompare(b.noun) || a.id - b.id)).toEqual([
    {
      noun: 'recurring',
      id,
      data: { ...rule, amount: '4.00', exceptions: { '2026-12-20': { skip: true } }, version: 3 },
    },
    { noun: 'recurring', id: other, data: null },
    { noun: 'transaction', id: body.id, data: null },
  ])
})

test('a copy that has the newest transaction is told which rule its deletion changes', async () => {
  const id = await repeat()
  const { body } = await person.post(`/api/recurring/${id}/occurrences/2026-12-20/record`)
  const { cursor } = await pull(person)
  await person.delete(`/api/transactions/${body.id}`)
  expect((await pull(person, cursor)).changes).toMatchObject([
    { noun: 'transaction', id: body.id, data: null },
    { noun: 'recurring', id, data: { exceptions: { '2026-12-20': { skip: true } } } },
  ])
})

test('the entry of a deleted account covers its rules', async () => {
  const { cursor } = await pull(person)
  const { changes } = await pull(person, cursor)
  expect(changes).toEqual([])
  const savings = await openAccount(person)
  const before = await pull(person, cursor)
  const { body } = await person.post('/api/recurring', {
    account_id: checking.id,
    to_account_id: savings.id,
    type: 'transfer',
    amount: 5,
    starts_on: '2026-12-01',
    rrule: 'FREQ=MONTHLY',
  })
  const created = await pull(person, before.cursor)
  expect(created.changes).toMatchObject([{ noun: 'recurring', id: body.id }])
  await person.delete(`/api/accounts/${savings.id}`)
  await world.removeDeleted()
  expect((await pull(person, created.cursor)).changes).toEqual([
    { noun: 'account', id: savings.id, data: null },
  ])
})
