import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { runAll } from '../../../src/database/run.ts'
import { joinPairs } from '../../../src/matches/join.ts'
import { rowsOf } from '../../databases/work.ts'
import { createFaultyWorld } from '../faults/faulty-world.ts'
import { createBanked } from '../fixtures/banked.ts'
import { create, upload, uploadOne } from '../fixtures/uploads.ts'
import {
  balanceOf,
  createWorld,
  expectInvalid,
  type Json,
  openAccount,
  type Person,
  recordTransaction,
  type World,
} from '../fixtures/world.ts'
import { sendFile } from '../imports/send-file.ts'
import { askDatabase, createHousehold, openWorldDatabase } from '../laws/every-route.ts'

/** A household with calls that must succeed. */
async function createMatcher(world = createWorld()) {
  const home = await createBanked(world)
  const { person, checking, savings } = home
  /** Joins two transactions; returns what remains. */
  const joinThem = async (kind: string, ...ids: number[]): Promise<Json> => {
    const { status, body } = await person.post('/api/matches/join', { kind, ids })
    expect([status, body.errors]).toEqual([200, undefined])
    return body
  }
  const separate = (id: number) => person.post('/api/matches/separate', { id })
  /** Separates what was joined last; returns both rows. */
  const separated = async (id: number): Promise<Json[]> => {
    const { status, body } = await separate(id)
    expect([status, body.errors]).toEqual([200, undefined])
    return body.transactions
  }
  const undo = async (importId: number, query = '') =>
    expect((await person.delete(`/api/imports/${importId}${query}`)).status).toBe(204)
  const importJson = async (...transactions: Json[]): Promise<Json> =>
    (await person.post('/api/import/store', { transactions })).body.import
  const rows = async (): Promise<Json[]> => (await person.get('/api/transactions')).body.data
  const rowOf = async (id: number) => (await person.get(`/api/transactions/${id}`)).body
  const isExact = async () => expect(await findDifferences(openWorldDatabase(home.world))).toEqual([])
  const balances = async () => [await balanceOf(person, checking), await balanceOf(person, savings)]
  return { ...home, joinThem, separate, separated, undo, importJson, rows, rowOf, isExact, balances }
}

/** A user who typed a coffee and moved money, which two banks report days later. */
async function createJoiner() {
  const home = await createMatcher()
  const { person, checking, savings, category, rows, joinThem } = home
  const coffee = { account_id: checking.id, category_id: category.id, type: 'expense', amount: '12.50' }
  const typed = await recordTransaction(person, { ...coffee, transaction_date: '2026-11-10' })
  const bank = [
    ['2026-11-12', '-12.50', 'CARD 4711 COFFEE'],
    ['2026-11-13', '-300.00', 'To Nestegg'],
  ] as Parameters<typeof home.importRows>[1]
  const other = [['2026-11-15', '300.00', 'Deposit']] as typeof bank
  const first = await home.importRows(checking, bank)
  const second = await home.importRows(savings, other)
  /** Joins the first match of a kind. */
  const join = async (kind: string) => {
    const [found] = await home.matches(`kind=${kind}&from=2026-11-01&to=2026-11-30`)
    const remains = await joinThem(kind, ...(found?.ids ?? []))
    return { remains, gone: found?.ids.find((id: number) => id !== remains.id) as number }
  }
  /** The rows without what each change raises. */
  const contents = async () => (await rows()).map(({ version: _, ...row }) => row).sort((a, b) => a.id - b.id)
  const importAgain = async () => {
    for (const { counts } of [await home.importRows(checking, bank), await home.importRows(savings, other)])
      expect(counts).toMatchObject({ created: 0, deleted_before: 0 })
  }
  return { ...home, typed, first, second, join, contents, importAgain }
}

/** A user who has also typed both legs of a transfer of seventy, perhaps after having typed the whole. */
async function createMover(isTypedBefore = false) {
  const home = await createJoiner()
  const { person, checking, savings, category, joinThem, importJson } = home
  const moved = { category_id: category.id, amount: '70.00', transaction_date: '2026-11-20' }
  const sent = { ...moved, account_id: checking.id, type: 'expense' }
  const received = { ...moved, account_id: savings.id, type: 'income' }
  const transfer = { ...sent, type: 'transfer', to_account_id: savings.id, category_id: null }
  const older = isTypedBefore ? await recordTransaction(person, transfer) : undefined
  const outflow = await recordTransaction(person, sent)
  const becomeTransfer = async (fields: object = {}) => {
    const inflow = await recordTransaction(person, { ...received, ...fields })
    expect(await joinThem('transfer', outflow.id, inflow.id)).toMatchObject({ type: 'transfer' })
    return inflow
  }
  /** Expects that a file finds the outflow. */
  const isFound = async (fields: object = {}) =>
    expect((await importJson({ ...sent, ...fields })).counts).toMatchObject({ created: 0, duplicate: 1 })
  return { ...home, sent, older, outflow, becomeTransfer, isFound }
}

