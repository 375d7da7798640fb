import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { Database, Model } from '@nozbe/watermelondb'
import LokiJSAdapter from '@nozbe/watermelondb/adapters/lokijs'
import { createRxDatabase } from 'rxdb/plugins/core'
import { getRxStorageMemory } from 'rxdb/plugins/storage-memory'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Call, connect, type Fields, type Noun } from '../../docs/examples/engines/changes.ts'
import * as rxdb from '../../docs/examples/engines/rxdb.ts'
import * as watermelon from '../../docs/examples/engines/watermelon.ts'
import { clientOf, register } from './client.ts'
import { type Place, projectDirectory, sharedPlace } from './stack.ts'

const nouns: Noun[] = ['account', 'category', 'transaction']
const references = { account_id: 'account', to_account_id: 'account', category_id: 'category' } as const
/** Rows are found by what people call them. References are names as well. */
type Device = {
  create: (noun: Noun, fields: Fields) => Promise<void>
  edit: (noun: Noun, name: string, fields: Fields) => Promise<void>
  remove: (noun: Noun, name: string) => Promise<void>
  sync: () => Promise<void>
  /** Everything that it has, as the service would show it. */
  rows: () => Promise<Copy>
  /** What the person was shown: fields with both values, or errors. */
  told: unknown[]
}
type Copy = Record<Noun, Fields[]>

let place: Place
beforeAll(async () => {
  place = await sharedPlace()
})

/** RxDB limits the number of open collections. */
const open: { close: () => Promise<unknown> }[] = []
afterEach(async () => {
  for (const database of open.splice(0)) await database.close()
})

const fieldsOf: Record<Noun, string[]> = {
  account: ['id', 'name', 'type', 'starting_balance', 'notes'],
  category: ['id', 'name', 'type'],
  transaction: [
    ...['id', 'type', 'account_id', 'to_account_id', 'category_id'],
    ...['amount', 'description', 'reference', 'transaction_date'],
  ],
}
const shown = (noun: Noun, data: Fields) =>
  Object.fromEntries(fieldsOf[noun].map((name) => [name, data[name] ?? null]))
const inOrder = (rows: Fields[]) => rows.sort((a, b) => Number(a.id) - Number(b.id))
const nameOf = (row: Fields) => row.name ?? row.description

async function openRxdb(call: Call): Promise<Device> {
  const told: unknown[] = []
  const database = await createRxDatabase({
    name: crypto.randomUUID(),
    storage: getRxStorageMemory(),
    multiInstance: false,
  })
  open.push(database)
  const conflictHandler = rxdb.conflictHandler((mine, theirs, fields) =>
    told.push({ fields, mine: mine.data, theirs: theirs._deleted ? null : theirs.data }),
  )
  const { ledger } = await database.addCollections({ ledger: { schema: rxdb.schema, conflictHandler } })
  if (!ledger) throw new Error('There is no collection.')
  const all = async () =>
    (await ledger.find().exec()) as { noun: Noun; id: number; key: string; data: Fields }[]
  const find = async (noun: Noun, name: unknown) => {
    const docs = await ledger.find({ selector: { noun } }).exec()
    return docs.find((doc) => nameOf(doc.data) === name)
  }
  const referring = async (fields: Fields) => {
    const data = { ...fields }
    for (const [field, noun] of Object.entries(references)) {
      if (!data[field]) continue
      const doc = await find(noun, data[field])
      data[field] = doc.id || `#${doc.key.split(':')[1]}`
    }
    return data
  }
  return {
    told,
    async create(noun, fields) {
      await ledger.insert(rxdb.newDoc(noun, crypto.randomUUID(), await referring(fields)))
    },
    async edit(noun, name, fields) {
      const changes = await referring(fields)
      const doc = await find(noun, name)
      await doc.incrementalModify((now: rxdb.Doc) => ({ ...now, data: { ...now.data, ...changes } }))
    },
    async remove(noun, name) {
      await (await find(noun, name)).remove()
    },
    async sync() {
      const replication = rxdb.replicate(ledger, call, (doc, errors) =>
        told.push({ name: nameOf(doc.data), errors }),
      )
      const failed = new Promise<never>((_, reject) => replication.error$.subscribe(reject))
      try {
        await Promise.race([failed, replication.awaitInitialReplication()])
        replication.reSync()
        await Promise.race([failed, replication.awaitInSync()])
      } finally {
        await replication.cancel()
      }
    },
    async rows() {
      const docs = await all()
      const of = (noun: Noun) =>
        inOrder(docs.filter((doc) => doc.noun === noun).map(({ id, data }) => shown(noun, { ...data, id })))
      return { account: of('account'), category: of('category'), transaction: of('transaction') }
    },
  }
}

