import { sql } from 'drizzle-orm'
import { expect, test, vi } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { create, update, upload } from '../fixtures/uploads.ts'
import { createWorld, expectInvalid, type Json, recordTransaction } from '../fixtures/world.ts'
import { askDatabase, createHousehold, type Household, openWorldDatabase } from '../laws/every-route.ts'

const day = '2026-10-31'

/** A household whose first account has 100.00 − 12.50 at the end of October, and a check that says so. */
async function withCheck(fields: Record<string, unknown> = {}) {
  const household = await createHousehold(createWorld())
  const { person, checking, expense } = household
  const row = await recordTransaction(person, { ...expense(), transaction_date: '2026-10-12' })
  const { status, body } = await person.post('/api/balance-checks', {
    account_id: checking.id,
    date: day,
    balance: '87.50',
    ...fields,
  })
  expect(status).toBe(201)
  return { ...household, row, check: body as Json }
}

const show = async ({ person }: Pick<Household, 'person'>, { id }: Json): Promise<Json> =>
  (await person.get(`/api/balance-checks/${id}`)).body

test('a check compares the balance at the end of its day, and is ok', async () => {
  const { person, checking, check } = await withCheck()
  expect(check).toEqual({
    id: 1,
    account_id: checking.id,
    date: day,
    balance: '87.50',
    ledger_balance: 87.5,
    difference: 0,
    state: 'ok',
    source: 'manual',
    import_id: null,
    broken_at: null,
    client_id: null,
    version: 1,
  })
  expect((await person.get('/api/balance-checks')).body).toEqual([check])
  const { status, body } = await person.post('/api/balance-checks', {
    account_id: checking.id,
    date: day,
    balance: 87.5,
  })
  expect({ status, body }).toEqual({ status: 200, body: check })
  expectInvalid(
    await person.post('/api/balance-checks', { account_id: checking.id, date: day, balance: 88 }),
    {
      date: ['The account already has another balance on this day.'],
    },
  )
})

test('a broken check names the change, when it was made, and by which device', async () => {
  const { world, person, row, check, checking, expense } = await withCheck()
  const agent = 'Mozilla/5.0 (Android 16; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0'
  const { email, password } = person
  const phone = await world.call('POST', '/api/login', {
    body: { email, password },
    headers: { 'User-Agent': agent },
  })
  const other = world.as(phone.body.access_token)
  // A later row concerns no check.
  await recordTransaction(person, { ...expense(), transaction_date: '2026-11-01' })
  await other.delete(`/api/transactions/${row.id}`)
  const found = await show({ person }, check)
  expect(found).toMatchObject({ state: 'broken', difference: 12.5, ledger_balance: 100 })
  expect(found.broken_by).toEqual([
    {
      at: found.broken_at,
      op: 'deleted',
      count: 1,
      transaction_id: row.id,
      effect: 12.5,
      before: {
        type: 'expense',
        amount: '12.50',
        transaction_date: '2026-10-12',
        account_id: checking.id,
        to_account_id: null,
      },
      after: null,
      by: {
        kind: 'session',
        name: 'Firefox on Android',
        token_id: Number(phone.body.access_token.split('|')[0]),
      },
      cause: null,
      import_id: null,
    },
  ])
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
})

test('a day after today, another account and a broken If-Match are refused', async () => {
  const { world, person, checking, check } = await withCheck()
  const stranger = await createHousehold(world)
  const post = (fields: object) =>
    person.post('/api/balance-checks', { account_id: checking.id, date: day, balance: 1, ...fields })
  expectInvalid(await post({ date: '2100-01-01' }), { date: ['The date field must not be after today.'] })
  expectInvalid(await post({ account_id: stranger.checking.id }), {
    account_id: ['The selected account id is invalid.'],
  })
  const put = (version: number, body: object) =>
    world.call('PUT', `/api/balance-checks/${check.id}`, {
      token: person.token,
      body,
      headers: { 'If-Match': `"${version}"` },
    })
  expect((await put(2, { balance: 1 })).body).toEqual({
    message: 'The balance check has changed.',
    code: 'version_conflict',
    current: check,
  })
  const changed = (await put(1, { balance: 80 })).body
  expect(changed).toMatchObject({ version: 2, difference: 7.5, state: 'broken', broken_at: null })
  expect(await person.get(`/api/balance-checks/${check.id}`)).toMatchObject({
    body: { broken_by: [], last_ok: null, span: { from: null, to: day } },
  })
  expect((await person.delete(`/api/balance-checks/${check.id}`)).status).toBe(204)
  expect((await person.get('/api/balance-checks')).body).toEqual([])
})

