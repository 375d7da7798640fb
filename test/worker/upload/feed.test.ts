import { expect, test } from 'vitest'
import { create, createLedger, remove, update, upload, wallet } from '../fixtures/uploads.ts'
import { createWorld } from '../fixtures/world.ts'

test('with a cursor, the response carries what a pull would, the upload’s own changes included', async () => {
  const { person, transaction, cash } = await createLedger(createWorld())
  const { body: copy } = await person.get('/api/changes')
  await person.put(`/api/accounts/${cash.id}`, { name: 'Purse' })
  const ops = [
    create('account', 'a1', wallet),
    update('transaction', transaction.id, { amount: 13 }, { amount: 12 }),
    { op: 'update', noun: 'profile', set: { name: 'Mary' } },
  ]
  const { status, body } = await person.post('/api/changes', { cursor: copy.cursor, ops })
  expect(status).toBe(200)
  const { results, ...page } = body
  expect(results.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
    'created',
    'updated',
    'updated',
  ])
  expect(page).toEqual((await person.get(`/api/changes?cursor=${copy.cursor}`)).body)
  const changed = page.changes.map(({ noun, data }: { noun: string; data: { name?: string } }) => [
    noun,
    data.name,
  ])
  expect(changed).toEqual([
    ['account', 'Purse'],
    ['profile', 'Mary'],
    ['account', 'Wallet'],
    ['transaction', undefined],
  ])
  expect(page.has_more).toBe(false)
  expect(page.total_balance).toBe(207.5)
  const next = await person.post('/api/changes', { cursor: page.cursor, ops })
  expect(next.body).toMatchObject({ changes: [], cursor: page.cursor, has_more: false, total_balance: 207.5 })
})

test('without a cursor there is nothing but the results', async () => {
  const { person, cash } = await createLedger(createWorld())
  const ops = [remove('account', cash.id)]
  expect((await person.post('/api/changes', { cursor: null, ops })).body).toEqual({
    results: [{ index: 0, outcome: 'deleted', id: cash.id, version: 1 }],
  })
})

test('a cursor from which the feed cannot continue is a 410, and nothing is done', async () => {
  const { world, person, cash } = await createLedger(createWorld())
  const stranger = await world.register()
  const { cursor } = (await person.get('/api/changes?start=now')).body
  const { cursor: theirs } = (await stranger.get('/api/changes?start=now')).body
  const [epoch, userId, seq] = JSON.parse(atob(cursor))
  const cursors = [
    theirs,
    btoa(JSON.stringify([epoch, userId, seq + 1])),
    btoa(JSON.stringify([epoch + 1, userId, seq])),
  ]
  for (const unusable of cursors) {
    const ops = [remove('account', cash.id)]
    const response = await person.post('/api/changes', { cursor: unusable.replace(/=+$/, ''), ops })
    expect([response.status, response.body.code]).toEqual([410, 'cursor_expired'])
  }
  expect((await upload(person, [remove('account', cash.id)]))[0]?.outcome).toBe('deleted')
})

test('what cannot be a cursor is a 422', async () => {
  const { person, cash } = await createLedger(createWorld())
  const response = await person.post('/api/changes', {
    cursor: 'yesterday',
    ops: [remove('account', cash.id)],
  })
  expect([response.status, response.body.errors]).toEqual([
    422,
    { cursor: ['The selected cursor is invalid.'] },
  ])
  expect((await person.get(`/api/accounts/${cash.id}`)).status).toBe(200)
})

test('numbers of changes stay unique, so a copy that pages one by one misses none', async () => {
  const { person, fields, cash, transaction } = await createLedger(createWorld())
  let { cursor } = (await person.get('/api/changes?start=now')).body
  const creations = Array.from({ length: 30 }, (_, nth) =>
    create('transaction', `t${nth}`, { ...fields, amount: nth + 1 }),
  )
  await upload(person, [
    ...creations,
    create('account', 'a1', wallet),
    update('account', cash.id, { name: 'Purse' }),
  ])
  await upload(person, [
    ...creations.map(({ client_id }, nth) =>
      nth % 3 === 0
        ? remove('transaction', client_id)
        : update(
            'transaction',
            client_id,
            nth % 3 === 1 ? { amount: 99 } : { transaction_date: '2026-01-01' },
          ),
    ),
    update('transaction', transaction.id, { description: 'Tea' }),
    remove('account', 'a1'),
  ])
  const seen = new Set<string>()
  for (let hasMore = true; hasMore; ) {
    const { body } = await person.get(`/api/changes?limit=1&cursor=${cursor}`)
    for (const { noun, id } of body.changes) seen.add(`${noun} ${id}`)
    cursor = body.cursor
    hasMore = body.has_more
  }
  expect(seen.size).toBe(30 + 1 + 2)
})
