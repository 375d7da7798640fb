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
