import { expect, test } from 'vitest'
import { createClient, memoryTokens, restore } from '../../../client/index.ts'
import { fetchOf } from '../client/client-world.ts'
import { create, remove, update, upload } from '../fixtures/uploads.ts'
import { createWorld, expectInvalid, type Json } from '../fixtures/world.ts'
import { sendFile } from '../imports/send-file.ts'
import { createHousehold } from '../laws/every-route.ts'
import { broken, expectLocked, lastDay, text, withLock } from './with-lock.ts'

test('an account is reconciled through a day only with a check on it that is ok', async () => {
  const { person, checking, account, row } = await withLock()
  const put = (body: object) => person.put(account, body)
  const noCheck = { reconciled_through: ['There is no matching balance check on this day.'] }
  expectInvalid(await put({ reconciled_through: '2026-10-30' }), noCheck)
  await person.post('/api/balance-checks', { account_id: checking.id, date: '2026-10-30', balance: '80.00' })
  expectInvalid(await put({ reconciled_through: '2026-10-30' }), noCheck)
  expectInvalid(await put({ reconciled_through: 'October' }), {
    reconciled_through: ['The reconciled through field must match the format YYYY-MM-DD.'],
  })
  expect((await put({ reconciled_through: null })).body.reconciled_through).toBe(null)
  await person.put(`/api/transactions/${row.id}`, { amount: '13.00' })
  expectInvalid(await put({ reconciled_through: lastDay }), noCheck)
  // What it has is no change.
  await person.put(`/api/transactions/${row.id}`, { amount: '12.50' })
  await put({ reconciled_through: lastDay })
  await person.put(`/api/transactions/${row.id}`, { amount: '13.00', override_reconciled: true })
  expect((await put({ reconciled_through: lastDay, name: 'Joint' })).status).toBe(200)
})

test('a change in a reconciled period is refused each time, and made with the override, which breaks the check', async () => {
  const household = await withLock()
  const { person, expense, row, check, balance } = household
  const url = `/api/transactions/${row.id}`
  const late = { ...expense(), amount: 3, transaction_date: lastDay }
  const ways: [(override: object) => Promise<{ status: number; body: Json }>, number][] = [
    [(override) => person.post('/api/transactions', { ...late, ...override }), 84.5],
    [(override) => person.put(url, { amount: 10, ...override }), 87],
    [(override) => person.put(url, { transaction_date: '2026-11-03', ...override }), 87],
    [(override) => person.put(url, { transaction_date: '2026-10-14', ...override }), 87],
  ]
  for (const [way, after] of ways) {
    const before = await balance()
    expectLocked(await way({}))
    expectLocked(await way({ override_reconciled: false }))
    expect(await balance()).toBe(before)
    expect((await way({ override_reconciled: true })).status).toBeLessThan(202)
    expect(await balance()).toBe(after)
  }
  const { state, broken_by } = await broken(household, check)
  expect([state, ...broken_by.map(({ op, by }: Json) => `${op} by a ${by.kind}`)]).toEqual([
    'broken',
    'created by a session',
    ...Array(3).fill('updated by a session'),
  ])
  expectLocked(await person.delete(url))
  expectInvalid(await person.delete(`${url}?override_reconciled=perhaps`), {
    override_reconciled: ['The override reconciled field must be true or false.'],
  })
  expect((await person.delete(`${url}?override_reconciled=true`)).status).toBe(204)
  expect(await balance()).toBe(97)
})

test('what moves no balance of the period stays free', async () => {
  const { person, checking, cash, row, expense, account } = await withLock()
  const url = `/api/transactions/${row.id}`
  for (const body of [
    { category_id: null, description: 'Beans', reference: 'B1' },
    { amount: row.amount, transaction_date: row.transaction_date, account_id: checking.id },
  ])
    expect((await person.put(url, body)).status).toBe(200)
  const later = { ...expense(), transaction_date: '2026-11-01' }
  expect((await person.post('/api/transactions', later)).status).toBe(201)
  const elsewhere = { ...expense(), account_id: cash.id, transaction_date: '2026-10-12' }
  expect((await person.post('/api/transactions', elsewhere)).status).toBe(201)
  expect((await person.put(account, { name: 'Joint', starting_balance: '100.00' })).status).toBe(200)
  expect((await person.post('/api/transactions', { ...later, amount: 1 })).status).toBe(201)
})

