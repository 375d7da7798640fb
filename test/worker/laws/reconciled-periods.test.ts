import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { scopeOf } from '../../../src/http/authenticate.ts'
import { create, remove, update } from '../fixtures/uploads.ts'
import { type ApiResponse, createWorld, type Json, recordTransaction } from '../fixtures/world.ts'
import { sendFile } from '../imports/send-file.ts'
import { askDatabase, createHousehold, goodCall, protectedRoutes, storedIn } from './every-route.ts'

/*
 * A change that a reconciled period refuses stores nothing; with the override, it is the same change as in an open period.
 * Each route that writes is tried here, or listed as one that cannot move a balance.
 */

const lastDay = '2026-10-31'
const text = 'The account is reconciled through 31 October 2026.'

/** The routes that cannot move a balance of an existing account, by the reason. */
const cannotMove: Record<string, string[]> = {
  'It is about the user, and leaves accounts as they are.': [
    'PUT /api/me',
    'PATCH /api/me',
    'POST /api/logout',
    'POST /api/logout-all',
    'PUT /api/me/password',
    'PATCH /api/me/password',
    'PUT /api/me/email',
    'PATCH /api/me/email',
    'POST /api/tokens',
    'DELETE /api/tokens/:id',
    'POST /api/email/verification-notification',
  ],
  'A new account is not reconciled.': ['POST /api/accounts'],
  'A category is no part of a balance.': [
    'POST /api/categories',
    'PUT /api/categories/:id',
    'PATCH /api/categories/:id',
    'DELETE /api/categories/:id',
  ],
  'A new check compares a balance.': ['POST /api/balance-checks'],
  'A rule moves nothing, and its occurrences do once they are recorded.': [
    'POST /api/recurring',
    'PUT /api/recurring/:id',
    'PATCH /api/recurring/:id',
    'DELETE /api/recurring/:id',
    'POST /api/recurring/suggestions/dismiss',
  ],
  'It changes what is suggested or remembered.': [
    'DELETE /api/imports/layouts/:id',
    'POST /api/matches/reject',
    'DELETE /api/matches/reject',
  ],
}

/** A household whose first account has an expense of 12 October and a transfer of the 20th. */
async function createPlace() {
  const household = await createHousehold(createWorld())
  const { person, checking, cash, expense } = household
  const spent = { ...expense(), transaction_date: '2026-10-12' }
  const transferred = {
    ...{ type: 'transfer', account_id: cash.id, to_account_id: checking.id, amount: '5.00' },
    transaction_date: '2026-10-20',
  }
  const row = await recordTransaction(person, spent)
  const transfer = await recordTransaction(person, transferred)
  const later = await recordTransaction(person, expense())
  return { ...household, account: `/api/accounts/${checking.id}`, spent, transferred, row, transfer, later }
}
type Place = Awaited<ReturnType<typeof createPlace>>

/** A change, which is prepared before the check of the last day is made. */
type Change = (override: boolean, check: Json) => Promise<ApiResponse>
type Attempt = (place: Place) => Change | Promise<Change>

const inBody = (override: boolean) => (override ? { override_reconciled: true } : {})
const inQuery = (override: boolean) => (override ? '?override_reconciled=true' : '')

const posts =
  (fields: (place: Place) => object): Attempt =>
  (place) =>
  (override) =>
    place.person.post('/api/transactions', { ...fields(place), ...inBody(override) })

const edits =
  (method: 'put' | 'patch', which: 'row' | 'transfer' | 'later', fields: (place: Place) => object): Attempt =>
  (place) =>
  (override) =>
    place.person[method](`/api/transactions/${place[which].id}`, { ...fields(place), ...inBody(override) })

const deletes =
  (which: 'row' | 'transfer'): Attempt =>
  ({ person, [which]: { id } }) =>
  (override) =>
    person.delete(`/api/transactions/${id}${inQuery(override)}`)

const startsAt =
  (method: 'put' | 'patch'): Attempt =>
  ({ person, account }) =>
  (override) =>
    person[method](account, { starting_balance: 105, ...inBody(override) })

const checksAgain =
  (method: 'put' | 'patch', fields: object): Attempt =>
  ({ person }) =>
  (override, { id }) =>
    person[method](`/api/balance-checks/${id}`, { ...fields, ...inBody(override) })

const uploads =
  (operation: (place: Place, check: Json) => object): Attempt =>
  (place) =>
  (override, check) =>
    place.person.post('/api/changes', { ops: [{ ...operation(place, check), ...inBody(override) }] })

