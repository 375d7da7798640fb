import { randomFillSync } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { lastDayOf, monthOf } from '../src/domain/dates.ts'
import { type AddressLink, addressLink, unsubscribeLink } from '../src/domain/links.ts'
import { newSecret, sha256Hex } from '../src/domain/tokens.ts'
import type { Call, Connection } from './client.ts'
import type { MeasuredDatabase } from './database.ts'
import { type History, type Person, password, person } from './history.ts'
import { links } from './runtime.ts'

/** The people in a database. */
export type Household = {
  history: History
  owner: Person
  database: MeasuredDatabase
  /** Somebody new each time, with no data yet. */
  stranger(): Person
  /** A different number each time. */
  number(): number
}

/** The same, with a connection to the running Worker. */
export type Bench = Household & { connection: Connection }

/** Does what a call needs beforehand, and returns the call, which alone is measured. */
type Preparation = (bench: Bench) => Call | Promise<Call>

/** A route, or a way of calling it, by its name in the table. */
export type Case = { name: string; route: string; prepare: Preparation }

/** The people of a history, for the calls to that database. */
export function createHousehold(history: History, database: MeasuredDatabase): Household {
  let strangers = 1
  let numbers = 0
  return {
    history,
    database,
    owner: person(1),
    stranger() {
      strangers += 1
      if (strangers > history.users) throw new Error('There are not enough people in the history')
      return person(strangers)
    },
    number: () => ++numbers,
  }
}

/** Removes what calls have created for the owner, so that the next ones find the same lists. */
export async function tidy({ database: { db }, history }: Bench): Promise<void> {
  const { users, ownTransactions, othersTransactions } = history
  const last = person(users)
  const transactions = ownTransactions + (users - 1) * othersTransactions
  const [account, category] = [last.accounts.at(-1) ?? 0, last.categories.at(-1) ?? 0]
  await db.batch([
    db.run(sql`delete from accounts where user_id = 1 and id > ${account}`),
    db.run(sql`delete from categories where user_id = 1 and id > ${category}`),
    db.run(sql`delete from tokens where user_id = 1 and id > ${users}`),
    db.run(sql`delete from imports where user_id = 1`),
    db.run(sql`delete from sync_batches where user_id = 1`),
    // The plus makes SQLite search by id: the user has many, and few of them are new.
    db.run(sql`delete from transactions where +user_id = 1 and id > ${transactions}`),
  ])
}

/** A case for each route, and the variants of the list. Throws if a route has no call yet. */
export function casesOf(routes: string[]): Case[] {
  const missing = routes.filter((route) => !(route in preparations))
  if (missing.length > 0) throw new Error(`bench/calls.ts has no call yet of ${missing.join(', ')}`)
  const plain = routes.map((route) => ({ name: route, route, prepare: preparations[route] as Preparation }))
  const variants = Object.entries(lists).map(([name, prepare]) => ({
    name,
    route: 'GET /api/transactions',
    prepare,
  }))
  return [...plain, ...variants]
}

const today = new Date().toISOString().slice(0, 10)
const thisMonth = monthOf(today)

/** A new expense of the owner, with a different amount each time, so that none is a duplicate. */
function expense({ owner, number }: Bench) {
  return {
    account_id: owner.accounts[0],
    category_id: owner.categories[0],
    type: 'expense',
    amount: (30_000 + number()) / 100,
    transaction_date: today,
    description: 'Coffee and a croissant',
  }
}

/** An offline batch of new expenses. */
export const syncBatch =
  (items: number): Preparation =>
  (bench) => ({
    ...as(bench.owner, 'POST', '/api/transactions/sync', 200),
    body: {
      transactions: Array.from({ length: items }, () => ({
        ...expense(bench),
        client_id: `batch-${bench.number()}`,
      })),
    },
  })

/** An upload of new expenses as operations, with the cursor of a copy that is up to date. */
export const uploadOfNew =
  (items: number): Preparation =>
  async (bench) => ({
    ...as(bench.owner, 'POST', '/api/changes', 200),
    body: {
      cursor: await cursorOf(bench),
      ops: Array.from({ length: items }, () => ({
        op: 'create',
        noun: 'transaction',
        client_id: `upload-${bench.number()}`,
        set: expense(bench),
      })),
    },
  })

/** A pull that finds nothing new. */
export const emptyPull: Preparation = async (bench) =>
  as(bench.owner, 'GET', `/api/changes?cursor=${await cursorOf(bench)}`, 200)

async function cursorOf({ owner, connection }: Bench): Promise<string> {
  return (await connection.json(as(owner, 'GET', '/api/changes?start=now', 200))).cursor
}

