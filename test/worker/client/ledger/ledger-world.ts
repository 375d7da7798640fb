import { expect } from 'vitest'
import {
  createClient,
  type Ledger,
  LedgerError,
  type LedgerFilter,
  type LedgerMonths,
  type LedgerOptions,
  type LedgerPeriod,
  type LedgerRange,
  localLedger,
  memoryStorage,
  memoryTokens,
} from '../../../../client/index.ts'
import { createWorld, type Json, type Person, type World } from '../../fixtures/world.ts'
import { type Fetch, fetchOf } from '../client-world.ts'

export const newWorld = createWorld

/** One of a user's devices, whose network can be replaced. */
export async function openDevice(
  world: World,
  person: Pick<Person, 'id' | 'token'>,
  options: Partial<LedgerOptions> = {},
) {
  const network = { fetch: fetchOf(world).fetch as Fetch, calls: [] as string[] }
  const tokens = memoryTokens(person.token)
  const client = createClient({
    baseUrl: 'http://purse.test',
    tokens,
    fetch: (url, init) => {
      const { pathname } = new URL(url)
      network.calls.push(`${init.method} ${pathname}`)
      return network.fetch(url, init)
    },
    sleep: async () => undefined,
  })
  const storage = options.storage ?? memoryStorage()
  const open = () => localLedger({ client, userId: person.id, ...options, storage })
  return { network, tokens, storage, open, ledger: await open() }
}

/** A storage that refuses to write while `room.isFull`. */
export function fillableStorage() {
  const inner = memoryStorage()
  const room = { isFull: false }
  const write: typeof inner.write = (entries) =>
    room.isFull ? Promise.reject(new Error('The storage is full')) : inner.write(entries)
  return { room, storage: { ...inner, write } }
}

const searches: LedgerFilter[] = [
  {},
  { per_page: 7, page: 2 },
  { per_page: 5, page: 99 },
  ...[0, -1, 1.5, Number.NaN, 1e21].map((page) => ({ page, per_page: 3 })),
  { type: 'transfer' },
  { from: '2026-01-02', to: '2026-02-10' },
  { from: '2026-02-01' },
  { to: '2026-01-31', type: 'expense', per_page: 3 },
  { from: '2026-02-02', to: '2026-01-02' },
  { from: '2026-01-31', to: '2026-01-31' },
  { from: '1900-01-01', to: '2100-12-31', per_page: 500 },
  { from: '2024-02-29', to: '2028-02-29' },
  { to: '1900-01-01' },
  { from: '2100-12-31', category_id: 'none' },
  { per_page: 1, page: 3 },
  { category_id: 'none' },
  ...['tea', 'TEA', '%', '_', 'É', 'é', '\\', ' tea ', 'with the neighbours', '🫖', 'ß', ''].map((q) => ({
    q,
  })),
  // Longer texts are searched for in a different way, and these characters are special in some languages.
  ...[
    'NEIGHBOURS',
    '100% _wool_',
    'É, é and ẞß',
    '.*',
    '[a-z]',
    '(',
    '^t',
    'a\nb',
    'İ',
    'K',
    'ſ',
    '\u0301',
  ].map((q) => ({ q })),
  ...['_ool_ and %', '[a-z]+ (?:x)', 'STRASSE straße', 'i̇stanbul', 'e\u0301 is é', 'it\'s "x"'].map((q) => ({
    q,
  })),
  { q: 'tea', type: 'income' as const, from: '2026-01-01' },
  { amount_from: '5.00' },
  { amount_to: 20, type: 'expense' as const },
  { amount_from: 3, amount_to: '7.5', q: 'tea' },
]

/** Queries for both a ledger and the service. Filters name accounts and categories by their keys. */
type Questions = {
  filters: LedgerFilter[]
  periods: LedgerPeriod[]
  months: LedgerMonths[]
  ranges: LedgerRange[]
}

/** Questions of every kind. */
export function allQuestions(ledger: Ledger): Questions {
  const accounts = ledger
    .accounts()
    .slice(-4)
    .map(({ key }) => ({ account_id: key }))
  const categories = ledger
    .categories()
    .slice(0, 6)
    .map(({ key }) => ({ category_id: key }))
  const filters = [
    ...searches,
    ...accounts,
    ...categories,
    ...accounts.slice(0, 2).map((one) => ({ ...one, ...categories[0], per_page: 2 })),
    ...accounts.slice(0, 2).map((one) => ({ ...one, q: 'tea', category_id: 'none' })),
  ]
  const ranges: LedgerRange[] = [...everyRange, { ...everyRange[2], ...accounts[0] }]
  const months: LedgerMonths[] = [...everyMonths, { to: '2026-12', ...accounts[0] }]
  return { filters, periods, months, ranges }
}

/** Enough to see whether a ledger has the right rows, from which it makes every response. */
export function fewQuestions(ledger: Ledger): Questions {
  const filters = [
    { per_page: 500 },
    { per_page: 1, page: 2 },
    { q: 'tea', type: 'expense' as const },
    { from: '2026-11-20', to: '2026-11-20', category_id: 'none' },
    { account_id: ledger.accounts().at(-1)?.key, category_id: ledger.categories()[0]?.key },
  ]
  const periods = [{}, { month: '2026-11', daily: true }, { from: '2026-11-20' }]
  return {
    filters,
    periods,
    months: [{ to: '2026-11' }],
    ranges: [
      { from: '2026-11-01', to: '2026-11-30' },
      { every: 'month', to: '2026-11-30' },
    ],
  }
}