const importsRows =
  (path: string): Attempt =>
  ({ person, spent }) =>
  (override) => {
    const transactions = [{ ...spent, amount: 3 }]
    return person.post(path, { transactions, ...(override && { reconciled: 'add' }) })
  }

const importsFile =
  (path: string): Attempt =>
  (place) =>
  (override) =>
    sendFile(
      place,
      `${path}?account_id=${place.checking.id}&signs=as_written${override ? '&reconciled=add' : ''}`,
      'Date,Amount,Description\n2026-10-14,-3.00,Tea\n2026-11-14,-4.00,Bread\n',
    )

/** Two rows that are one purchase: typed, and imported on the next day. */
async function twins({ person, spent }: Place): Promise<number[]> {
  const typed = await recordTransaction(person, { ...spent, amount: 8, transaction_date: '2026-10-05' })
  const transactions = [{ ...spent, amount: 8, transaction_date: '2026-10-06' }]
  const { id } = (await person.post('/api/import/store', { transactions, match: 'off' })).body.import
  const imported = (await person.get(`/api/transactions?import_id=${id}`)).body.data
  return [typed.id, imported[0].id]
}

const records: Attempt = async ({ person, spent }) => {
  const { transaction_date: starts_on, ...template } = spent
  const rule = { ...template, amount: 9, starts_on, rrule: 'FREQ=MONTHLY' }
  const { id } = (await person.post('/api/recurring', rule)).body
  return (override) => person.post(`/api/recurring/${id}/occurrences/${starts_on}/record${inQuery(override)}`)
}

/** A leg on another account that becomes, or was, an occurrence of a transfer into the reconciled one. */
const links =
  (method: 'put' | 'patch', isLinked: boolean): Attempt =>
  async ({ person, expense, cash, transferred }) => {
    const { transaction_date: starts_on, ...template } = transferred
    const { id } = (await person.post('/api/recurring', { ...template, starts_on, rrule: 'FREQ=MONTHLY' }))
      .body
    const fields = { account_id: cash.id, amount: '5.00', transaction_date: starts_on }
    const { id: leg } = await recordTransaction(person, { ...expense(), ...fields })
    const path = `/api/recurring/${id}/occurrences/${starts_on}`
    if (isLinked) expect((await person.put(path, { transaction_id: leg })).status).toBe(200)
    const body = { transaction_id: isLinked ? null : leg }
    return (override) => person[method](path, { ...body, ...inBody(override) })
  }