/** A user who typed a coffee of eight on the 20th, with the same of other days. */
async function createDrinker() {
  const home = await createJoiner()
  const { person, checking, category } = home
  const coffee = { account_id: checking.id, category_id: category.id, type: 'expense', amount: '8.00' }
  const on = (day: number, fields: object = {}) => ({
    ...coffee,
    transaction_date: `2026-11-${day}`,
    ...fields,
  })
  return { ...home, on, typed: await recordTransaction(person, on(20)) }
}

const invalidId = { id: ['The selected id is invalid.'] }

test('the typed row of a duplicate remains, with its date, category and words, and gains what it lacks', async () => {
  const home = await createJoiner()
  const {
    person,
    typed,
    category,
    rows,
    join,
    separate,
    separated,
    contents,
    importAgain,
    isExact,
    balances,
  } = home
  const { body: feed } = await person.get('/api/changes?start=now')
  const before = [await contents(), await balances()]
  const { remains, gone } = await join('duplicate')
  expect(remains).toMatchObject({
    id: typed.id,
    transaction_date: '2026-11-10',
    category_id: category.id,
    description: 'CARD 4711 COFFEE',
    version: 2,
    updated_at: typed.updated_at,
  })
  expect(await balances()).toEqual([-212.5, 400])
  await isExact()
  expect((await rows()).map(({ id }) => id)).not.toContain(gone)
  const { body: page } = await person.get(`/api/changes?cursor=${feed.cursor}`)
  expect(page.changes).toMatchObject([
    { noun: 'transaction', id: gone, data: null },
    { noun: 'transaction', id: typed.id, data: { version: 2 } },
  ])
  await importAgain()
  expect((await separated(typed.id)).map(({ id }) => id)).toEqual([typed.id, gone])
  expect([await contents(), await balances()]).toEqual(before)
  await isExact()
  expect((await person.get(`/api/changes?cursor=${page.cursor}`)).body.changes).toMatchObject([
    { id: gone, data: { version: 2, description: 'CARD 4711 COFFEE' } },
    { id: typed.id, data: { version: 3, description: null } },
  ])
  await importAgain()
  expectInvalid(await separate(typed.id), invalidId)
})

test('the outflow of a transfer remains, and both statements can be imported again', async () => {
  const home = await createJoiner()
  const { checking, savings, rows, join, separated, contents, importAgain, isExact, balances, matches } = home
  const before = [await contents(), await balances()]
  const { remains } = await join('transfer')
  expect(remains).toMatchObject({
    type: 'transfer',
    account_id: checking.id,
    to_account_id: savings.id,
    amount: '300.00',
  })
  expect([await balances(), (await rows()).length]).toEqual([before[1], 3])
  await isExact()
  await importAgain()
  expect(await matches()).toMatchObject([{ kind: 'duplicate' }])
  await separated(remains.id)
  expect([await contents(), await balances()]).toEqual(before)
  await isExact()
  await importAgain()
})

test('what is joined twice is separated in reverse, and is found by every file in between', async () => {
  const home = await createJoiner()
  const { person, savings, typed, join, joinThem, separated, rows, importAgain, isExact, contents } = home
  // Both legs were typed as well, so that each of them absorbs a bank's row before they become a transfer.
  const { account_id, category_id } = typed
  const leg = {
    account_id,
    category_id,
    type: 'expense',
    amount: 300,
    transaction_date: '2026-11-13',
    force: true,
  }
  const out = await recordTransaction(person, leg)
  const received = { account_id: savings.id, type: 'income', transaction_date: '2026-11-14' }
  const into = await recordTransaction(person, { ...leg, ...received })
  const before = await contents()
  for (const [typed, words] of [
    [out, 'To Nestegg'],
    [into, 'Deposit'],
  ] as const) {
    const booked = (await rows()).find(({ description }) => description === words)
    expect((await joinThem('duplicate', booked?.id, typed.id)).id).toBe(typed.id)
  }
  expect((await joinThem('transfer', into.id, out.id)).id).toBe(out.id)
  await isExact()
  await importAgain()
  for (const id of [out.id, out.id, into.id]) {
    await separated(id)
    await importAgain()
    await isExact()
  }
  expect(await contents()).toEqual(before)
  expect((await join('duplicate')).remains).toBeDefined()
})

