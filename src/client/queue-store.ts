import type { NewTransaction } from './api.ts'
import type { FieldErrors } from './errors.ts'
import type { KeyValueStorage } from './storage.ts'

/** A transaction that waits, or that the service has refused. */
export type QueuedTransaction = {
  /** Made when it was added and sent every time, so that it lands once. */
  client_id: string
  transaction: Omit<NewTransaction, 'client_id'>
  added_at: string
  /** Sending: on its way, or taken by the service and not yet processed. Rejected: `errors` says why. */
  state: 'pending' | 'sending' | 'rejected'
  errors: FieldErrors | null
}

/** An item as it is stored: what happens to it is a write of its one key, whole or not at all. */
export type StoredItem = Omit<QueuedTransaction, 'state'> & { key: string }

/** A batch that the service has taken and whose outcome is not known yet. */
export type SentBatch = { sync_id: string; client_ids: string[] }

export type QueueStore = ReturnType<typeof queueStore>

/** Items and batches of one queue in a storage. After a crash between any two calls, what was not done is done again. */
export function queueStore(storage: KeyValueStorage, name: string) {
  const [itemPrefix, batchPrefix] = [`${name}/item/`, `${name}/batch/`]
  return {
    /** The key of a new item: they are listed, and sent, in the order in which they were added. */
    itemKey: (addedAtMs: number, client_id: string) =>
      `${itemPrefix}${String(addedAtMs).padStart(15, '0')}-${client_id}`,

    saveItem: ({ key, ...item }: StoredItem) => storage.set(key, JSON.stringify(item)),

    async items(): Promise<StoredItem[]> {
      const pairs = await storage.list(itemPrefix)
      return pairs.map(([key, value]) => ({ ...(JSON.parse(value) as Omit<StoredItem, 'key'>), key }))
    },

    removeItems: (items: StoredItem[]) => storage.delete(items.map(({ key }) => key)),

    saveBatch: ({ sync_id, client_ids }: SentBatch) =>
      storage.set(`${batchPrefix}${sync_id}`, JSON.stringify(client_ids)),

    async batches(): Promise<SentBatch[]> {
      const pairs = await storage.list(batchPrefix)
      return pairs.map(([key, value]) => ({
        sync_id: key.slice(batchPrefix.length),
        client_ids: JSON.parse(value) as string[],
      }))
    },

    removeBatch: ({ sync_id }: SentBatch) => storage.delete([`${batchPrefix}${sync_id}`]),
  }
}