/** Changes that a reconciled period refuses without the override, by route. */
const refused: Record<string, Record<string, Attempt>> = {
  'PUT /api/accounts/:id': { 'another starting balance': startsAt('put') },
  'PATCH /api/accounts/:id': { 'another starting balance': startsAt('patch') },
  'POST /api/transactions': {
    'an expense': posts(({ spent }) => ({ ...spent, amount: 3 })),
    'a transfer into it': posts(({ transferred, category }) => ({
      ...{ ...transferred, category_id: category.id, amount: 3 },
    })),
  },
  'PUT /api/transactions/:id': {
    'another amount': edits('put', 'row', () => ({ amount: 10 })),
    'another type': edits('put', 'row', () => ({ type: 'income' })),
    'another day of the period': edits('put', 'row', () => ({ transaction_date: '2026-10-14' })),
    'a day after the period': edits('put', 'row', () => ({ transaction_date: '2026-11-03' })),
    'a day in the period': edits('put', 'later', () => ({ transaction_date: lastDay })),
    'another account': edits('put', 'row', ({ cash }) => ({ account_id: cash.id })),
  },
  'PATCH /api/transactions/:id': {
    'another amount of a transfer': edits('patch', 'transfer', () => ({ amount: 10 })),
    'a transfer that becomes an expense': edits('patch', 'transfer', ({ category }) => ({
      ...{ type: 'expense', category_id: category.id },
    })),
    'a transfer the other way': edits('patch', 'transfer', ({ checking, cash }) => ({
      ...{ account_id: checking.id, to_account_id: cash.id },
    })),
  },
  'DELETE /api/transactions/:id': { 'an expense': deletes('row'), 'a transfer into it': deletes('transfer') },
  'POST /api/changes': {
    'a creation': uploads(({ spent }) => create('transaction', 'made-offline', { ...spent, amount: 3 })),
    'an update': uploads(({ row }) => update('transaction', row.id, { amount: 10 })),
    'a deletion': uploads(({ transfer }) => remove('transaction', transfer.id)),
    'another starting balance': uploads(({ checking }) =>
      update('account', checking.id, { starting_balance: 105 }),
    ),
    'another balance of the check': uploads((_, { id }) => update('balance_check', id, { balance: 5 })),
    'the check deleted': uploads((_, { id }) => remove('balance_check', id)),
  },
  'POST /api/import/store': {
    rows: importsRows('/api/import/store'),
    'a file': importsFile('store'),
  },
  'POST /api/import/bank/store': {
    rows: importsRows('/api/import/bank/store'),
    'a file': importsFile('bank/store'),
  },
  'POST /api/matches/join': {
    'a pair': async (place) => {
      const ids = await twins(place)
      return (override) =>
        place.person.post('/api/matches/join', { kind: 'duplicate', ids, ...inBody(override) })
    },
    'one of several pairs': async (place) => {
      const ids = await twins(place)
      return (override) => {
        const pairs = [{ kind: 'duplicate', ids, ...inBody(override) }]
        return place.person.post('/api/matches/join', { pairs })
      }
    },
  },
  'POST /api/matches/separate': {
    'a joined row': async (place) => {
      const joined = { kind: 'duplicate', ids: await twins(place) }
      const { id } = (await place.person.post('/api/matches/join', joined)).body
      return (override) => place.person.post('/api/matches/separate', { id, ...inBody(override) })
    },
  },
  'POST /api/recurring/:id/occurrences/:date/record': { 'an occurrence': records },
  'PUT /api/recurring/:id/occurrences/:date': { 'a leg that becomes a transfer': links('put', false) },
  'PATCH /api/recurring/:id/occurrences/:date': { 'a transfer that becomes a leg': links('patch', true) },
  'PUT /api/balance-checks/:id': { 'another balance': checksAgain('put', { balance: 5 }) },
  'PATCH /api/balance-checks/:id': { 'another day': checksAgain('patch', { date: '2026-10-30' }) },
  'DELETE /api/balance-checks/:id': {
    'the check':
      ({ person }) =>
      (override, { id }) =>
        person.delete(`/api/balance-checks/${id}${inQuery(override)}`),
  },
}

/** Changes in the period that are never refused, since they cannot be answered or would move no balance. */
const accepted: Record<string, Record<string, Attempt>> = {
  'PUT /api/transactions/:id': {
    'category and texts': edits('put', 'row', () => ({
      ...{ category_id: null, description: 'Beans', reference: 'B1' },
    })),
  },
  'POST /api/changes': {
    'category and texts': uploads(({ row }) => {
      const set = { category_id: null, description: 'Beans', reference: 'B1' }
      return update('transaction', row.id, set)
    }),
  },
  'POST /api/transactions/sync': {
    'a batch':
      ({ person, spent }) =>
      () =>
        person.post('/api/transactions/sync', { transactions: [{ ...spent, amount: 3 }] }),
  },
  'DELETE /api/imports/:id': {
    'its rows': async ({ person, spent }) => {
      const transactions = [{ ...spent, amount: 3 }]
      const { id } = (await person.post('/api/import/store', { transactions })).body.import
      return () => person.delete(`/api/imports/${id}`)
    },
  },
  'DELETE /api/accounts/:id': {
    'the other account of a transfer':
      ({ person, cash }) =>
      () =>
        person.delete(`/api/accounts/${cash.id}`),
  },
  'DELETE /api/me': {
    everything:
      ({ person }) =>
      () =>
        person.delete('/api/me', { password: person.password }),
  },
}

/** Fields that two runs of the same cannot have in common, and those of the period itself. */
const own = ['created_at', 'updated_at', 'broken_at', 'at', 'cursor', 'sync_id', 'status_url']
const settled = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value, (key, one) => ([...own, 'reconciled_through'].includes(key) ? undefined : one)),
  )

/** What may become of the check of the last day after a period is reconciled: the period stays. */
const fates: Record<string, ((place: Place, check: Json) => Promise<ApiResponse>) | undefined> = {
  'is kept': undefined,
  'is deleted': ({ person }, { id }) => person.delete(`/api/balance-checks/${id}?override_reconciled=true`),
  'is moved to a day before': ({ person }, { id }) =>
    person.put(`/api/balance-checks/${id}`, { date: '2026-10-01', override_reconciled: true }),
}

/**
 * Prepares a change in a household, and reconciles the period, or reconciles and opens it, for equal versions; then the fate
 * of its check.
 */
