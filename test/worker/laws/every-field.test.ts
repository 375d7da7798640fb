import { describe, expect, test } from 'vitest'
import { createClient, memoryTokens, restore } from '../../../client/index.ts'
import exportPage from '../../../docs/export.md?raw'
import dialog from '../../../examples/app/src/pages/transaction-dialog.tsx?raw'
import search from '../../../examples/app/src/search.ts?raw'
import { newAccount } from '../../../src/accounts/contract.ts'
import { newCategory } from '../../../src/categories/contract.ts'
import {
  csvHeaders,
  transactionFieldNames,
  transactionFields,
} from '../../../src/domain/transaction-fields.ts'
import { setElsewhere } from '../../../src/transactions/contract.ts'
import { fetchOf } from '../client/client-world.ts'
import { openDevice } from '../client/ledger/ledger-world.ts'
import { create, update, uploadOne } from '../fixtures/uploads.ts'
import { createWorld, type Json, openAccount, type Person, recordTransaction } from '../fixtures/world.ts'
import { sendFile } from '../imports/send-file.ts'
import { createHousehold, verify } from './every-route.ts'

type Row = Record<string, Json>
/** What goes in through a door and what comes out of it, by field. */
type Passed = { given: Row; found: Row }
type Doors = Record<string, () => Promise<Passed>>

const request = { force: 'is about the request, not the row' }
const booked = {
  booked_on: 'is told by files, or by a copy that is restored',
  to_booked_on: 'is told by files, or by a copy that is restored',
}
const occurrence = {
  recurring_id: 'is set by uploads, and by the routes of recurring transactions',
  occurrence_date: 'is set by uploads, and by the routes of recurring transactions',
}
const notCopied = { ...request, client_id: 'names one row of one user' }
const inEveryCopy = (...fields: string[]) =>
  Object.fromEntries(fields.map((field) => [field, 'has been in every copy since the first']))
const notSearched = {
  ...notCopied,
  ...booked,
  ...occurrence,
  ...Object.fromEntries(
    ['account_id', 'to_account_id', 'category_id', 'type', 'transaction_date'].map((field) => [
      field,
      'has a filter of its own, or none',
    ]),
  ),
  amount: 'is no text',
}

/** The fields that a door does not pass on, with the reasons. */
const exceptions: Record<string, Record<string, string>> = {
  'transaction: POST': { ...request, ...booked, ...occurrence },
  'transaction: GET': { ...request, client_id: 'is in the change feed and the export' },
  'transaction: change feed': request,
  'transaction: PUT': { ...notCopied, ...booked, ...occurrence },
  'transaction: batch': { ...request, ...booked, ...occurrence },
  'transaction: upload that creates': request,
  'transaction: upload that updates': { ...notCopied, ...booked, ...occurrence },
  'transaction: import of JSON': { ...request, ...booked, ...occurrence },
  'transaction: restored export': notCopied,
  'transaction: imported CSV': { ...notCopied, ...booked, ...occurrence },
  'transaction: dry run of an import': {
    ...notCopied,
    ...booked,
    ...occurrence,
    account_id: 'is there by name',
    to_account_id: 'is there by name',
    category_id: 'is not there: only names of a file are',
  },
  'transaction: journal for hledger': {
    ...notCopied,
    ...booked,
    ...occurrence,
    account_id: 'is there by name',
    to_account_id: 'is there by name',
    category_id: 'is not there: a transfer goes between two accounts',
    type: 'follows from the accounts',
  },
  'transaction: join': {
    ...notCopied,
    ...booked,
    ...occurrence,
    transaction_date: 'is that of the row that remains',
  },
  'transaction: separation': request,
  'transaction: search': notSearched,
  'transaction: search of the ledger': notSearched,
  'transaction: search of the app': notSearched,
  'transaction: copy from before the field': {
    ...request,
    client_id: 'is not shown',
    ...inEveryCopy('account_id', 'to_account_id', 'category_id', 'type', 'amount', 'transaction_date'),
  },
  'transaction: form of the app': { ...notCopied, ...booked, ...occurrence },
  'transaction: edit of an imported row': { ...notCopied, ...booked, ...occurrence },
  'transaction: duplicate of a POST': notCopied,
  'transaction: duplicate in a batch': notCopied,
  'transaction: duplicate in an import': notCopied,
  'account: copy from before the field': inEveryCopy('name', 'type', 'starting_balance'),
  'category: copy from before the field': inEveryCopy('name', 'type'),
}

