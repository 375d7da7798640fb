import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { maxRejections } from '../../../src/database/quotas.ts'
import { addDays } from '../../../src/domain/dates.ts'
import { createBanked } from '../fixtures/banked.ts'
import {
  createWorld,
  expectInvalid,
  expectInvalidFields,
  type Json,
  recordTransaction,
} from '../fixtures/world.ts'
import { countsOf, sendFile } from '../imports/send-file.ts'
import {
  askDatabase,
  createHousehold,
  openWorldDatabase,
  standingTwice,
  writeHistory,
} from '../laws/every-route.ts'

test('what was typed is matched with the bank’s file days later, and a transfer by its two legs', async () => {
  const { person, checking, savings, expense, importRows, matches } = await createBanked()
  const typed = await recordTransaction(person, {
    ...expense(),
    description: 'Coffee beans',
    transaction_date: '2026-11-10',
  })
  const { counts, matches_url } = await importRows(checking, [
    ['2026-11-12', '-12.50', 'CARD 4711 COFFEE ROASTERS'],
    ['2026-11-13', '-300.00', 'To Nestegg'],
    ['2026-11-14', '-7.77', 'Bakery'],
  ])
  expect(counts).toEqual(countsOf({ rows: 3, created: 3, possible: 1 }))
  const [found, ...none] = await matches(new URL(matches_url).search.slice(1))
  expect([found, none]).toMatchObject([{ kind: 'duplicate', days_apart: 2, certainty: 'sure' }, []])
  expect(found?.reasons).toEqual(['same_amount', 'days_apart', 'words_in_common', 'only_candidate'])
  expect(found?.transactions).toMatchObject([{ id: typed.id }, { description: 'CARD 4711 COFFEE ROASTERS' }])
  expect(found?.ids).toEqual(found?.transactions.map(({ id }: Json) => id))

  const other = await importRows(savings, [['2026-11-14', '300.00', 'Deposit']])
  expect([other.counts.possible, other.matches_url]).toEqual([
    1,
    expect.stringMatching(/from=2026-11-13&to=2026-11-14$/),
  ])
  expect((await matches()).map(({ kind }) => kind).sort()).toEqual(['duplicate', 'transfer'])
  const [transfer] = await matches('kind=transfer&from=2026-11-01&to=2026-11-30')
  expect(transfer?.transactions).toMatchObject([
    { type: 'expense', account_id: checking.id },
    { type: 'income' },
  ])
  // With `off` nothing is looked for, and a dry run finds what the file would.
  const off = await importRows(savings, [['2026-11-13', '7.77']], '&match=off&dry_run=true')
  const dry = await importRows(savings, [['2026-11-13', '7.77']], '&dry_run=true')
  expect([off.counts.possible, dry.counts.possible, (await matches()).length]).toEqual([0, 1, 2])
})

test('a match is as sure where an import says that it is listed, and on a day of it, as in a longer list', async () => {
  const { person, expense, checking, importRows, matches } = await createBanked()
  await recordTransaction(person, { ...expense(), transaction_date: '2026-10-10' })
  const { counts, matches_url } = await importRows(checking, [
    ['2026-10-11', '-12.50', 'Coffee'],
    ['2026-10-13', '-12.50', 'Coffee'],
  ])
  expect(counts.possible).toBe(1)
  const longer = await matches('from=2026-01-01&to=2026-12-31')
  expect(longer.map(({ certainty }) => certainty)).toEqual(['likely'])
  for (const days of ['from=2026-10-10&to=2026-10-10', 'from=2026-10-11&to=2026-10-11'])
    expect(await matches(days)).toEqual(longer)
  expect(await matches(new URL(matches_url).search.slice(1))).toEqual(longer)
  for (const days of ['from=2026-09-01&to=2026-10-09', 'from=2026-10-12&to=2026-10-13'])
    expect(await matches(days)).toEqual([])
})

test('another row that is as near to the second row of a match keeps it from being sure, in the other’s import too', async () => {
  const { person, expense, checking, importRows, matches } = await createBanked()
  await recordTransaction(person, { ...expense(), transaction_date: '2026-10-10' })
  await importRows(checking, [['2026-10-09', '-12.50', 'Coffee']], '&match=off')
  const { counts } = await importRows(checking, [['2026-10-16', '-12.50', 'Coffee']])
  expect(counts).toMatchObject({ created: 1 })
  const listed = await matches('from=2026-10-16&to=2026-10-16')
  expect(listed).toEqual(
    (await matches('from=2026-10-01&to=2026-10-31')).filter(({ ids }) => ids.includes(3)),
  )
})

