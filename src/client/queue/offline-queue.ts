import type { PurseClient } from '../create.ts'
import { type Locks, sharedLocks } from '../locks.ts'
import { newClientId } from '../new-id.ts'
import { bearerOf } from '../own-token.ts'
import { wait } from '../send.ts'
import type { KeyValueStorage } from '../storage.ts'
import type { SyncReport } from './run.ts'
import { type QueuedTransaction, type QueueItem, queueStore, type Recorded } from './store.ts'
import { upload, uploadLimits } from './upload.ts'

export type { Stopped } from '../stopped.ts'
export type { SyncReport } from './run.ts'
export type { QueuedTransaction } from './store.ts'

export type OfflineQueueOptions = {
  client: Pick<PurseClient, 'api' | 'tokens'>
  storage: KeyValueStorage
  /** Whose queue it is: on a shared device, one person's transactions never go out under another's token. */
  userId: number
  /** Default: the browser's, which its tabs share, or those of this page. Without the browser's, two tabs may send an item twice, though it lands once. */
  locks?: Locks
  newId?: () => string
  /** Milliseconds since 1970. */
  now?: () => number
  sleep?: (ms: number) => Promise<void>
  limits?: { items: number; bytes: number }
}

/** The latest possible Date: a wrong clock must not lose a transaction. */
const latestMs = 8.64e15

export type QueueCounts = Record<QueuedTransaction['state'], number>
export type OfflineQueue = ReturnType<typeof offlineQueue>

/**
 * Records transactions with or without a network, and delivers each exactly once. `add` stores and `sync` sends: call
 * `sync` when the network is back, after signing in, or as often as you like. Methods throw only what the storage throws.
 */
export function offlineQueue({ client, storage, userId, ...options }: OfflineQueueOptions) {
  const {
    newId = newClientId,
    now = Date.now,
    sleep = wait,
    limits = uploadLimits,
    locks = sharedLocks(),
  } = options
  const name = `purse/${userId}`
  const store = queueStore(storage, name)
  const listeners = new Set<(counts: QueueCounts) => void>()
  const bearer = bearerOf(client, userId)
  const holdItems = <T>(work: () => Promise<T>) => locks.request(`${name}/items`, work)
  let lastAddedMs = 0

  async function list(): Promise<QueuedTransaction[]> {
    const items = (await store.items()).filter(({ discarded }) => !discarded)
    return items.map(({ key, earlier, discarded, mayHaveLanded, ...shown }) => shown)
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

  /** Changes the item with this client id while no run can take it. False if it is in flight or gone. */
  async function change(client_id: string, work: (item: QueueItem) => Promise<void>): Promise<boolean> {
    const isDone = await holdItems(async () => {
      const isMeant = (item: QueueItem) => item.client_id === client_id && !item.discarded
      const item = (await store.items()).find(isMeant)
      if (!item || item.state === 'sending') return false
      await work(item)
      return true
    })
    if (isDone) await tellListeners()
    return isDone
  }

  return {
    list,
    counts,

    /** Calls the listener whenever this queue may have changed the counts. Returns a function that unsubscribes it. */
    subscribe(listener: (counts: QueueCounts) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    /** Stores a transaction. Once this resolves, it is safe: it will land, or be kept as rejected with its errors. */
    async add(transaction: Recorded): Promise<QueuedTransaction> {
      lastAddedMs = Math.min(Math.max(now() || 0, lastAddedMs + 1), latestMs)
      const client_id = newId()
      const item = { client_id, transaction, added_at: new Date(lastAddedMs).toISOString(), errors: null }
      const key = store.itemKey(lastAddedMs, client_id)
      await store.save({ ...item, key, earlier: null, discarded: false })
      await tellListeners()
      return { ...item, state: 'pending' }
    },

    /**
     * Corrects a rejected or waiting transaction and queues it again. If it may have landed as it was, its row will get
     * the correction. False if it is in flight or gone.
     */
    resubmit: (client_id: string, transaction: Recorded): Promise<boolean> =>
      change(client_id, ({ state, mayHaveLanded, ...item }) => {
        const corrected = { ...item, transaction, errors: null }
        if (isSpent(item)) return store.save({ ...corrected, client_id: newId(), earlier: null })
        const earlier = item.earlier ?? (mayHaveLanded ? item.transaction : null)
        return store.save({ ...corrected, earlier })
      }),

    /**
     * Forgets a transaction. If it may have landed, the next run deletes its row; until then the item is kept, hidden.
     * False if it is in flight or gone.
     */
    discard: (client_id: string): Promise<boolean> =>
      change(client_id, ({ state, mayHaveLanded, ...item }) => {
        if (!mayHaveLanded || isSpent(item)) return store.remove([item])
        const transaction = item.earlier ?? item.transaction
        return store.save({ ...item, transaction, errors: null, discarded: true })
      }),

    /** Sends everything that is waiting, one run at a time. The report says if the service or the network has failed. */
    sync(): Promise<SyncReport> {
      const options = { client, store, bearer, holdItems, newId, sleep, limits, onSending: tellListeners }
      return locks.request(name, async () => {
        const report = await upload(options)
        await tellListeners()
        return report
      })
    },
  }
}

/** True if the service has said that the transaction of this client id was deleted, so that the id is spent. */
function isSpent({ errors }: Pick<QueueItem, 'errors'>): boolean {
  return errors?.client_id !== undefined
}
