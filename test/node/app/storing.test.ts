import { indexedDbStorage } from 'purse-client'
import { afterEach, expect, test, vi } from 'vitest'
import { isStoring, watched } from '../../../examples/app/src/storing.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  isStoring.set(true)
})

type Death = 'throws' | 'aborts'

/** A browser's IndexedDB, as far as the storage uses it. A connection can die without an event; then its transactions fail. */
function fakeIndexedDb() {
  const values = new Map<string, string>()
  const connections: { death?: Death | undefined; isClosed: boolean }[] = []
  const full = { isFull: false }

  function transactionOf(death: Death | undefined) {
    const staged: [string, string][] = []
    const transaction = {
      error: undefined as unknown,
      oncomplete: () => {},
      onabort: () => {},
      objectStore: () => ({
        put: (value: string, key: string) => {
          staged.push([key, value])
          return { onsuccess: null }
        },
        getAllKeys: () => ({ result: [...values.keys()] }),
        getAll: () => ({ result: [...values.values()] }),
      }),
    }
    queueMicrotask(() => {
      if (death === 'aborts' || (full.isFull && staged.length > 0)) {
        transaction.error = new Error(death ? 'Connection to Indexed Database server lost' : 'QuotaExceeded')
        return transaction.onabort()
      }
      for (const [key, value] of staged) values.set(key, value)
      transaction.oncomplete()
    })
    return transaction
  }

  function open() {
    const connection: (typeof connections)[number] = { isClosed: false }
    const database = {
      close: () => {
        connection.isClosed = true
      },
      transaction: () => {
        if (connection.death === 'throws') throw new Error('The database connection is closing.')
        return transactionOf(connection.death)
      },
    }
    const request = { result: database, onsuccess: () => {} }
    connections.push(connection)
    queueMicrotask(() => request.onsuccess())
    return request
  }

  vi.stubGlobal('indexedDB', { open })
  vi.stubGlobal('IDBKeyRange', { bound: () => ({}) })
  return { connections, full, values }
}

test.each<Death>(['throws', 'aborts'])(
  'a connection that died without an event and %s is opened again, once for all calls',
  async (death) => {
    const { connections, values } = fakeIndexedDb()
    const storage = indexedDbStorage('purse-1')
    await storage.write([['a', '1']])
    Object.assign(connections[0] ?? {}, { death })
    await Promise.all([storage.write([['b', '2']]), storage.write([['c', '3']])])
    expect(await storage.list('')).toEqual([...values])
    expect([...values.keys()].sort()).toEqual(['a', 'b', 'c'])
    expect(connections.map(({ isClosed }) => isClosed)).toEqual([true, false])
  },
)

test('a write to a full device fails after one more attempt, and says so until a write succeeds', async () => {
  const { connections, full } = fakeIndexedDb()
  const storage = watched(indexedDbStorage('purse-1'))
  await storage.write([['a', '1']])
  full.isFull = true
  await expect(storage.write([['b', '2']])).rejects.toThrow('QuotaExceeded')
  expect([connections.length, isStoring.get()]).toEqual([2, false])
  expect(await storage.list('')).toEqual([['a', '1']])
  expect(isStoring.get()).toBe(false)
  full.isFull = false
  await storage.write([['b', '2']])
  expect(isStoring.get()).toBe(true)
})