test('two imports cover what lies between their rows, if one of these is outside the listed days', async () => {
  const { checking, importRows, matches } = await createBanked()
  await importRows(checking, [
    ['2026-10-28', '-2.00', 'Bread'],
    ['2026-10-29', '5.00', 'Refund'],
  ])
  await importRows(checking, [
    ['2026-10-28', '5.00', 'A refund'],
    ['2026-11-01', '-3.00', 'Tea'],
  ])
  expect(await matches('from=2026-10-28&to=2026-10-29')).toHaveLength(1)
})

test('what was typed is found in a transfer that was typed too and then joined with its leg in the bank’s file', async () => {
  const { person, checking, savings, expense, importRows, matches } = await createBanked()
  const at = (account: Json, type: string, transaction_date: string) =>
    recordTransaction(person, { ...expense(), account_id: account.id, type, transaction_date })
  const outflow = await at(checking, 'expense', '2026-11-10')
  await importRows(savings, [['2026-11-11', '12.50', 'Deposit']], '&match=off')
  const [transfer] = await matches()
  await person.post('/api/matches/join', { kind: 'transfer', ids: transfer?.ids })
  const typed = await at(savings, 'income', '2026-11-09')
  expect((await matches()).map(({ ids }) => ids)).toEqual([[typed.id, outflow.id]])
})

test('what was rejected is not suggested again, by lists and imports, until that is taken back', async () => {
  const home = await createBanked()
  const { person, checking, importRows, matches } = home
  const ids = await standingTwice(home, '2026-11-11')
  const rejected = { kind: 'duplicate', ids: ids.toReversed() }
  expect((await person.post('/api/matches/reject', rejected)).status).toBe(204)
  expect((await person.post('/api/matches/reject', rejected)).status).toBe(204)
  expect(await matches()).toEqual([])
  expect((await importRows(checking, [['2026-11-12', '-1.00']])).counts.possible).toBe(0)
  expect((await person.delete('/api/matches/reject', { ...rejected, kind: 'transfer' })).status).toBe(204)
  expect(await matches()).toEqual([])
  expect((await person.delete('/api/matches/reject', rejected)).status).toBe(204)
  expect(await matches()).toMatchObject([{ ids }])
})

test('a pair must be two transactions of the user’s, and a period one that can be looked at', async () => {
  const { world, person, spend } = await createBanked()
  const stranger = await createHousehold(world)
  const [mine, theirs] = [await spend(), await stranger.spend()]
  for (const id of [theirs.id, 999_999]) {
    const body = { kind: 'transfer', ids: [mine.id, id] }
    for (const response of [
      await person.post('/api/matches/reject', body),
      await person.delete('/api/matches/reject', body),
    ])
      expectInvalid(response, { 'ids.1': ['The selected id is invalid.'] })
  }
  for (const ids of [[mine.id], [mine.id, mine.id], [1, 2, 3], 'x', null, [mine.id, {}]]) {
    const { status } = await person.post('/api/matches/reject', { kind: 'duplicate', ids })
    expect([ids, status]).toEqual([ids, 422])
  }
  expectInvalidFields(await person.post('/api/matches/reject', {}), ['ids', 'kind'])
  expectInvalidFields(await person.get('/api/matches?from=2025-01-01&to=2026-01-02'), ['to'])
  expectInvalidFields(await person.get('/api/matches?from=2025-01-02&to=2025-01-01&kind=x'), ['kind', 'to'])
  for (const query of ['from=2025-01-01&to=2026-01-01', 'from=2100-12-01', 'to=1900-01-02', 'kind=&from='])
    expect([query, (await person.get(`/api/matches?${query}`)).status]).toEqual([query, 200])
})

test('what two files cover under different names is a duplicate, what only one covers is not', async () => {
  const { person, checking, importRows, matches } = await createBanked()
  const days = ['2026-11-02', '2026-11-10', '2026-11-18'] as const
  const [first, middle, last] = days.map(
    (day) => [day, `-${day.slice(8)}.10`, 'Shop'] as [string, string, string],
  )
  await importRows(checking, [first, middle, last] as never)
  const other = [
    ['2026-11-03', '-1.00', 'x'],
    ['2026-11-12', '-10.10', 'Shop 2'],
    ['2026-11-20', '-18.10', 'Shop 3'],
  ]
  await importRows(checking, other as never)
  const found = await matches()
  expect(found.map(({ transactions }) => transactions[0].amount)).toEqual(['10.10'])
  expect((await person.post('/api/matches/join', { kind: 'duplicate', ids: found[0]?.ids })).status).toBe(200)
})

