/** How long a request may wait for the database and other services before it is answered 503. */
export const requestMs = 8_000

/** Returns the signal that aborts everything a request waits for. */
export type Deadline = () => AbortSignal

/** A deadline that can be restarted, so that what came before does not count. */
export type RequestDeadline = Deadline & { restart: () => void }

/** A deadline for all that a request waits for. It starts at its first use, so that a slow upload does not count. */
export function deadlineAfter(milliseconds: number): RequestDeadline {
  let signal: AbortSignal | undefined
  const deadline = () => {
    signal ??= AbortSignal.timeout(milliseconds)
    return signal
  }
  const restart = () => {
    signal = undefined
  }
  return Object.assign(deadline, { restart })
}

/** Waits for a promise until the signal aborts, then throws its reason. What the promise does later is ignored. */
export async function within<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    const giveUp = () => reject(signal.reason)
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
  })
  return Promise.race([promise, late])
}

/** Keeps the promise running after the response. */
export type WaitUntil = (promise: Promise<unknown>) => void