class Account extends Model {
  static override table = 'accounts'
}
class Category extends Model {
  static override table = 'categories'
}
class Transaction extends Model {
  static override table = 'transactions'
}
type Raw = Fields & { id: string; server_id: number }
const rawOf = ({ _raw }: Model) => _raw as unknown as Raw

async function openWatermelon(call: Call): Promise<Device> {
  const told: unknown[] = []
  const { schema, tables } = watermelon
  const adapter = new LokiJSAdapter({
    dbName: crypto.randomUUID(),
    schema,
    useWebWorker: false,
    useIncrementalIndexedDB: false,
    extraLokiOptions: { autosave: false },
  })
  const database = new Database({ adapter, modelClasses: [Account, Category, Transaction] })
  const all = (noun: Noun) => database.get(tables[noun]).query().fetch()
  const find = async (noun: Noun, name: unknown) => {
    const found = (await all(noun)).find((record) => nameOf(rawOf(record)) === name)
    if (!found) throw new Error(`There is no ${noun} ${name}.`)
    return found
  }
  const referring = async (fields: Fields) => {
    const data = { ...fields }
    for (const [field, noun] of Object.entries(references))
      if (data[field]) data[field] = (await find(noun, data[field])).id
    return data
  }
  const set = (record: Model, fields: Fields) => {
    for (const [name, value] of Object.entries(fields)) record._setRaw(name, value as string)
  }
  return {
    told,
    async create(noun, fields) {
      const data = await referring(fields)
      await database.write(() => database.get(tables[noun]).create((record) => set(record, data)))
    },
    async edit(noun, name, fields) {
      const data = await referring(fields)
      const record = await find(noun, name)
      await database.write(() => record.update(() => set(record, data)))
    },
    async remove(noun, name) {
      const record = await find(noun, name)
      await database.write(() => record.markAsDeleted())
    },
    sync: () => watermelon.sync(database, call, (problem) => told.push(problem)),
    async rows() {
      const rows: Copy = { account: [], category: [], transaction: [] }
      for (const noun of nouns) {
        for (const raw of (await all(noun)).map(rawOf)) {
          const data: Fields = { ...raw, id: raw.server_id }
          for (const [field, whose] of Object.entries(references)) {
            const key = data[field]
            if (key) data[field] = rawOf(await database.get(tables[whose]).find(`${key}`)).server_id
          }
          rows[noun].push(shown(noun, data))
        }
        inOrder(rows[noun])
      }
      return rows
    },
  }
}

let users = 0

