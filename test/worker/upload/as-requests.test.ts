import { expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { openDatabase } from '../../../src/database/client.ts'
import { Dice } from '../../dice.ts'
import { randomTransaction } from '../../random-transaction.ts'
import { upload } from '../fixtures/uploads.ts'
import { type ApiResponse, createWorld, type Json, openAccount, type Person } from '../fixtures/world.ts'

/*
 * The same operations, by one user's uploads and another's single requests, must have the same result: rows, balances and
 * figures. Rows are named by keys that both know; ids differ.
 */

type Kind = 'account' | 'category' | 'transaction'
/** An operation in which rows are named by keys, in references too. */
type Change = { op: 'create' | 'update' | 'delete'; noun: Kind; key: string; set?: Json }

const references = { account_id: 'account', to_account_id: 'account', category_id: 'category' } as const
const order = [
  'update account',
  'create account',
  'update category',
  'create category',
  'create transaction',
  'update transaction',
  'delete transaction',
  'delete category',
  'delete account',
]
const plurals = { account: 'accounts', category: 'categories', transaction: 'transactions' }

/** A user whose rows are known by keys. */
class Twin {
  readonly ids = new Map<string, number>()
  readonly person: Person

  constructor(person: Person) {
    this.person = person
  }

  /** The id of a row, or one that does not exist, different for each key. */
  idOf(noun: Kind, key: string): number {
    const missing = 1_000_000 + Number(key.replace(/\D/g, ''))
    return this.ids.get(`${noun} ${key}`) ?? missing
  }

  /** The fields with ids, or with references to rows that have none yet. */
  fields(set: Json, isUpload: boolean): Json {
    const entries = Object.entries(set).map(([field, value]) => {
      const noun = references[field as keyof typeof references]
      if (!noun || value === null) return [field, value]
      const isKnown = this.ids.has(`${noun} ${value}`)
      return [field, isUpload && !isKnown ? `#${value}` : this.idOf(noun, value as string)]
    })
    return Object.fromEntries(entries)
  }

  /** Everything there is, by keys. */
  async rows(): Promise<Json> {
    const keys = new Map([...this.ids].map(([name, id]) => [`${name.split(' ')[0]} ${id}`, name]))
    const read = async (noun: Kind, path: string) => {
      const { body } = await this.person.get(path)
      const named = (body.data ?? body).map((row: Json) => {
        const {
          id,
          user_id,
          created_at,
          updated_at,
          version,
          is_synced,
          account,
          to_account,
          category,
          ...rest
        } = row
        for (const [field, of] of Object.entries(references))
          if (rest[field]) rest[field] = keys.get(`${of} ${rest[field]}`) ?? rest[field] - this.person.id
        return { key: keys.get(`${noun} ${id}`) ?? rest.name, ...rest }
      })
      return named.sort((a: Json, b: Json) => (a.key < b.key ? -1 : 1))
    }
    return {
      accounts: await read('account', '/api/accounts'),
      categories: await read('category', '/api/categories'),
      transactions: await read('transaction', '/api/transactions?per_page=500'),
      summary: (await this.person.get('/api/summary?from=1900-01-01')).body.monthly_summary,
    }
  }
}

async function byUpload(twin: Twin, changes: Change[]): Promise<boolean[]> {
  const ops = changes.map(({ op, noun, key, set }) => ({
    op,
    noun,
    ...(op === 'create' ? { client_id: key } : { id: twin.idOf(noun, key) }),
    ...(set && { set: twin.fields(set, true) }),
  }))
  const results = await upload(twin.person, ops)
  for (const { index, outcome, id } of results) {
    const { noun, key } = changes[index] as Change
    if (outcome === 'created') twin.ids.set(`${noun} ${key}`, id)
    if (outcome === 'deleted' && noun === 'category') twin.ids.delete(`${noun} ${key}`)
  }
  return results.map(({ outcome }) => ['created', 'updated', 'unchanged', 'deleted'].includes(outcome))
}

async function one(twin: Twin, { op, noun, key, set }: Change): Promise<ApiResponse> {
  const path = `/api/${plurals[noun]}`
  if (op === 'delete') {
    const deleted = await twin.person.delete(`${path}/${twin.idOf(noun, key)}`)
    if (noun === 'category') twin.ids.delete(`${noun} ${key}`)
    return deleted
  }
  const fields = twin.fields(set, false)
  if (op === 'update') return twin.person.put(`${path}/${twin.idOf(noun, key)}`, fields)
  const response = await twin.person.post(path, {
    ...fields,
    ...(noun === 'transaction' && { client_id: key, force: true }),
  })
  if (response.status === 201) twin.ids.set(`${noun} ${key}`, response.body.id)
  return response
}

async function bySingleRequests(twin: Twin, changes: Change[]): Promise<boolean[]> {
  const done: boolean[] = []
  for (const name of order)
    for (const [index, change] of changes.entries())
      if (`${change.op} ${change.noun}` === name) done[index] = (await one(twin, change)).status < 300
  return done
}

const days = ['2025-12-31', '2026-01-01', '2026-01-31', '2026-02-28', '2026-11-20', '2026-12-31']

function randomChanges(dice: Dice, round: number, { ids }: Twin): Change[] {
  const accounts = ['h0', 'h1', `a${round}`, `a${round - 1}`]
  // An upload never refuses a row because of its category (categories.test.ts): these exist.
  const isThere = (key: string) => ids.has(`category ${key}`)
  const categories = [...['c0', `c${round - 1}`].filter(isThere), `c${round}`, null]
  const amount = () => (dice.isOnceIn(30) ? 0 : dice.from(1, 100_000) / 100)
  const text = () => dice.oneOf(['Tea', 'Milk', null])
  const transaction = (): Json => {
    const row = randomTransaction(dice, { accounts, categories, days, amount, text })
    // Now and then a destination on something other than a transfer.
    return dice.isOnceIn(20) ? { ...row, to_account_id: dice.oneOf(accounts) } : row
  }
  const account = () => ({
    name: dice.oneOf(['Wallet', 'Savings']),
    type: 'bank',
    starting_balance: dice.from(0, 999),
    notes: dice.oneOf(['x', null]),
  })
  const category = () => ({
    name: `Name ${dice.from(0, 5)}${round}`,
    type: dice.oneOf(['income', 'expense']),
  })
  const changes: Change[] = []
  const add = (change: Change) => {
    if (!changes.some(({ noun, key }) => noun === change.noun && key === change.key)) changes.push(change)
  }
  add({ op: 'create', noun: 'account', key: `a${round}`, set: account() })
  // A name of its own: in an upload, a new category whose name exists is that one.
  add({ op: 'create', noun: 'category', key: `c${round}`, set: { ...category(), name: `New ${round}` } })
  for (let nth = 0; nth < 12; nth++) {
    // Without a category it is refused in both ways: only an upload may create it with null.
    const { category_id, ...set } = transaction()
    const whole = { ...set, ...(category_id !== null && { category_id }) }
    add({ op: 'create', noun: 'transaction', key: `t${round}-${nth}`, set: whole })
    const old = `t${dice.from(1, round)}-${dice.from(0, 11)}`
    const { type, account_id, to_account_id, ...rest } = transaction()
    const field = dice.oneOf(Object.keys(rest))
    const movement = dice.isOnceIn(3) && { type, account_id, to_account_id }
    const changed = { ...movement, [field]: rest[field] }
    add(
      dice.isOnceIn(4)
        ? { op: 'delete', noun: 'transaction', key: old }
        : { op: 'update', noun: 'transaction', key: old, set: changed },
    )
  }
  const [oldAccount, oldCategory] = [`a${dice.from(1, round)}`, `c${dice.from(1, round)}`]
  add(
    dice.isOnceIn(5)
      ? { op: 'delete', noun: 'account', key: oldAccount }
      : { op: 'update', noun: 'account', key: oldAccount, set: account() },
  )
  add(
    dice.isOnceIn(5)
      ? { op: 'delete', noun: 'category', key: oldCategory }
      : { op: 'update', noun: 'category', key: oldCategory, set: category() },
  )
  return changes
}

test.each([1, 2])('uploads leave what single requests leave (%i)', async (seed) => {
  const world = createWorld()
  const twins = [new Twin(await world.register()), new Twin(await world.register())] as const
  for (const twin of twins) {
    for (const key of ['h0', 'h1'])
      twin.ids.set(`account ${key}`, (await openAccount(twin.person, { name: key })).id)
    const { body } = await twin.person.post('/api/categories', { name: 'First', type: 'expense' })
    twin.ids.set('category c0', body.id)
  }
  const dice = new Dice(seed)
  for (let round = 1; round <= 8; round++) {
    const changes = randomChanges(dice, round, twins[0])
    const single = await bySingleRequests(twins[1], changes)
    expect(await byUpload(twins[0], changes), JSON.stringify(changes)).toEqual(single)
    if (round % 3 === 0) await world.removeDeleted()
    const [first, second] = [await twins[0].rows(), await twins[1].rows()]
    for (const twin of [first, second])
      for (const row of twin.transactions)
        if (typeof row.category_id === 'number') row.category_id = 'a default'
    expect(first).toEqual(second)
  }
  expect(await findDifferences(openDatabase({ url: world.databaseUrl, timeoutMs: 30_000 }))).toEqual([])
})