test('a transfer that was typed late is joined with the one that two banks reported', async () => {
  const home = await createJoiner()
  const { person, checking, savings, cash, matches, rows, join, separated, importAgain, isExact } = home
  await join('duplicate')
  await join('transfer')
  const typed = (to: Json) =>
    recordTransaction(person, {
      account_id: checking.id,
      to_account_id: to.id,
      type: 'transfer',
      amount: '300.00',
      transaction_date: '2026-11-12',
    })
  await typed(cash)
  expect(await matches()).toEqual([])
  const late = await typed(savings)
  const before = [await home.contents(), await home.balances()]
  const { remains, gone } = await join('duplicate')
  expect(remains).toMatchObject({ id: late.id, type: 'transfer', to_account_id: savings.id })
  expect([(await rows()).length, await matches()]).toEqual([3, []])
  await importAgain()
  await isExact()
  expect(await separated(late.id)).toMatchObject([
    { id: late.id },
    { id: gone, type: 'transfer', account_id: checking.id, to_account_id: savings.id },
  ])
  expect([await home.contents(), await home.balances()]).toEqual(before)
  await importAgain()
  // The two legs that were joined before can still be separated.
  expect(await separated(gone)).toMatchObject([{ type: 'expense' }, { type: 'income' }])
  await importAgain()
  await isExact()
})

test('undoing an import takes back the joins in which its rows take part', async () => {
  const { first, second, typed, join, undo, isExact, balances, rows, contents } = await createJoiner()
  await join('duplicate')
  await join('transfer')
  await undo(second.id)
  expect(await balances()).toEqual([-212.5, 100])
  expect((await rows()).map(({ type }) => type)).toEqual(['expense', 'expense'])
  await isExact()
  await undo(first.id)
  expect(await contents()).toMatchObject([
    { id: typed.id, description: null, category_id: typed.category_id },
  ])
  expect(await balances()).toEqual([87.5, 100])
  await isExact()
})

test('undoing an import takes a text back that a row of it gave, through all rows that passed it on', async () => {
  const home = await createMatcher()
  const { person, checking, savings, category, importRows, joinThem, separated, undo, rows, rowOf } = home
  const type = ({ id }: Json, type: string, transaction_date: string) =>
    recordTransaction(person, {
      ...{ account_id: id, category_id: category.id, type, amount: '300.00', transaction_date },
    })
  const received = await type(savings, 'income', '2026-11-14')
  const sent = await type(checking, 'expense', '2026-11-13')
  const later = await type(checking, 'expense', '2026-11-12')
  const { id } = await importRows(savings, [['2026-11-15', '300.00', 'Deposit']])
  await joinThem('duplicate', received.id, (await rows())[0]?.id)
  const transfer = await joinThem('transfer', received.id, sent.id)
  expect(transfer).toMatchObject({ id: sent.id, description: 'Deposit' })
  expect(await joinThem('duplicate', sent.id, later.id)).toMatchObject({ id: sent.id })
  const before = await rowOf(sent.id)

  await undo(id)
  const lost = { description: null, to_booked_on: null }
  expect(await rowOf(sent.id)).toEqual({ ...before, ...lost, version: before.version + 1 })
  await home.isExact()
  // What was joined in between comes back without it as well.
  for (const row of [later, received]) {
    const [, back] = await separated(sent.id)
    expect(back).toEqual({ ...row, version: back?.version })
  }
  expect(await rowOf(sent.id)).toMatchObject({
    ...{ type: 'expense', category_id: category.id, description: null },
  })
})

test('a transfer that was joined into another comes back as the expense it was, once its deposit is undone', async () => {
  const home = await createMatcher()
  const { person, checking, savings, category, importRows, joinThem, rows } = home
  const ofChecking = { account_id: checking.id, amount: '300.00' }
  const transfer = { type: 'transfer', to_account_id: savings.id, transaction_date: '2026-11-14' }
  const typed = await recordTransaction(person, { ...ofChecking, ...transfer })
  const expense = { type: 'expense', category_id: category.id, transaction_date: '2026-11-13' }
  const sent = await recordTransaction(person, { ...ofChecking, ...expense })
  const { id } = await importRows(savings, [['2026-11-15', '300.00', 'Deposit']])
  await joinThem('transfer', sent.id, (await rows())[0]?.id)
  await joinThem('duplicate', sent.id, typed.id)

  await home.undo(id)
  expect(await home.separated(typed.id)).toMatchObject([
    { id: typed.id, type: 'transfer', to_account_id: savings.id },
    { id: sent.id, type: 'expense', to_account_id: null, description: null },
  ])
  await home.isExact()
})

test('undoing the import that brought the outflow brings the inflow back', async () => {
  const { first, savings, join, undo, isExact, balances, rows, importRows } = await createJoiner()
  await join('transfer')
  await undo(first.id)
  expect(await rows()).toMatchObject([
    { type: 'income', amount: '300.00' },
    { type: 'expense', amount: '12.50' },
  ])
  expect(await balances()).toEqual([87.5, 400])
  await isExact()
  const { counts } = await importRows(savings, [['2026-11-15', '300.00', 'Deposit']])
  expect(counts).toMatchObject({ created: 0, duplicate: 1 })
})

