// Other limits: failures/limits.ts.

/** The time of a request for the database and other services. Beyond it, the response is a 503. */
export const requestMs = 8_000

/** Returns the signal that aborts all calls of a request. */
export type Deadline = () => AbortSignal

/** A deadline that starts at its first use or at `start`, which also starts it again. */
export type RequestDeadline = Deadline & { start: () => void }

/** A deadline for all calls of a request. */
export function deadlineAfter(milliseconds: number): RequestDeadline {
  let signal: AbortSignal | undefined
  const deadline = () => {
    signal ??= AbortSignal.timeout(milliseconds)
    return signal
  }
  const start = () => {
    signal = AbortSignal.timeout(milliseconds)
  }
  return Object.assign(deadline, { start })
}

/** Awaits a promise. Throws the signal's reason if it aborts first, and ignores the promise. */
export async function abortable<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
  return Promise.race([promise, aborted])
}

/** Keeps the promise running after the response. */
export type WaitUntil = (promise: Promise<unknown>) => void