const world = createWorld()

/** A row with a value in every field: a text, unless a value is known. */
const complete = (fields: readonly string[], known: Row, text = 'some'): Row => ({
  ...Object.fromEntries(fields.map((field) => [field, `${text} ${field.replaceAll('_', ' ')}`])),
  ...known,
})
const without = (row: Row, fields: string[]): Row =>
  Object.fromEntries(Object.entries(row).filter(([field]) => !fields.includes(field)))

const exportOf = async (person: Person): Promise<Json> => (await person.get('/api/export')).body

/** The user's only transaction, with the names of what it refers to, as another user's restored one has them. */
async function byNames(person: Person): Promise<Row> {
  const { accounts, categories, recurring, transactions } = await exportOf(person)
  const nameOf = (rows: Row[], id: Json) => rows.find((row) => row.id === id)?.name ?? null
  const [row] = transactions
  return {
    ...row,
    account_id: nameOf(accounts, row.account_id),
    to_account_id: nameOf(accounts, row.to_account_id),
    category_id: nameOf(categories, row.category_id),
    recurring_id: recurring.findIndex(({ id }: Row) => id === row.recurring_id),
  }
}

/** A new user into whom the export of another has been restored. */
async function restoredFrom(person: Person): Promise<Person> {
  const other = await world.register()
  const tokens = memoryTokens(other.token)
  const client = createClient({ baseUrl: 'http://purse.test', tokens, fetch: fetchOf(world).fetch })
  await restore(client, await exportOf(person))
  return other
}

/** The user's ledger, from a copy that was stored before its rows had these fields. */
async function olderLedger(person: Person, noun: string, fields: string[]) {
  const { ledger, storage, open } = await openDevice(world, person)
  await ledger.sync()
  const blocks = (await storage.list('')).filter(([key]) => key.includes(`/${noun}/`))
  expect(blocks).not.toEqual([])
  const older = (value: string) => JSON.stringify(JSON.parse(value).map((row: Row) => without(row, fields)))
  await storage.write(blocks.map(([key, value]) => [key, older(value)]))
  return open()
}

/** A household, a transfer with a value in every field, and an expense that differs from it in all of them. */
async function createHome() {
  const home = await createHousehold(world)
  const { person, checking, cash, category } = home
  const savings = await openAccount(person, { name: 'Savings' })
  const { body: categories } = await person.get('/api/categories')
  const row = complete(transactionFieldNames, {
    ...{ account_id: checking.id, to_account_id: cash.id, category_id: category.id, client_id: 'phone-1' },
    ...{ type: 'transfer', amount: '12.50', transaction_date: '2026-11-20', force: true },
    ...{ booked_on: '2026-11-22', to_booked_on: '2026-11-23' },
    ...{ recurring_id: await home.repeat(), occurrence_date: '2026-11-20' },
  })
  const other = complete(
    transactionFieldNames,
    {
      ...{ account_id: savings.id, to_account_id: null, category_id: categories.at(-1).id, force: true },
      ...{ type: 'expense', amount: '13.60', transaction_date: '2026-10-19', client_id: 'phone-2' },
      ...{ booked_on: '2026-10-20', to_booked_on: '2026-10-21' },
    },
    'other',
  )
  const changeable = without(row, ['client_id', 'force'])
  const stored = async (): Promise<Row> => (await exportOf(person)).transactions[0]
  return { ...home, savings, row, other, changeable, stored }
}
type Home = Awaited<ReturnType<typeof createHome>>

/** Records a row through the one door that takes all of its fields. */
const record = (person: Person, { client_id, force: _, ...fields }: Row) =>
  uploadOne(person, create('transaction', client_id, fields))