test.each([false, true])(
  'undoing an import leaves a transfer alone that went with the other account, which may be removed: %s',
  async (isRemoved) => {
    const { world, person, checking, savings, second, join, undo, rows, isExact } = await createJoiner()
    await join('transfer')
    await person.delete(`/api/accounts/${checking.id}`)
    if (isRemoved) await world.removeDeleted()
    await undo(second.id)
    await isExact()
    expect(await balanceOf(person, savings)).toBe(100)
    await world.removeDeleted()
    await isExact()
    expect(await rows()).toEqual([])
  },
)

test('deleting what remains deletes what was joined into it; so do deleting an account and leaving', async () => {
  const { world, person, savings, checking, join, separate, isExact, importRows } = await createJoiner()
  const { remains } = await join('duplicate')
  await person.delete(`/api/transactions/${remains.id}`)
  expectInvalid(await separate(remains.id), invalidId)
  expect((await importRows(checking, [['2026-11-12', '-12.50', 'x']])).counts.deleted_before).toBe(1)
  const transfer = await join('transfer')
  await person.delete(`/api/accounts/${savings.id}`)
  expectInvalid(await separate(transfer.remains.id), invalidId)
  // The other leg has been deleted with the account, like that of any transfer; its file may bring it back.
  const { counts } = await importRows(checking, [['2026-11-13', '-300.00', 'To Nestegg']])
  expect(counts).toMatchObject({ created: 1, deleted_before: 0 })
  await world.removeDeleted()
  await isExact()
  await person.delete('/api/me', { password: person.password })
  await world.removeDeleted()
  await isExact()
})

test('a joined row that had moved comes back after the account of its file has been deleted', async () => {
  const home = await createJoiner()
  const { world, person, checking, savings, typed, first, rows, joinThem, separated, isExact } = home
  const imported = (await rows()).find(({ description }) => description === 'CARD 4711 COFFEE')
  expect(first.counts.created).toBe(2)
  for (const { id } of [typed, imported])
    expect((await person.patch(`/api/transactions/${id}`, { account_id: savings.id })).status).toBe(200)
  await joinThem('duplicate', typed.id, imported?.id)
  expect((await person.delete(`/api/accounts/${checking.id}`)).status).toBe(204)
  await world.removeDeleted()
  expect((await separated(typed.id)).map(({ id }) => id)).toEqual([typed.id, imported?.id])
  await isExact()
})

test('a join that is sent again responds with what remains, and changes nothing', async () => {
  const { person, join, joinThem, separate, separated, contents } = await createJoiner()
  const { remains, gone } = await join('transfer')
  const edits = { type: 'expense', description: null }
  const { body: edited } = await person.patch(`/api/transactions/${remains.id}`, edits)
  const ids = [remains.id, gone]
  expect(await joinThem('transfer', ...ids)).toEqual(edited)
  expectInvalid(await person.post('/api/matches/join', { kind: 'duplicate', ids }), {
    'ids.1': ['The selected id is invalid.'],
  })
  await separated(remains.id)
  const before = await contents()
  expectInvalid(await separate(remains.id), invalidId)
  expect(await contents()).toEqual(before)
})

test('a pair that an import found before its account was deleted is not joined', async () => {
  const { world, person, savings, rows, isExact } = await createJoiner()
  const [inflow, outflow] = await rows()
  const { body: me } = await person.get('/api/me')
  await person.delete(`/api/accounts/${savings.id}`)
  const db = openWorldDatabase(world)
  const pairs = JSON.stringify([['transfer', inflow?.id, outflow?.id]])
  const joins = joinPairs({ db, id: sql`${me.id}`, isValid: sql`true` }, pairs)
  await runAll(db, { joins: joins.map((statement) => db.run(statement)) })
  expect((await rows()).map(({ id, type }) => [id, type])).toContainEqual([outflow?.id, 'expense'])
  await isExact()
})

test('only two transactions of the user’s that can be one event are joined', async () => {
  const { world, person, typed, rows, contents } = await createJoiner()
  const stranger = await createHousehold(world)
  const theirs = await stranger.spend()
  const [deposit, moved] = await rows()
  const before = await contents()
  const errorsOf = async (kind: string, ids: unknown[]) =>
    (await person.post('/api/matches/join', { kind, ids })).body.errors
  expect(await errorsOf('duplicate', [typed.id, theirs.id])).toEqual({
    'ids.1': ['The selected id is invalid.'],
  })
  expect(await errorsOf('duplicate', [typed.id, moved?.id])).toEqual({
    ids: ['The ids must be those of two transactions of one account, type and amount.'],
  })
  expect(await errorsOf('transfer', [typed.id, deposit?.id])).toEqual({
    ids: ['The ids must be those of an expense and an income of one amount on two accounts.'],
  })
  expectInvalid(await stranger.person.post('/api/matches/separate', { id: typed.id }), invalidId)
  expect(await contents()).toEqual(before)
})