test.each(['2026-11-01T00:30:00Z', '2026-10-31T13:00:00Z'])(
  'today is the day of the user’s time zone, at %s',
  async (now) => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) })
    const { person, checking } = await createHousehold(createWorld())
    const post = async (timezone: string, date: string) => {
      await person.patch('/api/me', { timezone })
      return (await person.post('/api/balance-checks', { account_id: checking.id, date, balance: 100 }))
        .status
    }
    const isLater = now.startsWith('2026-11')
    expect(await post('America/Los_Angeles', '2026-11-01')).toBe(422)
    expect(await post('UTC', '2026-11-01')).toBe(isLater ? 201 : 422)
    expect(await post('Pacific/Kiritimati', '2026-11-01')).toBe(isLater ? 200 : 201)
    vi.useRealTimers()
  },
)

test('the Idempotency-Key of a check is spent when it goes, and with its account', async () => {
  const { world, person, cash } = await withCheck()
  const body = { account_id: cash.id, date: day, balance: 20 }
  const post = () =>
    world.call('POST', '/api/balance-checks', {
      token: person.token,
      body,
      headers: { 'Idempotency-Key': 'k1' },
    })
  const first = await post()
  expect([first.status, first.body.client_id]).toEqual([201, 'k1'])
  expect(await post()).toMatchObject({ status: 200, body: first.body })
  await person.delete(`/api/accounts/${cash.id}`)
  const text = { 'Idempotency-Key': ['The Idempotency-Key belongs to a balance check that was deleted.'] }
  expect((await post()).body.errors).toMatchObject(text)
  await world.removeDeleted()
})

test('an account has at most 400 checks', async () => {
  const { world, person, checking } = await withCheck()
  await askDatabase(
    world,
    sql`
    insert into balance_checks (user_id, account_id, date, balance, base, after_entry, source, created_at, updated_at)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 399)
    select ${person.id}, ${checking.id}, date('2000-01-01', '+' || i || ' days'), 10000, 0, 0, 'manual', 0, 0 from n`,
  )
  expectInvalid(
    await person.post('/api/balance-checks', { account_id: checking.id, date: '2026-09-30', balance: 1 }),
    { date: ['You cannot have more than 400 balance checks for an account.'] },
  )
  expect((await person.get(`/api/balance-checks?account_id=${checking.id}&state=ok`)).body).toHaveLength(400)
})

test('a changed starting balance and the deletion of another account are named', async () => {
  const { world, person, checking, cash, check, category } = await withCheck()
  await person.put(`/api/accounts/${checking.id}`, { starting_balance: 90 })
  const [change] = (await show({ person }, check)).broken_by
  expect(change).toMatchObject({
    op: 'starting_balance',
    effect: -10,
    transaction_id: null,
    before: { starting_balance: '100.00' },
    after: { starting_balance: '90.00' },
  })
  await person.put(`/api/accounts/${checking.id}`, { starting_balance: 100 })
  const transfer = {
    type: 'transfer',
    account_id: cash.id,
    to_account_id: checking.id,
    category_id: category.id,
  }
  for (const [amount, transaction_date] of [
    [3, '2026-08-05'],
    [4, '2026-10-10'],
    [5, '2026-11-10'],
  ])
    await recordTransaction(person, { ...transfer, amount, transaction_date })
  const { body } = await person.put(`/api/balance-checks/${check.id}`, {
    balance: '94.50',
    date: '2026-10-20',
  })
  expect(body.state).toBe('ok')
  await person.delete(`/api/accounts/${cash.id}`)
  expect((await show({ person }, check)).broken_by).toMatchObject([
    { op: 'account_deleted', count: 2, effect: -7, by: { kind: 'session' } },
  ])
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
})

test('a check that never was ok lists what alone explains the difference', async () => {
  const { person, checking, row, expense } = await withCheck({ date: '2026-09-30', balance: '100.00' })
  const post = async (date: string, balance: string) =>
    (await person.post('/api/balance-checks', { account_id: checking.id, date, balance })).body
  const october = await post(day, '100.00')
  expect(await show({ person }, october)).toMatchObject({
    state: 'broken',
    broken_at: null,
    last_ok: { date: '2026-09-30' },
    span: { from: '2026-10-01', to: day },
    candidates: [{ kind: 'missing_or_extra', transaction_ids: [row.id], starting_balance: null }],
  })
  await person.delete(`/api/balance-checks/${october.id}`)
  const reversed = await post(day, '112.50')
  expect((await show({ person }, reversed)).candidates).toEqual([
    { kind: 'reversed', transaction_ids: [row.id], starting_balance: null },
  ])
  await person.delete(`/api/balance-checks/${reversed.id}`)
  await person.post('/api/import/store', {
    transactions: [{ ...expense(), transaction_date: '2026-10-14' }],
  })
  const twice = await post(day, '87.50')
  expect((await show({ person }, twice)).candidates[0]).toMatchObject({ kind: 'duplicate' })
})

