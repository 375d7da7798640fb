import { useLayoutEffect, useState } from 'preact/hooks'

/** What tells its listeners of changes, as a ledger does. `subscribe` returns a function that ends this. */
type Followed = { subscribe: (listener: () => void) => () => void }

/** A value that components can follow. */
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
      return () => {
        listeners.delete(listener)
      }
    },
  }
}

/** Renders the component again whenever this has changed. */
export function useFollowed<F extends Followed>(followed: F): F {
  const [, setVersion] = useState(0)
  useLayoutEffect(() => followed.subscribe(() => setVersion((version) => version + 1)), [followed])
  return followed
}
