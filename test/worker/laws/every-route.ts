import { type SQL, sql } from 'drizzle-orm'
import { app } from '../../../src/app.ts'
import { publicRoutes } from '../../../src/http/authenticate.ts'
import { openDatabase } from '../../databases/open.ts'
import { aCategory, type Json, openAccount, type Person, type World } from '../fixtures/world.ts'
import { sendFile } from '../imports/send-file.ts'

/** Every route of the API as `METHOD /path`, as registered with Hono. */
export const everyRoute: string[] = [
  ...new Set(
    app.routes
      .filter(({ method, path }) => method !== 'ALL' && /^\/api(\/|$)/.test(path))
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
  let daysChecked = 0
  /** Checks the balance of the first account on a day of its own, and returns the check's id. */
  async function checkBalance(): Promise<number> {
    daysChecked += 1
    const date = new Date(Date.UTC(2026, 10, 25 - daysChecked)).toISOString().slice(0, 10)
    const { body } = await person.post('/api/balance-checks', { account_id: checking.id, date, balance: 100 })
    return body.id
  }
  /** Creates a rule that repeats the expense each month, and returns its id. */
  async function repeat(): Promise<number> {
    const { transaction_date: starts_on, ...template } = expense()
    const { body } = await person.post('/api/recurring', { ...template, starts_on, rrule: 'FREQ=MONTHLY' })
    return body.id
  }
  return { world, person, checking, cash, category, spend, expense, checkBalance, repeat }
}

export type Household = Awaited<ReturnType<typeof createHousehold>>

/** Creates a rule, and rejects a transaction as an occurrence of it. */
export async function rejectOccurrence({ person, repeat, spend }: Household): Promise<void> {
  const [recurring_id, { id }] = [await repeat(), await spend()]
  const rejected = { kind: 'occurrence', transaction_id: id, recurring_id, occurrence_date: '2026-12-20' }
  await person.post('/api/matches/reject', rejected)
}

/** A valid call of one route, for which everything is prepared, so that measuring it measures nothing else. */
type GoodCall = {
  /** In place of `:id`. */
  id?: number | string
  /** In place of `:date`. */
  date?: string
  query?: string
  body?: unknown
  /** 200 unless it is said, or 204 for a DELETE. */
  status?: number
  /** Who makes it, if that cannot be any session of the household. */
  as?: Pick<Person, Verb | 'token'>
}
type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** A valid call of each protected route. A route that is missing here fails the laws, which go through all routes. */
const goodCalls: Record<string, (household: Household) => GoodCall | Promise<GoodCall>> = {
  'GET /api/me': () => ({}),
  'PUT /api/me': () => ({ body: { name: 'New Name' } }),
  'PATCH /api/me': () => ({ body: { timezone: 'Asia/Tokyo' } }),
  'POST /api/logout': async ({ world, person }) => ({ as: world.as(await signIn(world, person)) }),
  'POST /api/logout-all': async ({ world }) => ({ as: await world.register() }),
  'PUT /api/me/password': changePassword,
  'PATCH /api/me/password': changePassword,
  'PUT /api/me/email': changeAddress,
  'PATCH /api/me/email': changeAddress,
  'DELETE /api/me': async ({ world }) => {
    const user = await world.register()
    return { as: user, body: { password: user.password } }
  },
  'GET /api/tokens': () => ({}),
  'POST /api/tokens': () => ({ body: { name: 'Monthly report', abilities: ['read'] }, status: 201 }),
  'DELETE /api/tokens/:id': async ({ world, person }) => ({
    id: (await signIn(world, person)).split('|')[0],
  }),
  'POST /api/email/verification-notification': () => ({}),
  'GET /api/email/verification-status': () => ({}),

  'GET /api/accounts': () => ({}),
  'POST /api/accounts': () => ({ body: { name: 'New', type: 'mobile', starting_balance: 5 }, status: 201 }),
  'GET /api/accounts/:id': ({ cash }) => ({ id: cash.id }),
  'PUT /api/accounts/:id': ({ cash }) => ({ id: cash.id, body: { starting_balance: 7 } }),
  'PATCH /api/accounts/:id': ({ cash }) => ({ id: cash.id, body: { name: 'Purse' } }),
  'DELETE /api/accounts/:id': async ({ person }) => ({ id: (await openAccount(person)).id }),

  'GET /api/categories': () => ({}),
  'POST /api/categories': () => ({ body: { name: 'Pets', type: 'expense' }, status: 201 }),
  'POST /api/categories/suggest': () => ({
    body: { items: [{ description: 'Coffee beans', type: 'expense' }] },
  }),
  'GET /api/categories/:id': ({ category }) => ({ id: category.id }),
  'PUT /api/categories/:id': ({ category }) => ({ id: category.id, body: { name: 'Food' } }),
  'PATCH /api/categories/:id': ({ category }) => ({ id: category.id, body: { name: 'Food at Home' } }),
  'DELETE /api/categories/:id': async ({ person }) => {
    const { body } = await person.post('/api/categories', { name: 'Short-lived', type: 'expense' })
    return { id: body.id }
  },

  'GET /api/transactions': () => ({}),
  'POST /api/transactions': ({ expense }) => ({ body: { ...expense(), client_id: 'phone-1' }, status: 201 }),
  'GET /api/transactions/:id': async ({ spend }) => ({ id: (await spend()).id }),
  'PUT /api/transactions/:id': async ({ spend, cash }) => ({
    id: (await spend()).id,
    body: { amount: 3, account_id: cash.id },
  }),
  'PATCH /api/transactions/:id': async ({ spend, cash }) => ({
    id: (await spend()).id,
    body: { type: 'transfer', to_account_id: cash.id },
  }),
  'DELETE /api/transactions/:id': async ({ spend }) => ({ id: (await spend()).id }),
  'POST /api/transactions/sync': ({ expense }) => {
    const item = { ...expense(), amount: 75 }
    return { body: { transactions: [item, { ...item, client_id: 'phone-2' }] } }
  },
  'GET /api/transactions/sync/:id': async ({ person, expense }) => {
    const transactions = [{ ...expense(), amount: 76 }]
    return { id: (await person.post('/api/transactions/sync', { transactions })).body.sync_id }
  },

  'POST /api/import/store': ({ expense }) => ({ body: { transactions: [{ ...expense(), amount: 77 }] } }),
  'POST /api/import/bank/store': ({ expense }) => ({
    body: { transactions: [{ ...expense(), amount: 78 }] },
  }),
  'GET /api/imports': () => ({}),
  'GET /api/imports/layouts': () => ({}),
  'DELETE /api/imports/layouts/:id': async (household) => ({ id: await rememberLayout(household) }),
  'GET /api/imports/:id': async (household) => ({ id: await importOne(household) }),
  'DELETE /api/imports/:id': async (household) => ({ id: await importOne(household) }),

  'POST /api/changes': async ({ spend, expense }) => {
    const [changed, deleted] = [await spend(), await spend()]
    const ops = [
      { op: 'create', noun: 'transaction', client_id: 'made-offline', set: expense() },
      { op: 'update', noun: 'transaction', id: changed.id, set: { amount: 3 }, was: { amount: '12.50' } },
      { op: 'delete', noun: 'transaction', id: deleted.id },
    ]
    return { body: { ops } }
  },
  'GET /api/changes': async ({ person }) => ({
    query: `?cursor=${(await person.get('/api/changes?start=now')).body.cursor}`,
  }),

  'GET /api/matches': async (household) => {
    await standingTwice(household)
    return { query: '?from=2000-01-01&to=2000-12-31' }
  },
  'POST /api/matches/join': async (household) => ({ body: await duplicateIn(household) }),
  'POST /api/matches/separate': async (household) => {
    const duplicate = await duplicateIn(household)
    await household.person.post('/api/matches/join', duplicate)
    return { body: { id: duplicate.ids[0] } }
  },
  'POST /api/matches/reject': async (household) => ({ body: await duplicateIn(household), status: 204 }),
  'DELETE /api/matches/reject': async (household) => {
    const duplicate = await duplicateIn(household)
    await household.person.post('/api/matches/reject', duplicate)
    return { body: duplicate }
  },

  'GET /api/recurring': async ({ repeat }) => {
    await repeat()
    return {}
  },
  'POST /api/recurring': ({ expense }) => {
    const { transaction_date: starts_on, ...template } = expense()
    return { body: { ...template, starts_on, rrule: 'FREQ=WEEKLY', auto_record: true }, status: 201 }
  },
  'GET /api/recurring/upcoming': async ({ repeat }) => {
    await repeat()
    return {}
  },
  'GET /api/recurring/suggestions': () => ({}),
  'POST /api/recurring/suggestions/dismiss': () => ({ body: { key: '1 expense netfl month' } }),
  'GET /api/recurring/:id': async ({ repeat }) => ({ id: await repeat() }),
  'PUT /api/recurring/:id': async ({ repeat }) => ({ id: await repeat(), body: { amount: 4 } }),
  'PATCH /api/recurring/:id': async ({ repeat }) => ({
    id: await repeat(),
    body: { amount: 4, from: '2026-12-20' },
  }),
  'DELETE /api/recurring/:id': async ({ repeat }) => ({ id: await repeat() }),
  'PUT /api/recurring/:id/occurrences/:date': async ({ repeat }) => ({
    id: await repeat(),
    date: '2026-12-20',
    body: { skip: true },
  }),
  'PATCH /api/recurring/:id/occurrences/:date': async ({ repeat, spend }) => ({
    id: await repeat(),
    date: '2026-12-20',
    body: { transaction_id: (await spend()).id },
  }),
  'POST /api/recurring/:id/occurrences/:date/record': async ({ repeat }) => ({
    id: await repeat(),
    date: '2026-12-20',
    status: 201,
  }),

  'GET /api/balance-checks': async ({ checkBalance }) => {
    await checkBalance()
    return {}
  },
  'POST /api/balance-checks': ({ checking }) => ({
    body: { account_id: checking.id, date: '2026-11-25', balance: 100 },
    status: 201,
  }),
  'GET /api/balance-checks/:id': async (household) => ({ id: await household.checkBalance() }),
  'PUT /api/balance-checks/:id': async (household) => ({
    id: await household.checkBalance(),
    body: { balance: '9.50' },
  }),
  'PATCH /api/balance-checks/:id': async (household) => ({
    id: await household.checkBalance(),
    body: { date: '2026-11-26' },
  }),
  'DELETE /api/balance-checks/:id': async (household) => ({ id: await household.checkBalance() }),

  'GET /api/reports/monthly': () => ({ query: '?from=2026-09&to=2026-10' }),
  'GET /api/reports/forecast': async ({ repeat }) => {
    await repeat()
    return {}
  },
  'GET /api/reports/balances': () => ({ query: '?every=month&from=2026-09-01&to=2026-10-31' }),
  'GET /api/summary': () => ({}),
  'GET /api/export': () => ({}),
}

/** Prepares the valid call of a route; throws if it has none. */
export async function goodCall(route: string, household: Household) {
  const prepare = goodCalls[route]
  if (!prepare) throw new Error(`${route} has no good call yet: add one to every-route.ts`)
  const [method = '', path = ''] = route.split(' ')
  const {
    id,
    date = '',
    query = '',
    body,
    as,
    status = method === 'DELETE' ? 204 : 200,
  } = await prepare(household)
  const pathAndQuery = `${path.replace(':id', String(id)).replace(':date', date)}${query}`
  const verb = method.toLowerCase() as Verb
  /** The call with headers. */
  const send = (headers: Record<string, string>) =>
    household.world.call(method, pathAndQuery, { token: (as ?? household.person).token, body, headers })
  return { call: (person: Person) => (as ?? person)[verb](pathAndQuery, body), send, status }
}

async function signIn(world: World, { email, password }: Person): Promise<string> {
  return (await world.call('POST', '/api/login', { body: { email, password } })).body.access_token
}

async function changePassword({ world }: Household): Promise<GoodCall> {
  const user = await world.register()
  const password = 'a new password'
  return { as: user, body: { current_password: user.password, password, password_confirmation: password } }
}

async function changeAddress({ world }: Household): Promise<GoodCall> {
  const user = await world.register()
  return { as: user, body: { email: `new-${user.email}`, current_password: user.password } }
}

const duplicateIn = async (household: Household) => ({
  kind: 'duplicate',
  ids: await standingTwice(household),
})

/** Marks a user's address as verified, without going through an email. */
export async function verify(world: World, { id }: { id: number }): Promise<void> {
  await askDatabase(world, sql`update users set email_verified_at = 1 where id = ${id}`)
}

/** Imports one transaction and returns the import's id. */
export async function importOne({ person, expense }: Household): Promise<number> {
  const { body } = await person.post('/api/import/store', {
    transactions: [{ ...expense(), amount: 79, force: true }],
  })
  return body.import.id
}

/** Imports a file whose reader is told which way its amounts go, and returns the id of the layout that is kept. */
export async function rememberLayout(household: Household): Promise<number> {
  const to = `bank/store?account_id=${household.checking.id}&signs=inverted`
  await sendFile(household, to, 'Date,Amount,Description\n2026-11-02,79.00,Charge\n')
  const { body } = await household.person.get('/api/imports/layouts')
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
  await askDatabase(
    world,
    sql`
    insert into transactions (user_id, account_id, to_account_id, category_id, type, amount, transaction_date,
                              is_synced, created_at, updated_at)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    select ${person.id}, ${checking.id}, iif(i % 5 = 0, ${cash.id}, null), iif(i % 5 = 0, null, ${category.id}),
           case i % 5 when 0 then 'transfer' when 1 then 'income' else 'expense' end, 100 + i,
           date('2026-10-31', '-' || (i % 3650) || ' days'), 0, 0, 0
      from n`,
  )
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
