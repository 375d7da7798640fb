import { type SQL, sql } from 'drizzle-orm'
import { app } from '../../../src/app.ts'
import { publicRoutes } from '../../../src/http/authenticate.ts'
import { openDatabase } from '../../databases/open.ts'
import {
  type ApiResponse,
  aCategory,
  type Json,
  openAccount,
  type Person,
  type World,
} from '../fixtures/world.ts'

/** Every route of the API as `METHOD /path`, as registered with Hono. */
export const everyRoute: string[] = [
  ...new Set(
    app.routes
      .filter(({ method, path }) => method !== 'ALL' && path.startsWith('/api/'))
      .map(({ method, path }) => `${method} ${path}`),
  ),
]

/** Every route that needs a token. */
export const protectedRoutes = everyRoute.filter((route) => !publicRoutes.includes(route))

/** A user with a bit of everything, and a way to make more of it. */
export async function createHousehold(world: World, details: Record<string, unknown> = {}) {
  const person = await world.register(details)
  await verify(world, person)
  const checking = await openAccount(person, { name: 'Checking' })
  const cash = await openAccount(person, { name: 'Cash', type: 'cash', starting_balance: '20.00' })
  const category = await aCategory(person)
  let days = 0
  /** Records an expense of its own on the first account, so that nothing is a duplicate. */
  async function spend(): Promise<Json> {
    days += 1
    const date = new Date(Date.UTC(2020, 0, days)).toISOString().slice(0, 10)
    const { body } = await person.post('/api/transactions', { ...expense(), transaction_date: date })
    return body
  }
  const expense = () => ({
    account_id: checking.id,
    category_id: category.id,
    type: 'expense',
    amount: '12.50',
    transaction_date: '2026-11-20',
  })
  return { world, person, checking, cash, category, spend, expense }
}

export type Household = Awaited<ReturnType<typeof createHousehold>>

/** A valid call of one route, prepared so that measuring it measures nothing else. */
type PreparedCall = { call: (person: Person) => Promise<ApiResponse>; status: number }
type Preparation = (household: Household) => Promise<PreparedCall>

