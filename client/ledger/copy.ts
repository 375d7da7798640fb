import type { Locks } from '../locks.ts'
import type { LedgerStorage } from '../storage.ts'
import { commitsOf } from './commit.ts'
import { memoryOf, type PendingUpdate } from './memory.ts'
import { type Change, merge, newPending } from './pending.ts'
import type { Renames } from './revive.ts'
import type { Key, Noun } from './rows.ts'
import { idOf, readStored } from './store.ts'
import { tabsOf } from './tabs.ts'
import type { View } from './view.ts'

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
  const stored = await locks.request(`${base}state`, () => readStored(storage, base))
  const memory = memoryOf(stored, userId)
  const tabs = tabsOf(base, () => refresh().catch(() => undefined))
  const { commit, refresh } = commitsOf({ storage, locks, base, memory, tabs, newKey, onRenames })
  const { pending, unstored, keep, nextAt } = memory
  let isReplaced = false

  return {
    /** Pending changes, including those that are being written. */
    pending,
    stored: () => memory.stored,
    view: () => memory.view,
    commit,
    keep,

    /**
     * Reads what other tabs have written since. With BroadcastChannel, this happens by itself. Throws
     * LedgerVersionError, and errors of the storage.
     */
    refresh,
    subscribe: tabs.subscribe,
    close: tabs.close,

    /** The work of merging a change into the pending change of a row. */
    updateOf(noun: Noun, key: Key, change: Change): PendingUpdate {
      const at = nextAt()
      return { noun, key, change: (one) => merge(one ?? newPending(noun, key, at), change) }
    },

    /** Makes a user's changes: shows them at once, and has stored them once this resolves. If that fails, takes them back. */
    async write(works: PendingUpdate[]): Promise<void> {
      const show = () => {
        for (const { noun, key } of works) memory.show(noun, key)
        tabs.notifyThis()
      }
      unstored.add(works)
      try {
        show()
        await commit(() => {
          unstored.remove(works)
          return works.map((work) => keep(idOf(work), work.change(memory.stored.pending.get(idOf(work)))))
        })
        tabs.notifyOthers()
      } catch (error) {
        unstored.remove(works)
        await refresh().catch(() => undefined)
        show()
        throw error
      }
    },

    markChanged: memory.markChanged,
    markServed: (...row: Parameters<View['markServed']>) => memory.view.markServed(...row),

    /** Notes that all rows may have changed. */
    markAllChanged(): void {
      isReplaced = true
    },

    /** Notes that more of a snapshot has arrived. */
    showProgress(): void {
      if (memory.stored.meta.incoming !== null) tabs.notifyThis()
    },

    /** Shows the changed rows, if there are any, here and in other tabs. */
    showChanged(): void {
      if (!isReplaced && !memory.view.hasChanged()) return
      if (isReplaced) memory.replaceView()
      else memory.view.update()
      isReplaced = false
      tabs.notifyThis()
      tabs.notifyOthers()
    },
  }
}
