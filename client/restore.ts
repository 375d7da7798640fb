import { categoryNameKey } from '../src/domain/category-name-key.ts'
import { parseMoney } from '../src/domain/money.ts'
import { fieldsOfNoun } from '../src/upload/fields-contract.ts'
import type { Export, Feed, Upload, UploadAnswer } from './api.ts'
import type { PurseClient } from './create.ts'
import { newClientId } from './new-id.ts'
import { unwrap } from './unwrap.ts'

/** The differences between the user and the file. */
export type RestoreDifference = { what: string; expected: string | number; found: string | number }

export type Restored = {
  /** True if all counts, balances and totals of months are those of the file. */
  matched: boolean
  differences: RestoreDifference[]
  /** The numbers of rows that cannot be given to another user. */
  notRestored: Omit<
    Export['counts'],
    'accounts' | 'categories' | 'recurring' | 'transactions' | 'balance_checks'
  >
}

/** The file cannot be restored, or not into this user. Nothing was changed. */
export class RestoreError extends Error {
  override readonly name = 'RestoreError'
}

type Api = PurseClient['api']
type Operation = Upload['ops'][number]
type Result = UploadAnswer['results'][number]
type ClientIdOf = (noun: Exclude<Operation['noun'], 'profile'>, id: number) => string

/** The most bytes of operations in an upload, with room for the rest of its body. */
const limits = { operations: 500, bytes: 1_000_000 }

/**
 * Restores a JSON export into a user who has no accounts yet: profile settings, accounts, categories, transactions, single
 * and recurring, and balance checks are as in the file afterwards, and categories that it does not have are deleted. After
 * an error, the same call continues. Throws RestoreError, ApiError, ConnectionError.
 */
export async function restore({ api }: Pick<PurseClient, 'api'>, file: Export): Promise<Restored> {
  if (!isComplete(file)) throw new RestoreError('This is no complete export of version 1.')
  const current = await readCurrent(api)
  const prefix = prefixOf(file, current.accounts)
  const clientIdOf: ClientIdOf = (noun, id) => `${prefix}-${noun}-${id}`
  const restorable = new Set(file.accounts.map(({ id }) => clientIdOf('account', id)))
  if (current.accounts.some(({ client_id }) => !restorable.has(client_id ?? '')))
    throw new RestoreError('The user has accounts that are not in the file.')

  const { deletions, changes, references } = matchCategories(file, current.categories, clientIdOf)
  // The address stays the one that the user has verified.
  const { email, ...settings } = file.profile
  const profile: Operation = { op: 'update', noun: 'profile', set: fieldsOf('profile', settings) }
  const accounts = file.accounts.map((row): Operation => {
    const client_id = clientIdOf('account', row.id)
    // Its period is reconciled last, when there is a check.
    const set = { ...fieldsOf('account', row), reconciled_through: null }
    return { op: 'create', noun: 'account', client_id, set }
  })
  const rules = rulesOf(file, references, clientIdOf)
  const transactions = transactionsOf(file, references, clientIdOf)
  // Exports from before there were balance checks have none.
  const checks = (file.balance_checks ?? []).map((row): Operation => {
    const set = { ...fieldsOf('balance_check', row), account_id: `#${clientIdOf('account', row.account_id)}` }
    return { op: 'create', noun: 'balance_check', client_id: clientIdOf('balance_check', row.id), set }
  })
  // Exports from before there were reconciled periods have none. One whose check is broken is a difference.
  const reconciled = file.accounts.flatMap(({ id, reconciled_through = null }): Operation[] => {
    const client_id = clientIdOf('account', id)
    return reconciled_through
      ? [{ op: 'update', noun: 'account', client_id, set: { reconciled_through } }]
      : []
  })

  const differences: RestoreDifference[] = []
  const ids = new Map<string, number>()
  // Deletions are an upload of their own: a user may have as many categories as the file, but not more.
  const first = [profile, ...changes, ...accounts]
  const steps = [deletions, first, rules.created, transactions, checks, rules.switchedOn, reconciled]
  for (const operations of steps)
    for await (const [operation, result] of upload(api, operations)) {
      if (operation.noun === 'account' && result.id) ids.set(operation.client_id ?? '', result.id)
      if (failed.includes(result.outcome)) differences.push(failureOf(operation, result))
    }
  const compared = await compare(api, file, (account) => ids.get(clientIdOf('account', account)))
  differences.push(...compared)
  const {
    accounts: _,
    categories: __,
    recurring,
    transactions: ___,
    balance_checks: ____,
    ...notRestored
  } = file.counts
  return { matched: differences.length === 0, differences, notRestored }
}

