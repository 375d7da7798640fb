import { type Named, type Pending, textOf } from './pending.ts'
import type { Key, Noun } from './rows.ts'
import { type Entry, idOf, partsOf, pendingEntry, type Stored } from './store.ts'
import { type View, viewOf } from './view.ts'

/** A change to a pending change. It is applied again if another tab has written meanwhile. */
export type PendingUpdate = Named & { change: (pending: Pending | undefined) => Pending | undefined }

export type Memory = ReturnType<typeof memoryOf>

/** What is stored, the pending changes including those that are being written, and the view of both. */
export function memoryOf(stored: Stored, userId: number) {
  const pending = new Map(stored.pending)
  const unstored = unstoredUpdates()
  let lastAt = [...pending.values()].reduce((last, { at }) => Math.max(last, at), 0)
  const newView = (): View => viewOf({ rows: memory.stored.rows, pending, userId })

  /** Updates `pending` for a row from what is stored and from the updates that are being written. */
  function recompute(id: string): void {
    const now = unstored.applyTo(id, memory.stored.pending.get(id))
    if (now) {
      pending.set(id, now)
      lastAt = Math.max(lastAt, now.at)
    } else pending.delete(id)
  }

  const memory = {
    stored,
    pending,
    unstored,
    view: viewOf({ rows: stored.rows, pending, userId }),

    /** The next sequence number (`Pending.at`). */
    nextAt: () => lastAt + 1,

    /** Recomputes a row and shows it at once. */
    show(noun: Noun, key: Key): void {
      recompute(`${noun} ${key}`)
      memory.view.show(noun, key)
    },

    /** Recomputes a row, which is shown later, with the others that a sync changes. */
    markChanged(noun: Noun, key: Key): void {
      recompute(`${noun} ${key}`)
      memory.view.markChanged(noun, key)
    },

    /** Sets or removes a stored pending change, and returns the entry to write. */
    keep(id: string, one: Pending | undefined): Entry {
      if (one) memory.stored.pending.set(id, one)
      else memory.stored.pending.delete(id)
      return pendingEntry(id, one)
    },

    /** Replaces the view by rows that were read again. If the rows are the same, `hasNewRows` says whether some have been marked. */
    take(fresh: Stored, hasNewRows: boolean): void {
      const before = memory.stored
      memory.stored = fresh
      const ids = [...new Set([...before.pending.keys(), ...fresh.pending.keys()])]
      const changed = ids.filter((id) => textOf(before.pending.get(id)) !== textOf(fresh.pending.get(id)))
      for (const id of changed)
        if (hasNewRows) memory.markChanged(...partsOf(id))
        else memory.show(...partsOf(id))
      if (fresh.rows !== before.rows) memory.view = newView()
      else if (hasNewRows) memory.view.update()
    },

    /** Shows all rows anew. */
    replaceView(): void {
      memory.view = newView()
    },
  }
  return memory
}

/** The updates of pending changes that are being written, by row. */
function unstoredUpdates() {
  const updates = new Map<string, Set<PendingUpdate>>()
  return {
    applyTo: (id: string, one: Pending | undefined): Pending | undefined =>
      [...(updates.get(id) ?? [])].reduce((now, { change }) => change(now), one),

    add(all: PendingUpdate[]): void {
      for (const one of all) updates.set(idOf(one), (updates.get(idOf(one)) ?? new Set()).add(one))
    },

    remove(all: PendingUpdate[]): void {
      for (const one of all) {
        const own = updates.get(idOf(one))
        own?.delete(one)
        if (own?.size === 0) updates.delete(idOf(one))
      }
    },
  }
}
