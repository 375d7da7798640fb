import type { LedgerStorage } from './storage.ts'

/**
 * A storage in an IndexedDB database of this name: unlike `localStorage` it has room for more than 5 MB,
 * and service workers can reach it. Each call throws if the browser forbids it or the device is full.
 */
export function indexedDbStorage(name: string): LedgerStorage {
  let opening: Promise<Database> | undefined

  /** The connection. A call opens it if none has, if opening failed, or if the browser or another tab has closed it. */
  function connect(): Promise<Database> {
    const forget = () => {
      opening = undefined
    }
    opening ??= open(name, forget).catch((error) => {
      forget()
      throw error
    })
    return opening
  }

  /** Runs one transaction, which is on disk once this resolves: if it fails, once more on a connection of its own. */
  async function run<T>(mode: Mode, work: (store: Store) => () => T): Promise<T> {
    const connection = connect()
    try {
      return await runOn(connection, mode, work)
    } catch {
      // A connection may have ended without an event.
      if (opening === connection) opening = undefined
      void connection.then((database) => database.close()).catch(() => undefined)
      return runOn(connect(), mode, work)
    }
  }

  async function runOn<T>(
    connection: Promise<Database>,
    mode: Mode,
    work: (store: Store) => () => T,
  ): Promise<T> {
    const transaction = (await connection).transaction(table, mode, { durability: 'strict' })
    const result = work(transaction.objectStore(table))
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(result())
      transaction.onabort = () => reject(transaction.error)
    })
  }

  return {
    write: (entries) =>
      run('readwrite', (store) => {
        let at = 0
        // In several tasks, since the browser copies each value as it is put.
        function writeNext(): void {
          const next = entries.slice(at, at + entriesPerTask)
          at += entriesPerTask
          const requests = next.map(([key, value]) =>
            value === null ? store.delete(key) : store.put(value, key),
          )
          const last = requests.at(-1)
          if (last && at < entries.length) last.onsuccess = writeNext
        }
        writeNext()
        return () => undefined
      }),

    list: (prefix, page) =>
      run('readonly', (store) => {
        const range = IDBKeyRange.bound(page?.after ?? prefix, `${prefix}\uffff`, page?.after !== undefined)
        const [keys, values] = [store.getAllKeys(range, page?.limit), store.getAll(range, page?.limit)]
        return () => keys.result.map((key, index) => [String(key), String(values.result[index])])
      }),
  }
}

const table = 'values'
const entriesPerTask = 8

function open(name: string, onClosed: () => void): Promise<Database> {
  const request = indexedDB.open(name, 1)
  return new Promise((resolve, reject) => {
    request.onupgradeneeded = () => request.result.createObjectStore(table)
    request.onerror = () => reject(request.error)
    request.onsuccess = () => {
      const database = request.result
      database.onclose = onClosed
      // Otherwise, a deletion of the database would wait for this connection to close.
      database.onversionchange = () => {
        database.close()
        onClosed()
      }
      resolve(database)
    }
  })
}

// The parts of IndexedDB used here: browser types and the Worker's cannot be loaded together.
type Mode = 'readonly' | 'readwrite'
type Handler = (() => void) | null
type Reading<T> = { readonly result: T }
type Writing = { onsuccess: Handler }
type Store = {
  put: (value: string, key: string) => Writing
  delete: (key: string) => Writing
  getAll: (range: object, limit: number | undefined) => Reading<unknown[]>
  getAllKeys: (range: object, limit: number | undefined) => Reading<unknown[]>
}
type Transaction = {
  readonly error: unknown
  objectStore: (table: string) => Store
  oncomplete: Handler
  onabort: Handler
}
type Database = {
  createObjectStore: (table: string) => unknown
  transaction: (table: string, mode: Mode, options: { durability: 'strict' }) => Transaction
  close: () => void
  onclose: Handler
  onversionchange: Handler
}
type Opening = Reading<Database> & {
  readonly error: unknown
  onupgradeneeded: Handler
  onsuccess: Handler
  onerror: Handler
}
declare const indexedDB: { open: (name: string, version: number) => Opening }
declare const IDBKeyRange: { bound: (from: string, to: string, isAfter: boolean) => object }