test('pairs joined in one call are separated again when the import of a row of them is undone', async () => {
  const home = await createJoiner()
  const { person, savings, typed, second, importRows, rows, isExact, balances, contents, undo } = home
  await undo(second.id)
  const before = [await contents(), await balances()]
  const deposit = [['2026-11-15', '300.00', 'From Checking']] as [string, string, string][]
  const { id } = await importRows(savings, deposit)
  const [found] = await home.matches('kind=transfer&from=2026-11-01&to=2026-11-30')
  const pair = { kind: found?.kind, ids: found?.ids }
  const stranger = { kind: 'duplicate', ids: [typed.id, 999_999] }
  const { status, body } = await person.post('/api/matches/join', { pairs: [pair, stranger] })
  expect([status, body.outcomes]).toMatchObject([
    200,
    [
      { ...pair, transaction: { type: 'transfer' }, errors: null },
      { ...stranger, transaction: null, errors: { 'ids.1': ['The selected id is invalid.'] } },
    ],
  ])
  expect((await rows()).map(({ type }) => type)).toEqual(['transfer', 'expense', 'expense'])
  expect(await balances()).toEqual([-225, 400])
  await isExact()
  await home.importAgain()
  expect((await importRows(savings, deposit)).counts).toMatchObject({ duplicate: 1, possible: 0 })
  await undo(id)
  expect([await contents(), await balances()]).toEqual(before)
  await isExact()
  expect((await home.rowOf(typed.id)).description).toBeNull()
})

test('a closing balance counts what was joined on the day when the bank booked it', async () => {
  const { world, person, checking, savings, join, joinThem, importRows, rows, typed } = await createJoiner()
  await join('duplicate')
  await join('transfer')
  const closingOf = closingOfDay(world, person)
  // Typed on the 10th and booked on the 12th; moved on the 13th, and there on the 15th.
  expect([await closingOf(checking, '20261109'), await closingOf(checking, '20261111')]).toEqual([99, 99])
  expect([await closingOf(checking, '20261112'), await closingOf(checking, '20261113')]).toEqual([
    86.5, -213.5,
  ])
  expect([await closingOf(savings, '20261113'), await closingOf(savings, '20261114')]).toEqual([99, 99])
  expect(await closingOf(savings, '20261115')).toBe(399)

  // Another file has the coffee as well, one day later.
  await importRows(checking, [['2026-11-13', '-12.50', 'COFFEE']])
  await joinThem('duplicate', (await rows())[0]?.id, typed.id)
  expect([await closingOf(checking, '20261111'), await closingOf(checking, '20261112')]).toEqual([99, 99])
  expect(await closingOf(checking, '20261113')).toBe(-213.5)
})

test('a closing balance counts what was joined by hand on the day when the bank booked it, however far apart', async () => {
  const { world, person, checking, category, importRows, joinThem } = await createMatcher()
  const closingOf = closingOfDay(world, person)
  const joinFar = async (typedOn: string, bookedOn: string) => {
    const fields = { account_id: checking.id, category_id: category.id, type: 'expense', amount: '12.50' }
    const { id } = await recordTransaction(person, { ...fields, transaction_date: typedOn })
    await importRows(checking, [[bookedOn, '-12.50', 'COFFEE']])
    await joinThem('duplicate', id, id + 1)
  }
  await joinFar('2026-03-01', '2026-06-10')
  expect(await closingOf(checking, '20260401')).toBe(99)
  expect(await closingOf(checking, '20260610')).toBe(86.5)
  await joinFar('2026-11-10', '2026-08-01')
  expect(await closingOf(checking, '20260801')).toBe(74)
  expect(await closingOf(checking, '20260731')).toBe(86.5)
})

test('two rows of one file that were joined are both found in it', async () => {
  const { checking, importRows, joinThem, rows } = await createMatcher()
  const twice = ['a', 'b'].map((words): [string, string, string] => ['2026-11-10', '-5.00', words])
  await importRows(checking, twice)
  await joinThem('duplicate', ...(await rows()).map(({ id }) => id))
  expect((await importRows(checking, twice)).counts).toMatchObject({ created: 0, duplicate: 2 })
  expect((await importRows(checking, [...twice, ...twice.slice(1)])).counts.created).toBe(1)
})

test('a typed row that stands for one of two equal rows of a file is found twice once the other is joined', async () => {
  const { person, checking, expense, importRows, joinThem, rows } = await createMatcher()
  const typed = await recordTransaction(person, { ...expense(), transaction_date: '2026-11-10' })
  const twice = ['a', 'b'].map((words): [string, string, string] => ['2026-11-10', '-12.50', words])
  expect((await importRows(checking, twice)).counts).toMatchObject({ created: 1, duplicate: 1 })
  expect((await joinThem('duplicate', ...(await rows()).map(({ id }) => id))).id).toBe(typed.id)
  expect((await importRows(checking, twice)).counts).toMatchObject({ created: 0, duplicate: 2 })
})

