import { expect, test } from 'vitest'
import { create, createLedger, type Result, remove, update, wallet } from '../fixtures/uploads.ts'
import { balanceOf, createWorld, type Person } from '../fixtures/world.ts'
import { storedIn } from '../laws/every-route.ts'

const outcomes = (results: Result[]) => results.map(({ outcome }) => outcome)

async function send(person: Person, body: object): Promise<Result[]> {
  const response = await person.post('/api/changes', body)
  expect(response.status).toBe(200)
  return response.body.results
}

test('an atomic upload is done as a whole or not at all, and its repeat is a repeat', async () => {
  const { world, person, fields, cash, transaction } = await createLedger(createWorld())
  const ops = [
    create('account', 'a1', wallet),
    create('transaction', 't1', { ...fields, account_id: '#a1' }),
    update('account', cash.id, { name: 'Purse' }),
    remove('transaction', transaction.id),
    remove('transaction', 999_999),
  ]
  const bad = [
    [update('transaction', 999_998, { amount: 1 }), 'gone'],
    [create('category', 'c1', { name: '', type: 'expense' }), 'invalid'],
    [create('transaction', 't2', { ...fields, account_id: 999_999 }), 'invalid'],
    [remove('account', fields.account_id, { name: 'Other' }), 'conflict'],
  ] as const
  const before = await storedIn(world)
  for (const [op, outcome] of bad) {
    const results = await send(person, { atomic: true, ops: [...ops, op] })
    expect(outcomes(results)).toEqual([...Array(4).fill('not_done'), 'gone', outcome])
    expect(results[0]).toEqual({ index: 0, outcome: 'not_done' })
    expect(results[2]).toEqual({ index: 2, outcome: 'not_done', id: cash.id })
  }
  expect(await storedIn(world)).toEqual(before)

  const done = await send(person, { atomic: true, ops })
  expect(outcomes(done)).toEqual(['created', 'created', 'updated', 'deleted', 'gone'])
  const again = await send(person, { atomic: true, ops })
  expect(outcomes(again)).toEqual(['duplicate', 'duplicate', 'unchanged', 'gone', 'gone'])
  await person.delete(`/api/accounts/${done[0]?.id}`)
  const late = await send(person, { atomic: true, ops })
  expect(outcomes(late)).toEqual(['gone', 'gone', 'unchanged', 'gone', 'gone'])
})

test('a repeat of an atomic upload that records an occurrence and changes it answers as a repeat', async () => {
  const { person, fields } = await createLedger(createWorld())
  const { transaction_date: starts_on, ...template } = fields
  const rule = await person.post('/api/recurring', { ...template, starts_on, rrule: 'FREQ=MONTHLY' })
  const { id } = rule.body
  const ops = [
    update('recurring', id, { exceptions: { '2026-12-20': { amount: '13.00' } } }),
    create('transaction', 't1', {
      ...{ ...fields, amount: 13, transaction_date: '2026-12-20' },
      ...{ recurring_id: id, occurrence_date: '2026-12-20' },
    }),
  ]
  expect(outcomes(await send(person, { atomic: true, ops }))).toEqual(['updated', 'created'])
  expect(outcomes(await send(person, { atomic: true, ops }))).toEqual(['unchanged', 'duplicate'])
})

test('a dry run says what an upload would do, and stores nothing', async () => {
  const { world, person, fields, checking, transaction } = await createLedger(createWorld())
  const { body: check } = await person.post('/api/balance-checks', {
    account_id: checking.id,
    date: '2026-11-20',
    balance: 88,
  })
  expect(check.state).toBe('ok')
  const { body: token } = await person.post('/api/tokens', { name: 'Report', abilities: ['read'] })
  const reader = world.as(token.access_token ?? token.token)
  const { cursor } = (await person.get('/api/changes?start=now')).body
  const before = await storedIn(world)
  const ops = [
    create('account', 'a1', wallet),
    create('transaction', 't1', { ...fields, account_id: '#a1' }),
    update('transaction', transaction.id, { amount: 20 }),
    remove('category', 999_999),
  ]
  const { status, body } = await reader.post('/api/changes', { dry_run: true, cursor, ops })
  expect([status, body]).toEqual([
    200,
    {
      results: [
        { index: 0, outcome: 'created', id: null, version: null },
        { index: 1, outcome: 'created', id: null, version: null },
        { index: 2, outcome: 'updated', id: transaction.id, version: 2 },
        { index: 3, outcome: 'gone' },
      ],
      moves: [
        { account_id: checking.id, client_id: null, balance: 88, balance_after: 80 },
        { account_id: null, client_id: 'a1', balance: null, balance_after: 8.5 },
      ],
      broken_checks: [expect.objectContaining({ id: check.id, difference: -8, state: 'broken' })],
    },
  ])
  const past = Array.from({ length: 10 }, (_, nth) =>
    create('transaction', `p${nth}`, { ...fields, type: 'income', amount: '9999999999999.99' }),
  )
  expect((await reader.post('/api/changes', { dry_run: true, ops: past })).status).toBe(422)
  expect(await storedIn(world)).toEqual(before)
  expect(await balanceOf(person, checking)).toBe(88)
  expect((await reader.post('/api/changes', { ops })).status).toBe(403)
})

test('a dry run without operations is a pull from its cursor', async () => {
  const { person } = await createLedger(createWorld())
  const { cursor } = (await person.get('/api/changes')).body
  const { body } = await person.post('/api/changes', { cursor, ops: [], dry_run: true })
  expect(body).toMatchObject({ changes: [], snapshot: false })
})
