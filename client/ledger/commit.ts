import type { Locks } from '../locks.ts'
import type { LedgerStorage } from '../storage.ts'
import type { Memory } from './memory.ts'
import { type Renames, revive } from './revive.ts'
import type { Key } from './rows.ts'
import { type Entry, partsOf, pendingEntry, pendingIds, readOthers, withMeta } from './store.ts'
import type { Tabs } from './tabs.ts'

type CommitOptions = {
  storage: LedgerStorage
  locks: Locks
  base: string
  memory: Memory
  tabs: Tabs
  newKey: () => Key
  onRenames: (renames: Renames) => void
}

/** Keeps memory and storage in sync: one tab at a time reads what others have written, and writes. */
export function commitsOf({ storage, locks, base, memory, tabs, newKey, onRenames }: CommitOptions) {
  /** The revision that the listeners of this tab know. */
  let knownRevision = memory.stored.meta.revision

  /** Reads what other tabs have written. */
  async function takeOthers(): Promise<void> {
    let hasNewRows = false
    const fresh = await readOthers(storage, base, memory.stored, (...row) => {
      hasNewRows = true
      memory.view.markServed(...row)
    })
    if (!fresh) return
    memory.take(fresh, hasNewRows)
    // Reading again after a write that failed brings nothing new.
    if (fresh.meta.revision !== knownRevision) tabs.notifyThis()
    knownRevision = fresh.meta.revision
  }

  /** Turns restored rows into new ones, adds the entries to write, and returns their new keys. */
  function reviveRows(entries: Entry[]): Renames {
    const { stored, view } = memory
    const { touched, renames } = revive(stored, pendingIds(entries), newKey, memory.nextAt())
    for (const id of touched) {
      memory.markChanged(...partsOf(id))
      entries.push(pendingEntry(id, stored.pending.get(id)))
    }
    if (touched.size > 0) view.update()
    return renames
  }

  /** Writes what `work` returns. After a failure, the next commit or refresh reads the storage. */
  async function run(work: () => Entry[]): Promise<Renames> {
    const { meta } = memory.stored
    const before = JSON.stringify(meta)
    const entries = work()
    if (entries.length === 0 && JSON.stringify(meta) === before) return new Map()
    const renames = reviveRows(entries)
    const all = withMeta(memory.stored, entries)
    await storage.write(all.map(([key, value]): Entry => [`${base}${key}`, value]))
    knownRevision = meta.revision
    return renames
  }

  return {
    refresh: (): Promise<void> => locks.request(`${base}state`, takeOthers),

    /**
     * Changes what is stored: `work` changes `stored` and returns the entries to write, if any. No other tab can do so at
     * the same time.
     */
    commit: (work: () => Entry[]): Promise<void> =>
      locks.request(`${base}state`, async () => {
        await takeOthers()
        try {
          const renames = await run(work)
          if (renames.size === 0) return
          onRenames(renames)
          tabs.notifyThis()
        } catch (error) {
          Object.assign(memory.stored.meta, { revision: -1, rows: -1 })
          throw error
        }
      }),
  }
}