test('a typed outflow of a transfer is still found in a file after something else was separated from it', async () => {
  const { person, sent, outflow, becomeTransfer, joinThem, separated, isFound, isExact } = await createMover()
  const again = await recordTransaction(person, { ...sent, transaction_date: '2026-11-22' })
  await becomeTransfer()
  await joinThem('duplicate', outflow.id, again.id)
  expect(await separated(outflow.id)).toMatchObject([{ id: outflow.id, type: 'transfer' }, { id: again.id }])
  await isFound()
  await separated(outflow.id)
  await isExact()
})

test('a typed outflow of a transfer is still found in a file after it was joined with another transfer and separated', async () => {
  const { older, outflow, becomeTransfer, joinThem, separated, isFound, isExact } = await createMover(true)
  const inflow = await becomeTransfer()
  expect((await joinThem('duplicate', older.id, outflow.id)).id).toBe(older.id)
  expect(await separated(older.id)).toMatchObject([
    { id: older.id, type: 'transfer' },
    { id: outflow.id, type: 'transfer' },
  ])
  await isFound()
  expect(await separated(outflow.id)).toMatchObject([
    { id: outflow.id, type: 'expense' },
    { id: inflow.id, type: 'income' },
  ])
  await isExact()
})

test.each(['a dry run', 'an import that was undone'])(
  'a typed outflow that %s had found is still found in the file once it is a transfer',
  async (what) => {
    const { person, sent, becomeTransfer, undo, isFound, isExact } = await createMover()
    const file = { transactions: [sent], dry_run: what === 'a dry run' }
    const { id } = (await person.post('/api/import/store', file)).body.import
    if (id) await undo(id)
    await becomeTransfer()
    await isFound()
    await isExact()
  },
)

test('an outflow that was edited after an import, which was then undone, is still found as it was edited', async () => {
  const { person, sent, outflow, becomeTransfer, importJson, undo, isFound, isExact } = await createMover()
  const { id } = await importJson(sent)
  const edited = { amount: '71.00' }
  await person.patch(`/api/transactions/${outflow.id}`, edited)
  await undo(id)
  await isFound(edited)
  await becomeTransfer(edited)
  await isFound(edited)
  await isExact()
})

test('a deleted category does not count: no row gains, gives or keeps it', async () => {
  const { world, person, typed, category, join, rows, separated, isExact } = await createJoiner()
  const { body: mine } = await person.post('/api/categories', { name: 'Beans', type: 'expense' })
  await person.patch(`/api/transactions/${typed.id}`, { category_id: mine.id })
  const bank = (await rows()).find(({ amount, id }) => amount === '12.50' && id !== typed.id) as Json
  await person.patch(`/api/transactions/${bank.id}`, { category_id: category.id })
  await person.delete(`/api/categories/${mine.id}`)
  expect((await join('duplicate')).remains.category_id).toBe(category.id)
  expect(await separated(typed.id)).toMatchObject([{ category_id: null }, { category_id: category.id }])
  await world.removeDeleted()
  await isExact()
})

test('the client id of a row that was joined gets what remains, wherever it is sent', async () => {
  const { world, person, savings, typed, on, joinThem, importJson, rows, isExact } = await createDrinker()
  const sent = on(21, { client_id: 'phone-1', description: 'Beans' })
  expect((await importJson(sent)).counts.created).toBe(1)
  const remains = await joinThem('duplicate', (await rows())[0]?.id, typed.id)
  expect(remains.id).toBe(typed.id)

  expect(await importJson(sent)).toMatchObject({
    counts: { created: 0, duplicate: 1 },
    duplicates: [{ row: 0, transaction_id: typed.id, reasons: ['same_client_id'] }],
  })
  const one = await person.post('/api/transactions', sent)
  expect([one.status, one.body]).toEqual([200, remains])
  expect(await itemsOf(world, person, sent)).toMatchObject([
    { outcome: 'duplicate', transaction_id: typed.id },
  ])
  const operation = create('transaction', 'phone-1', on(21))
  expect(await uploadOne(person, operation)).toMatchObject({
    ...{ outcome: 'duplicate', id: typed.id, data: { id: typed.id, amount: '8.00' } },
  })
  // An equal row of the same file is another.
  const { counts } = await importJson(sent, { ...sent, client_id: null })
  expect(counts).toMatchObject({ created: 1, duplicate: 1 })
  await isExact()

  // If what remains is deleted, with its account or alone, so is the row that was joined with it.
  await person.patch(`/api/transactions/${typed.id}`, { account_id: savings.id })
  await person.delete(`/api/accounts/${savings.id}`)
  const spent = { client_id: ['The client id belongs to a transaction that was deleted.'] }
  expectInvalid(await person.post('/api/transactions', sent), spent)
  expect((await uploadOne(person, operation)).outcome).toBe('gone')
})

