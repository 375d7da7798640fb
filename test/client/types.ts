/** Checked by the compiler only: what the client's types know, and what they refuse. */
import {
  type AcceptedBatch,
  type Account,
  type ApiError,
  type Batch,
  type Category,
  createClient,
  type Import,
  type ImportResult,
  indexedDbStorage,
  type LedgerAccount,
  type LedgerPage,
  type LedgerSummary,
  localLedger,
  type Session,
  type Summary,
  sqliteStorage,
  type Transaction,
  type TransactionPage,
  type TransactionWithRelations,
  type User,
  unwrap,
} from 'purse-client'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const is = <T extends true>(holds: T) => holds

const { api } = createClient({ baseUrl: 'https://purse.example' })

export async function bodies() {
  await api.accounts.$post({ json: { name: 'Wallet', type: 'cash', starting_balance: '20.50' } })
  await api.accounts.$post({ json: { name: 'Wallet', type: 'cash', starting_balance: 20.5, notes: null } })
  await api.accounts.$post({
    json: { name: 'Wallet', type: 'cash', starting_balance: 0 },
    header: { 'Idempotency-Key': 'form-1' },
  })
  // @ts-expect-error there is no such type
  await api.accounts.$post({ json: { name: 'Wallet', type: 'purse', starting_balance: 0 } })
  // @ts-expect-error the starting balance is missing
  await api.accounts.$post({ json: { name: 'Wallet', type: 'cash' } })
  // @ts-expect-error a body is needed
  await api.accounts.$post()
  // @ts-expect-error an unknown field
  await api.accounts.$post({ json: { name: 'A', type: 'cash', starting_balance: 0, colour: 'red' } })
  await api.accounts[':id'].$put({ param: { id: '1' }, json: { name: 'Purse' } })
  await api.accounts[':id'].$patch({ param: { id: '1' }, json: { notes: null } })
  // @ts-expect-error a name is a text
  await api.accounts[':id'].$patch({ param: { id: '1' }, json: { name: 1 } })
  // @ts-expect-error an account can be changed and deleted, and not posted to
  await api.accounts[':id'].$post({ param: { id: '1' } })
  await api.transactions.$get({ query: { page: '2', type: 'expense', category_id: 'none' } })
  await api.transactions.$get({ query: { page: 2, account_id: 1, category_id: 7 } })
  await api.transactions.$get()
  await api.summary.$get()
  await api.summary.$get({ query: { month: '2026-11' } })
  // @ts-expect-error a month is a text
  await api.summary.$get({ query: { month: 11 } })
  // @ts-expect-error the address is required
  await api.auth['check-email'].$get()
  // @ts-expect-error no such filter
  await api.transactions.$get({ query: { colour: 'red' } })
  const item = { account_id: 1, type: 'expense', amount: '3.20', transaction_date: '2026-11-20' } as const
  await api.transactions.sync.$post({
    json: { transactions: [{ ...item, client_id: 'a' }] },
    header: { Prefer: 'handling=lenient, respond-async', 'Idempotency-Key': 'upload-1' },
  })
  // @ts-expect-error an item needs an amount
  await api.transactions.sync.$post({ json: { transactions: [{ account_id: 1, type: 'income' }] } })
  await api.import.bank.store.$post({ form: { file: new Blob(['…']), account_id: '1', dry_run: 'true' } })
  await api.import.bank.store.$post({ form: { file: new Blob(['…']), account_id: 1 } })
  const { account_id, ...row } = item
  await api.import.store.$post({
    json: { transactions: [row, { ...row, account_id, client_id: 'a' }], account_id, dry_run: true },
    header: { 'Idempotency-Key': 'import-1' },
  })
  // @ts-expect-error a row needs an amount
  await api.import.store.$post({ json: { transactions: [{ account_id: 1, type: 'income' }] } })
  // @ts-expect-error a file is needed
  await api.import.store.$post({ form: { account_id: 1 } })
  await api.imports[':id'].$delete({ param: { id: 1 }, query: { force: 'true' } })
  await api.imports[':id'].$delete({ param: { id: '1' } })
  // @ts-expect-error whose id?
  await api.imports[':id'].$delete()
  // @ts-expect-error no such endpoint
  await api.budgets.$get()
}