/** A valid call of each protected route. A route that is missing here fails the laws, which go through all routes. */
export const goodCalls: Record<string, Preparation> = {
  'GET /api/me': async () => ({ call: (p) => p.get('/api/me'), status: 200 }),
  'PUT /api/me': async () => ({ call: (p) => p.put('/api/me', { name: 'New Name' }), status: 200 }),
  'PATCH /api/me': async () => ({ call: (p) => p.patch('/api/me', { timezone: 'Asia/Tokyo' }), status: 200 }),
  'POST /api/logout': async ({ world, person }) => {
    const { email, password } = person
    const { body } = await world.call('POST', '/api/login', { body: { email, password } })
    return { call: () => world.call('POST', '/api/logout', { token: body.access_token }), status: 200 }
  },

  'POST /api/logout-all': async ({ world }) => {
    const user = await world.register()
    return { call: () => user.post('/api/logout-all'), status: 200 }
  },
  'PUT /api/me/password': ({ world }) => changingPassword(world, 'put'),
  'PATCH /api/me/password': ({ world }) => changingPassword(world, 'patch'),
  'PUT /api/me/email': ({ world }) => changingAddress(world, 'put'),
  'PATCH /api/me/email': ({ world }) => changingAddress(world, 'patch'),
  'DELETE /api/me': async ({ world }) => {
    const user = await world.register()
    const { password } = user
    return { call: () => user.delete('/api/me', { password }), status: 204 }
  },
  'GET /api/tokens': async () => ({ call: (p) => p.get('/api/tokens'), status: 200 }),
  'POST /api/tokens': async () => ({
    call: (p) => p.post('/api/tokens', { name: 'Monthly report', abilities: ['read'] }),
    status: 201,
  }),
  'DELETE /api/tokens/:id': async ({ world, person }) => {
    const { email, password } = person
    const { body } = await world.call('POST', '/api/login', { body: { email, password } })
    const id = body.access_token.split('|')[0]
    return { call: (p) => p.delete(`/api/tokens/${id}`), status: 204 }
  },
  'POST /api/email/verification-notification': async () => ({
    call: (p) => p.post('/api/email/verification-notification'),
    status: 200,
  }),
  'GET /api/email/verification-status': async () => ({
    call: (p) => p.get('/api/email/verification-status'),
    status: 200,
  }),

  'GET /api/accounts': async () => ({ call: (p) => p.get('/api/accounts'), status: 200 }),
  'POST /api/accounts': async () => ({
    call: (p) => p.post('/api/accounts', { name: 'New', type: 'mobile', starting_balance: 5 }),
    status: 201,
  }),
  'GET /api/accounts/:id': async ({ cash }) => ({
    call: (p) => p.get(`/api/accounts/${cash.id}`),
    status: 200,
  }),
  'PUT /api/accounts/:id': async ({ cash }) => ({
    call: (p) => p.put(`/api/accounts/${cash.id}`, { starting_balance: 7 }),
    status: 200,
  }),
  'PATCH /api/accounts/:id': async ({ cash }) => ({
    call: (p) => p.patch(`/api/accounts/${cash.id}`, { name: 'Purse' }),
    status: 200,
  }),
  'DELETE /api/accounts/:id': async ({ person }) => {
    const { id } = await openAccount(person)
    return { call: (p) => p.delete(`/api/accounts/${id}`), status: 204 }
  },

  'GET /api/categories': async () => ({ call: (p) => p.get('/api/categories'), status: 200 }),
  'POST /api/categories': async () => ({
    call: (p) => p.post('/api/categories', { name: 'Pets', type: 'expense' }),
    status: 201,
  }),
  'POST /api/categories/suggest': async () => ({
    call: (p) =>
      p.post('/api/categories/suggest', { items: [{ description: 'Coffee beans', type: 'expense' }] }),
    status: 200,
  }),
  'GET /api/categories/:id': async ({ category }) => ({
    call: (p) => p.get(`/api/categories/${category.id}`),
    status: 200,
  }),
  'PUT /api/categories/:id': async ({ category }) => ({
    call: (p) => p.put(`/api/categories/${category.id}`, { name: 'Food' }),
    status: 200,
  }),
  'PATCH /api/categories/:id': async ({ category }) => ({
    call: (p) => p.patch(`/api/categories/${category.id}`, { name: 'Food at Home' }),
    status: 200,
  }),
  'DELETE /api/categories/:id': async ({ person }) => {
    const { body } = await person.post('/api/categories', { name: 'Short-lived', type: 'expense' })
    return { call: (p) => p.delete(`/api/categories/${body.id}`), status: 204 }
  },

  'GET /api/transactions': async () => ({ call: (p) => p.get('/api/transactions'), status: 200 }),
  'POST /api/transactions': async ({ expense }) => ({
    call: (p) => p.post('/api/transactions', { ...expense(), client_id: 'phone-1' }),
    status: 201,
  }),
  'GET /api/transactions/:id': async ({ spend }) => {
    const { id } = await spend()
    return { call: (p) => p.get(`/api/transactions/${id}`), status: 200 }
  },
  'PUT /api/transactions/:id': async ({ spend, cash }) => {
    const { id } = await spend()
    return {
      call: (p) => p.put(`/api/transactions/${id}`, { amount: 3, account_id: cash.id }),
      status: 200,
    }
  },
  'PATCH /api/transactions/:id': async ({ spend, cash }) => {
    const { id } = await spend()
    return {
      call: (p) => p.patch(`/api/transactions/${id}`, { type: 'transfer', to_account_id: cash.id }),
      status: 200,
    }
  },
  'DELETE /api/transactions/:id': async ({ spend }) => {
    const { id } = await spend()
    return { call: (p) => p.delete(`/api/transactions/${id}`), status: 204 }
  },

  'POST /api/transactions/sync': async ({ expense }) => ({
    call: (p) =>
      p.post('/api/transactions/sync', {
        transactions: [
          { ...expense(), amount: 75 },
          { ...expense(), amount: 75, client_id: 'phone-2' },
        ],
      }),
    status: 200,
  }),
  'GET /api/transactions/sync/:id': async ({ person, expense }) => {
    const { body } = await person.post('/api/transactions/sync', {
      transactions: [{ ...expense(), amount: 76 }],
    })
    return { call: (p) => p.get(`/api/transactions/sync/${body.sync_id}`), status: 200 }
  },

  'POST /api/import/store': async ({ expense }) => ({
    call: (p) => p.post('/api/import/store', { transactions: [{ ...expense(), amount: 77 }] }),
    status: 200,
  }),
  'POST /api/import/bank/store': async ({ expense }) => ({
    call: (p) => p.post('/api/import/bank/store', { transactions: [{ ...expense(), amount: 78 }] }),
    status: 200,
  }),
  'GET /api/imports': async () => ({ call: (p) => p.get('/api/imports'), status: 200 }),
  'GET /api/imports/layouts': async () => ({ call: (p) => p.get('/api/imports/layouts'), status: 200 }),
  'DELETE /api/imports/layouts/:id': async (household) => {
    const id = await rememberLayout(household)
    return { call: (p) => p.delete(`/api/imports/layouts/${id}`), status: 204 }
  },
  'GET /api/imports/:id': async (household) => {
    const id = await importOne(household)
    return { call: (p) => p.get(`/api/imports/${id}`), status: 200 }
  },
  'DELETE /api/imports/:id': async (household) => {
    const id = await importOne(household)
    return { call: (p) => p.delete(`/api/imports/${id}`), status: 204 }
  },

  'POST /api/changes': async ({ spend, expense }) => {
    const [changed, deleted] = [await spend(), await spend()]
    const ops = [
      { op: 'create', noun: 'transaction', client_id: 'made-offline', set: expense() },
      { op: 'update', noun: 'transaction', id: changed.id, set: { amount: 3 }, was: { amount: '12.50' } },
      { op: 'delete', noun: 'transaction', id: deleted.id },
    ]
    return { call: (p) => p.post('/api/changes', { ops }), status: 200 }
  },
  'GET /api/changes': async ({ person }) => {
    const { body } = await person.get('/api/changes?start=now')
    return { call: (p) => p.get(`/api/changes?cursor=${body.cursor}`), status: 200 }
  },

  'GET /api/matches': async (household) => {
    await standingTwice(household)
    return { call: (p) => p.get('/api/matches?from=2000-01-01&to=2000-12-31'), status: 200 }
  },
  'POST /api/matches/join': async (household) => {
    const ids = await standingTwice(household)
    return { call: (p) => p.post('/api/matches/join', { kind: 'duplicate', ids }), status: 200 }
  },
  'POST /api/matches/separate': async (household) => {
    const ids = await standingTwice(household)
    await household.person.post('/api/matches/join', { kind: 'duplicate', ids })
    return { call: (p) => p.post('/api/matches/separate', { id: ids[0] }), status: 200 }
  },
  'POST /api/matches/reject': async (household) => {
    const ids = await standingTwice(household)
    return { call: (p) => p.post('/api/matches/reject', { kind: 'duplicate', ids }), status: 204 }
  },
  'DELETE /api/matches/reject': async (household) => {
    const ids = await standingTwice(household)
    await household.person.post('/api/matches/reject', { kind: 'duplicate', ids })
    return { call: (p) => p.delete('/api/matches/reject', { kind: 'duplicate', ids }), status: 204 }
  },

  'GET /api/reports/monthly': async () => ({
    call: (p) => p.get('/api/reports/monthly?from=2026-09&to=2026-10'),
    status: 200,
  }),
  'GET /api/reports/balances': async () => ({
    call: (p) => p.get('/api/reports/balances?every=month&from=2026-09-01&to=2026-10-31'),
    status: 200,
  }),
  'GET /api/summary': async () => ({ call: (p) => p.get('/api/summary'), status: 200 }),
  'GET /api/export': async () => ({ call: (p) => p.get('/api/export'), status: 200 }),
}