test('either account of a transfer may be reconciled, by the day that the bank has it on', async () => {
  const { person, checking, cash, category } = await withLock()
  const transfer = {
    ...{ account_id: cash.id, to_account_id: checking.id, category_id: category.id, type: 'transfer' },
    ...{ amount: '5.00', transaction_date: '2026-10-20' },
  }
  expectLocked(await person.post('/api/transactions', transfer))
  const free = (await person.post('/api/transactions', { ...transfer, transaction_date: '2026-11-20' })).body
  expectLocked(await person.put(`/api/transactions/${free.id}`, { transaction_date: '2026-10-31' }))
  expectLocked(
    await person.put(`/api/transactions/${free.id}`, {
      ...{ account_id: checking.id, to_account_id: cash.id, transaction_date: '2026-10-31' },
    }),
  )
  expect((await person.delete(`/api/transactions/${free.id}`)).status).toBe(204)
})

test('another error comes first, and an earlier row with the client id is returned', async () => {
  const { person, row, expense } = await withLock()
  const fields = { ...expense(), transaction_date: '2026-10-01' }
  expectInvalid(await person.put(`/api/transactions/${row.id}`, { amount: 1, account_id: 999 }), {
    account_id: ['The selected account id is invalid.'],
  })
  const sent = { ...fields, client_id: 'a', amount: 4, override_reconciled: true }
  const { body } = await person.post('/api/transactions', sent)
  const again = await person.post('/api/transactions', { ...sent, override_reconciled: false })
  expect([again.status, again.body.id]).toEqual([200, body.id])
})

test('the starting balance, and the checks of the period, are kept', async () => {
  const { world, person, check, account } = await withLock()
  expectLocked(await person.put(account, { starting_balance: 101 }), 'starting_balance')
  const url = `/api/balance-checks/${check.id}`
  const other = await world.call('DELETE', `${url}?override_reconciled=perhaps`, {
    token: person.token,
    headers: { 'If-Match': '"9"' },
  })
  expect([other.status, other.body.current]).toEqual([412, check])
  expectLocked(await person.put(url, { balance: 88 }), 'date')
  expectLocked(await person.delete(url), 'date')
  expect((await person.put(url, { balance: '87.50' })).status).toBe(200)
  expect((await person.put(url, { balance: 88, override_reconciled: true })).body.state).toBe('broken')
  expect((await person.delete(`${url}?override_reconciled=1`)).status).toBe(204)
  const moved = await person.put(account, { starting_balance: 101, override_reconciled: true })
  expect([moved.status, moved.body.balance]).toEqual([200, 88.5])
  const opened = await person.put(account, { starting_balance: 102, reconciled_through: null })
  expect([opened.status, opened.body.balance]).toEqual([200, 89.5])
})