async function spend(bench: Bench): Promise<number> {
  const { owner, connection } = bench
  const { id } = await connection.json({
    ...as(owner, 'POST', '/api/transactions', 201),
    body: expense(bench),
  })
  return id
}

async function openAccount({ owner, connection }: Bench): Promise<number> {
  const body = { name: 'Short-lived', type: 'cash', starting_balance: 5 }
  return (await connection.json({ ...as(owner, 'POST', '/api/accounts', 201), body })).id
}

/** Deletes what earlier calls of a case have created, by its name, before there are too many (src/services/quotas.ts). */
async function makeRoom({ database: { db } }: Bench, table: 'accounts' | 'categories', name: string) {
  await db.batch([db.run(sql`delete from ${sql.identifier(table)} where user_id = 1 and name like ${name}`)])
}

async function importOne(bench: Bench): Promise<number> {
  return (await bench.connection.json(sendOne('/api/import/store')(bench))).import.id
}

/** One more session of the owner. */
async function signIn({ owner, database: { db } }: Bench): Promise<{ id: number; token: string }> {
  const secret = newSecret((bytes) => randomFillSync(bytes))
  const [[row]] = await db.batch([
    db.all<{ id: number }>(sql`
      insert into tokens (user_id, secret_hash, created_at, last_used_at)
      values (${owner.id}, ${sha256Hex(secret)}, ${Date.now()}, ${Date.now()}) returning id`),
  ])
  const id = row?.id ?? 0
  return { id, token: `${id}|${secret}` }
}

/** A new client address, since rates are limited by address. */
function fromElsewhere({ number }: Bench): Record<string, string> {
  const at = number()
  return { 'cf-connecting-ip': `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}` }
}

function as({ token }: Pick<Person, 'token'>, method: string, path: string, status: number): Call {
  return { method, path, status, token }
}

function pathOf(link: string): string {
  const { pathname, search } = new URL(link)
  return `${pathname}${search}`
}

async function mailedResetToken({ database: { db } }: Bench, { id, email }: Person): Promise<string> {
  const token = newSecret((bytes) => randomFillSync(bytes))
  const expiresAt = Date.now() + 3_600_000
  await db.batch([
    db.run(sql`
      insert into password_resets (token_hash, user_id, email, expires_at)
      values (${sha256Hex(token)}, ${id}, ${email}, ${expiresAt})`),
  ])
  return token
}

/** Signs somebody in at the provider, and returns the path of the callback. */
async function comeBackFromProvider({ connection }: Bench, { email }: Person): Promise<string> {
  const path = `/api/auth/idp?login_hint=${encodeURIComponent(email)}`
  const { url } = await connection.json({ method: 'GET', path, status: 200 })
  const response = await fetch(url, { redirect: 'manual' })
  await response.text()
  return pathOf(response.headers.get('location') ?? '')
}

const read =
  (path: string): Preparation =>
  ({ owner }) =>
    as(owner, 'GET', path, 200)
const publicly =
  (method: string, path: string, body?: unknown): Preparation =>
  (bench) => ({
    method,
    path,
    status: 200,
    headers: fromElsewhere(bench),
    body,
  })

const changeProfile =
  (method: string): Preparation =>
  ({ owner, number }) => ({ ...as(owner, method, '/api/me', 200), body: { name: `Person ${number()}` } })

const changeAccount =
  (method: string): Preparation =>
  ({ owner, number }) => ({
    ...as(owner, method, `/api/accounts/${owner.accounts[2]}`, 200),
    body: { starting_balance: number() },
  })

const changeCategory =
  (method: string): Preparation =>
  ({ owner, number }) => ({
    ...as(owner, method, `/api/categories/${owner.categories[3]}`, 200),
    body: { name: `Category ${number()}` },
  })

const changeTransaction =
  (method: string): Preparation =>
  async (bench) => ({
    ...as(bench.owner, method, `/api/transactions/${await spend(bench)}`, 200),
    body: { amount: 3, account_id: bench.owner.accounts[1] },
  })

const unsubscribe =
  (method: string): Preparation =>
  async (bench) => ({ method, path: pathOf(await unsubscribeLink(links, bench.stranger().id)), status: 200 })

const changePassword =
  (method: string): Preparation =>
  ({ stranger }) => ({
    ...as(stranger(), method, '/api/me/password', 200),
    body: { current_password: password, password, password_confirmation: password },
  })

const followLink =
  (method: string, does: AddressLink, status: number): Preparation =>
  async ({ stranger }) => ({
    method,
    path: pathOf(await addressLink(links, does, stranger(), new Date())),
    status,
  })

