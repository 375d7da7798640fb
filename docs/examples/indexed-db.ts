import type { KeyValueStorage } from 'purse-client'

/** A storage for the offline queue in IndexedDB, which service workers can reach as well, unlike localStorage. */
export function indexedDbStorage(name: string): KeyValueStorage {
  const opening = open(name)

  /** Runs one transaction; it has been written when this answers. */
  async function run<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => () => T): Promise<T> {
    const transaction = (await opening).transaction('values', mode, { durability: 'strict' })
    const result = work(transaction.objectStore('values'))
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(result())
      transaction.onabort = () => reject(transaction.error)
    })
  }

  return {
    set: (key, value) =>
      run('readwrite', (store) => {
        store.put(value, key)
        return () => {}
      }),
    list: (prefix) =>
      run('readonly', (store) => {
        const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`)
        const [keys, values] = [store.getAllKeys(range), store.getAll(range)]
        return () => keys.result.map((key, index) => [String(key), String(values.result[index])])
      }),
    delete: (keys) =>
      run('readwrite', (store) => {
        for (const key of keys) store.delete(key)
        return () => {}
      }),
  }
}

function open(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1)
  return new Promise((resolve, reject) => {
    request.onupgradeneeded = () => request.result.createObjectStore('values')
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