/** The fields of an exported row that the operation for it can set. */
function fieldsOf(noun: Operation['noun'], row: object) {
  const { create, update } = fieldsOfNoun[noun]
  const { shape } = create ?? update
  const isSet = (name: string) => name in shape && name !== 'client_id'
  return Object.fromEntries(Object.entries(row).filter(([name]) => isSet(name)))
}

/** True if the file was exported to its end, and has all rows that it counts. */
function isComplete(file: Partial<Export> | null): boolean {
  const { complete, format_version, exported_at, profile, counts } = file ?? {}
  const isWhole = (name: 'accounts' | 'categories' | 'transactions') => {
    const rows = file?.[name]
    return Array.isArray(rows) && rows.length === counts?.[name] && rows.every((row) => row?.id > 0)
  }
  return (
    complete === true &&
    format_version === 1 &&
    Number.isFinite(Date.parse(exported_at ?? '')) &&
    (profile?.id ?? 0) > 0 &&
    isWhole('accounts') &&
    isWhole('categories') &&
    isWhole('transactions')
  )
}

/**
 * How the client ids of a restore begin: as those of the accounts that it created before it was interrupted. Otherwise they
 * are random, because the client ids of deleted rows cannot be used again.
 */
function prefixOf({ profile, exported_at }: Export, accounts: Row<'account'>[]): string {
  const ofFile = `export-${profile.id}-${Date.parse(exported_at).toString(36)}-`
  const interrupted = accounts.find(({ client_id }) => client_id?.startsWith(ofFile))?.client_id
  return interrupted?.replace(/-account-\d+$/, '') ?? `${ofFile}${newClientId().slice(0, 8)}`
}

type Row<Noun> =
  Extract<Feed['changes'][number], { noun: Noun }> extends { data: infer Data } ? NonNullable<Data> : never

/** Reads the user's accounts and categories: the beginning of a snapshot of the change feed. */
async function readCurrent(api: Api) {
  const accounts: Row<'account'>[] = []
  const categories: Row<'category'>[] = []
  for (let cursor: string | undefined; ; ) {
    const page: Feed = await unwrap(api.changes.$get({ query: { limit: '1000', ...(cursor && { cursor }) } }))
    for (const { noun, data } of page.changes) {
      if (noun === 'account' && data) accounts.push(data)
      if (noun === 'category' && data) categories.push(data)
    }
    if (!page.has_more || page.changes.some(({ noun }) => noun === 'transaction'))
      return { accounts, categories }
    cursor = page.cursor
  }
}

/**
 * Finds the categories of the file among the user's, by name and type. Returns the operations that make them equal, and how
 * transactions name each category of the file.
 */
function matchCategories(file: Export, current: Row<'category'>[], clientIdOf: ClientIdOf) {
  const keyOf = ({ name, type }: { name: string; type: string }) => `${type} ${categoryNameKey(name)}`
  const found = new Map(current.map((row) => [keyOf(row), row]))
  const references = new Map<number, number | string>()
  const changes: Operation[] = []
  for (const { id, ...row } of file.categories) {
    const own = found.get(keyOf(row))
    const set = fieldsOf('category', row)
    const clientId = clientIdOf('category', id)
    references.set(id, own?.id ?? `#${clientId}`)
    if (!own) changes.push({ op: 'create', noun: 'category', client_id: clientId, set })
    else if (own.name !== row.name) changes.push({ op: 'update', noun: 'category', id: own.id, set })
    found.delete(keyOf(row))
  }
  const deletions = [...found.values()].map(({ id }): Operation => ({ op: 'delete', noun: 'category', id }))
  return { deletions, changes, references }
}

/**
 * The operations that create the rules, and those that let them record by themselves once all transactions are there: before
 * that, the service would record what the file has.
 */
function rulesOf(file: Export, categories: Map<number, number | string>, clientIdOf: ClientIdOf) {
  // Exports from before there were recurring transactions have none.
  const rows = file.recurring ?? []
  const named = (id: number) => ({ noun: 'recurring' as const, client_id: clientIdOf('recurring', id) })
  const created = rows.map((row): Operation => {
    const set = {
      ...fieldsOf('recurring', row),
      ...referencesOf(row, categories, clientIdOf),
      successor_id: row.successor_id === null ? null : `#${clientIdOf('recurring', row.successor_id)}`,
      auto_record: false,
    }
    return { op: 'create', ...named(row.id), set }
  })
  const switchedOn = rows
    .filter(({ auto_record }) => auto_record)
    .map(({ id }): Operation => ({ op: 'update', ...named(id), set: { auto_record: true } }))
  return { created, switchedOn }
}