async function changingPassword(world: World, verb: 'put' | 'patch'): Promise<PreparedCall> {
  const user = await world.register()
  const body = {
    current_password: user.password,
    password: 'a new password',
    password_confirmation: 'a new password',
  }
  return { call: () => user[verb]('/api/me/password', body), status: 200 }
}

async function changingAddress(world: World, verb: 'put' | 'patch'): Promise<PreparedCall> {
  const user = await world.register()
  const body = { email: `new-${user.email}`, current_password: user.password }
  return { call: () => user[verb]('/api/me/email', body), status: 200 }
}

/** Marks a user's address as verified, without going through an email. */
export async function verify(world: World, { id }: { id: number }): Promise<void> {
  const db = openWorldDatabase(world)
  await db.batch([db.run(sql`update users set email_verified_at = 1 where id = ${id}`)])
}

/** Imports one transaction and returns the import's id. */
export async function importOne({ person, expense }: Household): Promise<number> {
  const { body } = await person.post('/api/import/store', {
    transactions: [{ ...expense(), amount: 79, force: true }],
  })
  return body.import.id
}

/** Imports a file whose reader is told which way its amounts go, and returns the id of the response that is imported_originals. */
export async function rememberLayout({ world, person, checking }: Household): Promise<number> {
  const query = `account_id=${checking.id}&signs=inverted`
  await world.call('POST', `/api/import/bank/store?${query}`, {
    token: person.token,
    rawBody: 'Date,Amount,Description\n2026-11-02,79.00,Charge\n',
    headers: { 'Content-Type': 'text/csv' },
  })
  const { body } = await person.get('/api/imports/layouts')
  return body[0].id
}

let pairsMade = 0