/** A call about two transactions that record the same event. */
async function withPair(bench: Bench, method: string, path: string, status: number): Promise<Call> {
  const row = { ...expense(bench), force: true }
  const record = async () => {
    const call = { ...as(bench.owner, 'POST', '/api/transactions', 201), body: row }
    return (await bench.connection.json(call)).id
  }
  const ids = [await record(), await record()]
  return { ...as(bench.owner, method, path, status), body: { kind: 'duplicate', ids } }
}

/** One new expense, to be imported or synced. */
const sendOne =
  (path: string) =>
  (bench: Bench): Call => ({
    ...as(bench.owner, 'POST', path, 200),
    body: { transactions: [expense(bench)] },
  })

const preparations: Record<string, Preparation> = {
  'GET /api/health': publicly('GET', '/api/health'),
  'GET /api/openapi.json': publicly('GET', '/api/openapi.json'),
  'POST /api/register': (bench) => ({
    method: 'POST',
    path: '/api/register',
    status: 201,
    headers: fromElsewhere(bench),
    body: {
      name: 'Ada',
      email: `new${bench.number()}@example.com`,
      password,
      password_confirmation: password,
    },
  }),
  'POST /api/login': (bench) =>
    publicly('POST', '/api/login', { email: bench.stranger().email, password })(bench),
  'POST /api/logout': async (bench) => as(await signIn(bench), 'POST', '/api/logout', 200),
  'POST /api/logout-all': ({ stranger }) => as(stranger(), 'POST', '/api/logout-all', 200),
  'GET /api/auth/check-email': publicly('GET', '/api/auth/check-email?email=ada@example.com'),
  'POST /api/forgot-password': (bench) =>
    publicly('POST', '/api/forgot-password', { email: bench.stranger().email })(bench),
  'POST /api/reset-password': async (bench) => {
    const somebody = bench.stranger()
    const token = await mailedResetToken(bench, somebody)
    const body = { token, email: somebody.email, password, password_confirmation: password }
    return publicly('POST', '/api/reset-password', body)(bench)
  },
  'GET /api/auth/idp': publicly('GET', '/api/auth/idp'),
  'GET /api/auth/idp/callback': async (bench) => ({
    method: 'GET',
    path: await comeBackFromProvider(bench, bench.stranger()),
    status: 302,
  }),
  'GET /api/email/verify/:id/:hash': followLink('GET', 'verify', 302),
  'GET /api/email/disown/:id/:hash': followLink('GET', 'disown', 200),
  'POST /api/email/disown/:id/:hash': followLink('POST', 'disown', 200),
  'POST /api/email/verification-notification': ({ stranger }) =>
    as(stranger(), 'POST', '/api/email/verification-notification', 200),
  'GET /api/email/verification-status': read('/api/email/verification-status'),
  'GET /api/tokens': read('/api/tokens'),
  'DELETE /api/tokens/:id': async (bench) =>
    as(bench.owner, 'DELETE', `/api/tokens/${(await signIn(bench)).id}`, 204),
  'GET /api/reminders/unsubscribe/:user/:signature': unsubscribe('GET'),
  'POST /api/reminders/unsubscribe/:user/:signature': unsubscribe('POST'),

  'GET /api/me': read('/api/me'),
  'PUT /api/me': changeProfile('PUT'),
  'PATCH /api/me': changeProfile('PATCH'),
  'PUT /api/me/password': changePassword('PUT'),
  'PATCH /api/me/password': changePassword('PATCH'),
  'DELETE /api/me': ({ stranger }) => ({ ...as(stranger(), 'DELETE', '/api/me', 204), body: { password } }),

  'GET /api/accounts': read('/api/accounts'),
  'POST /api/accounts': async (bench) => {
    await makeRoom(bench, 'accounts', 'New')
    const body = { name: 'New', type: 'mobile', starting_balance: 5 }
    return { ...as(bench.owner, 'POST', '/api/accounts', 201), body }
  },
  'GET /api/accounts/:id': ({ owner }) => as(owner, 'GET', `/api/accounts/${owner.accounts[0]}`, 200),
  'PUT /api/accounts/:id': changeAccount('PUT'),
  'PATCH /api/accounts/:id': changeAccount('PATCH'),
  'DELETE /api/accounts/:id': async (bench) =>
    as(bench.owner, 'DELETE', `/api/accounts/${await openAccount(bench)}`, 204),

  'GET /api/categories': read('/api/categories'),
  'POST /api/categories': async (bench) => {
    await makeRoom(bench, 'categories', 'New %')
    const body = { name: `New ${bench.number()}`, type: 'expense' }
    return { ...as(bench.owner, 'POST', '/api/categories', 201), body }
  },
  'GET /api/categories/:id': ({ owner }) => as(owner, 'GET', `/api/categories/${owner.categories[0]}`, 200),
  'PUT /api/categories/:id': changeCategory('PUT'),
  'PATCH /api/categories/:id': changeCategory('PATCH'),
  'DELETE /api/categories/:id': async ({ owner, connection, number }) => {
    const body = { name: `Short-lived ${number()}`, type: 'expense' }
    const { id } = await connection.json({ ...as(owner, 'POST', '/api/categories', 201), body })
    return as(owner, 'DELETE', `/api/categories/${id}`, 204)
  },

  'GET /api/transactions': read('/api/transactions'),
  'POST /api/transactions': (bench) => ({
    ...as(bench.owner, 'POST', '/api/transactions', 201),
    body: { ...expense(bench), client_id: `phone-${bench.number()}` },
  }),
  'GET /api/transactions/:id': async (bench) =>
    as(bench.owner, 'GET', `/api/transactions/${await spend(bench)}`, 200),
  'PUT /api/transactions/:id': changeTransaction('PUT'),
  'PATCH /api/transactions/:id': changeTransaction('PATCH'),
  'DELETE /api/transactions/:id': async (bench) =>
    as(bench.owner, 'DELETE', `/api/transactions/${await spend(bench)}`, 204),

  'POST /api/transactions/sync': sendOne('/api/transactions/sync'),
  'GET /api/transactions/sync/:id': async (bench) => {
    const { sync_id } = await bench.connection.json(sendOne('/api/transactions/sync')(bench))
    return as(bench.owner, 'GET', `/api/transactions/sync/${sync_id}`, 200)
  },

  'POST /api/import/store': sendOne('/api/import/store'),
  'POST /api/import/bank/store': sendOne('/api/import/bank/store'),
  'GET /api/imports': async (bench) => {
    const call = as(bench.owner, 'GET', '/api/imports', 200)
    if ((await bench.connection.json(call)).length === 0) await importOne(bench)
    return call
  },
  'GET /api/imports/:id': async (bench) =>
    as(bench.owner, 'GET', `/api/imports/${await importOne(bench)}`, 200),
  'DELETE /api/imports/:id': async (bench) =>
    as(bench.owner, 'DELETE', `/api/imports/${await importOne(bench)}`, 204),

  'POST /api/changes': async (bench) => {
    const id = await spend(bench)
    const ops = [
      { op: 'create', noun: 'transaction', client_id: crypto.randomUUID(), set: expense(bench) },
      { op: 'update', noun: 'transaction', id, set: { description: 'Changed' } },
    ]
    return { ...as(bench.owner, 'POST', '/api/changes', 200), body: { ops } }
  },
  'GET /api/changes': async (bench) => {
    const cursor = await cursorOf(bench)
    await spend(bench)
    return as(bench.owner, 'GET', `/api/changes?cursor=${cursor}`, 200)
  },

  'GET /api/matches': read('/api/matches'),
  'POST /api/matches/join': (bench) => withPair(bench, 'POST', '/api/matches/join', 200),
  'POST /api/matches/separate': async (bench) => {
    const join = await withPair(bench, 'POST', '/api/matches/join', 200)
    const { id } = await bench.connection.json(join)
    return { ...as(bench.owner, 'POST', '/api/matches/separate', 200), body: { id } }
  },
  'POST /api/matches/reject': (bench) => withPair(bench, 'POST', '/api/matches/reject', 204),
  'DELETE /api/matches/reject': (bench) => withPair(bench, 'DELETE', '/api/matches/reject', 204),

  'GET /api/summary': read('/api/summary'),
}

/** The other ways in which clients ask for the list. */
const lists: Record<string, Preparation> = {
  'GET /api/transactions?page=(last)': ({ owner, history }) =>
    as(owner, 'GET', `/api/transactions?page=${Math.ceil(history.ownTransactions / 50)}`, 200),
  'GET /api/transactions?account_id=': ({ owner }) =>
    as(owner, 'GET', `/api/transactions?account_id=${owner.accounts[0]}`, 200),
  'GET /api/transactions?category_id=': ({ owner }) =>
    as(owner, 'GET', `/api/transactions?category_id=${owner.categories[0]}`, 200),
  'GET /api/transactions?category_id=none': read('/api/transactions?category_id=none'),
  'GET /api/transactions?type=income': read('/api/transactions?type=income'),
  'GET /api/transactions?from=&to= (a month)': read(
    `/api/transactions?from=${thisMonth}-01&to=${lastDayOf(thisMonth)}`,
  ),
  'GET /api/transactions?from=&to= (part of a month)': read(
    `/api/transactions?from=${thisMonth}-02&to=${thisMonth}-27`,
  ),
  'GET /api/transactions?q=': read('/api/transactions?q=Payment%20777'),
}