test('an upload names what a reconciled period refuses, and does what overrides it', async () => {
  const { person, checking, expense, row, check, balance } = await withLock()
  const late = { ...expense(), amount: 3, transaction_date: lastDay }
  const operations = [
    create('transaction', 't1', late),
    update('transaction', row.id, { amount: 10 }),
    update('account', checking.id, { starting_balance: 101 }),
    update('balance_check', check.id, { balance: 5 }),
  ]
  const refused = async (ops: object[]) => {
    const results = await upload(person, ops)
    return results.map(({ outcome, errors }) => [outcome, errors])
  }
  const texts = (field: string) => ['invalid', { [field]: [text] }]
  expect(await refused(operations)).toEqual([
    ...Array(2).fill(texts('transaction_date')),
    ...[texts('starting_balance'), texts('date')],
  ])
  expect(await refused([remove('transaction', row.id), remove('balance_check', check.id)])).toEqual([
    ...[texts('transaction_date'), texts('date')],
  ])
  expect(await balance()).toBe(87.5)
  const free = [
    update('transaction', row.id, { description: 'Beans', transaction_date: '2026-10-12' }),
    create('transaction', 't2', { ...late, transaction_date: '2026-11-01' }),
  ]
  expect((await refused(free)).map(([outcome]) => outcome)).toEqual(['updated', 'created'])
  const overridden = await refused(operations.map((one) => ({ ...one, override_reconciled: true })))
  expect(overridden.map(([outcome]) => outcome)).toEqual(['created', ...Array(3).fill('updated')])
  const gone = [remove('transaction', row.id), remove('balance_check', check.id)]
  const removed = await refused(gone.map((one) => ({ ...one, override_reconciled: true })))
  expect(removed.map(([outcome]) => outcome)).toEqual(['deleted', 'deleted'])
})

test('an upload opens periods first and reconciles them last', async () => {
  const { person, checking, cash, expense, row, balance } = await withLock()
  const outcomes = async (...operations: object[]) =>
    (await upload(person, operations)).map(({ outcome, errors }) => errors ?? outcome)
  const edit = update('transaction', row.id, { amount: 10 })
  const open = update('account', checking.id, { reconciled_through: null })
  expect(await outcomes(edit, open)).toEqual(['updated', 'updated'])
  expect(await balance()).toBe(90)
  const day = '2026-10-30'
  const lock = (id: number, through: string) =>
    update('account', id, { reconciled_through: through, name: 'A' })
  expect(await outcomes(lock(checking.id, day))).toEqual([
    { reconciled_through: ['There is no matching balance check on this day.'] },
  ])
  const added = [
    lock(cash.id, day),
    create('transaction', 't1', { ...expense(), account_id: cash.id, amount: 5, transaction_date: day }),
    create('balance_check', 'c1', { account_id: cash.id, date: day, balance: 15 }),
  ]
  expect(await outcomes(...added)).toEqual(['updated', 'created', 'created'])
  const { body } = await person.get(`/api/accounts/${cash.id}`)
  expect(body).toMatchObject({ name: 'A', reconciled_through: day, balance: 15 })
})

test('an offline batch is stored whatever period it is in, and breaks the check in its name', async () => {
  const household = await withLock()
  const { person, expense, check, balance } = household
  const transactions = [{ ...expense(), amount: 3, transaction_date: lastDay }]
  expect((await person.post('/api/transactions/sync', { transactions })).status).toBe(200)
  expect(await balance()).toBe(84.5)
  expect(await broken(household, check)).toMatchObject({
    state: 'broken',
    broken_by: [{ op: 'created', effect: -3, by: { kind: 'session' } }],
  })
})

const csv =
  'date,amount,description\n2026-10-20,-3.00,Tea\n2026-10-12,-12.50,Coffee beans\n2026-11-02,-4.00,Bread\n'

test('an import asks about new rows of a reconciled period, and leaves them out or adds them', async () => {
  const household = await withLock()
  const { checking, balance } = household
  const send = (query = '') => sendFile(household, `store?account_id=${checking.id}&match=off${query}`, csv)
  for (const query of ['', '&dry_run=true']) {
    const { status, body } = await send(query)
    const asked = `1 new row would change a reconciled period. ${text}`
    expect([status, body.errors]).toEqual([422, { reconciled: [asked] }])
    expect(body.questions).toMatchObject([
      {
        field: 'reconciled',
        text: asked,
        options: [
          { value: 'skip', example: [] },
          { value: 'add', example: [{ row: 2, description: 'Tea' }] },
        ],
      },
    ])
  }
  expect((await send('&reconciled=perhaps')).body.errors).toEqual({
    reconciled: ['The selected reconciled is invalid.'],
  })
  expect(await balance()).toBe(87.5)
  const skipped = (await send('&reconciled=skip')).body.import
  expect(skipped.counts).toMatchObject({ rows: 3, created: 1, duplicate: 1 })
  expect(skipped.left_out).toEqual({ count: 1, lines: [{ line: 2, text: 'Tea', reason: 'reconciled' }] })
  expect(await balance()).toBe(83.5)
  const added = (await send('&reconciled=add')).body.import
  expect([added.counts.created, added.left_out.count]).toEqual([1, 0])
  expect(await balance()).toBe(80.5)
  expect((await broken(household, household.check)).broken_by).toMatchObject([
    { cause: 'import', effect: -3 },
  ])
})

