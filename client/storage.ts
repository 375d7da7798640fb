/** The storage of a ledger: strings by key. Each call is atomic. */
export type LedgerStorage = {
  /** Returns every pair whose key begins with the prefix, ordered by key. */
  list: (prefix: string) => Promise<[key: string, value: string][]>
  /** Stores each value, or deletes its key if the value is null: all of them or, if that fails, none. */
  write: (entries: [key: string, value: string | null][]) => Promise<void>
}

/** A storage in memory, lost when the page is left: for tests. */
export function memoryStorage(): LedgerStorage {
  const values = new Map<string, string>()
  return {
    async write(entries) {
      for (const [key, value] of entries)
        if (value === null) values.delete(key)
        else values.set(key, value)
    },
    list: async (prefix) =>
      [...values].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1)),
  }
}
