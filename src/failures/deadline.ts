/** Returns the signal that aborts all calls of a request. */
export type Deadline = () => AbortSignal

/** A deadline that starts at its first use or at `start`, which also starts it again. */
export type RequestDeadline = Deadline & { start: () => void }

/** A deadline for all calls of a request; 0 sets none. */
export function deadlineAfter(milliseconds: number): RequestDeadline {
  let signal: AbortSignal | undefined
  const deadline = () => {
    signal ??= timeoutSignal(milliseconds)
    return signal
  }
  const start = () => {
    signal = timeoutSignal(milliseconds)
  }
  return Object.assign(deadline, { start })
}

/** A signal that aborts after that time; 0 sets none. */
export function timeoutSignal(milliseconds: number): AbortSignal {
  return milliseconds > 0 ? AbortSignal.timeout(milliseconds) : new AbortController().signal
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
