import type { Differing } from './listing.ts'
import { type Key, keyOf, mapsByNoun, type Noun, type ServedRow } from './rows.ts'
import { type Listed, type Shown, type Sources, shownRow } from './shown-row.ts'

type Changed = { noun: Noun; key: Key; before: ServedRow | undefined }

/**
 * The rows that are shown. A transaction without a pending change is kept as the service has sent it, since a copy of a
 * hundred thousand would take long to make. Rows that have changed since are shown as they were until `take`.
 */
export function shownRowsOf(sources: Sources) {
  const { rows, pending } = sources
  const shown: { [N in Noun]: Map<Key, Shown[N]> } = mapsByNoun()
  /** The transactions with a pending change: undefined if that deletes the row. */
  const edited = new Map<Key, Shown['transaction'] | undefined>()
  const changed = new Map<string, Changed>()
  /** The transactions that have been read: an app may read all of them again and again. */
  const presented = new WeakMap<Listed, Shown['transaction']>()

  /** A transaction as it is listed. */
  function listed(key: Key): Listed | undefined {
    const one = changed.get(`transaction ${key}`)
    const served = one ? one.before : rows.get('transaction', key)
    return edited.has(key) ? edited.get(key) : (served as ServedRow<'transaction'> | undefined)
  }

  /** The transactions that are not listed as the service has sent them. */
  function differing(): Differing[] {
    const marked = [...changed.values()].flatMap(({ noun, key }) => (noun === 'transaction' ? key : []))
    const keys = new Set([...edited.keys(), ...marked])
    return [...keys].map((key) => ({ served: rows.get('transaction', key), listed: listed(key) }))
  }

  return {
    shown,
    edited,
    listed,
    changed,

    mark(noun: Noun, key: Key, before: ServedRow | undefined): void {
      const id = `${noun} ${key}`
      if (!changed.has(id)) changed.set(id, { noun, key, before })
    },

    /** Takes a row as it is now. */
    take(noun: Noun, key: Key): void {
      changed.delete(`${noun} ${key}`)
      const one = pending.get(`${noun} ${key}`)
      const row = shownRow(noun, key, sources, rows.get(noun, key), one)
      const all: Map<Key, unknown> = noun === 'transaction' ? edited : shown[noun]
      if (noun === 'transaction' ? one : row) all.set(key, row)
      else all.delete(key)
    },

    differing,

    /** All transactions as they are listed, and those that are hidden with an account. */
    transactions(): Listed[] {
      const others = differing()
      const replaced = new Set<Listed | undefined>(others.map(({ served }) => served))
      const kept: Listed[] = rows.inOrder().filter((row) => !replaced.has(row))
      return [...kept, ...others.map((one) => one.listed).filter((row) => row !== undefined)]
    },

    /** A listed transaction as it is shown. */
    present(row: Listed): Shown['transaction'] {
      if ('rank' in row) return row
      const cached = presented.get(row)
      if (cached) return cached
      const made = shownRow('transaction', keyOf(row), sources, row, undefined) as Shown['transaction']
      presented.set(row, made)
      return made
    },
  }
}