/** Joins a typed transfer that lacks all it may lack with one of a file. Returns the rows before the join. */
async function join({ person, row }: Home): Promise<Row[]> {
  const { account_id, to_account_id, type, amount, transaction_date } = row
  await post(person, { account_id, to_account_id, type, amount, transaction_date })
  await person.post('/api/import/store', { transactions: [{ ...row, transaction_date: '2026-11-21' }] })
  const { transactions } = await exportOf(person)
  const ids = transactions.map(({ id }: Row) => id)
  const { body } = await person.post('/api/matches/join', { kind: 'duplicate', ids })
  expect(body.id).toBe(ids[0])
  return transactions
}

/** Whether a text finds the row, by the field that it is from. */
async function searchedBy(
  row: Row,
  isFound: (q: string, field: string) => Promise<boolean>,
): Promise<Passed> {
  const found: Row = {}
  for (const field of transactionFieldNames) found[field] = await isFound(String(row[field]), field)
  return { given: Object.fromEntries(transactionFieldNames.map((field) => [field, true])), found }
}

/** The row with another value in one field. A transfer has a destination, and no other row has one. */
function differing({ row, other }: Home, field: string): Row {
  const destination = { type: null, to_account_id: other.account_id }[field]
  const changed = {
    ...row,
    [field]: other[field],
    ...(destination !== undefined && { to_account_id: destination }),
  }
  return without(changed, ['client_id', 'force'])
}

/** Records a row without the fields that POST refuses. */
const post = (person: Person, row: Row) => recordTransaction(person, without(row, Object.keys(setElsewhere)))

/** Whether a row that differs from a stored one in a single field is created, by that field. */
async function comparedBy(home: Home, send: (row: Row) => Promise<Json>): Promise<Passed> {
  await post(home.person, home.row)
  const found: Row = {}
  for (const field of transactionFieldNames) found[field] = await send(differing(home, field))
  const given = transactionFieldNames.map((field) => [field, transactionFields[field].isCompared])
  return { given: Object.fromEntries(given), found }
}