test('JSON rows of a reconciled period are errors, and a repeat with the key responds the same', async () => {
  const { world, person, expense } = await withLock()
  const late = { ...expense(), amount: 3, transaction_date: lastDay }
  const transactions = [{ ...late, transaction_date: '2026-11-02' }, late]
  expectInvalid(await person.post('/api/import/store', { transactions }), {
    'transactions.1.transaction_date': [text],
  })
  const send = () =>
    world.call('POST', '/api/import/store', {
      token: person.token,
      headers: { 'Idempotency-Key': 'once' },
      body: { transactions, reconciled: 'skip' },
    })
  const first = await send()
  expect(first.body.import.left_out).toMatchObject({ count: 1, lines: [{ reason: 'reconciled' }] })
  expect((await send()).body).toEqual(first.body)
})

/** A statement with one row and a closing balance. */
const ofx = (posted: string, amount: string, date: string, closing: string) =>
  `OFXHEADER:100\nDATA:OFXSGML\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR
<BANKACCTFROM><BANKID>1<ACCTID>2<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST>
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>${posted}<TRNAMT>${amount}<FITID>F1<NAME>Shop</STMTTRN></BANKTRANLIST>
<LEDGERBAL><BALAMT>${closing}<DTASOF>${date}</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`

test('a later file replaces no balance of a reconciled period', async () => {
  const household = await withLock()
  const { checking } = household
  const send = async (amount: string) => {
    const file = ofx('20261102', '-4.00', '20260930', amount)
    return (await sendFile(household, `bank/store?account_id=${checking.id}`, file)).body.import
  }
  expect((await send('100.00')).balance_checks).toMatchObject([{ date: '2026-09-30', state: 'ok' }])
  expect((await send('90.00')).balance_checks).toMatchObject([
    { conflict: { balance: '100.00', file: '90.00' } },
  ])
})

test('undoing an import that reaches into a reconciled period is never refused, and names the checks that it breaks', async () => {
  const household = await createHousehold(createWorld())
  const { person, checking } = household
  const file = ofx('20261012', '-12.50', '20261031', '87.50')
  const sent = await sendFile(household, `bank/store?account_id=${checking.id}`, file)
  const { id, balance_checks } = sent.body.import
  expect(balance_checks).toMatchObject([{ date: lastDay, state: 'ok' }])
  const account = `/api/accounts/${checking.id}`
  await person.put(account, { reconciled_through: lastDay })
  const undone = await person.delete(`/api/imports/${id}`)
  expect([undone.status, undone.body.broken_checks]).toMatchObject([
    200,
    [{ id: balance_checks[0].id, state: 'broken', difference: 12.5, source: 'manual', import_id: null }],
  ])
  const [entry] = (await broken(household, balance_checks[0])).broken_by
  expect(entry).toMatchObject({ op: 'deleted', cause: 'undo', import_id: id, by: { kind: 'session' } })
  expect((await person.get(account)).body).toMatchObject({ reconciled_through: lastDay, balance: 100 })
  const again = await sendFile(household, `bank/store?account_id=${checking.id}&reconciled=add`, file)
  expect(again.body.import.balance_checks).toMatchObject([{ id: balance_checks[0].id, state: 'ok' }])
})

