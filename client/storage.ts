/** The storage of a ledger: strings by key. Each call is atomic. */
export type LedgerStorage = {
  /**
   * Returns the pairs whose key begins with the prefix, ordered by key: those after a key, and not more than `limit`. A
   * storage may ignore the page and return them all.
   */
  list: (prefix: string, page?: StoragePage) => Promise<[key: string, value: string][]>
  /** Stores each value, or deletes its key if the value is null: all of them or, if that fails, none. */
  write: (entries: [key: string, value: string | null][]) => Promise<void>
}

export type StoragePage = { after?: string | undefined; limit: number }

/** A storage in memory, lost when the page is left: for tests. */
export function memoryStorage(): LedgerStorage {
  const values = new Map<string, string>()
  /** In order. */
  const keys: string[] = []

  /** The index of a key, or the index at which to insert it. */
  function indexOf(key: string): number {
    let [low, high] = [0, keys.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((keys[middle] as string) < key) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    async write(entries) {
      for (const [key, value] of entries) {
        if (!values.has(key) && value !== null) keys.splice(indexOf(key), 0, key)
        if (values.has(key) && value === null) keys.splice(indexOf(key), 1)
        if (value === null) values.delete(key)
        else values.set(key, value)
      }
    },
    async list(prefix, { after, limit } = { limit: Number.POSITIVE_INFINITY }) {
      const found: [string, string][] = []
      const first = after === undefined ? indexOf(prefix) : indexOf(`${after}\0`)
      for (let at = first; keys[at]?.startsWith(prefix) && found.length < limit; at++)
        found.push([keys[at] as string, values.get(keys[at] as string) as string])
      return found
    },
  }
}