/** Somebody with two devices, who have synced, and an account and a few transactions. */
async function setUp(openDevice: (call: Call) => Promise<Device>) {
  const api = clientOf(place)
  const email = `adapters${users++}-${crypto.randomUUID()}@example.com`
  const { access_token: token, user } = await register(place, email)
  const real = connect(`http://127.0.0.1:${place.PORT}`, token)
  const network = { isLost: false, isExpired: false, sent: 0 }
  const call: Call = async (method, path, body) => {
    const ahead = Buffer.from(JSON.stringify([1, user.id, 1e9])).toString('base64url')
    const answer = await real(
      method,
      network.isExpired ? path.replace(/cursor=.*/, `cursor=${ahead}`) : path,
      body,
    )
    if (answer.status === 410) network.isExpired = false
    if (method === 'POST') network.sent += 1
    if (method === 'POST' && network.isLost) throw new Error('The answer was lost.')
    return answer
  }
  const service = async (): Promise<Copy> => {
    const { body } = await api('GET', '/changes?limit=1000', undefined, token)
    const of = (noun: Noun) =>
      inOrder(
        body.changes
          .filter((one: { noun: Noun; data: Fields | null }) => one.noun === noun && one.data)
          .map(({ data }: { data: Fields }) => shown(noun, data)),
      )
    return { account: of('account'), category: of('category'), transaction: of('transaction') }
  }
  const cursor = async () => (await api('GET', '/changes?start=now', undefined, token)).body.cursor
  const phone = await openDevice(call)
  const laptop = await openDevice(call)
  await phone.create('account', { name: 'Wallet', type: 'cash', starting_balance: '20.00' })
  await phone.create('account', { name: 'Old bank', type: 'bank', starting_balance: '5.00' })
  await phone.create('category', { name: 'Hobbies', type: 'expense' })
  for (const name of ['Coffee', 'Bus', 'Rent']) await phone.create('transaction', spending(name))
  await phone.create('transaction', { ...spending('Fee'), account_id: 'Old bank' })
  await phone.sync()
  await laptop.sync()
  return {
    network,
    service,
    cursor,
    phone,
    laptop,
  }
}

const spending = (description: string, amount = '12.00') => ({
  type: 'expense',
  account_id: 'Wallet',
  category_id: 'Hobbies',
  amount,
  description,
  transaction_date: '2026-11-20',
})
const amountOf = ({ transaction }: Copy, name: string) =>
  transaction.find(({ description }) => description === name)?.amount

test('the adapters and their tests compile with the types of the engines', async () => {
  const tsc = path.join(projectDirectory, 'node_modules/typescript/bin/tsc')
  const compiled = promisify(execFile)(process.execPath, [tsc, '-p', 'docs/examples/engines'], {
    cwd: projectDirectory,
  })
  await expect(compiled).resolves.toMatchObject({ stdout: '' })
})

