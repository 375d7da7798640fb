/** `navigator.locks`, as far as it is used here. */
export type Locks = { request: <T>(name: string, work: () => Promise<T>) => Promise<T> }

/** Locks that all tabs of an origin share; undefined if the platform has none. */
export function browserLocks(): Locks | undefined {
  return (globalThis as { navigator?: { locks?: Locks } }).navigator?.locks
}

/** New locks, which hold only among those in this page that use this object. */
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
