import { channelOf } from '../channel.ts'
import type { Locks } from '../locks.ts'
import { notify } from '../notify.ts'
import type { LedgerStorage } from '../storage.ts'
import { type Change, merge, type Named, newPending, type Pending, textOf } from './pending.ts'
import { type Renames, revive } from './revive.ts'
import type { Key, Noun } from './rows.ts'
import {
  type Entry,
  idOf,
  partsOf,
  pendingEntry,
  pendingIds,
  readOthers,
  readStored,
  withMeta,
} from './store.ts'
import { type View, viewOf } from './view.ts'

/** A change to a pending change. It is applied again if another tab has written meanwhile. */
export type PendingUpdate = Named & { change: (pending: Pending | undefined) => Pending | undefined }

type CopyOptions = {
  storage: LedgerStorage
  locks: Locks
  userId: number
  newKey: () => Key
  /** Called when deleted rows have been restored under new keys. */
  onRenames: (renames: Renames) => void
}

export type Copy = Awaited<ReturnType<typeof openCopy>>

/**
 * Opens the copy of a user's data on the device: the stored rows, the pending changes, and the view of both. It keeps
 * memory, the storage and the copies in other tabs in sync. Throws LedgerVersionError, and errors of the storage.
 */
export async function openCopy({ storage, locks, userId, newKey, onRenames }: CopyOptions) {
  const base = `purse/${userId}/ledger/`
  const listeners = new Set<() => void>()
  let stored = await locks.request(`${base}state`, () => readStored(storage, base))
  /** Pending changes, including those that are being written. */
  const pending = new Map(stored.pending)
  /** Works that are being written, by row. */
  const unstored = new Map<string, Set<PendingUpdate>>()
  let lastAt = [...pending.values()].reduce((last, { at }) => Math.max(last, at), 0)
  let view = viewOf({ rows: stored.rows, pending, userId })
  let isReplaced = false
  /** The revision that the listeners of this tab know. */
  let knownRevision = stored.meta.revision
  let channel = channelOf(base, () => refresh().catch(() => undefined))

  /** Notifies this tab and the others. */
  function notifyTabs(): void {
    notify(listeners)
    channel?.postMessage(null)
  }

  /** The next sequence number (`Pending.at`). */
  const nextAt = () => lastAt + 1

  /** Updates `pending` for a row from the stored pending change and the works that are being written. */
  function recompute(id: string): void {
    const works = [...(unstored.get(id) ?? [])]
    const now = works.reduce((one, { change }) => change(one), stored.pending.get(id))
    if (now) {
      pending.set(id, now)
      lastAt = Math.max(lastAt, now.at)
    } else pending.delete(id)
  }

  function noteUnstored(works: PendingUpdate[]): void {
    for (const work of works) {
      const own = unstored.get(idOf(work)) ?? new Set()
      unstored.set(idOf(work), own.add(work))
    }
  }

  function forgetUnstored(works: PendingUpdate[]): void {
    for (const work of works) {
      const own = unstored.get(idOf(work))
      own?.delete(work)
      if (own?.size === 0) unstored.delete(idOf(work))
    }
  }

  /** Recomputes a row and shows it at once. */
  function show(work: Named): void {
    recompute(idOf(work))
    view.show(work.noun, work.key)
  }

  /** Recomputes a row, which is shown later, with the others that a sync changes. */
  function markChanged(noun: Noun, key: Key): void {
    recompute(`${noun} ${key}`)
    view.markChanged(noun, key)
  }

  const refresh = (): Promise<void> => locks.request(`${base}state`, takeOthers)

  /** Reads what other tabs have written. */
  async function takeOthers(): Promise<void> {
    let hasNewRows = false
    const fresh = await readOthers(storage, base, stored, (...row) => {
      hasNewRows = true
      view.markServed(...row)
    })
    if (!fresh) return
    const before = stored
    stored = fresh
    const ids = new Set([...before.pending.keys(), ...stored.pending.keys()])
    const changed = [...ids].filter((id) => textOf(before.pending.get(id)) !== textOf(stored.pending.get(id)))
    for (const id of changed) recompute(id)
    if (stored.rows !== before.rows) view = viewOf({ rows: stored.rows, pending, userId })
    else if (hasNewRows) {
      for (const id of changed) view.markChanged(...partsOf(id))
      view.update()
    } else for (const id of changed) view.show(...partsOf(id))
    // Reading again after a write that failed brings nothing new.
    if (stored.meta.revision !== knownRevision) notify(listeners)
    knownRevision = stored.meta.revision
  }

  /**
   * Changes what is stored: `work` changes `stored` and returns the entries to write, if any. No other tab can do so at the
   * same time.
   */
  function commit(work: () => Entry[]): Promise<void> {
    return locks.request(`${base}state`, async () => {
      await takeOthers()
      try {
        const before = JSON.stringify(stored.meta)
        const entries = work()
        if (entries.length === 0 && JSON.stringify(stored.meta) === before) return
        const renames = reviveRows(entries)
        const all = withMeta(stored, entries)
        await storage.write(all.map(([key, value]): Entry => [`${base}${key}`, value]))
        knownRevision = stored.meta.revision
        if (renames.size === 0) return
        onRenames(renames)
        notify(listeners)
      } catch (error) {
        // Memory is ahead of the storage now, so the next commit or refresh reads the storage.
        stored.meta.revision = -1
        stored.meta.rows = -1
        throw error
      }
    })
  }

  /** Turns restored rows into new ones, adds the entries to write, and returns their new keys. */
  function reviveRows(entries: Entry[]): Renames {
    const { touched, renames } = revive(stored, pendingIds(entries), newKey, nextAt())
    for (const id of touched) {
      markChanged(...partsOf(id))
      entries.push(pendingEntry(id, stored.pending.get(id)))
    }
    if (touched.size > 0) view.update()
    return renames
  }

  /** Part of a commit: sets or removes a pending change in `stored`, and returns the entry to write. */
  function keep(id: string, one: Pending | undefined): Entry {
    if (one) stored.pending.set(id, one)
    else stored.pending.delete(id)
    return pendingEntry(id, one)
  }

  return {
    pending,
    stored: () => stored,
    view: () => view,
    commit,
    keep,

    /**
     * Reads what other tabs have written since. With BroadcastChannel, this happens by itself. Throws
     * LedgerVersionError, and errors of the storage.
     */
    refresh,

    /** The work of merging a change into the pending change of a row. */
    updateOf(noun: Noun, key: Key, change: Change): PendingUpdate {
      const at = nextAt()
      return { noun, key, change: (one) => merge(one ?? newPending(noun, key, at), change) }
    },

    /** Makes a user's changes: shows them at once, and has stored them once this resolves. If that fails, takes them back. */
    async write(works: PendingUpdate[]): Promise<void> {
      noteUnstored(works)
      for (const work of works) show(work)
      try {
        notify(listeners)
        await commit(() => {
          forgetUnstored(works)
          return works.map((work) => keep(idOf(work), work.change(stored.pending.get(idOf(work)))))
        })
        channel?.postMessage(null)
      } catch (error) {
        forgetUnstored(works)
        await refresh().catch(() => undefined)
        for (const work of works) show(work)
        notify(listeners)
        throw error
      }
    },

    markChanged,
    markServed: (...row: Parameters<View['markServed']>) => view.markServed(...row),

    /** Notes that all rows may have changed. */
    markAllChanged(): void {
      isReplaced = true
    },

    /** Shows the changed rows, if there are any, here and in other tabs. */
    showChanged(): void {
      if (!isReplaced && !view.hasChanged()) return
      if (isReplaced) view = viewOf({ rows: stored.rows, pending, userId })
      else view.update()
      isReplaced = false
      notifyTabs()
    },

    /** Calls the listener whenever the result of a read may have changed. Returns a function that unsubscribes it. */
    subscribe(listener: () => void): () => void {
      // A function of its own, so that a listener that is subscribed twice is unsubscribed once.
      const own = () => listener()
      listeners.add(own)
      return () => listeners.delete(own)
    },

    /** Stops listening to other tabs and notifying them. Pending changes stay. */
    close(): void {
      channel?.close()
      channel = undefined
    },
  }
}