export async function answers(error: ApiError) {
  const created = await api.accounts.$post({ json: { name: 'A', type: 'bank', starting_balance: 0 } })
  if (created.status === 201) {
    const account = await created.json()
    is<Equal<typeof account.starting_balance, string>>(true)
    is<Equal<typeof account.balance, number>>(true)
    is<Equal<typeof account.type, 'bank' | 'mobile' | 'cash'>>(true)
    is<Equal<typeof account.notes, string | null>>(true)
    // @ts-expect-error an account has no errors
    account.errors
  }
  if (created.status === 422) {
    const refusal = await created.json()
    is<Equal<typeof refusal.errors, Record<string, string[]>>>(true)
  }
  const header = { 'If-None-Match': created.headers.get('ETag') ?? '' }
  const known = await api.accounts.$get({ header })
  if (known.status === 304) is<Equal<typeof known.ok, false>>(true)
  else if (known.status === 200) is<Equal<Awaited<ReturnType<typeof known.json>>, Account[]>>(true)
  is<Equal<Awaited<ReturnType<typeof unwrap<typeof known>>>, Account[]>>(true)
  const put = await api.transactions[':id'].$put({
    param: { id: 1 },
    header: { 'If-Match': '"3"' },
    json: {},
  })
  if (put.status === 412) is<Equal<Awaited<ReturnType<typeof put.json>>['current'], Transaction>>(true)
  const removed = await api.categories[':id'].$delete({ param: { id: 1 }, header: { 'If-Match': '"3"' } })
  if (removed.status === 412) is<Equal<Awaited<ReturnType<typeof removed.json>>['current'], Category>>(true)
  const feed = await api.changes.$get({ query: { cursor: 'x' } })
  if (feed.status === 410) is<Equal<Awaited<ReturnType<typeof feed.json>>['code'], 'cursor_expired'>>(true)
  // @ts-expect-error what has been done is not unchanged
  if (put.status === 304) throw error
  // @ts-expect-error creating an account never answers 204
  if (created.status === 204) throw error

  const page = await unwrap(api.transactions.$get({ query: {} }))
  is<
    Equal<
      (typeof page.data)[number]['to_account'],
      { id: number; name: string; type: 'bank' | 'mobile' | 'cash' } | null
    >
  >(true)
  const gone = await unwrap(api.accounts[':id'].$delete({ param: { id: '1' } }))
  is<Equal<typeof gone, undefined>>(true)
  const sync = await unwrap(api.transactions.sync[':id'].$get({ param: { id: 'x' } }))
  is<Equal<typeof sync.status, 'pending' | 'processing' | 'completed' | 'failed'>>(true)
  is<Equal<(typeof error.duplicates)[number]['amount'], string>>(true)
}

/** Rows have names, and calls answer them. */
export async function rows() {
  const param = { id: 1 }
  const user: User = await unwrap(api.me.$get())
  const sessions: Session[] = await unwrap(api.tokens.$get())
  const accounts: Account[] = await unwrap(api.accounts.$get())
  const categories: Category[] = await unwrap(api.categories.$get())
  const page: TransactionPage = await unwrap(api.transactions.$get())
  const listed: TransactionWithRelations[] = page.data
  const changed: Transaction = await unwrap(api.transactions[':id'].$put({ param, json: {} }))
  const summary: Summary = await unwrap(api.summary.$get())
  const accepted: AcceptedBatch = await unwrap(api.transactions.sync.$post({ json: { transactions: [] } }))
  const batch: Batch = await unwrap(api.transactions.sync[':id'].$get({ param: { id: accepted.sync_id } }))
  const imported: ImportResult = await unwrap(api.import.store.$post({ json: { transactions: [] } }))
  const imports: Import[] = await unwrap(api.imports.$get())
  is<Equal<[User['email'], Account['balance'], Transaction['amount']], [string, number, string]>>(true)
  is<
    Equal<
      [Batch['counts']['created'], Summary['total_balance'], TransactionPage['total']],
      [number, number, number]
    >
  >(true)
  // @ts-expect-error an account has no such field
  accounts[0]?.colour
  return [user, sessions, categories, listed, changed, summary, batch, imported, imports]
}

export async function ledger() {
  const client = createClient({ baseUrl: 'https://purse.example' })
  const ledger = await localLedger({ client, storage: indexedDbStorage('purse'), userId: 1 })
  const accounts: LedgerAccount[] = ledger.accounts()
  const page: LedgerPage = ledger.transactions({
    account_id: accounts[0]?.key,
    category_id: 'none',
    q: 'tea',
  })
  const summary: LedgerSummary = ledger.summary({ month: '2026-11' })
  is<Equal<LedgerAccount['id'], number | null>>(true)
  is<Equal<(typeof page)['data'][number]['amount'], string>>(true)
  const key: string = await ledger.create('account', { name: 'Wallet', type: 'cash', starting_balance: 0 })
  await ledger.update('account', key, { name: 'Purse' })
  // @ts-expect-error a transaction has an account
  await ledger.create('transaction', { type: 'expense', amount: 1, transaction_date: '2026-11-20' })
  // @ts-expect-error there is no such field
  await ledger.update('category', 7, { colour: 'red' })
  // @ts-expect-error a person is not deleted like a row
  await ledger.remove('profile', 1)
  return summary.total_balance
}

/** expo-sqlite's database as its reference describes it, as far as it matters here. */
declare class SQLiteDatabase {
  getAllAsync<T>(source: string, params: BindParams): Promise<T[]>
  getAllAsync<T>(source: string, ...params: BindValue[]): Promise<T[]>
  runAsync(source: string, params: BindParams): Promise<{ lastInsertRowId: number; changes: number }>
  runAsync(source: string, ...params: BindValue[]): Promise<{ lastInsertRowId: number; changes: number }>
  execAsync(source: string): Promise<void>
  withTransactionAsync(task: () => Promise<void>): Promise<void>
}
type BindValue = string | number | null | boolean | Uint8Array
type BindParams = Record<string, BindValue> | BindValue[]

/** better-sqlite3's, by its documentation. */
declare class BetterDatabase {
  prepare(source: string): { run(...params: unknown[]): object; all(...params: unknown[]): unknown[] }
}

export function storages(expo: SQLiteDatabase, better: BetterDatabase) {
  // @ts-expect-error a database can do more than run
  sqliteStorage({ runAsync: expo.runAsync })
  return [sqliteStorage(expo), sqliteStorage(better, 'of_purse')]
}