describe.each([
  ['RxDB', openRxdb],
  ['WatermelonDB', openWatermelon],
])('%s', (_, openDevice) => {
  test.each([
    ['one', ['phone', 'laptop']],
    ['the other', ['laptop', 'phone']],
  ] as const)('what two devices did offline ends up alike, synced in %s order', async (_, order) => {
    const { service, cursor, network, phone, laptop } = await setUp(openDevice)
    const devices = { phone, laptop }
    expect(await phone.rows()).toEqual(await service())
    expect(await laptop.rows()).toEqual(await service())

    await phone.create('account', { name: 'Savings', type: 'bank', starting_balance: '0.00' })
    await phone.create('transaction', {
      ...spending('To savings'),
      type: 'transfer',
      category_id: null,
      to_account_id: 'Savings',
    })
    await phone.edit('transaction', 'Coffee', { amount: '13.00' })
    await phone.remove('transaction', 'Bus')
    await phone.remove('category', 'Hobbies')
    await laptop.create('category', { name: 'Sweets', type: 'expense' })
    await laptop.create('transaction', { ...spending('Cake'), category_id: 'Sweets' })
    await laptop.edit('transaction', 'Coffee', { reference: 'R1' })
    await laptop.edit('account', 'Wallet', { notes: 'Brown leather' })
    await laptop.remove('account', 'Old bank')

    for (const name of [...order, ...order]) await devices[name].sync()
    const end = await service()
    expect(end.transaction.map(nameOf).sort()).toEqual(['Cake', 'Coffee', 'Rent', 'To savings'])
    expect(end.transaction.find((row) => nameOf(row) === 'Coffee')).toMatchObject({
      amount: '13.00',
      reference: 'R1',
      category_id: null,
    })
    expect(end.account.map(nameOf)).toEqual(['Wallet', 'Savings'])
    expect(await phone.rows()).toEqual(end)
    expect(await laptop.rows()).toEqual(end)
    expect([...phone.told, ...laptop.told]).toEqual([])

    const before = { cursor: await cursor(), sent: network.sent }
    for (const name of order) await devices[name].sync()
    expect({ cursor: await cursor(), sent: network.sent }).toEqual(before)
  })

  test('if both changed the same field, the engine is told, and the person decides', async () => {
    const { service, phone, laptop } = await setUp(openDevice)
    await phone.edit('transaction', 'Coffee', { amount: '13.00' })
    await laptop.edit('transaction', 'Coffee', { amount: '14.00', description: 'Coffee beans' })
    await phone.sync()
    await laptop.sync()
    expect(laptop.told).toMatchObject([{ mine: { amount: '14.00' }, theirs: { amount: '13.00' } }])
    await laptop.sync()
    await phone.sync()
    expect(amountOf(await service(), 'Coffee beans')).toBe('13.00')
    expect(await laptop.rows()).toEqual(await service())
    expect(await phone.rows()).toEqual(await service())

    await laptop.edit('transaction', 'Coffee beans', { amount: '14.00' })
    await laptop.sync()
    expect(amountOf(await service(), 'Coffee beans')).toBe('14.00')
    expect(laptop.told).toHaveLength(1)
  })

  test('a row that one device deletes and the other edits is not lost', async () => {
    const { service, phone, laptop } = await setUp(openDevice)
    await phone.edit('transaction', 'Coffee', { amount: '13.00' })
    await laptop.remove('transaction', 'Coffee')
    await phone.sync()
    await laptop.sync()
    await laptop.sync()
    expect(amountOf(await service(), 'Coffee')).toBe('13.00')
    expect(await laptop.rows()).toEqual(await service())
    expect(laptop.told).toHaveLength(1)
  })

  test('two devices that made the same change have the rest of the row as well', async () => {
    const { service, phone, laptop } = await setUp(openDevice)
    await phone.edit('transaction', 'Coffee', { amount: '13.00', reference: 'R1' })
    await laptop.edit('transaction', 'Coffee', { amount: '13.00' })
    await phone.sync()
    await laptop.sync()
    expect(await laptop.rows()).toEqual(await service())
    expect(laptop.told).toEqual([])
  })

  test('after a cursor that is no longer valid, deleted rows go, and what is waiting stays and lands', async () => {
    const { network, service, phone, laptop } = await setUp(openDevice)
    await laptop.create('transaction', spending('Cake'))
    await laptop.edit('transaction', 'Rent', { amount: '500.00' })
    await laptop.remove('transaction', 'Coffee')
    await phone.remove('transaction', 'Bus')
    await phone.remove('account', 'Old bank')
    await phone.sync()

    network.isExpired = true
    await laptop.sync()
    expect(network.isExpired).toBe(false)
    await laptop.sync()
    const end = await service()
    expect(end.transaction.map(nameOf).sort()).toEqual(['Cake', 'Rent'])
    expect(amountOf(end, 'Rent')).toBe('500.00')
    expect(await laptop.rows()).toEqual(end)
    expect(laptop.told).toEqual([])
  })

  test('after a lost answer, nothing is made or changed twice', async () => {
    const { network, service, phone, laptop } = await setUp(openDevice)
    await phone.create('transaction', spending('Cake'))
    await phone.edit('transaction', 'Rent', { amount: '500.00' })
    network.isLost = true
    await expect(phone.sync()).rejects.toThrow()
    network.isLost = false
    await phone.sync()
    const end = await service()
    expect(end.transaction.map(nameOf).sort()).toEqual(['Bus', 'Cake', 'Coffee', 'Fee', 'Rent'])
    expect(await phone.rows()).toEqual(end)
    await laptop.sync()
    expect(await laptop.rows()).toEqual(end)
    expect(phone.told).toEqual([])
  })

  test('what the service refuses is reported, and lands once it is corrected', async () => {
    const { service, phone } = await setUp(openDevice)
    await phone.create('transaction', spending('Cake', '0.00'))
    await phone.sync()
    expect(phone.told).toMatchObject([{ errors: { amount: [expect.any(String)] } }])
    await phone.edit('transaction', 'Cake', { amount: '3.00' })
    await phone.sync()
    expect(amountOf(await service(), 'Cake')).toBe('3.00')
    expect(await phone.rows()).toEqual(await service())
  })
})