async function prepare(attempt: Attempt, isLocked: boolean, fate = 'is kept') {
  const place = await createPlace()
  const { person, checking, account } = place
  const change = await attempt(place)
  const added = { account_id: checking.id, date: lastDay, balance: 1 }
  const { id, ledger_balance } = (await person.post('/api/balance-checks', added)).body
  const check: Json = (await person.put(`/api/balance-checks/${id}`, { balance: ledger_balance })).body
  const order = [{ reconciled_through: lastDay }, { reconciled_through: null }]
  for (const body of isLocked ? order.toReversed() : order)
    expect((await person.put(account, body)).status).toBe(200)
  const changed = await fates[fate]?.(place, check)
  if (changed) expect(changed.status).toBeLessThan(300)
  const { cursor } = (await person.get('/api/changes?start=now')).body
  const everything = async () => {
    const paths = [
      'accounts',
      'transactions',
      'balance-checks',
      `balance-checks/${id}`,
      'imports',
      'recurring',
    ]
    const read = [...paths, `changes?cursor=${cursor}`].map(async (path) => person.get(`/api/${path}`))
    return (await Promise.all(read)).map(({ status, body }) => [status, body])
  }
  const through = async () => (await person.get(account)).body.reconciled_through
  return { ...place, change: (override: boolean) => change(override, check), everything, through }
}

/** Makes a change in an open period and in one that is reconciled, and expects the same of both. */
async function expectSame(attempt: Attempt, isRefused: boolean, fate?: string) {
  const [open, locked] = [await prepare(attempt, false, fate), await prepare(attempt, true, fate)]
  if (isRefused) {
    const before = await storedIn(locked.world)
    expect((await locked.change(false)).text).toContain(text)
    expect(await storedIn(locked.world)).toEqual(before)
  }
  const [made, overridden] = [await open.change(false), await locked.change(isRefused)]
  expect(made.status).toBeLessThan(300)
  const found = async (response: ApiResponse, { everything }: typeof open) =>
    settled([response.status, response.body, await everything()])
  expect(await found(overridden, locked)).toEqual(await found(made, open))
  return locked
}

const all = (changes: typeof refused) =>
  Object.entries(changes).flatMap(([route, attempts]) =>
    Object.entries(attempts).map(([name, attempt]) => [route, name, attempt] as const),
  )

/** Each change with each fate of the period's check, unless it is a change of that check. */
const inEachPeriod = all(refused).flatMap(([route, name, attempt]) =>
  Object.keys(fates)
    .filter((fate) => !fates[fate] || !`${route} ${name}`.includes('check'))
    .map((fate) => [route, name, fate, attempt] as const),
)

test.each(inEachPeriod)(
  '%s (%s) is refused in a reconciled period whose check %s, and with the override the same as in an open one',
  async (_, __, fate, attempt) => {
    const { through } = await expectSame(attempt, true, fate)
    expect(await through()).toBe(lastDay)
  },
)

test.each(all(accepted))(
  '%s (%s) is the same in a reconciled period as in an open one',
  async (_, __, attempt) => {
    await expectSame(attempt, false)
  },
)

test('every route that writes is tried in a reconciled period, or listed as one that cannot move a balance', () => {
  const tried = [refused, accepted].flatMap((changes) => Object.keys(changes))
  const declared = [...new Set(tried), ...Object.values(cannotMove).flat()]
  expect(declared.toSorted()).toEqual(protectedRoutes.filter((route) => scopeOf(route) !== 'read').sort())
})

test('every other route does the same if all accounts are reconciled, and moves no balance', async () => {
  const household = await createHousehold(createWorld({ GENERAL_LIMIT_ENABLED: 'false' }))
  const { world, person } = household
  // The last day is later than any that a request could ask for.
  const reconcile = (through: string | null) =>
    askDatabase(world, sql`update accounts set reconciled_through = ${through} where user_id is not null`)
  const balances = () => askDatabase(world, sql`select id, balance from accounts order by id`)
  const reading = protectedRoutes.filter((route) => scopeOf(route) === 'read')
  for (const route of [...reading, ...Object.values(cannotMove).flat()]) {
    const { call, status } = await goodCall(route, household)
    await reconcile('9999-12-31')
    const before = await balances()
    expect((await call(person)).status, route).toBe(status)
    // The route may add an account.
    expect((await balances()).slice(0, before.length), route).toEqual(before)
    await reconcile(null)
  }
})