test('what was typed stands for the equal row of a file, and is no match for another one', async () => {
  const { person, checking, expense, importRows, matches } = await createBanked()
  const typed = await recordTransaction(person, { ...expense(), transaction_date: '2026-11-10' })
  const twice = [
    ['2026-11-10', '-12.50'],
    ['2026-11-10', '-12.50'],
    ['2026-11-12', '-12.50'],
  ] as never
  const { id, counts } = await importRows(checking, twice)
  expect(counts).toMatchObject({ created: 2, duplicate: 1, possible: 0, categorised: 0 })
  expect(await matches()).toEqual([])
  await person.delete(`/api/imports/${id}`)
  const { counts: later } = await importRows(checking, [['2026-11-12', '-12.50']])
  expect([later, (await matches())[0]?.ids[0]]).toMatchObject([{ created: 1, possible: 1 }, typed.id])
})

test('only the newest 20,000 rows of a long history are looked at, with a bounded number of reads each', async () => {
  const home = await createHousehold(createWorld())
  // Ten rows for each day of ten years, and of each amount one.
  await writeHistory(home, 36_500)
  const { world, person } = home
  await world.resetDatabaseWork()
  const { body } = await person.get('/api/matches?from=2025-11-01&to=2026-10-31')
  const work = await world.databaseWork()
  expect([body, work.requests]).toEqual([{ matches: [], searched_back_to: null }, 1])
  expect(work.rowsRead).toBeLessThan(3_650 * 22)
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
})

test('whoever continues from the day that a list names finds every match, whatever day it is on', async () => {
  const home = await createBanked()
  const { world, person, checking, expense, importRows } = home
  await writeHistory(home, 24_000)
  await askDatabase(
    world,
    sql`update transactions set transaction_date = date('2026-10-31', '-' || (id % 240) || ' days')`,
  )
  // A list looks at two hundred days of a hundred rows each, the last of which is in these weeks.
  const typed = Array.from({ length: 40 }, (_, index) => addDays('2026-03-25', index))
  for (const [index, transaction_date] of typed.entries())
    await recordTransaction(person, {
      ...{ ...expense(), amount: `${5000 + index}`, transaction_date },
      description: 'Rent',
    })
  await importRows(
    checking,
    typed.map((day, index) => [addDays(day, 2), `-${5000 + index}`, 'RENT']),
    '&match=off',
  )
  const found: string[] = []
  let to: string | null = '2026-10-31'
  for (let lists = 0; to && lists < 5; lists++) {
    const { body } = await person.get(`/api/matches?from=2025-11-01&to=${to}`)
    found.push(...body.matches.map(({ ids, certainty }: Json) => `${ids} ${certainty}`))
    to = body.searched_back_to
  }
  expect(to).toBe(null)
  expect(new Set(found).size).toBe(typed.length)
  expect(found.filter((one) => !one.endsWith('sure'))).toEqual([])
})

test('a potential duplicate says why it is one', async () => {
  const { person, expense, checking, importRows } = await createBanked()
  const row = { ...expense(), description: 'Coffee beans', reference: 'B1' }
  await recordTransaction(person, row)
  const { status, body } = await person.post('/api/transactions', { ...row, description: 'coffee' })
  expect([status, body.duplicates[0].reasons]).toEqual([
    409,
    ['same_amount', 'same_day', 'same_reference', 'words_in_common'],
  ])
  const items = [{ ...expense(), client_id: 'phone' }]
  await person.post('/api/import/store', { transactions: items })
  const again = await person.post('/api/import/store', {
    transactions: [{ ...expense(), amount: 1 }, ...items],
  })
  expect(again.body.import.duplicates).toEqual([
    { row: 1, transaction_id: expect.any(Number), reasons: ['same_client_id'] },
  ])
  const file = await importRows(checking, [['2026-11-20', '-12.50', 'Beans for coffee']])
  expect(file.duplicates).toEqual([
    { row: 2, transaction_id: expect.any(Number), reasons: ['same_amount', 'same_day'] },
  ])
})