test('a join or a separation is refused only if it moves a balance of a reconciled period', async () => {
  const { person, checking, cash, expense, balance } = await withLock()
  const add = async (fields: object) =>
    (
      await person.post('/api/transactions', {
        ...expense(),
        force: true,
        override_reconciled: true,
        ...fields,
      })
    ).body
  const typed = await add({ transaction_date: '2026-10-05' })
  const importedIds = async (...transactions: object[]) => {
    const body = { transactions, reconciled: 'add', match: 'off' }
    const { id } = (await person.post('/api/import/store', body)).body.import
    return (await person.get(`/api/transactions?import_id=${id}`)).body.data.map((row: Json) => row.id)
  }
  const row = { ...expense(), amount: 12.5, force: true, transaction_date: '2026-10-06' }
  const [bank] = await importedIds(row)
  const ids = [typed.id, bank]
  const join = (body: object) => person.post('/api/matches/join', body)
  const before = await balance()
  // The period of another account ends later, and is not changed.
  const ofCash = { account_id: cash.id, date: '2026-11-15', balance: 20 }
  expect((await person.post('/api/balance-checks', ofCash)).body.state).toBe('ok')
  await person.put(`/api/accounts/${cash.id}`, { reconciled_through: ofCash.date })
  expectLocked(await join({ kind: 'duplicate', ids }))
  expect(await balance()).toBe(before)
  const joined = await join({ kind: 'duplicate', ids, override_reconciled: true })
  expect([joined.status, await balance()]).toEqual([200, before + 12.5])
  expectLocked(await person.post('/api/matches/separate', { id: joined.body.id }))
  const separated = { id: joined.body.id, override_reconciled: true }
  expect((await person.post('/api/matches/separate', separated)).status).toBe(200)
  expect(await balance()).toBe(before)

  // Both legs stay on their days.
  const out = await add({ amount: 7, transaction_date: '2026-10-20' })
  const into = await add({
    ...{ type: 'income', account_id: cash.id, amount: 7, transaction_date: '2026-10-20' },
  })
  const transfer = { kind: 'transfer', ids: [out.id, into.id] }
  const pairs = [transfer, { kind: 'duplicate', ids }]
  const { outcomes } = (await join({ pairs })).body
  expect(outcomes.map(({ errors }: Json) => errors)).toEqual([null, { transaction_date: [text] }])
  expect((await person.post('/api/matches/separate', { id: out.id })).status).toBe(200)
  expect((await person.get(`/api/accounts/${checking.id}`)).body.reconciled_through).toBe(lastDay)
})

test('a restored export is reconciled as before, and names a period whose check is broken', async () => {
  const { world, person, checking, expense } = await withLock()
  const restored = async () => {
    const other = await world.register()
    const client = createClient({
      baseUrl: 'http://purse.test',
      tokens: memoryTokens(other.token),
      fetch: fetchOf(world).fetch,
    })
    const { differences } = await restore(client, (await person.get('/api/export')).body)
    const accounts: Json[] = (await other.get('/api/accounts')).body
    const { reconciled_through } = accounts.find(({ name }) => name === checking.name) ?? {}
    return { reconciled_through, found: differences.map(({ found }) => found) }
  }
  expect(await restored()).toEqual({ reconciled_through: lastDay, found: [] })
  const late = { ...expense(), amount: 3, transaction_date: lastDay, override_reconciled: true }
  await person.post('/api/transactions', late)
  expect(await restored()).toEqual({
    reconciled_through: null,
    found: ['invalid: There is no matching balance check on this day.'],
  })
})

test('of a lock and an edit at once, either the edit is refused or the lock finds no matching check', async () => {
  const { person, row, account } = await withLock()
  for (let nth = 1; nth <= 3; nth++) {
    await person.put(account, { reconciled_through: null })
    await person.put(`/api/transactions/${row.id}`, { amount: '12.50' })
    const [lock, edit] = await Promise.all([
      person.put(account, { reconciled_through: lastDay }),
      person.put(`/api/transactions/${row.id}`, { amount: nth }),
    ])
    expect([lock.status, edit.status].toSorted()).toEqual([200, 422])
  }
})
