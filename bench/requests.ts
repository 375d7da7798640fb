import { type ApiRequest, Connection } from './connection.ts'
import { pathOfFirstEmail, type Service } from './service.ts'

/** A user of the benchmark, with the ids that requests need. */
export type Household = {
  token: string
  accounts: number[]
  categories: number[]
  transactions: number[]
  /** A different number each time. */
  number(): number
}

/** A kind of request by its name in the tables; `make` returns a new one that succeeds each time. */
export type RequestKind = { name: string; make: (household: Household) => ApiRequest }

const today = new Date().toISOString().slice(0, 10)

const read = (path: string) => (): ApiRequest => ({ method: 'GET', path, status: 200 })

/** A new expense, with a different amount each time, so that none is a duplicate. */
function expense({ accounts, categories, number }: Household) {
  return {
    account_id: accounts[0],
    category_id: categories[0],
    type: 'expense',
    amount: (30_000 + number()) / 100,
    transaction_date: today,
    description: 'Coffee and a croissant',
  }
}

const syncOf =
  (items: number) =>
  (household: Household): ApiRequest => ({
    method: 'POST',
    path: '/api/transactions/sync',
    status: 200,
    body: {
      transactions: Array.from({ length: items }, () => ({
        ...expense(household),
        client_id: `batch-${household.number()}`,
      })),
    },
  })

export const summary: RequestKind = { name: 'GET /api/summary', make: read('/api/summary') }
export const list: RequestKind = { name: 'GET /api/transactions (50)', make: read('/api/transactions') }
export const accounts: RequestKind = { name: 'GET /api/accounts', make: read('/api/accounts') }
export const create: RequestKind = {
  name: 'POST /api/transactions',
  make: (household) => ({
    method: 'POST',
    path: '/api/transactions',
    status: 201,
    body: { ...expense(household), client_id: `phone-${household.number()}` },
  }),
}
export const update: RequestKind = {
  name: 'PUT /api/transactions/:id',
  make({ accounts, transactions, number }) {
    const nth = number()
    const id = transactions[nth % transactions.length]
    const body = { amount: (10_000 + nth) / 100, account_id: accounts[nth % 2] }
    return { method: 'PUT', path: `/api/transactions/${id}`, status: 200, body }
  },
}
export const sync: RequestKind = { name: 'POST /api/transactions/sync (20)', make: syncOf(20) }

/** Registers a user with so many transactions over a year, through the API alone, so that any version will do. */
export async function registerHousehold(service: Service, transactions: number): Promise<Household> {
  const connection = new Connection(service.api)
  const password = 'a password of the benchmark'
  const { access_token: token } = await connection.json({
    method: 'POST',
    path: '/api/register',
    status: 201,
    body: { name: 'Ada', email: 'ada@example.com', password, password_confirmation: password },
  })
  await connection.send({ method: 'GET', path: await pathOfFirstEmail(service), status: 302 })
  let numbers = 0
  const household: Household = {
    token,
    accounts: [],
    categories: [],
    transactions: [],
    number: () => ++numbers,
  }
  for (const name of ['Checking', 'Cash', 'Savings']) {
    const body = { name, type: 'bank', starting_balance: 1_000 }
    const account = await connection.json({ method: 'POST', path: '/api/accounts', status: 201, token, body })
    household.accounts.push(account.id)
  }
  const categories = await connection.json({ ...read('/api/categories')(), token })
  household.categories.push(
    ...categories
      .filter(({ type }: { type: string }) => type === 'expense')
      .map(({ id }: { id: number }) => id),
  )
  await uploadYear(connection, household, transactions)
  const { data } = await connection.json({ ...read('/api/transactions?per_page=100')(), token })
  household.transactions.push(...data.map(({ id }: { id: number }) => id))
  await connection.close()
  return household
}

/** As many as one request stores at once. */
const batchItems = 100
const dayMs = 86_400_000

async function uploadYear(connection: Connection, household: Household, count: number): Promise<void> {
  const { token, accounts, categories } = household
  const items = Array.from({ length: count }, (_, nth) => ({
    ...expense(household),
    account_id: accounts[nth % 5 < 4 ? 0 : 1 + (nth % 2)],
    category_id: categories[nth % 10 < 6 ? 0 : nth % categories.length],
    transaction_date: new Date(Date.now() - ((nth * 365) / count) * dayMs).toISOString().slice(0, 10),
    client_id: `year-${nth}`,
  }))
  for (let at = 0; at < count; at += batchItems) {
    const body = { transactions: items.slice(at, at + batchItems) }
    await connection.send({ method: 'POST', path: '/api/transactions/sync', status: 200, token, body })
  }
  const { total } = await connection.json({ ...read('/api/transactions')(), token })
  if (total !== count) throw new Error(`${total} of ${count} transactions have been stored`)
}