const transactionDoors: Record<string, (home: Home) => Promise<Passed>> = {
  async POST({ person, row, stored }) {
    await post(person, row)
    return { given: row, found: await stored() }
  },
  async GET({ person, row }) {
    await record(person, row)
    return { given: row, found: (await person.get('/api/transactions')).body.data[0] }
  },
  async 'change feed'({ person, row }) {
    await record(person, row)
    const { changes } = (await person.get('/api/changes')).body
    return { given: row, found: changes.find(({ noun }: Json) => noun === 'transaction').data }
  },
  async PUT({ person, row, other, changeable, stored }) {
    const { id } = await post(person, other)
    await person.put(`/api/transactions/${id}`, without(changeable, Object.keys(setElsewhere)))
    return { given: row, found: await stored() }
  },
  async batch({ person, row, stored }) {
    await person.post('/api/transactions/sync', { transactions: [row] })
    return { given: row, found: await stored() }
  },
  async 'upload that creates'({ person, row, changeable, stored }) {
    await uploadOne(person, create('transaction', row.client_id, changeable))
    return { given: row, found: await stored() }
  },
  async 'upload that updates'({ person, row, other, changeable, stored }) {
    const { id } = await post(person, other)
    await uploadOne(person, update('transaction', id, changeable))
    return { given: row, found: await stored() }
  },
  async 'import of JSON'({ person, row, stored }) {
    await person.post('/api/import/store', { transactions: [row] })
    return { given: row, found: await stored() }
  },
  async 'dry run of an import'({ person, row }) {
    const { body } = await person.post('/api/import/store', { transactions: [row], dry_run: true })
    return { given: row, found: body.import.preview.rows[0] }
  },
  async 'restored export'({ person, row }) {
    await record(person, row)
    return { given: await byNames(person), found: await byNames(await restoredFrom(person)) }
  },
  async 'imported CSV'({ person, row }) {
    await post(person, row)
    const reader = await world.register()
    await verify(world, reader)
    for (const { name } of (await exportOf(person)).accounts) await openAccount(reader, { name })
    const { text } = await person.get('/api/export?format=csv')
    await sendFile({ world, person: reader }, 'store', text)
    return { given: await byNames(person), found: await byNames(reader) }
  },
  async 'journal for hledger'({ person, row }) {
    await post(person, row)
    const { text } = await person.get('/api/export?format=hledger')
    return searchedBy(row, async (q) => text.includes(q))
  },
  async join(home) {
    await join(home)
    return { given: home.row, found: await home.stored() }
  },
  async separation(home) {
    const before = await join(home)
    await home.person.post('/api/matches/separate', { id: before[0]?.id })
    const { transactions: after } = await exportOf(home.person)
    const byField = (rows: Row[]) =>
      Object.fromEntries(transactionFieldNames.map((field) => [field, rows.map((row) => row[field])]))
    return { given: byField(before), found: byField(after) }
  },
  async search({ person, row }) {
    await post(person, row)
    return searchedBy(row, async (q) => {
      const { body } = await person.get(`/api/transactions?${new URLSearchParams({ q })}`)
      return body.total === 1
    })
  },
  async 'search of the ledger'({ person, row }) {
    await post(person, row)
    const { ledger } = await openDevice(world, person)
    await ledger.sync()
    return searchedBy(row, async (q) => ledger.transactions({ q }).total === 1)
  },
  async 'copy from before the field'({ person, row }) {
    const optional = fieldsThrough('transaction: copy from before the field', transactionFieldNames)
    const { client_id, ...required } = without(row, ['force', ...optional])
    await uploadOne(person, create('transaction', client_id, required))
    const { data } = (await olderLedger(person, 'transaction', optional)).transactions()
    return { given: Object.fromEntries(optional.map((field) => [field, null])), found: { ...data[0] } }
  },
  async 'form of the app'({ row }) {
    const named = [...dialog.matchAll(/\bname(?:=|: )["'](\w+)["']/g)].map(([, name = '']) => name)
    return { given: row, found: Object.fromEntries(named.map((name) => [name, row[name]])) }
  },
  /** The app searches by `words` alone. */
  async 'search of the app'({ person, row }) {
    expect(search).toContain(' words,')
    await post(person, row)
    const { ledger } = await openDevice(world, person)
    await ledger.sync()
    return searchedBy(row, async (words) => ledger.transactions({ words }).total === 1)
  },
  /** A row that is edited in one field is still a duplicate of its row in the file. */
  async 'edit of an imported row'(home) {
    const { person, row, stored } = home
    const found: Row = {}
    const file = { transactions: [without(row, ['client_id', 'force'])] }
    for (const field of fieldsThrough('transaction: edit of an imported row', transactionFieldNames)) {
      await person.post('/api/import/store', file)
      const { id } = await stored()
      await person.put(`/api/transactions/${id}`, { [field]: differing(home, field)[field] })
      found[field] = (await person.post('/api/import/store', file)).body.import.counts.created
      await person.delete(`/api/imports/${(await person.get('/api/imports')).body.at(-1).id}?force=true`)
    }
    return { given: Object.fromEntries(Object.keys(found).map((field) => [field, 0])), found }
  },
  'duplicate of a POST': (home) =>
    comparedBy(home, async (row) => {
      const sent = without(row, Object.keys(setElsewhere))
      return (await home.person.post('/api/transactions', sent)).status === 201
    }),
  'duplicate in a batch': (home) =>
    comparedBy(home, async (row) => {
      const { body } = await home.person.post('/api/transactions/sync', { transactions: [row] })
      return (await home.person.get(`/api/transactions/sync/${body.sync_id}`)).body.counts.created === 1
    }),
  'duplicate in an import': (home) =>
    comparedBy(home, async (row) => {
      const { body } = await home.person.post('/api/import/store', { transactions: [row] })
      return body.import.counts.created === 1
    }),
}

/** The doors of an account or a category: two rows that differ in every field. */
function doorsOf(noun: 'account' | 'category', row: Row, other: Row): Doors {
  const list = noun === 'account' ? 'accounts' : 'categories'
  const path = `/api/${list}`
  const last = async (person: Person): Promise<Row> => (await exportOf(person))[list].at(-1)
  const posted = async (body: Row) => {
    const person = await world.register()
    const { id } = (await person.post(path, body)).body
    return { person, id }
  }
  const doors: Doors = {
    async POST() {
      return { given: row, found: await last((await posted(row)).person) }
    },
    async GET() {
      const { person, id } = await posted(row)
      return { given: row, found: (await person.get(`${path}/${id}`)).body }
    },
    async 'change feed'() {
      const { person, id } = await posted(row)
      const { changes } = (await person.get('/api/changes')).body
      return { given: row, found: changes.find((one: Json) => one.noun === noun && one.id === id).data }
    },
    async PUT() {
      const { person, id } = await posted(other)
      await person.put(`${path}/${id}`, row)
      return { given: row, found: await last(person) }
    },
    async 'upload that creates'() {
      const person = await world.register()
      await uploadOne(person, create(noun, 'phone-1', row))
      return { given: row, found: await last(person) }
    },
    async 'upload that updates'() {
      const { person, id } = await posted(other)
      await uploadOne(person, update(noun, id, row))
      return { given: row, found: await last(person) }
    },
    async 'restored export'() {
      const { person } = await posted(row)
      return { given: await last(person), found: await last(await restoredFrom(person)) }
    },
    async 'copy from before the field'() {
      const optional = fieldsThrough(`${noun}: copy from before the field`, Object.keys(row))
      const { person } = await posted(without(row, optional))
      const ledger = await olderLedger(person, noun, optional)
      const shown = noun === 'account' ? ledger.accounts() : ledger.categories()
      return { given: Object.fromEntries(optional.map((field) => [field, null])), found: { ...shown.at(-1) } }
    },
  }
  return Object.fromEntries(Object.entries(doors).map(([name, open]) => [`${noun}: ${name}`, open]))
}

const accountFields = Object.keys(newAccount.shape)
const categoryFields = Object.keys(newCategory.shape)
const account = {
  name: 'Joint',
  type: 'mobile',
  kind: 'savings',
  starting_balance: '45.60',
  closed_on: '2026-11-20',
}
const otherAccount = {
  name: 'Former',
  type: 'cash',
  kind: 'card',
  starting_balance: '1.00',
  closed_on: '2026-10-31',
}
const nouns: [doors: Doors, fields: readonly string[]][] = [
  [
    Object.fromEntries(
      Object.entries(transactionDoors).map(([name, open]) => [
        `transaction: ${name}`,
        async () => open(await createHome()),
      ]),
    ),
    transactionFieldNames,
  ],
  [
    doorsOf('account', complete(accountFields, account), complete(accountFields, otherAccount, 'other')),
    accountFields,
  ],
  [
    doorsOf(
      'category',
      complete(categoryFields, { name: 'Pets', type: 'income' }),
      complete(categoryFields, { name: 'Toys', type: 'expense' }, 'other'),
    ),
    categoryFields,
  ],
]
const doors = nouns.flatMap(([all, fields]) =>
  Object.entries(all).map(([name, open]) => ({ name, open, fields: fieldsThrough(name, fields) })),
)

/** The fields that a door passes on. */
function fieldsThrough(door: string, fields: readonly string[]): string[] {
  return fields.filter((field) => !(field in (exceptions[door] ?? {})))
}

describe.each(doors.filter(({ fields }) => fields.length > 0))('$name', ({ open, fields }) => {
  let passed: Promise<Passed> | undefined

  test.each(fields)('%s', async (field) => {
    passed ??= open()
    const { given, found } = await passed
    expect(given[field]).toBeDefined()
    expect(found[field]).toEqual(given[field])
  })
})

test('every exception names a door and a field that exist', () => {
  const known = new Set<string>([...transactionFieldNames, ...accountFields, ...categoryFields])
  for (const [name, fields] of Object.entries(exceptions)) {
    expect(doors.map((door) => door.name)).toContain(name)
    expect(Object.keys(fields).filter((field) => !known.has(field))).toEqual([])
  }
})

test('docs/export.md has the header of the CSV export', () => {
  expect(exportPage).toContain(`\`${csvHeaders.join()}\``)
})