/** Records an expense with a unique amount, imports it as posted two days later, and returns the ids of both. */
export async function standingTwice({ person, expense }: Household, day = '2000-05-01'): Promise<number[]> {
  pairsMade += 1
  const row = { ...expense(), amount: 1_000 + pairsMade }
  const typed = await person.post('/api/transactions', { ...row, transaction_date: day })
  const transactions = [{ ...row, transaction_date: day.replace(/1$/, '3') }]
  const { body } = await person.post('/api/import/store', { transactions })
  const { body: matches } = await person.get(
    new URL(body.import.matches_url).pathname + new URL(body.import.matches_url).search,
  )
  const match = matches.matches.find((one: Json) => one.ids[0] === typed.body.id)
  return match.ids
}

/** Prepares the valid call of a route; throws if it has none. */
export function goodCall(route: string, household: Household): Promise<PreparedCall> {
  const prepare = goodCalls[route]
  if (!prepare) throw new Error(`${route} has no good call yet: add one to every-route.ts`)
  return prepare(household)
}

/** Opens the world's database directly, to look behind the API or to write thousands of rows. */
export function openWorldDatabase(world: World) {
  return openDatabase({ url: world.databaseUrl, timeoutMs: 30_000 })
}

/** All rows, and all messages in queues. */
export async function storedIn(world: World) {
  const db = openWorldDatabase(world)
  const [tables] = await db.batch([
    db.all<{ name: string }>(
      sql`select name from sqlite_master where type = 'table' and name not like 'sqlite%'`,
    ),
  ])
  const [first, ...others] = tables.map(({ name }) => db.all(sql`select * from ${sql.identifier(name)}`))
  const found = first ? await db.batch([first, ...others]) : []
  const rows = Object.fromEntries(tables.map(({ name }, nth) => [name, found[nth]]))
  const { queued, queuedSyncs, queuedRemovals } = world
  return structuredClone({ rows, queued, queuedSyncs, queuedRemovals })
}

/** Runs a statement there, and returns its rows. */
export async function askDatabase(world: World, statement: SQL) {
  const db = openWorldDatabase(world)
  const [rows] = await db.batch([db.all<Record<string, unknown>>(statement)])
  return rows
}

/** Writes `count` transactions of the household's past straight into the database, over ten years. */
export async function writeHistory({ world, person, checking, cash, category }: Household, count: number) {
  const db = openWorldDatabase(world)
  await db.batch([
    db.run(sql`
      insert into transactions (user_id, account_id, to_account_id, category_id, type, amount, transaction_date,
                                is_synced, created_at, updated_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
      select ${person.id}, ${checking.id}, iif(i % 5 = 0, ${cash.id}, null), iif(i % 5 = 0, null, ${category.id}),
             case i % 5 when 0 then 'transfer' when 1 then 'income' else 'expense' end, 100 + i,
             date('2026-10-31', '-' || (i % 3650) || ' days'), 0, 0, 0
        from n`),
  ])
}

/**
 * Writes `count` copies of each transaction, which differ only in their references ("other 1" and so on). They leave the
 * kept figures as they are.
 */
export async function writeCopies(world: World, ids: number[], count: number): Promise<void> {
  await askDatabase(
    world,
    sql`
    insert into transactions (user_id, account_id, category_id, type, amount, reference, transaction_date, is_synced,
                              import_id, created_at, updated_at)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    select user_id, account_id, category_id, type, amount, 'other ' || i, transaction_date, 1, import_id, 0, 0
      from transactions, n where id in (select value from json_each(${JSON.stringify(ids)}))`,
  )
}

/**
 * Writes `count` rows of a file straight into the database, and deletes them. What they leave is imported originals, spent
 * client ids and entries of the log of changes.
 */
export async function writeDeletedHistory({ world, person, checking, category }: Household, count: number) {
  const db = openWorldDatabase(world)
  const file = sql`(select id from imports where batch_id = ${`deleted ${person.id}`})`
  await db.batch([
    db.run(sql`
      insert into imports (user_id, batch_id, kind, format, rows, created, duplicate, first_id, created_at)
      values (${person.id}, ${`deleted ${person.id}`}, 'generic', 'csv', ${count}, ${count}, 0, 1, 0)`),
    db.run(sql`
      insert into transactions (user_id, account_id, category_id, type, amount, transaction_date, client_id, booked_by,
                                is_synced, created_at, updated_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
      select ${person.id}, ${checking.id}, ${category.id}, 'expense', 100 + i,
             date('2026-10-31', '-' || (i % 3650) || ' days'), 'deleted ' || i, ${file}, 0, 0, 0
        from n`),
    db.run(sql`delete from transactions where user_id = ${person.id} and booked_by = ${file}`),
  ])
}