/** The accounts and the category of a row, as operations name them. */
function referencesOf(
  row: Pick<Export['transactions'][number], 'account_id' | 'to_account_id' | 'category_id'>,
  categories: Map<number, number | string>,
  clientIdOf: ClientIdOf,
) {
  const accountOf = (id: number) => `#${clientIdOf('account', id)}`
  return {
    account_id: accountOf(row.account_id),
    to_account_id: row.to_account_id === null ? null : accountOf(row.to_account_id),
    category_id: row.category_id === null ? null : (categories.get(row.category_id) ?? null),
  }
}

function* transactionsOf(
  file: Export,
  categories: Map<number, number | string>,
  clientIdOf: ClientIdOf,
): Generator<Operation> {
  for (const row of file.transactions) {
    const { recurring_id: rule } = row
    const set = {
      ...fieldsOf('transaction', row),
      ...referencesOf(row, categories, clientIdOf),
      ...(rule != null && { recurring_id: `#${clientIdOf('recurring', rule)}` }),
    }
    yield { op: 'create', noun: 'transaction', client_id: clientIdOf('transaction', row.id), set }
  }
}

/** Uploads operations, as many at a time as an upload may hold, and yields each with its result. */
async function* upload(api: Api, operations: Iterable<Operation>): AsyncGenerator<[Operation, Result]> {
  let ops: Operation[] = []
  let bytes = 0
  async function* send() {
    const { results } =
      ops.length > 0 ? await unwrap(api.changes.$post({ json: { restore: true, ops } })) : { results: [] }
    for (const result of results) yield [ops[result.index] as Operation, result] as [Operation, Result]
    ops = []
    bytes = 0
  }
  for (const operation of operations) {
    const size = new TextEncoder().encode(JSON.stringify(operation)).length + 1
    if (ops.length === limits.operations || bytes + size > limits.bytes) yield* send()
    ops.push(operation)
    bytes += size
  }
  yield* send()
}

const failed: Result['outcome'][] = ['invalid', 'conflict', 'gone']

function failureOf({ op, noun, client_id, id }: Operation, { outcome, errors }: Result): RestoreDifference {
  const found = errors ? `${outcome}: ${Object.values(errors).flat().join(' ')}` : outcome
  return { what: `${op} ${noun} ${client_id ?? id ?? ''}`.trim(), expected: 'done', found }
}

/** Compares counts, balances and the totals of months with the file. */
async function compare(api: Api, file: Export, idOf: (account: number) => number | undefined) {
  const accounts = await unwrap(api.accounts.$get())
  const categories = await unwrap(api.categories.$get())
  const rules = await unwrap(api.recurring.$get())
  const checks = await unwrap(api['balance-checks'].$get({ query: {} }))
  const { total } = await unwrap(api.transactions.$get({ query: { per_page: '1' } }))
  const balances = new Map(accounts.map(({ id, balance }) => [id, balance]))
  const all: RestoreDifference[] = [
    { what: 'number of accounts', expected: file.accounts.length, found: accounts.length },
    { what: 'number of categories', expected: file.categories.length, found: categories.length },
    { what: 'number of recurring transactions', expected: file.recurring?.length ?? 0, found: rules.length },
    { what: 'number of transactions', expected: file.transactions.length, found: total },
    { what: 'number of balance checks', expected: file.balance_checks?.length ?? 0, found: checks.length },
    ...file.accounts.map(({ id, name, balance }) => ({
      what: `balance of ${name}`,
      expected: balance,
      found: balances.get(idOf(id) ?? 0) ?? 'none',
    })),
  ]
  const totals = monthsOf(file)
  for (const year of new Set([...totals.keys()].map((month) => month.slice(0, 4)))) {
    const query = { from: `${year}-01`, to: `${year}-12` }
    const { months } = await unwrap(api.reports.monthly.$get({ query }))
    for (const { month, ...found } of months)
      for (const type of ['income', 'expense'] as const) {
        const expected = (totals.get(month)?.[type] ?? 0) / 100
        all.push({ what: `${type} of ${month}`, expected, found: found[type] })
      }
  }
  return all.filter(({ expected, found }) => expected !== found)
}

/** The income and the expenses of each month, in minor units. */
function monthsOf({ transactions }: Export) {
  const months = new Map<string, { income: number; expense: number }>()
  for (const { type, amount, transaction_date } of transactions) {
    if (type === 'transfer') continue
    const month = transaction_date.slice(0, 7)
    const totals = months.get(month) ?? { income: 0, expense: 0 }
    totals[type] += Number(parseMoney(amount))
    months.set(month, totals)
  }
  return months
}
