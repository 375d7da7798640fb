import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type AsyncSqlite,
  createClient,
  localLedger,
  memoryTokens,
  sqliteStorage,
} from '../../client/index.ts'
import { clientOf, register } from './fixtures/client.ts'
import { sharedPlace } from './fixtures/stack.ts'

let folder: string
const open: DatabaseSync[] = []
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'purse-sqlite-'))
})
afterEach(() => {
  for (const database of open.splice(0)) database.close()
  rmSync(folder, { recursive: true })
})

/** A connection that gives up at once if another one is writing. */
function connect(): DatabaseSync {
  const database = new DatabaseSync(path.join(folder, 'phone.db'), { timeout: 0 })
  open.push(database)
  return database
}

/** As expo-sqlite calls it. */
function asExpo(database: DatabaseSync): AsyncSqlite {
  return {
    runAsync: async (sql, params) => database.prepare(sql).run(...params),
    getAllAsync: async (sql, params) => database.prepare(sql).all(...params),
  }
}

const kinds = [
  { name: 'node:sqlite', of: (database: DatabaseSync) => database },
  { name: 'expo-sqlite', of: asExpo },
]

describe.each(kinds)('a storage in SQLite by $name', ({ of }) => {
  test('lists keys with the same prefix in order, writes all or nothing, and survives its process', async () => {
    const database = connect()
    const storage = sqliteStorage(of(database))
    expect(await storage.list('')).toEqual([])
    const text = `'"\\ é 🫖 \ud800 \u0000 ${'x'.repeat(100_000)}`
    await Promise.all(
      ['a/2', 'b/1', 'a/1', 'a/10', 'ab', 'A/1', 'a/🫖', 'c/"\\\n'].map((key) => storage.write([[key, key]])),
    )
    await storage.write([
      ['a/3', JSON.stringify(text)],
      ['a/2', 'changed'],
      ['a/10', null],
      ['nothing of this name', null],
    ])
    await storage.write([['a/🫖', null]])
    const listed = [
      ['a/1', 'a/1'],
      ['a/2', 'changed'],
      ['a/3', JSON.stringify(text)],
    ]
    expect(await storage.list('a/')).toEqual(listed)
    expect(await storage.list('a/', { limit: 2 })).toEqual(listed.slice(0, 2))
    expect(await storage.list('a/', { after: 'a/1', limit: 9 })).toEqual(listed.slice(1))
    expect(await storage.list('a/', { after: 'a/3', limit: 9 })).toEqual([])
    expect(await storage.list('c')).toEqual([['c/"\\\n', 'c/"\\\n']])
    expect(await sqliteStorage(of(connect())).list('a/')).toEqual(listed)
    expect(await sqliteStorage(of(database), 'another "table"').list('')).toEqual([])

    const other = connect()
    other.exec('begin immediate')
    const refused = storage.write([
      ['a/1', null],
      ['a/2', 'again'],
    ])
    await expect(refused).rejects.toThrow('locked')
    other.exec('rollback')
    database.exec(`pragma max_page_count = ${database.prepare('pragma page_count').get()?.page_count}`)
    const full = storage.write([
      ['a/1', null],
      ['a/4', 'x'.repeat(100_000)],
    ])
    await expect(full).rejects.toThrow('full')
    expect(await storage.list('a/')).toEqual(listed)
  })

  test('keeps a ledger: what is refused is not shown, and what is kept is sent', async () => {
    const place = await sharedPlace()
    const api = clientOf(place)
    const email = `${crypto.randomUUID()}@example.com`
    const { access_token, user } = await register(place, email)
    const baseUrl = `http://127.0.0.1:${place.PORT}`
    const client = createClient({ baseUrl, tokens: memoryTokens(access_token) })
    const openLedger = () => localLedger({ client, userId: user.id, storage: sqliteStorage(of(connect())) })
    const ledger = await openLedger()
    expect(await ledger.sync()).toMatchObject({ stopped: null })
    const wallet = { name: 'Wallet', type: 'cash', starting_balance: '20.50' } as const
    const account_id = await ledger.create('account', wallet)
    const tea = { account_id, type: 'expense', amount: '3.20', transaction_date: '2026-11-20' } as const
    const category_id = ledger.categories()[0]?.key as string
    const other = connect()
    other.exec('begin immediate')
    await expect(ledger.create('transaction', { ...tea, category_id })).rejects.toThrow('locked')
    expect(ledger.transactions().total).toBe(0)
    other.exec('rollback')
    ledger.close()
    await ledger.create('transaction', { ...tea, category_id })

    const again = await openLedger()
    expect(again.accounts()).toMatchObject([{ key: account_id, balance: 17.3, waits: 'waiting' }])
    expect(await again.sync()).toMatchObject({ sent: 2, waiting: 0, stopped: null })
    const { body } = await api('GET', '/accounts', undefined, access_token)
    expect(body).toMatchObject([{ name: 'Wallet', balance: 17.3 }])
    again.close()
  })
})
