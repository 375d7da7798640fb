/** `navigator.locks`, as far as it is used here. */
export type Locks = { request: <T>(name: string, work: () => Promise<T>) => Promise<T> }

/** Locks that all tabs of an origin share, where the platform has them. */
export function browserLocks(): Locks | undefined {
  return (globalThis as { navigator?: { locks?: Locks } }).navigator?.locks
}

/** Locks that hold within this page alone. */
export function localLocks(): Locks {
  const last = new Map<string, Promise<unknown>>()
  return {
    request: <T>(name: string, work: () => Promise<T>): Promise<T> => {
      const run = (last.get(name) ?? Promise.resolve()).then(work, work)
      last.set(name, run)
      return run
    },
  }
}
