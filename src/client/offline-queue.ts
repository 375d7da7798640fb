import type { PurseClient } from '../client.ts'
import type { NewTransaction } from './api.ts'
import { type QueuedTransaction, queueStore, type StoredItem } from './queue-store.ts'
import type { KeyValueStorage } from './storage.ts'
import { type SyncReport, upload, uploadLimits } from './upload.ts'

export type { QueuedTransaction } from './queue-store.ts'
export type { Stopped, SyncReport } from './upload.ts'

/** `navigator.locks`, as far as it is used here. */
export type Locks = { request: <T>(name: string, work: () => Promise<T>) => Promise<T> }

export type OfflineQueueOptions = {
  client: Pick<PurseClient, 'api'>
  storage: KeyValueStorage
  /** Whose queue it is: on a shared device, one person's transactions never go out under another's token. */
  userId: number
  /** Default: the browser's, across tabs, else within this queue. Two tabs are safe without, and only send more. */
  locks?: Locks
  newId?: () => string
  /** Milliseconds since 1970. */
  now?: () => number
  sleep?: (ms: number) => Promise<void>
  limits?: { items: number; bytes: number }
}

export type QueueCounts = Record<QueuedTransaction['state'], number>
export type OfflineQueue = ReturnType<typeof offlineQueue>

/**
 * Transactions that are recorded with or without a network, and land on the service exactly once. `add` stores;
 * `sync`, called when the network is back, after signing in, or as often as one likes, sends.
 */
export function offlineQueue({ client, storage, userId, ...options }: OfflineQueueOptions) {
  const { newId = () => crypto.randomUUID(), now = Date.now, limits = uploadLimits } = options
  const sleep = options.sleep ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)))
  const locks = options.locks ?? browserLocks() ?? ownLocks()
  const name = `purse/${userId}`
  const store = queueStore(storage, name)
  const listeners = new Set<(counts: QueueCounts) => void>()
  let sending = new Set<string>()
  let lastAddedMs = 0

  async function list(): Promise<QueuedTransaction[]> {
    // Batches first: what lands in between shows as gone, not as pending.
    const sent = new Set((await store.batches()).flatMap(({ client_ids }) => client_ids))
    const isSending = ({ client_id }: StoredItem) => sending.has(client_id) || sent.has(client_id)
    return (await store.items()).map((item) => {
      const state = item.errors ? 'rejected' : isSending(item) ? 'sending' : 'pending'
      const { key, ...rest } = item
      return { ...rest, state }
    })
  }

  async function counts(): Promise<QueueCounts> {
    const all: QueueCounts = { pending: 0, sending: 0, rejected: 0 }
    for (const { state } of await list()) all[state] += 1
    return all
  }

  async function tellListeners(): Promise<void> {
    if (listeners.size === 0) return
    const current = await counts()
    for (const listener of listeners) listener(current)
  }

  /** The item with this client id, unless it is on its way. */
  async function atRest(client_id: string): Promise<StoredItem | undefined> {
    const isAtRest = (await list()).some((item) => item.client_id === client_id && item.state !== 'sending')
    return isAtRest ? (await store.items()).find((item) => item.client_id === client_id) : undefined
  }

  return {
    list,
    counts,

    /** Hears the counts whenever this queue changes them; answers how to stop that. */
    subscribe(listener: (counts: QueueCounts) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    /** Stores a transaction; once this has answered, it will land. */
    async add(transaction: Omit<NewTransaction, 'client_id'>): Promise<QueuedTransaction> {
      lastAddedMs = Math.max(now(), lastAddedMs + 1)
      const client_id = newId()
      const item = { client_id, transaction, added_at: new Date(lastAddedMs).toISOString(), errors: null }
      await store.saveItem({ ...item, key: store.itemKey(lastAddedMs, client_id) })
      await tellListeners()
      return { ...item, state: 'pending' }
    },

    /** Corrects a transaction that was rejected or still waits, and queues it again. False where it is on its way or gone. */
    async resubmit(client_id: string, transaction: Omit<NewTransaction, 'client_id'>): Promise<boolean> {
      const item = await atRest(client_id)
      if (!item) return false
      // An id is spent when its transaction has been deleted; any other may have landed without our knowing.
      const isSpent = item.errors?.client_id !== undefined
      await store.saveItem({ ...item, transaction, errors: null, client_id: isSpent ? newId() : client_id })
      await tellListeners()
      return true
    },

    /**
     * Forgets a transaction. False where it is on its way or gone. One whose sending was interrupted may have landed,
     * and is then in the list of transactions.
     */
    async discard(client_id: string): Promise<boolean> {
      const item = await atRest(client_id)
      if (!item) return false
      await store.removeItems([item])
      await tellListeners()
      return true
    },

    /** Sends all that waits, a run at a time. Never throws for what the service or the network does: the report says. */
    sync(): Promise<SyncReport> {
      const onSending = async (items: StoredItem[]) => {
        sending = new Set(items.map(({ client_id }) => client_id))
        await tellListeners()
      }
      return locks.request(name, async () => {
        const report = await upload({ client, store, sleep, limits, onSending })
        await tellListeners()
        return report
      })
    },
  }
}

function browserLocks(): Locks | undefined {
  return (globalThis as { navigator?: { locks?: Locks } }).navigator?.locks
}

/** One after another within this queue. */
function ownLocks(): Locks {
  let last: Promise<unknown> = Promise.resolve()
  return {
    request: <T>(_: string, work: () => Promise<T>): Promise<T> => {
      const run = last.then(work, work)
      last = run
      return run
    },
  }
}