test('what explains a difference is looked for by the days of the bank', async () => {
  const { person, checking, expense } = await createHousehold(createWorld())
  const transactions = [{ ...expense(), amount: 12.5, transaction_date: '2026-10-12' }]
  await person.post('/api/import/store', { transactions })
  const [row] = (await person.get('/api/transactions')).body.data
  await person.put(`/api/transactions/${row.id}`, { transaction_date: '2026-11-02' })
  const post = async (date: string) =>
    (await person.post('/api/balance-checks', { account_id: checking.id, date, balance: 100 })).body
  const extra = [{ kind: 'missing_or_extra', transaction_ids: [row.id], starting_balance: null }]
  await post('2026-10-11')
  expect((await show({ person }, await post(day))).candidates).toEqual(extra)
})

test('rows of two files on days that both cover may be one', async () => {
  const { person, checking, expense } = await createHousehold(createWorld())
  const rows = (...days: [string, number][]) => ({
    transactions: days.map(([transaction_date, amount]) => ({ ...expense(), transaction_date, amount })),
  })
  await person.post('/api/import/store', rows(['2026-10-01', 1], ['2026-10-12', 12.5], ['2026-10-20', 2]))
  await person.post('/api/import/store', rows(['2026-10-10', 3], ['2026-10-13', 12.5], ['2026-10-30', 4]))
  const { body } = await person.post('/api/balance-checks', {
    account_id: checking.id,
    date: day,
    balance: 77.5,
  })
  const { candidates } = await show({ person }, body)
  expect(candidates.map(({ kind }: Json) => kind)).toEqual([
    'duplicate',
    'missing_or_extra',
    'missing_or_extra',
    'starting_balance',
  ])
  const [pair] = (await person.get('/api/matches')).body.matches
  expect(candidates[0].transaction_ids).toEqual(pair.transactions.map(({ id }: Json) => id))
})

test('a first check that is wrong suggests the starting balance', async () => {
  const { person, checking } = await createHousehold(createWorld())
  const { body } = await person.post('/api/balance-checks', {
    account_id: checking.id,
    date: day,
    balance: 250,
  })
  const { candidates } = await show({ person }, body)
  expect(candidates).toEqual([{ kind: 'starting_balance', transaction_ids: [], starting_balance: '250.00' }])
})

test('beyond a thousand, the oldest changes are forgotten, and the difference says what they leave unexplained', async () => {
  const { world, person, checking, expense, check } = await withCheck()
  const rows = (from: number) =>
    Array.from({ length: 400 }, (_, nth) =>
      create('transaction', `row-${from + nth}`, { ...expense(), transaction_date: '2026-10-01', amount: 1 }),
    )
  const first = await upload(person, rows(0))
  const before = await show({ person }, check)
  expect(before.broken_by).toMatchObject([{ op: 'created', count: 400, effect: -400 }])
  for (const amount of [2, 3, 4])
    await upload(
      person,
      first.map(({ id }) => update('transaction', id, { amount })),
    )
  const ofAccount = sql`select count(*) as entries from reconciliation_log where account_id = ${checking.id}`
  expect(await askDatabase(world, ofAccount)).toEqual([{ entries: 1201 }])
  await world.runCron('* * * * *')
  expect(await askDatabase(world, ofAccount)).toEqual([{ entries: 1000 }])
  const after = await show({ person }, check)
  expect(after).toMatchObject({ difference: -1_600, broken_at: null, unexplained: -600, version: 1 })
  expect(after.broken_by).toHaveLength(50)
  expect(after.broken_by.reduce((sum: number, { effect }: Json) => sum + effect, 0)).toBe(-1_000)
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
})

test('an offline batch that is processed later names the device that sent it', async () => {
  const { world, person, check, expense } = await withCheck()
  const { body } = await person.post('/api/tokens', { name: 'Phone', abilities: ['read', 'write'] })
  const phone = world.as(body.access_token)
  const transactions = [{ ...expense(), transaction_date: '2026-10-02', client_id: 'p1' }]
  const headers = { Prefer: 'respond-async' }
  await world.call('POST', '/api/transactions/sync', {
    token: body.access_token,
    body: { transactions },
    headers,
  })
  await phone.get('/api/accounts')
  await world.deliverSyncs()
  expect((await show({ person }, check)).broken_by).toMatchObject([
    {
      op: 'created',
      by: { kind: 'token', name: 'Phone', token_id: Number(body.access_token.split('|')[0]) },
    },
  ])
})