const periods = [
  {},
  { month: '' },
  { month: '2026-01' },
  { month: '2026-02' },
  { from: '2026-01-02', to: '2026-02-10' },
  { to: '2026-01-31' },
  { month: '1999-12' },
  { month: '2024-02', daily: true },
  { daily: true },
  { from: '2026-01-31', to: '2026-01-31' },
  { from: '1900-01-01' },
  { from: '2024-02-29', to: '2100-12-31' },
]

const everyMonths: LedgerMonths[] = [
  {},
  { from: '2024-02', to: '2024-02' },
  { from: '1900-01', to: '1909-12' },
  { to: '2026-02' },
  { from: '2100-12' },
]
const everyRange: LedgerRange[] = [
  {},
  { every: 'month' },
  { from: '2025-12-31', to: '2026-02-02' },
  { from: '2024-02-28', to: '2025-02-27', every: 'week' },
  { from: '2091-01-31', to: '2100-12-01', every: 'month' },
  { from: '2100-12-31', every: 'day' },
]

const localKeys = [
  'key',
  ...['category', 'account', 'recurring', 'successor', 'possible', 'transaction'].map((of) => `${of}_key`),
]

/** Everything that a ledger shows, without what only a ledger has. */
export function readLedger(ledger: Ledger, { filters, periods, months, ranges } = allQuestions(ledger)) {
  const { first, ...all } = {
    profile: ledger.profile(),
    accounts: ledger.accounts(),
    categories: ledger.categories(),
    pages: filters.map((filter) => ledger.transactions(filter)),
    summaries: periods.map((period) => ledger.summary(period)),
    months: months.map((query) => ledger.monthlyReport(query)),
    balances: ranges.map((query) => ledger.balancesReport(query)),
    rules: ledger.recurring().map(({ account: _, to_account: __, category: ___, ...rule }) => rule),
    upcoming: ledger.upcoming({ days: 60 }),
    forecast: ledger.forecast({ every: 'week' }),
    checks: byAccount(ledger.checks().map(({ account, ...check }) => ({ ...check, account_id: account.id }))),
    first: ledger.transactions().data.slice(0, 3),
  }
  return without(['waits', ...localKeys], {
    ...all,
    rows: first.map(({ key }) => ledger.transaction(key)),
  })
}

/** The same from the service. */
export async function readService(
  person: Person,
  ledger: Ledger,
  { filters, periods, months, ranges } = allQuestions(ledger),
) {
  const idOf = (rows: { key: string; id: number | null }[], key: unknown) =>
    key === 'none' ? key : rows.find((row) => row.key === key)?.id
  const get = async (path: string, query: object = {}) => {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
    const response = await person.get(
      `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`,
    )
    expect(response.status, response.text).toBe(200)
    return response.body
  }
  const ofAccount = (key: unknown) => (key === undefined ? {} : { account_id: idOf(ledger.accounts(), key) })
  const pages = []
  for (const { account_id, category_id, ...filter } of filters) {
    const account = ofAccount(account_id)
    const category = category_id === undefined ? {} : { category_id: idOf(ledger.categories(), category_id) }
    pages.push(await get('/api/transactions', { ...filter, ...account, ...category }))
  }
  const rows = []
  for (const { id } of pages[0].data.slice(0, 3)) rows.push(await get(`/api/transactions/${id}`))
  const summaries = []
  for (const period of periods) summaries.push(await get('/api/summary', period))
  const [reports, balances] = [[] as Json[], [] as Json[]]
  for (const { account_id, ...query } of months)
    reports.push(await get('/api/reports/monthly', { ...query, ...ofAccount(account_id) }))
  for (const { account_id, ...query } of ranges)
    balances.push(await get('/api/reports/balances', { ...query, ...ofAccount(account_id) }))
  const [profile, accounts] = [await get('/api/me'), await get('/api/accounts')]
  const rules = (await get('/api/recurring')).map(({ client_id: _, ...rule }: Json) => rule)
  return without(linksOfPages, {
    profile,
    accounts,
    categories: await get('/api/categories'),
    pages,
    summaries,
    months: reports,
    balances,
    rules,
    upcoming: await get('/api/recurring/upcoming', { days: 60 }),
    forecast: await get('/api/reports/forecast', { every: 'week' }),
    checks: byAccount(await get('/api/balance-checks')).map(
      ({ broken_at: _, client_id: __, ...check }) => check,
    ),
    rows,
  })
}

const byAccount = (checks: Json[]) =>
  checks.toSorted((a, b) => a.account_id - b.account_id || (a.date < b.date ? -1 : 1))

const linksOfPages = ['first_page_url', 'last_page_url', 'next_page_url', 'prev_page_url', 'path']

/** A copy without these fields. */
export function without(fields: string[], value: Json): Json {
  return JSON.parse(JSON.stringify(value, (name, one) => (fields.includes(name) ? undefined : one)))
}

/** The fields of a row that a device does not know until the row has been stored. */
export const given = [
  ...['id', 'account_id', 'to_account_id', 'category_id', 'recurring_id'],
  ...['version', 'created_at', 'updated_at', 'is_synced'],
]

export type Errors = Record<string, string[]>

/** The errors with which a ledger refuses to do something: none if it does it. */
export async function refusalOf(work: () => unknown): Promise<Errors> {
  try {
    await work()
    return {}
  } catch (error) {
    expect(error).toBeInstanceOf(LedgerError)
    const { message, errors } = error as LedgerError
    expect(message).toBe('The given data was invalid.')
    return errors
  }
}
