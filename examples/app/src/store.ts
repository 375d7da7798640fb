import { useLayoutEffect, useState } from 'preact/hooks'

/** A value that components can subscribe to. */
export function observable<T>(value: T) {
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next: T): void {
      value = next
      for (const listener of listeners) listener()
    },
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** Renders the component again whenever this (a ledger, for example) reports a change. */
export function useFollowed<F extends { subscribe: (listener: () => void) => () => void }>(followed: F): F {
  const [, setVersion] = useState(0)
  useLayoutEffect(() => followed.subscribe(() => setVersion((version) => version + 1)), [followed])
  return followed
}

/**
 * Returns a function that reads a ledger and keeps the last result until the ledger changes: pages are drawn for other
 * reasons as well.
 */
export function keptRead<Followed extends { subscribe: (listener: () => void) => () => void }, Query, T>(
  read: (followed: Followed, query: Query) => T,
): (followed: Followed, query: Query) => T {
  const last = new WeakMap<Followed, { asked: string; result: T }>()
  return (followed, query) => {
    const asked = JSON.stringify(query)
    const known = last.get(followed)
    if (known?.asked === asked) return known.result
    const result = read(followed, query)
    last.set(followed, { asked, result })
    const forget = followed.subscribe(() => {
      last.delete(followed)
      forget()
    })
    return result
  }
}