test('a joined row stands for the row of a file that has its client id, and what remains does not', async () => {
  const { person, typed, on, joinThem, importJson, isExact } = await createDrinker()
  const gone = await recordTransaction(person, on(22, { client_id: 'phone-1' }))
  await joinThem('duplicate', typed.id, gone.id)
  const countsOf = async (row: Json) => (await importJson(row)).counts
  expect(await countsOf(on(22, { client_id: 'phone-1' }))).toMatchObject({ created: 0, duplicate: 1 })
  await person.delete(`/api/transactions/${typed.id}`)
  expect(await countsOf(on(22))).toMatchObject({ created: 0, deleted_before: 1 })
  expect(await countsOf(on(20))).toMatchObject({ created: 1, deleted_before: 0 })
  await isExact()
})

test('the client id of a joined row leads to what remains even once its own account has been deleted', async () => {
  const { world, person, checking, savings, typed, on, joinThem, isExact } = await createDrinker()
  const sent = on(22, { client_id: 'phone-1' })
  const gone = await recordTransaction(person, sent)
  await joinThem('duplicate', typed.id, gone.id)
  await person.patch(`/api/transactions/${typed.id}`, { account_id: savings.id })
  await person.delete(`/api/accounts/${checking.id}`)
  for (const _ of ['before it is removed', 'after']) {
    const one = await person.post('/api/transactions', sent)
    expect([one.status, one.body.id]).toEqual([200, typed.id])
    expect(await itemsOf(world, person, sent)).toMatchObject([
      { outcome: 'duplicate', transaction_id: typed.id },
    ])
    await world.removeDeleted()
    await isExact()
  }
})

/** The items of a batch of one transaction, once it is processed. */
async function itemsOf(world: World, person: Person, transaction: Json): Promise<Json[]> {
  const { body } = await person.post('/api/transactions/sync', { transactions: [transaction] })
  await world.deliverSyncs()
  return (await person.get(`/api/transactions/sync/${body.sync_id}`)).body.items
}

test('joining and separating go through what was joined before at most once', async () => {
  const { world, person, first, checking, join, separated, undo } = await createJoiner()
  await askDatabase(
    world,
    sql`
    insert into imported_originals (user_id, id, account_id, type, amount, transaction_date, kind, joined_id, merged_into_id, seq, kept)
    with nth(n) as (select 1001 union all select n + 1 from nth where n < 2000)
    select ${person.id}, n, ${checking.id}, 'expense', 500, '2026-01-01', 'duplicate', n + 5000, n + 5000, 1, '{}' from nth`,
  )
  await world.resetDatabaseWork()
  const { remains } = await join('transfer')
  await separated(remains.id)
  expect((await world.databaseWork()).rowsRead).toBeLessThan(2_000)

  // Undoing an import goes through what was joined with its own rows.
  await join('transfer')
  await join('duplicate')
  await world.resetDatabaseWork()
  await undo(first.id)
  expect((await world.databaseWork()).rowsRead).toBeLessThan(1_300)
})

test('separating costs no more than the number of rows that were joined, one after another', async () => {
  const workOf = async (count: number) => {
    const { world, person, expense } = await createHousehold(createWorld())
    const made = await upload(
      person,
      Array.from({ length: count }, (_, i) => create('transaction', `t${i}`, expense())),
    )
    const ids: number[] = made.map(({ id }) => id)
    for (let i = count - 1; i > 0; i -= 1)
      await person.post('/api/matches/join', { kind: 'duplicate', ids: [ids[i - 1], ids[i]] })
    await world.resetDatabaseWork()
    const { body } = await person.post('/api/matches/separate', { id: ids[0] })
    const worked = rowsOf(await world.databaseWork())
    expect(body.transactions.map(({ id }: Json) => id)).toEqual([ids[0], ids[1]])
    // All others are joined into the row that came back.
    expect((await person.post('/api/matches/separate', { id: ids[0] })).status).toBe(422)
    const { body: next } = await person.post('/api/matches/separate', { id: ids[1] })
    expect(next.transactions.map(({ id }: Json) => id)).toEqual([ids[1], ids[2]])
    return worked
  }
  expect(await workOf(80)).toBeLessThan(6 * (await workOf(20)))
})

test('a row that was joined comes back with all its columns, those of a new field included', async () => {
  const { world, category, matches, joinThem, separated } = await createJoiner()
  const [{ ids }] = await matches('kind=duplicate&from=2026-11-01&to=2026-11-30')
  const goneId = Math.max(...ids)
  const rowOf = async () => {
    const [row] = (await askDatabase(world, sql`select * from transactions where id = ${goneId}`)) as Json[]
    const { version: _, seq: __, ...columns } = row ?? {}
    return columns
  }
  const columns = (await askDatabase(
    world,
    sql`select name, type from pragma_table_info('transactions')`,
  )) as { name: string; type: string }[]
  const empty = Object.entries(await rowOf()).filter(([, value]) => value === null)
  const isText = (name: string) => columns.some((one) => one.name === name && /text/i.test(one.type))
  const fill = empty
    .map(([name]) => name)
    // A transfer has the first, and a typed row the second.
    .filter((name) => name !== 'to_account_id' && name !== 'booked_by')
    .map((name) => {
      const text = name.endsWith('booked_on') ? '2026-10-02' : `the ${name}`
      const value = name === 'category_id' ? category.id : isText(name) ? text : 1
      return sql`${sql.identifier(name)} = ${value}`
    })
  await askDatabase(
    world,
    sql`update transactions set is_synced = 1, ${sql.join(fill, sql`, `)} where id = ${goneId} returning id`,
  )
  const before = await rowOf()
  expect(Object.keys(before)).toContain('client_id')
  expect(before.client_id).toBe('the client_id')

  const remains = await joinThem('duplicate', ...ids)
  expect(await rowOf()).toEqual({})
  await separated(remains.id)
  expect(await rowOf()).toEqual(before)
})

