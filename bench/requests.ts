import { type ApiRequest, Connection } from './connection.ts'
import { pathOfFirstEmail, type Service } from './service.ts'

/** A user of the benchmark, with the ids that requests need. */
export type Household = {
  token: string
  accounts: number[]
  categories: number[]
  /** A different number each time. */
  number(): number
}

/**
 * A kind of request by its name in the tables. `make` returns a new one that succeeds each time; what it sends itself is
 * not measured.
 */
export type RequestKind = {
  name: string
  make(household: Household, connection: Connection): ApiRequest | Promise<ApiRequest>
}

export const password = 'a password of the benchmark'
const today = new Date().toISOString().slice(0, 10)

const get = (path: string): ApiRequest => ({ method: 'GET', path, status: 200 })
const post = (path: string, status: number, body: unknown): ApiRequest => ({
  method: 'POST',
  path,
  status,
  body,
})
const read = (name: string, path = name): RequestKind => ({ name: `GET ${name}`, make: () => get(path) })

export const summary = read('/api/summary')
export const list = read('/api/transactions')
export const accounts = read('/api/accounts')
export const categories = read('/api/categories')
export const monthlyReport = read('/api/reports/monthly')
export const balancesReport = read('/api/reports/balances')
export const create: RequestKind = {
  name: 'POST /api/transactions',
  make: (household) => post('/api/transactions', 201, newItem(household)),
}
export const update: RequestKind = {
  name: 'PUT /api/transactions/:id',
  async make(household, connection) {
    const path = await pathOfNew(household, connection)
    return { method: 'PUT', path, status: 200, body: { amount: 3, account_id: household.accounts[1] } }
  },
}
export const remove: RequestKind = {
  name: 'DELETE /api/transactions/:id',
  async make(household, connection) {
    return { method: 'DELETE', path: await pathOfNew(household, connection), status: 204 }
  },
}
export const sync: RequestKind = {
  name: 'POST /api/transactions/sync, 20 items',
  make: (household) => syncOf(newItems(household, 20)),
}
export const syncReport: RequestKind = {
  name: 'GET /api/transactions/sync/:id',
  async make(household, connection) {
    const { token } = household
    const { sync_id } = await connection.json({ ...(await sync.make(household, connection)), token })
    return get(`/api/transactions/sync/${sync_id}`)
  },
}
export const pull: RequestKind = {
  name: 'GET /api/changes, nothing new',
  make: async (household, connection) => get(`/api/changes?cursor=${await cursorOf(household, connection)}`),
}
/** An upload of so many new transactions, with a page of the feed. */
const pushOf = (count: number): RequestKind => ({
  name: `POST /api/changes, ${count} new`,
  async make(household, connection) {
    const ops = newItems(household, count).map(({ client_id, ...set }) => ({
      op: 'create',
      noun: 'transaction',
      client_id,
      set,
    }))
    return post('/api/changes', 200, { cursor: await cursorOf(household, connection), ops })
  },
})
export const push = pushOf(20)
export const uploads = [pushOf(1), push, pushOf(500)]

/** An offline batch of new expenses. */
function syncOf(transactions: ReturnType<typeof newItems>): ApiRequest {
  return post('/api/transactions/sync', 200, { transactions })
}

/** Expenses of today, each with an amount of its own, so that none is a duplicate. */
export function newItems(household: Household, count: number) {
  return Array.from({ length: count }, () => newItem(household))
}

function newItem({ accounts, categories, number }: Household) {
  const nth = number()
  return {
    account_id: accounts[0],
    category_id: categories[0],
    type: 'expense',
    amount: (30_000 + nth) / 100,
    transaction_date: today,
    description: 'Coffee and a croissant',
    client_id: `phone-${nth}`,
  }
}

/** The path of a transaction that it creates. */
async function pathOfNew(household: Household, connection: Connection): Promise<string> {
  const { token } = household
  const { id } = await connection.json({ ...(await create.make(household, connection)), token })
  return `/api/transactions/${id}`
}

async function cursorOf({ token }: Household, connection: Connection): Promise<string> {
  return (await connection.json({ ...get('/api/changes?start=now'), token })).cursor
}

/** Registers a user with so many transactions over a year, through the API alone, so that any version will do. */
export async function registerHousehold(service: Service, transactions: number): Promise<Household> {
  const connection = new Connection(service.api)
  const body = { name: 'Ada', email: 'ada@example.com', password, password_confirmation: password }
  const { access_token: token } = await connection.json(post('/api/register', 201, body))
  await connection.send({ ...get(await pathOfFirstEmail(service)), status: 302 })
  let numbers = 0
  const household: Household = { token, accounts: [], categories: [], number: () => ++numbers }
  for (const name of ['Checking', 'Cash', 'Savings']) {
    const body = { name, type: 'bank', starting_balance: 1_000 }
    const account = await connection.json({ ...post('/api/accounts', 201, body), token })
    household.accounts.push(account.id)
  }
  const expenseCategories = (await connection.json({ ...get('/api/categories'), token })).filter(
    ({ type }: { type: string }) => type === 'expense',
  )
  household.categories.push(...expenseCategories.map(({ id }: { id: number }) => id))
  await uploadYear(connection, household, transactions)
  await connection.close()
  return household
}

/** As many as one request stores at once. */
const batchItems = 100
const dayMs = 86_400_000

async function uploadYear(connection: Connection, household: Household, count: number): Promise<void> {
  const { token, accounts, categories } = household
  const items = newItems(household, count).map((item, nth) => ({
    ...item,
    account_id: accounts[nth % 5 < 4 ? 0 : 1 + (nth % 2)],
    category_id: categories[nth % 10 < 6 ? 0 : nth % categories.length],
    transaction_date: new Date(Date.now() - ((nth * 365) / count) * dayMs).toISOString().slice(0, 10),
  }))
  for (let at = 0; at < count; at += batchItems)
    await connection.send({ ...syncOf(items.slice(at, at + batchItems)), token })
  const { total } = await connection.json({ ...get('/api/transactions'), token })
  if (total !== count) throw new Error(`${total} of ${count} transactions have been stored`)
}
