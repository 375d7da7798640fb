/** What the offline queue needs from a storage: strings by key, each call atomic. */
export type KeyValueStorage = {
  set: (key: string, value: string) => Promise<void>
  /** Every pair whose key begins with the prefix, in the order of keys. */
  list: (prefix: string) => Promise<[key: string, value: string][]>
  delete: (keys: string[]) => Promise<void>
}

/** What a ledger needs from a storage: strings by key, each call atomic. */
export type LedgerStorage = Pick<KeyValueStorage, 'list'> & {
  /** Stores each value, or deletes its key if it is null: all of them or, if that fails, none. */
  write: (entries: [key: string, value: string | null][]) => Promise<void>
}

/** `localStorage` and `sessionStorage`, as far as they are used here. */
export type WebStorage = {
  readonly length: number
  key: (index: number) => string | null
  getItem: (key: string) => string | null
  setItem: (key: string, value: string) => void
  removeItem: (key: string) => void
}

/** Lost when the page is left: for tests, and where there is nothing better. */
export function memoryStorage(): KeyValueStorage & LedgerStorage {
  const values = new Map<string, string>()
  const write: LedgerStorage['write'] = async (entries) => {
    for (const [key, value] of entries)
      if (value === null) values.delete(key)
      else values.set(key, value)
  }
  return {
    ...writing(write),
    list: async (prefix) => inOrder([...values].filter(([key]) => key.startsWith(prefix))),
  }
}

/** All ways of writing, built on the one that writes several values. */
export function writing(write: LedgerStorage['write']) {
  return {
    write,
    set: (key: string, value: string) => write([[key, value]]),
    delete: (keys: string[]) => write(keys.map((key) => [key, null])),
  }
}

/** A storage in `localStorage`: some 5 MB, about ten thousand transactions. */
export function webStorage(storage: WebStorage): KeyValueStorage {
  return {
    set: async (key, value) => storage.setItem(key, value),
    list: async (prefix) => {
      const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '')
      const pairs = keys
        .filter((key) => key.startsWith(prefix))
        .map((key): [string, string] => [key, storage.getItem(key) ?? ''])
      return inOrder(pairs)
    },
    delete: async (keys) => {
      for (const key of keys) storage.removeItem(key)
    },
  }
}

function inOrder(pairs: [string, string][]): [string, string][] {
  return pairs.sort(([a], [b]) => (a < b ? -1 : 1))
}