test('undoing an import of thousands of joined rows separates them in parts, and continues where it stopped', async () => {
  const world = createFaultyWorld()
  const { person, checking, savings, importRows, isExact } = await createMatcher(world)
  const rows = (sign: string, words: string, from: number, count: number) =>
    Array.from({ length: count }, (_, nth): [string, string, string] => [
      '2026-11-13',
      `${sign}${from + nth}.00`,
      words,
    ])
  const { id } = await importRows(checking, rows('-', 'To Nestegg', 1, 2_100))
  await importRows(savings, rows('', 'From Checking', 1, 2_100), '&match=off')
  for (let from = 0; from < 2_100; from += 100) {
    const pairs = Array.from({ length: 100 }, (_, nth) => ({
      kind: 'transfer',
      ids: [1 + from + nth, 2_101 + from + nth],
    }))
    const { body } = await person.post('/api/matches/join', { pairs })
    expect(body.outcomes.every(({ transaction }: Json) => transaction)).toBe(true)
  }
  const undo = () => person.delete(`/api/imports/${id}`)
  const totals = () =>
    Promise.all(
      ['transfer', 'expense', 'income'].map(
        async (type) => (await person.get(`/api/transactions?type=${type}`)).body.total,
      ),
    )
  const { result, requests } = await world.whileBroken({ gets: 'cut', only: 2 }, undo)
  expect([result.status, requests]).toEqual([503, 2])
  expect(await totals()).toEqual([100, 2_000, 2_000])
  await isExact()
  expect((await undo()).status).toBe(204)
  expect(await totals()).toEqual([0, 0, 2_100])
  await isExact()
})

test('undoing the import of a transfer forgets the leg that cannot come back, since its account is gone', async () => {
  const { world, person, first, savings, join, undo, isExact } = await createJoiner()
  const { remains } = await join('transfer')
  const elsewhere = await openAccount(person, { name: 'Elsewhere' })
  await person.put(`/api/transactions/${remains.id}`, { to_account_id: elsewhere.id })
  await person.delete(`/api/accounts/${savings.id}`)
  await undo(first.id, '?force=true')
  await isExact()
  await world.removeDeleted()
  await isExact()
})

test('a transaction stands for up to a thousand others', async () => {
  const { world, person, expense } = await createBanked()
  const row = await recordTransaction(person, expense())
  const other = await recordTransaction(person, { ...expense(), force: true })
  const joinThem = () => person.post('/api/matches/join', { kind: 'duplicate', ids: [row.id, other.id] })
  const standFor = (count: number) =>
    askDatabase(
      world,
      sql`
      insert into imported_originals (user_id, id, account_id, type, amount, transaction_date, kind, joined_id, merged_into_id, seq)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
      select ${person.id}, -i, ${row.account_id}, 'expense', 1, '2026-01-01', 'duplicate', ${row.id}, ${row.id}, 0 from n where true
      on conflict do nothing`,
    )
  await standFor(1_000)
  const { status, body } = await joinThem()
  expect([status, body.errors]).toEqual([
    422,
    { ids: ['The ids must have fewer than 1,000 joined transactions.'] },
  ])
  await askDatabase(world, sql`delete from imported_originals where id = -1`)
  expect((await joinThem()).status).toBe(200)
})

/** The account's balance at the end of a day, as the dry run of a statement that ends there shows it. */
function closingOfDay(world: World, person: Person) {
  return async (account: Json, day: string) => {
    const file = `OFXHEADER:100\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>1<ACCTID>4<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST><STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260101<TRNAMT>-1.00<FITID>${account.id}<NAME>Fee</STMTTRN></BANKTRANLIST><LEDGERBAL><BALAMT>1.00<DTASOF>${day}</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`
    const to = `bank/store?account_id=${account.id}&dry_run=true`
    const headers = { 'Content-Type': 'application/octet-stream' }
    const response = await sendFile({ world, person }, to, file, headers)
    expect([response.status, response.body.errors]).toEqual([200, undefined])
    return response.body.import.closing_balance.account
  }
}
