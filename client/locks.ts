/** `navigator.locks`, as far as it is used here. */
export type Locks = { request: <T>(name: string, work: () => Promise<T>) => Promise<T> }

/** The locks of ledgers: those that all tabs of an origin share or, if there are none, those of this page. */
export function sharedLocks(): Locks {
  return (globalThis as { navigator?: { locks?: Locks } }).navigator?.locks ?? pageLocks
}

/** The last work under each name. */
const last = new Map<string, Promise<unknown>>()

const pageLocks: Locks = {
  request(name, work) {
    const run = Promise.resolve(last.get(name)).then(work, work)
    last.set(name, run)
    return run
  },
}