test('an import that is sent again with its key gets its first response, whatever has been joined since', async () => {
  const { world, person, checking, savings, expense, importRows, matches } = await createBanked()
  await recordTransaction(person, { ...expense(), transaction_date: '2026-11-10' })
  await recordTransaction(person, { ...expense(), amount: 20, transaction_date: '2026-11-10' })
  await recordTransaction(person, { ...expense(), amount: 20, transaction_date: '2026-11-11' })
  await importRows(savings, [['2026-11-16', '300.00', 'From Checking']])
  const rows = ['2026-11-10,-12.50,', '2026-11-12,-20.00,', '2026-11-15,-300.00,To Nestegg']
  const send = (options: string, key: string) =>
    sendFile(
      { world, person },
      `store?account_id=${checking.id}${options}`,
      ['date,amount,description', ...rows].join('\n'),
      { 'Idempotency-Key': key },
    )
  const first = await send('', 'once')
  expect(first.body.import).toMatchObject({
    counts: { rows: 3, created: 2, duplicate: 1, possible: 2, categorised: 0 },
    duplicates: [{ row: 2 }],
    matches_url: expect.any(String),
  })
  const [pair] = await matches()
  expect((await person.post('/api/matches/join', { kind: pair?.kind, ids: pair?.ids })).status).toBe(200)
  expect((await send('', 'once')).body).toEqual(first.body)
  const another = await send('', 'twice')
  expect(another.body.import.counts).toMatchObject({ duplicate: 3, possible: 0, categorised: 0 })
  // If a call is cut off before its response is stored, the response is made from what is known.
  await askDatabase(world, sql`update imports set response = null where idempotency_key = 'once'`)
  const { counts } = (await send('', 'once')).body.import
  expect(counts).toEqual({ ...first.body.import.counts, possible: 1 })
})

test('so is one whose account has been deleted since', async () => {
  const { world, person, savings } = await createBanked()
  const row = { account_id: savings.id, type: 'income', amount: 1, transaction_date: '2026-11-10' }
  const send = () =>
    world.call('POST', '/api/import/store', {
      token: person.token,
      headers: { 'Idempotency-Key': 'once' },
      body: { transactions: [row] },
    })
  const first = await send()
  expect(first.status).toBe(200)
  await person.delete(`/api/accounts/${savings.id}`)
  expect((await send()).body).toEqual(first.body)
})

test('a rejected match is deleted with its rows, but not with one that is joined, and their number is limited', async () => {
  const { world, person, checking, savings, expense } = await createBanked()
  const type = (day: number) =>
    recordTransaction(person, { ...expense(), transaction_date: `2026-11-${day}`, description: `On ${day}` })
  const coffees = [await type(10), await type(11), await type(12), await type(13)]
  const [first, second, third, fourth] = coffees.map(({ id }) => id)
  const post = (path: string, ids: unknown[]) =>
    person.post(`/api/matches/${path}`, { kind: 'duplicate', ids })
  const rejected = async () =>
    (await askDatabase(world, sql`select first_id, second_id from rejected_matches order by 1, 2`)) ?? []
  const isExact = async () => expect(await findDifferences(openWorldDatabase(world))).toEqual([])
  for (const ids of [
    [first, second],
    [second, third],
    [third, fourth],
  ])
    expect((await post('reject', ids)).status).toBe(204)

  expect((await post('join', [first, second])).body.id).toBe(first)
  expect(await rejected()).toHaveLength(3)
  expect((await person.post('/api/matches/separate', { id: first })).status).toBe(200)
  expect(await rejected()).toHaveLength(3)
  await isExact()

  await post('join', [first, second])
  await person.delete(`/api/transactions/${first}`)
  expect(await rejected()).toEqual([{ first_id: third, second_id: fourth }])
  await isExact()
  await person.patch(`/api/transactions/${fourth}`, { account_id: savings.id })
  await person.delete(`/api/accounts/${savings.id}`)
  await world.removeDeleted()
  expect(await rejected()).toEqual([])
  await isExact()

  const { body: me } = await person.get('/api/me')
  const more = await recordTransaction(person, { ...expense(), account_id: checking.id, amount: 1 })
  await post('reject', [third, more.id])
  await askDatabase(
    world,
    sql`
    insert into rejected_matches (user_id, first_id, second_id, kind)
    with nth(n) as (select 1 union all select n + 1 from nth where n < ${maxRejections - 1})
    select ${me.id}, ${third}, 1000 + n, 'duplicate' from nth`,
  )
  expect((await post('reject', [third, more.id])).status).toBe(204)
  expectInvalid(await person.post('/api/matches/reject', { kind: 'transfer', ids: [third, more.id] }), {
    ids: ['You cannot have more than 2,000 rejected matches.'],
  })
  expect((await findDifferences(openWorldDatabase(world))).length).toBe(maxRejections - 1)
  await person.delete(`/api/transactions/${third}`)
  await isExact()
})
